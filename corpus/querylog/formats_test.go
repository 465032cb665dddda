package querylog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus/rows"
)

// read opens a log and reads all of it: what was asked, and what was refused.
func read(t testing.TB, path string, opt Options) (asked []Asked, refused []*rows.Reject, s Stats) {
	t.Helper()
	l, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for a, err := range l.Rows() {
		var reject *rows.Reject
		switch {
		case err == nil:
			asked = append(asked, a)
		case errors.As(err, &reject):
			refused = append(refused, reject)
		default:
			t.Fatal(err)
		}
	}
	s = l.Stats()
	if s.Accepted != len(asked)+s.NoQuery || s.Rejected != len(refused) {
		t.Errorf("%s: %d asked and %d refused of %+v", path, len(asked), len(refused), s)
	}
	return asked, refused, s
}

// shown is a row in short: "text | user | session | time | turns…", as far as there is one of each.
func shown(a Asked) string {
	parts := []string{a.Query.Text, a.User, a.Session, ""}
	if !a.At.IsZero() {
		parts[3] = a.At.Format("150405")
	}
	for _, turn := range a.Query.Turns {
		parts = append(parts, turn.Role+": "+turn.Content)
	}
	return strings.TrimRight(strings.Join(parts, " | "), " |")
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		file                      string
		format                    Format
		text, id, at, user, visit string // fields
		counts                    [4]int // accepted, rejected, blank, without a query
		asked                     []string
	}{
		{"access.log", AccessLog, "q", "", "", "", "", [4]int{7, 2, 1, 3},
			[]string{"red shoes | ann |  | 120005", "café crème | 198.51.100.4 |  | 120009", " | 203.0.113.9 |  | 120020", "100% cotton | ann |  | 120105"}},
		{"access-vhost.log", AccessLog, "s", "", "", "", "", [4]int{3, 0, 0, 1}, []string{"red shoes | 192.0.2.7 |  | 120005", "blue shoes | ben |  | 120006"}},
		{"access.jsonl", AccessLog, "q", "", "", "", "", [4]int{3, 0, 0, 2}, []string{"red shoes | ann |  | 120005"}},
		{"caddy.jsonl", AccessLog, "q", "", "", "", "", [4]int{2, 0, 0, 1}, []string{"red shoes | 192.0.2.7 |  | 120005"}},
		{"slow.log", SlowLog, "source", "", "", "", "", [4]int{3, 1, 0, 2}, []string{"red shoes |  |  | 120005"}},
		{"slow.jsonl", SlowLog, "source", "", "", "", "", [4]int{4, 0, 0, 2}, []string{`red "shoes" |  |  | 120005`, "blue AND shoes |  |  | 120007"}},
		{"ubi.jsonl", UBI, "user_query", "", "timestamp", "client_id", "", [4]int{4, 0, 0, 2}, []string{"red shoes | ann-7 |  | 120005", "red shoes | ben-8 |  | 120009"}},
		{"ubi-dump.jsonl", UBI, "user_query", "", "timestamp", "client_id", "", [4]int{1, 0, 0, 0}, []string{"red shoes | ann-7 |  | 120005"}},
		{"langfuse.jsonl", Langfuse, "input", "", "", "", "", [4]int{4, 0, 0, 2},
			[]string{"how do I return shoes | ann | s1 | 120005", "and from abroad? | ann | s1 | 120045 | user: how do I return shoes | assistant: By post."}},
		{"langfuse-api.json", Langfuse, "input", "", "", "", "", [4]int{2, 0, 0, 0}, []string{"how do I return shoes | ann | s1 | 120005", "where is my order | ben | s2 | 120045"}},
		{"langsmith.jsonl", LangSmith, "input", "", "", "", "", [4]int{3, 0, 0, 1}, []string{"return shoes |  | r1 | 120005", "track order |  | r3 | 120045"}},
		{"phoenix.jsonl", OpenInference, "input", "", "", "", "", [4]int{2, 0, 0, 1}, []string{"how do I return shoes | ann | s1 | 120005"}},
		{"otlp.json", OpenInference, "input", "", "", "", "", [4]int{2, 0, 0, 1}, []string{"how do I return shoes |  |  | 120005"}},
		{"topics.trec", Topics, "title", "num", "", "", "", [4]int{2, 1, 3, 0}, []string{"red shoes", "blue shoes"}},
		{"topics.tsv", Topics, "2", "1", "", "", "", [4]int{3, 0, 0, 0}, []string{"red shoes", "blue shoes", "return shoes from abroad"}},
		{"visits.log", Format(rows.TSV), "3", "", "2", "1", "", [4]int{7, 0, 0, 0}, []string{"red shoes | A1F0 |  | 120005", "red shoes cheap | A1F0 |  | 120015", "weather | B2E1 |  | 120021",
			" | B2E1 |  | 120031", "shoes | A1F0 |  | 120044", "weather in bonn | B2E1 |  | 120051", "weather in bonn today | B2E1"}},
		{"aol.tsv", Format(rows.TSV), "Query", "", "QueryTime", "AnonID", "", [4]int{3, 0, 0, 0}, []string{"red shoes | 142 |  | 071712", "red shoes | 142 |  | 071712", "weather | 217 |  | 100000"}},
		{"headless.csv", Format(rows.CSV), "3", "", "2", "1", "", [4]int{4, 0, 0, 0},
			[]string{"red shoes | 1007 |  | 120005", "shoes, blue | 1008 |  | 120006", "return shoes | 1007 |  | 120007", "return shoes abroad | 1007 |  | 120008"}},
		{"chat.jsonl", Format(rows.JSONLines), "messages", "", "created_at", "user", "conversation_id", [4]int{2, 1, 0, 0},
			[]string{"and from abroad? | u1 | k1 | 120005 | user: how do I return shoes | assistant: By post.", "where is my order | u2 | k2 | 120105"}},
		{"support.csv", Format(rows.CSV), "query", "", "timestamp", "user_id", "session", [4]int{2, 0, 0, 0}, []string{"red shoes | c7 | v1 | 120005", " | c7 | v1 | 120006"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			asked, _, s := read(t, "testdata/logs/"+c.file, Options{})
			got := []string{}
			for _, a := range asked {
				got = append(got, shown(a))
			}
			if !slices.Equal(got, c.asked) {
				t.Errorf("\n got %q\nwant %q", got, c.asked)
			}
			if fields := [...]string{s.TextField, s.IDField, s.TimeField, s.UserField, s.SessionField}; s.Format != c.format || fields != [...]string{c.text, c.id, c.at, c.user, c.visit} {
				t.Errorf("%s with %q", s.Format, fields)
			}
			if counts := [4]int{s.Accepted, s.Rejected, s.Blank, s.NoQuery}; counts != c.counts || s.Warning != "" {
				t.Errorf("counts %v, want %v; %q", counts, c.counts, s.Warning)
			}
			info, err := os.Stat("testdata/logs/" + c.file)
			if err != nil || s.Size != info.Size() || s.Consumed != s.Size || s.Encoding != "utf-8" || s.Compression != "" {
				t.Errorf("%+v, %v", s, err)
			}
			for _, a := range asked {
				if len(a.Raw) == 0 || a.Line < 1 || a.Query.Count < 1 || a.Query.Source != c.file || a.Derived != (a.Query.ID == TurnsID(a.Query.Text, a.Query.Turns)) {
					t.Errorf("%+v", a)
				}
			}
			// Named, the format is the same; and so it is from a pipe.
			forced, _, f := read(t, "testdata/logs/"+c.file, Options{Format: c.format})
			b, err := os.ReadFile("testdata/logs/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			piped, _, p := read(t, "-", Options{Stdin: strings.NewReader(string(b))})
			if len(forced) != len(asked) || f.Format != s.Format || len(piped) != len(asked) || p.Format != s.Format || p.Size != 0 {
				t.Errorf("named: %d as %s; piped: %d as %s", len(forced), f.Format, len(piped), p.Format)
			}
		})
	}
}

