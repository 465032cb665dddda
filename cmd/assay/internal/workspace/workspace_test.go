package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

func TestInitThenFind(t *testing.T) {
	root := filepath.Join(t.TempDir(), "w x")
	if _, err := Init(root, "de", corpus.DefaultScale()); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := Find("", deep)
	if err != nil {
		t.Fatal(err)
	}
	if w.Root != root || w.Name() != "w x" || w.Config.Corpus.Language != "de" {
		t.Errorf("found %q %q %q", w.Root, w.Name(), w.Config.Corpus.Language)
	}
	if w.Scale().ID != corpus.DefaultScale().ID {
		t.Errorf("scale %+v", w.Scale())
	}
	if _, err := Init(root, "en", corpus.DefaultScale()); err == nil {
		t.Error("a workspace was made over another")
	}
	if _, err := Find("", t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("outside: %v", err)
	}
	if _, err := Find(deep, "/"); !errors.Is(err, ErrNone) {
		t.Errorf("--workspace does not look upwards: %v", err)
	}
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	root := t.TempDir()
	mine := filepath.Join(root, "guidelines.md")
	if err := os.WriteFile(mine, []byte("ours"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Init(root, "en", corpus.DefaultScale())
	if err != nil {
		t.Fatal(err)
	}
	text, hash, err := w.Guidelines()
	if err != nil || text != "ours" || hash != corpus.HashText("ours") {
		t.Errorf("guidelines %q %v", text, err)
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct{ name, toml, want, hint string }{
		{"unknown key", "version = 1\n[scale]\nmaxx = 3\n", `assay.toml:3: unknown key "scale.maxx"`, `did you mean "scale.max"?`},
		{"unknown table", "\n[labelling]\nmouse = true\n", `assay.toml:2: unknown key "labelling"`, `did you mean "labeling"?`},
		{"far from all", "zebra_crossing_colour = 1\n", `assay.toml:1: unknown key`, "assay guide workspace lists the keys"},
		{"hostile key", "\"\\u001b]0;x\" = 1\n", "␛]0;x", ""},
		{"syntax", "version = \n", "assay.toml:1:", ""},
		{"type", "[chunking]\nsize = \"big\"\n", "assay.toml:2:", ""},
		{"scale", "[scale]\nmax = 12\n", "grades are single digits", ""},
		{"names", "[scale]\nmax = 1\n", "4 names for the grades 0 to 1", ""},
		{"rule", "[gold]\nrule = \"mean\"\n", `rule "mean"`, ""},
		{"theme", "[labeling]\ntheme = \"pink\"\n", `theme "pink"`, ""},
		{"size", "[chunking]\nsize = 3\n", "below 100 bytes", ""},
		{"overlap", "[chunking]\nsize = 200\noverlap = 150\n", "half the size", ""},
		{"version", "version = 7\n", "version 7", ""},
		{"diagnosis", "[diagnosis]\ntop_recall = 1.5\n", "top_recall 1.5 is not between 0 and 1", ""},
		{"retriever without a name", "[[retriever]]\nexec = \"cat\"\n", "retriever 1 has no name", ""},
		{"retriever's name", "[[retriever]]\nname = \"../x\"\nexec = \"cat\"\n", "becomes a file's name", ""},
		{"retriever called like the built-in search", "[[retriever]]\nname = \"search\"\nexec = \"cat\"\n", "is what the built-in search is called", ""},
		{"retriever without a way", "[[retriever]]\nname = \"x\"\n", "either exec or http", ""},
		{"retriever with two", "[[retriever]]\nname = \"x\"\nexec = \"a\"\nhttp = \"http://b\"\n", "either exec or http", ""},
		{"retriever twice", "[[retriever]]\nname = \"x\"\nexec = \"a\"\n[[retriever]]\nname = \"x\"\nexec = \"b\"\n", "is there twice", ""},
		{"retriever's timeout", "[[retriever]]\nname = \"x\"\nexec = \"a\"\ntimeout = \"soon\"\n", "is no time span", ""},
		{"retriever's retries", "[[retriever]]\nname = \"x\"\nexec = \"a\"\nretries = -1\n", "can't be negative", ""},
		{"retriever's key", "[[retriever]]\nname = \"x\"\nexce = \"a\"\n", `unknown key "retriever.exce"`, `did you mean "retriever.exec"?`},
		{"source", "[[source]]\nformat = \"csv\"\n", "source 1 has no path", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "assay.toml")
			if err := os.WriteFile(path, []byte(tt.toml), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := ReadConfig(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if tt.hint != "" {
				var h interface{ Hint() string }
				if !errors.As(err, &h) || h.Hint() != tt.hint {
					t.Errorf("hint of %v is not %q", err, tt.hint)
				}
			}
		})
	}
}

// TestEditsKeepComments checks that a change of settings is a change of lines.
func TestEditsKeepComments(t *testing.T) {
	root := t.TempDir()
	w, err := Init(root, "en", corpus.DefaultScale())
	if err != nil {
		t.Fatal(err)
	}
	path := w.Path("assay.toml")
	before, _ := os.ReadFile(path)
	edited := strings.Replace(string(before), "[scale]", "# my own words\n[scale]", 1)
	edited = strings.Replace(edited, `names = ["not", "partly", "relevant", "perfect"]`, "names = [\"not\", \"partly\",\n  \"relevant\", \"perfect\"] # best last", 1)
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.SetScale(w.Scale().Widened(0, 4)); err != nil {
		t.Fatal(err)
	}
	odd := "/data/with \"quotes\" and \\ and ü\n.jsonl"
	sources := []corpus.Source{
		{Path: "docs"},
		{Path: odd, Encoding: "latin1", Fields: map[string]string{"id": "_key", "text": "body text"}},
	}
	if err := w.SetSources(sources); err != nil {
		t.Fatal(err)
	}
	if err := w.SetSources(sources[1:]); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(path)
	if !strings.Contains(string(after), "# my own words\n[scale]") || strings.Count(string(after), "[[source]]") != 1 {
		t.Errorf("after the edits:\n%s", after)
	}
	again, err := Find("", root)
	if err != nil {
		t.Fatal(err)
	}
	if s := again.Scale(); s.Max != 4 || s.Name(3) != "perfect" || s.Name(4) != "4" {
		t.Errorf("scale %+v", s)
	}
	if got := again.Config.SourceSet; len(got) != 1 || got[0].Path != odd || got[0].Fields["text"] != "body text" {
		t.Errorf("sources %+v", got)
	}
	if c := again.Config; c.Chunking.Size != 1200 || !c.Labeling.AutoAdvance {
		t.Errorf("other settings moved: %+v", c)
	}
}

func TestScaleTableIsAddedWhereMissing(t *testing.T) {
	got := withScale("version = 1\n", corpus.NewScale(0, 1, nil, 1))
	c, err := parseConfig("assay.toml", []byte(got))
	if err != nil || c.Scale.Max != 1 {
		t.Errorf("%v %+v\n%s", err, c.Scale, got)
	}
}

// TestTablesByHand changes tables whose headers people wrote in their own way.
func TestTablesByHand(t *testing.T) {
	content := "version = 1\n[ scale ] # ours\nmax = 1\nnames = [\"no\", \"yes\"]\n\n[[ source ]] # the old wiki\npath = \"wiki\"\n"
	next := withSources(withScale(content, corpus.NewScale(0, 2, nil, 1)), []corpus.Source{{Path: "wiki"}})
	c, err := parseConfig("assay.toml", []byte(next))
	if err != nil || c.Scale.Max != 2 || len(c.SourceSet) != 1 {
		t.Errorf("%v %+v\n%s", err, c, next)
	}
	if !strings.Contains(next, "# ours") {
		t.Errorf("a comment is gone:\n%s", next)
	}
}

func TestRelativeSources(t *testing.T) {
	w := &Workspace{Root: t.TempDir()}
	for _, tt := range []struct{ path, want string }{
		{w.Path("docs", "a"), filepath.Join("docs", "a")},
		{w.Path("..", "other"), filepath.Join(filepath.Dir(w.Root), "other")},
		{w.Path("..sneaky"), "..sneaky"},
	} {
		got, err := w.Relative(tt.path)
		if err != nil || got != tt.want {
			t.Errorf("Relative(%q) = %q, %v", tt.path, got, err)
		}
		if w.Resolve(got) != filepath.Clean(tt.path) {
			t.Errorf("Resolve(%q) = %q", got, w.Resolve(got))
		}
	}
}

func TestAnnotatorIsRemembered(t *testing.T) {
	dir := t.TempDir()
	if got := RememberedAnnotator(dir); got != "" {
		t.Errorf("before: %q", got)
	}
	name := `ann "the" \ ü`
	if err := RememberAnnotator(dir, name); err != nil {
		t.Fatal(err)
	}
	if got := RememberedAnnotator(dir); got != name {
		t.Errorf("got %q", got)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(Template("n", "en", corpus.DefaultScale())))
	f.Add([]byte("[[source]]\npath='x'\nfields={id='a'}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseConfig("assay.toml", data)
		if err != nil {
			return
		}
		next := withSources(string(data), append(c.SourceSet, corpus.Source{Path: "new"}))
		c2, err := parseConfig("assay.toml", []byte(next))
		if err == nil && len(c2.SourceSet) == 0 {
			t.Errorf("the new source is gone:\n%s", next)
		}
	})
}

// TestRetrievers reads what a [[retriever]] table holds.
func TestRetrievers(t *testing.T) {
	c, err := parseConfig("assay.toml", []byte(`
[[retriever]]
name = "prod"
http = "http://localhost:8080/search"
headers = { Authorization = "Bearer ${TOKEN}" }
timeout = "2s"
retries = 0
depth = 50

[[retriever]]
name = "local"
exec = "python3 retrieve.py"
`))
	if err != nil {
		t.Fatal(err)
	}
	prod, ok := c.Retriever("prod")
	if !ok || prod.Headers["Authorization"] != "Bearer ${TOKEN}" || time.Duration(prod.Timeout) != 2*time.Second || prod.Retries == nil || *prod.Retries != 0 || prod.Depth != 50 {
		t.Errorf("%+v", prod)
	}
	if local, ok := c.Retriever("local"); !ok || local.Exec != "python3 retrieve.py" || local.Retries != nil {
		t.Errorf("%+v", local)
	}
	if _, ok := c.Retriever("none"); ok {
		t.Error("a retriever that nobody named")
	}
	for name, want := range map[string]bool{"prod-2.b_C": true, "": false, ".hidden": false, "-flag": false, "a/b": false, `a\b`: false, "a b": false, "ü": false} {
		if FileName(name) != want {
			t.Errorf("FileName(%q) is %v", name, !want)
		}
	}
}
