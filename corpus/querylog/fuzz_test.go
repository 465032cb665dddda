package querylog

import (
	"testing"

	"assay/corpus/rows"
)

// FuzzCollect: whatever the log, its rows are all counted, its queries are sound, and importing it twice changes
// nothing.
func FuzzCollect(f *testing.F) {
	for _, s := range []string{
		"", "yahoo chat\nYahoo  chat\n\n", "id,query\nq1,\"a\nb\"\nq1,c\n,d\n", "u\t97\ta\nu\t98\t\n", "7\ta\n8\tb\n",
		`{"id":1,"query":"a","count":3,"turns":["b"],"tags":"x,y"}` + "\n" + `{"id":1,"query":"A","metadata":{"lang":"en"}}` + "\n" + `{"query":""}`,
		`[{"_id":"1","text":"a","timestamp":1714557605},{"user_input":[{"role":"user","content":"c"}]},{"text":null}]`,
		"query,count,weight,kind\na,2,0.5,written\na,x,-1,organic\n",
	} {
		f.Add(s, "", "")
		f.Add(s, "2", "1")
		f.Add(s, "text", "id")
	}
	f.Fuzz(func(t *testing.T, text, textField, idField string) {
		opt := Options{TextField: textField, IDField: idField}
		got, err := collect(t, text, "fuzz", opt)
		if err != nil {
			return
		}
		for _, r := range got.Rejects {
			if r.Reason == "" || r.Line < 1 {
				t.Errorf("%+v", r)
			}
		}
		kept := shelf{}
		kept.put(PlanImport(kept.find, got.Queries))
		again, err := collect(t, text, "fuzz", opt)
		if p := PlanImport(kept.find, again.Queries); err != nil || len(p.New)+len(p.Changed) > 0 || len(p.Same) != len(got.Queries) {
			t.Errorf("%q: %d new, %d changed on the second import", text, len(p.New), len(p.Changed))
		}
	})
}

func BenchmarkCollect(b *testing.B) {
	path := collection(b, "log-banking77/train.csv")
	for b.Loop() {
		r, err := rows.Open(path, rows.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := gather(r, Options{}); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