func TestDetailsOfFormats(t *testing.T) {
	asked, refused, _ := read(t, "testdata/logs/access.log", Options{})
	if asked[0].Agent != "Mozilla/5.0 (X11; Linux x86_64)" || asked[0].Chat || asked[2].Agent != "examplebot/1.0" {
		t.Errorf("%+v", asked[0])
	}
	if fmt.Sprint(refused) != fmt.Sprint([]string{"testdata/logs/access.log:6: what is searched for is not UTF-8 once its escapes are decoded",
		"testdata/logs/access.log:9: the line is none of an access log in the common or combined format"}) {
		t.Errorf("%v", refused)
	}
	asked, _, _ = read(t, "testdata/logs/caddy.jsonl", Options{})
	if asked[0].Agent != "Mozilla/5.0" || !asked[0].At.Equal(time.UnixMilli(1714564805250)) {
		t.Errorf("%+v", asked[0])
	}
	asked, refused, _ = read(t, "testdata/logs/topics.trec", Options{})
	if asked[1].Query.ID != "302" || asked[1].Line != 12 || asked[1].Derived || !strings.HasPrefix(string(asked[1].Raw), "<top>\n<num> Number: 302\n") ||
		refused[0].Line != 17 || !strings.Contains(refused[0].Reason, "the file ends within the topic") {
		t.Errorf("%+v, %v", asked[1], refused)
	}
	asked, _, _ = read(t, "testdata/logs/chat.jsonl", Options{})
	if !asked[0].Chat || !asked[1].Chat || !slices.Equal(asked[0].Names, []string{"Ann Example"}) || !slices.Equal(asked[1].Names, []string{"ben"}) {
		t.Errorf("%+v", asked)
	}
	asked, _, _ = read(t, "testdata/logs/support.csv", Options{})
	if asked[0].Chat || !slices.Equal(asked[0].Names, []string{"Chi", "Example"}) || asked[0].Query.Count != 2 {
		t.Errorf("%+v", asked)
	}
	asked, _, _ = read(t, "testdata/logs/langfuse.jsonl", Options{})
	if !asked[0].Chat {
		t.Errorf("%+v", asked[0])
	}
}

