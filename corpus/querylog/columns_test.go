package querylog

import (
	"errors"
	"strings"
	"testing"

	"assay/corpus/rows"
)

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		opt              Options
		queries          []string
	}{
		{"known names", "q.csv", "id,query\n1,a\n", Options{}, []string{"1: a ×1"}},
		{"names in another case", "q.csv", "ID,Search Term\n1,a\n", Options{}, []string{"1: a ×1"}},
		{"banking", "q.csv", "text,category\na,card\n", Options{}, []string{TextID("a") + ": a ×1"}},
		{"a word in the name", "q.csv", "id,Customer question (raw),category\n1,a,x\n", Options{}, []string{"1: a ×1"}},
		{"the only one left", "q.csv", "id,frage\n1,a\n", Options{}, []string{"1: a ×1"}},
		{"named", "q.csv", "nr,frage,text\n1,a,b\n", Options{TextField: "frage", IDField: "NR"}, []string{"1: a ×1"}},
		{"named, without a known name", "q.csv", "nr,frage\nx,a\n", Options{TextField: "frage"}, []string{TextID("a") + ": a ×1"}},
		{"by number", "log.tsv", "u\t97\ta\nu\t98\tb\n", Options{TextField: "3"}, []string{TextID("a") + ": a ×1", TextID("b") + ": b ×1"}},
		{"by numbers", "log.csv", "7,a\n8,b\n", Options{TextField: "2", IDField: "1"}, []string{"7: a ×1", "8: b ×1"}},
		{"topics", "topics.tsv", "7\ta\n8\tb\n", Options{}, []string{"7: a ×1", "8: b ×1"}},
		{"one column", "log.csv", "a\nb\n", Options{}, []string{TextID("a") + ": a ×1", TextID("b") + ": b ×1"}},
		{"a short row", "q.csv", "id,query\n1\n2,b\n", Options{}, []string{"2: b ×1"}},
		{"an empty table", "q.csv", "", Options{}, []string{}},
		{"keys", "q.jsonl", `{"nr":1,"frage":"a","text":"b"}`, Options{TextField: "frage", IDField: "nr"}, []string{"1: a ×1"}},
	} {
		got, err := collect(t, c.text, c.file, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		want(t, c.name, list(got.Queries), c.queries...)
	}
}

func TestColumnsThatCannotBeTold(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		opt              Options
		reason, hint     string
	}{
		{"no header", "log.tsv", "u\t97\ta\n", Options{}, "there is no header to tell which of the 3 columns holds the query", "--text-field 2 (there are 1, 2, 3)"},
		{"two columns of CSV", "log.csv", "17,a\n", Options{}, "which of the 2 columns", "--text-field 2"},
		{"no name like it", "q.csv", "id,titel,thema\n1,a,b\n", Options{}, "no column is named like a query", "there are id, titel, thema"},
		{"a name that is not there", "q.csv", "id,query\n1,a\n", Options{TextField: "qeury"}, `no column "qeury" for the query`, `did you mean "query"?`},
		{"an id that is not there", "q.csv", "id,query\n1,a\n", Options{IDField: "zzz"}, `no column "zzz" for the id`, "there are id, query"},
		{"many columns", "q.csv", "id,title,score,a,b,c,d,e,f,g,h,i,j,k\n", Options{}, "no column is named", "h, i, …)"},
	} {
		_, err := collect(t, c.text, c.file, c.opt)
		var fault *rows.Error
		if !errors.As(err, &fault) || !strings.Contains(fault.Reason, c.reason) || !strings.Contains(fault.Hint(), c.hint) || fault.File != c.file {
			t.Errorf("%s: %v (%q)", c.name, err, fault.Hint())
		}
	}
}

func TestFieldsThatARowLacks(t *testing.T) {
	got, err := collect(t, "{\"nr\":1,\"text\":\"a\"}\n{\"frage\":\"b\"}\n{\"nr\":3,\"frage\":\"c\"}\n", "q.jsonl", Options{TextField: "frage", IDField: "nr"})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "queries", list(got.Queries), "3: c ×1")
	want(t, "rejects", refused(got.Rejects), `1: the row has no "frage", which is to hold the query`, `2: the row has no "nr", which is to hold the id`)
	short, err := collect(t, "id,query\n1\n", "q.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "rejects", refused(short.Rejects), "2: the row has no cell for the query")
}

// tsv makes a table of columns that each repeat their cells.
func tsv(rowsOf int, columns ...[]string) string {
	var b strings.Builder
	for i := range rowsOf {
		for n, c := range columns {
			if n > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(c[i%len(c)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestGuessedColumns(t *testing.T) {
	var (
		texts   = []string{"red shoes", "blue shoes", "weather", "return an order", "bonn"}
		chinese = []string{"红鞋", "天气", "退货"}
		users   = []string{"u17", "u18", "u17"}
		numbers = []string{"1714564805", "1714564999", "1714564805"} // ids that could be times
		times   = []string{"2024-05-01 12:00:05", "2024-05-01 12:00:06", "2024-05-01 12:00:07", "2024-05-01 12:00:08"}
		epochs  = []string{"1714564805", "1714564806", "1714564807", "1714564808"}
		ranks   = []string{"1", "2", "3"}
		places  = []string{"web", "app"}
		urls    = []string{"https://example.org/1", "https://example.org/2", "https://example.org/1"}
	)
	for _, c := range []struct {
		name    string
		columns [][]string
		want    guessed
	}{
		{"user, time, text", [][]string{users, times, texts}, guessed{text: "3", time: "2", user: "1"}},
		{"text, time", [][]string{texts, times}, guessed{text: "1", time: "2"}},
		{"an epoch", [][]string{users, epochs, texts}, guessed{text: "3", time: "2", user: "1"}},
		{"ids that could be times", [][]string{numbers, times, texts}, guessed{text: "3", time: "2", user: "1"}},
		{"ids and times that are both numbers", [][]string{numbers, epochs, texts}, guessed{text: "3", time: "2", user: "1"}},
		{"a rank is no user", [][]string{ranks, times, texts}, guessed{text: "3", time: "2"}},
		{"a channel is no user", [][]string{places, texts}, guessed{text: "2"}},
		{"what comes after the text is no user", [][]string{times, texts, urls}, guessed{text: "2", time: "1"}},
		{"words without spaces", [][]string{users, times, chinese}, guessed{text: "3", time: "2", user: "1"}},
		{"nothing like a text", [][]string{users, times, ranks}, guessed{}},
	} {
		r, err := rows.New(strings.NewReader(tsv(60, c.columns...)), "log.tsv", rows.Options{Header: rows.HeaderAbsent})
		if err != nil {
			t.Fatal(err)
		}
		l, err := newLog(r, Options{TextField: "1"}, sniffed{})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := guessColumns(r.Columns(), l.firstRows()); got != c.want || ok != (c.want.text != "") {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
}
