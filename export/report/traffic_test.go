package report

import (
	"strings"
	"testing"
)

// The figure for the traffic stands beside the sample's; measures that have none show a dash, and reports without any
// have no column for it.
func TestReportsShowTheTraffic(t *testing.T) {
	md := written(t, WriteMarkdown, withTraffic())
	for _, want := range []string{
		"| Bounds (unjudged: none–all relevant) | For the traffic (95% interval) |\n|:--|--:|:-:|--:|--:|:-:|--:|\n",
		"| R@5 | 0.6250 | 0.2500–0.8750 | 4 | 90% | 0.5000–0.7500 | 0.7100 (0.5000–0.8400) |\n",
		"| RR | 1.0000 | 0.5101–1.0000 | 4 | 100% | – | – |\n",
		"\nFor the traffic: 3 queries with a weight stand for 480 asked ones, and are worth 2 of equal weight; 1 query without a weight left out.\n",
		"✅ **pass** · R@5 for the traffic is 0.7100",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	if html := rendered(t, md); strings.Count(html, "<th") < 7 || strings.Contains(html, "| For the traffic") {
		t.Errorf("renders as %s", html)
	}
	page := written(t, WriteHTML, withTraffic())
	for _, want := range []string{
		`<th role="columnheader" scope="col">For the traffic</th></tr></thead>`,
		`<td role="cell" data-name="for the traffic" class="num left">0.7100 (0.5000–0.8400)</td></tr>`,
		`<td role="cell" data-name="for the traffic" class="num left">–</td></tr>`,
		"For the traffic: the mean over all that was asked, with its 95% interval. 3 queries with a weight stand for 480",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for name, write := range writers {
		if strings.Contains(written(t, write, small()), "traffic") {
			t.Errorf("%s: traffic where no query has a weight", name)
		}
	}
	if xml := written(t, WriteJUnit, withTraffic()); !strings.Contains(xml, "R@5 for the traffic is 0.7100") && !strings.Contains(xml, "traffic:R@5&gt;=0.7") {
		t.Errorf("the gate is not in\n%s", xml)
	}
}