func TestParams(t *testing.T) {
	asked, _, s := read(t, "testdata/logs/access.log", Options{Params: []string{"page"}})
	if len(asked) != 1 || asked[0].Query.Text != "2" || s.TextField != "page" || s.NoQuery != 7 {
		t.Errorf("%+v, %+v", asked, s)
	}
}

func TestExcite(t *testing.T) {
	asked, refused, s := read(t, collection(t, "log-excite/excite-small.log"), Options{})
	if len(asked) != 4501 || len(refused) != 0 || s.TextField != "3" || s.UserField != "1" || s.TimeField != "2" || s.IDField != "" {
		t.Fatalf("%d asked, %d refused, %+v", len(asked), len(refused), s)
	}
	users, blank := map[string]bool{}, 0
	for _, a := range asked {
		users[a.User] = true
		if a.At.Year() != 1997 {
			t.Fatalf("%+v", a)
		}
		if a.Query.Text == "" {
			blank++
		}
	}
	if len(users) != 891 || blank != 533 {
		t.Errorf("%d users, %d blank", len(users), blank)
	}
}

func TestCranfieldTopics(t *testing.T) {
	asked, refused, s := read(t, collection(t, "cranfield/original/trec-xml/cran.qry.xml"), Options{})
	if len(asked) != 225 || len(refused) != 0 || s.Format != Topics || asked[0].Query.ID != "1" ||
		asked[0].Query.Text != "what similarity laws must be obeyed when constructing aeroelastic models of heated high speed aircraft ." {
		t.Errorf("%d asked, %v, %+v", len(asked), refused, s)
	}
}

func TestWarnsOfCorpora(t *testing.T) {
	for _, name := range []string{"cranfield", "chunking-eval", "chorus-ratings"} {
		if _, _, s := read(t, collection(t, name+"/queries.jsonl"), Options{}); s.Warning != "" {
			t.Errorf("%s: %s", name, s.Warning)
		}
	}
	mostly := filepath.Join(t.TempDir(), "mostly.jsonl")
	short, long := `{"_id":"1","title":"t","text":"short"}`+"\n", `{"_id":"2","title":"t","text":"`+strings.Repeat("long ", 300)+`"}`+"\n"
	if err := os.WriteFile(mostly, []byte(short+short+long), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, s := read(t, mostly, Options{}); !strings.Contains(s.Warning, "assay index") {
		t.Errorf("%q", s.Warning)
	}
	if _, _, s := read(t, collection(t, "cranfield/corpus.jsonl"), Options{}); !strings.Contains(s.Warning, "assay index") {
		t.Errorf("%q", s.Warning)
	}
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	row := `{"_id":"%d","title":"t","text":"` + strings.Repeat("long ", 300) + `"}` + "\n"
	if err := os.WriteFile(path, []byte(fmt.Sprintf(row+row, 1, 2)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, s := read(t, path, Options{}); !strings.Contains(s.Warning, "assay index") {
		t.Errorf("%q", s.Warning)
	}
}
