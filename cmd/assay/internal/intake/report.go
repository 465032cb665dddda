package intake

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/mine"
	"assay/corpus/querylog/redact"
	"assay/corpus/querylog/sample"
	"assay/corpus/text"
)

// Report says everything that an import did, or would do.
type Report struct {
	DryRun bool   `json:"dry_run"`
	Batch  string `json:"batch,omitempty"` // what labels.db was changed by; "" where it was not
	KeptIn string `json:"-"`               // where the report is kept
	mine.Report
	Sampled     *Sampled       `json:"sampled,omitempty"`
	LeftInFrame int            `json:"left_in_frame"` // too many to bring in without a sample
	Added       int            `json:"new"`           // queries to label
	Same        int            `json:"same"`
	Updated     int            `json:"updated"` // of which only counts, times, variants or weights are brought up to date
	Changed     []Changed      `json:"changed"`
	Proposed    map[string]int `json:"proposed"` // tags guessed for the added ones
}

// Changed is a query of labels.db that a log gives otherwise.
type Changed struct {
	QueryID string   `json:"query_id"`
	What    []string `json:"what"`
	Old     string   `json:"old_text"`
	New     string   `json:"new_text"`
	Labels  int      `json:"labels"` // made on the old text
}

// Sampled is a draw with the table of strata before and after it.
type Sampled struct {
	By      string           `json:"by"`
	Strata  string           `json:"strata"`
	Seed    uint64           `json:"seed"`
	Drawn   int              `json:"drawn"`
	Covered float64          `json:"covered"` // the share of all that was asked that the drawn queries make up themselves
	Table   []sample.Stratum `json:"table"`
}

// settle makes empty lists of those that are not there, for JSON.
func (r *Report) settle() {
	if r.Files == nil {
		r.Files = []mine.File{}
	}
	if r.Redacted == nil {
		r.Redacted = map[redact.Kind]redact.Count{}
	}
	if r.Replaced == nil {
		r.Replaced = []mine.Replaced{}
	}
	if r.Unread == nil {
		r.Unread = []mine.Unread{}
	}
	if r.Rejects == nil {
		r.Rejects = []mine.Reject{}
	}
	if r.Changed == nil {
		r.Changed = []Changed{}
	}
	if r.Proposed == nil {
		r.Proposed = map[string]int{}
	}
}

// reportsFolder is where a workspace keeps what its imports did, within its logs.
const reportsFolder = "reports"

