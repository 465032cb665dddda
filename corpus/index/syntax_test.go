package index

import (
	"context"
	"errors"
	"slices"
	"testing"

	"assay/corpus"
)

func syntaxIndex(t testing.TB) *Index {
	t.Helper()
	chunk := func(id, doc, text string) corpus.Chunk { return corpus.Chunk{ID: id, DocID: doc, Text: text} }
	return built(t, "en",
		chunk("guide/refunds.md#1", "guide/refunds.md", "Refunds are paid within 14 days"),
		chunk("guide/refunds.md#2", "guide/refunds.md", "No refund without the box"),
		chunk("Guide/Orders.md#1", "Guide/Orders.md", "Orders can be refunded, the deadline is 14 days"),
		chunk("api/kube.md#1", "api/kube.md", "kube-apiserver and kube-proxy of WiFi, user_id"),
		chunk("row 7", "", "a deadline without a document"),
		chunk("zh", "zh/说明.md", "退款政策的说明"),
		chunk("empty", "api/kube.md", ""),
	)
}

func TestSyntax(t *testing.T) {
	ix := syntaxIndex(t)
	r1, r2, o, k, row := "guide/refunds.md#1", "guide/refunds.md#2", "Guide/Orders.md#1", "api/kube.md#1", "row 7"
	for query, want := range map[string][]string{
		"refund":                     {r1, r2, o},
		"REFUND deadline":            {r1, r2, o, row},
		`"14 days"`:                  {r1, o},
		`"days 14"`:                  nil,
		"refund -deadline":           {r1, r2},
		"refund -refunds":            nil,
		"deadline -doc:orders":       {row},
		`refund -"14 days"`:          {r2},
		`refund -"days"`:             {r2},
		"refund -box -order":         {r1},
		"refun*":                     {r1, r2, o},
		"refunde*":                   {o},
		"refund -refunde*":           {r1, r2},
		"refnud~":                    {r1, r2},
		"refnud~2":                   {r1, r2},
		"refund -refnd~1":            {r1, o}, // refunds and refunded are two and more away
		"deadlin~1":                  {o, row},
		"kube-api*":                  {k},
		"kubeapi*":                   {k},
		"-kube-apiserver deadline":   {o, row},
		"proxy -kube-apiserver":      nil,
		"proxy -userid":              nil,
		"wi-fi":                      {k},
		"doc:guide/refunds":          {r1, r2},
		"doc:GUIDE":                  nil,
		"doc:Guide":                  {o},
		"doc:guide":                  {r1, r2, o},
		`doc:"row 7"`:                {row},
		"doc:#1":                     {r1, o, k},
		"doc:kube.md":                {k, "empty"},
		"doc:guide refund -doc:#2":   {r1, o},
		"doc:说明":                     {"zh"},
		"政策":                         {"zh"},
		"退款 -政策":                     nil,
		"退*":                         {"zh"},
		"is:unjudged":                {r2, k, row, "zh", "empty"},
		"is:relevant":                {r1},
		"-is:unjudged":               {r1, o},
		"refund -is:relevant":        {r2, o},
		"refund is:unjudged":         {r2},
		"IS:Relevant DOC:refunds.md": {r1},
		"xyzzy":                      nil,
		"=> ??":                      nil,
		"the":                        {r2, o},
		"mini-doc:x":                 nil,
	} {
		got := search(t, ix, corpus.SearchRequest{
			Text: query, Mode: corpus.Syntax, RelevantFrom: 1,
			Grades: map[string]corpus.Grade{r1: 2, o: 0, k: corpus.CannotJudge, "gone": 3},
		})
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %q, not %q", query, got, want)
		}
	}
	if got := syntax(t, ix, "doc:guide"); !slices.Equal(got, []string{r2, r1, o}) {
		t.Errorf("a filter alone lists %q, not ids in descending order", got)
	}
}

func TestSyntaxErrorsComeThrough(t *testing.T) {
	ix := syntaxIndex(t)
	request := corpus.SearchRequest{Text: `refund "open`, Mode: corpus.Syntax, Limit: 5}
	var e *SyntaxError
	if _, err := ix.Search(context.Background(), request); !errors.As(err, &e) || e.Pos != 7 {
		t.Errorf("a search: %v", err)
	}
	if _, err := ix.Ranking(context.Background(), request); !errors.As(err, &e) || e.Pos != 7 {
		t.Errorf("a ranking: %v", err)
	}
	if got := ix.Matches(request.Text, corpus.Syntax, "open"); got != nil {
		t.Errorf("lights %v", got)
	}
}

func TestOpenWordsAreBounded(t *testing.T) {
	var chunks []corpus.Chunk
	for i := range 300 {
		chunks = append(chunks, corpus.Chunk{ID: string(rune('A'+i%26)) + string(rune('a'+i/26)), Text: "ab" + string(rune('a'+i%26)) + string(rune('a'+i/26))})
	}
	ix := built(t, "none", chunks...)
	r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "ab*", Mode: corpus.Syntax, Limit: 1000})
	if err != nil || !r.Partial || r.Total != maxTerms {
		t.Errorf("total %d, partial %v (%v)", r.Total, r.Partial, err)
	}
	// What is left out is left out whole.
	if got := syntax(t, ix, "abaa -ab*"); len(got) != 0 {
		t.Errorf("-ab* lets %q through", got)
	}
	r, err = ix.Search(context.Background(), corpus.SearchRequest{Text: "abaa~2", Mode: corpus.Syntax, Limit: 1000})
	if err != nil || !r.Partial || r.Total != maxTerms {
		t.Errorf("fuzzy: total %d, partial %v (%v)", r.Total, r.Partial, err)
	}
}