// keepReport writes the report beside the frame. It holds no text that the log held: reasons of rejects may quote one,
// and changed texts are in labels.db's journal.
func (r *run) keepReport(batch string) error {
	r.out.settle()
	kept := r.out
	kept.Rejects = nil
	kept.Changed = make([]Changed, len(r.out.Changed))
	for i, c := range r.out.Changed {
		kept.Changed[i] = Changed{QueryID: c.QueryID, What: c.What, Labels: c.Labels}
	}
	if kept.Batch == "" {
		kept.Batch = batch
	}
	b, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Join(r.Logs, reportsFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	r.out.KeptIn = filepath.Join(dir, batch+".json")
	return replaceFile(r.out.KeptIn, append(b, '\n'))
}

// Lines are the report as a table, a line each. They hold names from outside: sanitise them before they are shown.
func (r Report) Lines() []string {
	var t table
	if len(r.Files) > 0 {
		t.row("rows read", r.Read)
		t.part("rejected", r.Rejected)
		t.part("without a query", r.NoQuery)
		for _, rule := range clean.Rules() {
			t.part("cleaned: "+string(rule), r.Cleaned[rule])
		}
		t.part("forgotten before", r.Forgotten)
		t.part("of a log given twice", r.Twice)
		t.part("asked again", r.Repeats)
		t.row("different queries", r.Distinct)
		t.part("new to the frame", r.New)
		t.part("follow-ups", r.FollowUps)
		for _, kind := range slices.Sorted(maps.Keys(r.Redacted)) {
			c := r.Redacted[kind]
			t.lines = append(t.lines, fmt.Sprintf("  %-28s %9d  in %s", "taken out: "+string(kind), c.Values, text.Count(c.Places, "place", "places")))
		}
		t.row("queries in the frame", r.Frame)
		t.part("near-duplicates of others", r.Grouped)
		if r.Groups > 0 {
			t.part("groups", r.Groups)
		}
		t.part("asked no more, dropped", r.Gone)
	}
	if r.Sampled != nil {
		t.lines = append(t.lines, r.Sampled.lines()...)
	}
	for _, tag := range slices.Sorted(maps.Keys(r.Proposed)) {
		t.part("proposed: #"+tag, r.Proposed[tag])
	}
	t.part("counts brought up to date", r.Updated)
	would := ""
	if r.DryRun {
		would = "would be "
	}
	t.lines = append(t.lines, fmt.Sprintf("%s to label: %d %snew, %d there already, %d changed", text.Count(r.Added+r.Same+r.Updated+len(r.Changed), "query", "queries"),
		r.Added, would, r.Same+r.Updated, len(r.Changed)))
	return t.lines
}

// lines are the table of strata: what there is, and what of it is drawn, before and after.
func (s *Sampled) lines() []string {
	head := fmt.Sprintf("sample of %d by %s, strata by %s, seed %d", s.Drawn, s.By, s.Strata, s.Seed)
	lines := []string{head, fmt.Sprintf("  %-20s %10s %10s %8s %8s %12s", "stratum", "queries", "asked", "before", "drawn", "stand for")}
	var sum sample.Stratum
	for _, st := range s.Table {
		lines = append(lines, fmt.Sprintf("  %-20.20s %10d %10d %8d %8d %12.0f", st.Name, st.Queries, st.Asked, st.Before, st.New, st.Weight))
		sum.Queries += st.Queries
		sum.Asked += st.Asked
		sum.Before += st.Before
		sum.New += st.New
		sum.Weight += st.Weight
	}
	lines = append(lines, fmt.Sprintf("  %-20s %10d %10d %8d %8d %12.0f", "all", sum.Queries, sum.Asked, sum.Before, sum.New, sum.Weight))
	return append(lines, fmt.Sprintf("  the drawn queries are %s of all that was asked", text.Percent(s.Covered)))
}

type table struct{ lines []string }

func (t *table) row(name string, n int) { t.lines = append(t.lines, fmt.Sprintf("%-30s %9d", name, n)) }

// part is a row of something that belongs to the row above; one of nothing is left away.
func (t *table) part(name string, n int) {
	if n != 0 {
		t.lines = append(t.lines, fmt.Sprintf("  %-28s %9d", name, n))
	}
}

// Notes are lines on single things: what a log was found to be, what it replaces, what was left.
func (r Report) Notes() []string {
	var out []string
	for _, f := range r.Files {
		var found []string
		for _, x := range []struct{ what, field string }{
			{"queries", f.TextField}, {"ids", f.IDField}, {"times", f.TimeField}, {"users", f.UserField}, {"sessions", f.SessionField},
		} {
			if x.field != "" {
				found = append(found, fmt.Sprintf("%s in %q", x.what, x.field))
			}
		}
		line := f.File + ": " + f.Format
		if f.Compression != "" {
			line += ", " + f.Compression
		}
		if len(found) > 0 {
			line += ", " + strings.Join(found, ", ")
		}
		out = append(out, fmt.Sprintf("%s; %d accepted + %d rejected = %d (and %d blank)", line, f.Accepted, f.Rejected, f.Accepted+f.Rejected, f.Blank))
		if f.Warning != "" {
			out = append(out, "warning: "+f.File+": "+f.Warning)
		}
	}
	for _, x := range r.Replaced {
		switch x.Why {
		case "same":
			out = append(out, fmt.Sprintf("this log is in the frame already, as %q: its counts stay as they are", x.Source))
		case "longer":
			out = append(out, fmt.Sprintf("it begins with all of %q, and takes its place in the frame", x.Source))
		default:
			out = append(out, fmt.Sprintf("it takes the place of %q in the frame (--source NAME keeps both)", x.Source))
		}
	}
	for _, u := range r.Unread {
		out = append(out, fmt.Sprintf("warning: %s:%d: %q could not be read in %s, first here; kept without it", u.File, u.Line, u.Field, text.Count(u.Rows, "row", "rows")))
	}
	if r.Unthreaded > 0 {
		out = append(out, fmt.Sprintf("note: one user or session has too many rows to be one: %s went without conversations", text.Count(r.Unthreaded, "row", "rows")))
	}
	if r.LeftInFrame > 0 {
		out = append(out, fmt.Sprintf("%d different queries are too many to label: they stay in the frame. Draw some of them: assay import queries --sample 200", r.LeftInFrame))
	}
	return out
}
