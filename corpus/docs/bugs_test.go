package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

func bug(id string) string { return filepath.Join("testdata", "bugs", id, "corpus.jsonl") }

// B003 (brimdata/super#5043, escoffier-labs/brigade#420): a long line ends nothing; with a limit it alone is refused.
func TestB003LongLine(t *testing.T) {
	var big strings.Builder
	for i := 0; big.Len() < 2<<20; i++ {
		fmt.Fprintf(&big, "word%d ", i)
	}
	path := write(t, t.TempDir(), "corpus.jsonl", fmt.Sprintf("{\"id\":\"a\",\"text\":\"first\"}\n{\"id\":\"big\",\"text\":\"%stailword\"}\n{\"id\":\"c\",\"text\":\"last\"}\n", big.String()))
	k, sum := read(t, Options{}, path)
	if sum.Chunks != 3 || !strings.HasSuffix(k.chunk("big").Text, " tailword") {
		t.Errorf("%d chunks, rejects %q", sum.Chunks, rejects(sum))
	}
	k, sum = read(t, Options{MaxLine: 1 << 20}, path)
	if !slices.Equal(k.ids(), []string{"a", "c"}) || sum.Rejected != 1 || sum.Rejects[0].Line != 2 {
		t.Errorf("with a limit: %q, rejects %q", k.ids(), rejects(sum))
	}
}

// B007 (dotnet-presentations/ai-workshop#579, hamidfzm/glyph#748): CRLF, CR and BOM change neither chunks nor ids.
func TestB007LineEnds(t *testing.T) {
	var want []corpus.Chunk
	for _, kind := range []string{"lf", "crlf", "cr", "bom"} {
		k, sum := read(t, Options{}, filepath.Join("testdata", "bugs", "B007", kind))
		if len(sum.Skipped)+len(sum.Notes) > 0 {
			t.Errorf("%s: skipped %v, notes %v", kind, sum.Skipped, sum.Notes)
		}
		if kind == "lf" {
			want = k.chunks
			compare(t, kind, describe(k), []string{
				"refunds.md#1 | Refunds | # Refunds⏎⏎Paid in 14 days.",
				"refunds.md#2 | Refunds › Limits | ## Limits⏎⏎Not for gift cards.",
			})
			continue
		}
		if len(k.chunks) != len(want) {
			t.Fatalf("%s: %d chunks, want %d", kind, len(k.chunks), len(want))
		}
		for i, c := range k.chunks {
			if w := want[i]; c.ID != w.ID || c.Text != w.Text || c.Title != w.Title || c.DocHash != w.DocHash || *c.Span != *w.Span {
				t.Errorf("%s: %+v, want %+v", kind, c, w)
			}
		}
	}
}

// describe writes chunks as "id | title | text".
func describe(k *kept) []string {
	var out []string
	for _, c := range k.chunks {
		out = append(out, fmt.Sprintf("%s | %s | %s", c.ID, c.Title, strings.ReplaceAll(c.Text, "\n", "⏎")))
	}
	return out
}

// B008 (quickwit-oss/quickwit#2011, JonathanReeve/corpus-db#24): numbers as ids keep the digits of the source.
func TestB008NumericIDs(t *testing.T) {
	k, sum := read(t, Options{}, bug("B008"))
	want := []string{"1000000", "9007199254740993", "9007199254740992", "12345678901234567890", "42", "007", "1e3", "-0"}
	if !slices.Equal(k.ids(), want) || sum.Rejected != 0 {
		t.Errorf("%q, rejects %q", k.ids(), rejects(sum))
	}
}

// B009 (castorini/pyserini#1902, TREMA-UNH/trec-car-tools#9): of a repeated id the first is kept, and both lines are named.
func TestB009DuplicateIDs(t *testing.T) {
	path := bug("B009")
	k, sum := read(t, Options{}, path)
	if want := []string{"c1", "c2", " c1 "}; !slices.Equal(k.ids(), want) {
		t.Errorf("ids %q, want %q", k.ids(), want)
	}
	if k.chunk("c2").Text != "Orders can be cancelled before dispatch." {
		t.Errorf("c2 is %q", k.chunk("c2").Text)
	}
	if want := []Repeat{{"c1", Place{path, 1}, Place{path, 3}}}; !slices.Equal(sum.Repeats, want) {
		t.Errorf("repeats %v, want %v", sum.Repeats, want)
	}
	if want := []Conflict{{"c2", Place{path, 2}, Place{path, 4}, "text"}}; !slices.Equal(sum.Conflicts, want) {
		t.Errorf("conflicts %v, want %v", sum.Conflicts, want)
	}
	compare(t, "rejects", rejects(sum), []string{fmt.Sprintf("4: the id \"c2\" is taken by another text, at %s:2", path)})
	if s := sum.Sources[0]; s.Accepted != 3 || s.Repeated != 1 || s.Rejected != 1 {
		t.Errorf("counts %+v", s)
	}
}

// B016 (o19s/quepid#175): ids that look like URLs or paths are kept byte for byte.
func TestB016IDsLikePaths(t *testing.T) {
	k, _ := read(t, Options{}, bug("B016"))
	want := []string{"http://www.example.test/a?b=c&d=%2F#x", "aspace-https-archives-example-test-5", "../../etc/x", "a/b", "a%2Fb", "a.b.c", `C:\docs\x.md`, "a+b", "a=b;c", "%00", "."}
	if !slices.Equal(k.ids(), want) {
		t.Errorf("ids %q", k.ids())
	}
}

// B023 (amule-org/amule#312, rfjakob/gocryptfs#992): ids that differ by normalisation only are two, and are told.
func TestB023NormalForms(t *testing.T) {
	k, sum := read(t, Options{}, bug("B023"))
	if len(k.chunks) != 3 || len(sum.Alike) != 0 {
		t.Errorf("ids %q, alike %v", k.ids(), sum.Alike)
	}
	nfd := write(t, t.TempDir(), "nfd.jsonl", `{"id":"cafe`+"\u0301"+`.md#1","text":"x"}`+"\n"+`{"id":"STRASSE","text":"y"}`+"\n")
	k, sum = read(t, Options{}, bug("B023"), nfd)
	if len(k.chunks) != 5 || sum.AlikeCount != 2 {
		t.Errorf("ids %q, alike %v", k.ids(), sum.Alike)
	}
	if a := sum.Alike[0]; a.First != "caf\u00e9.md#1" || a.Second != "cafe\u0301.md#1" || a.FirstAt.Line != 1 || a.At != (Place{nfd, 1}) {
		t.Errorf("alike %+v", a)
	}
}

// B025 (lbryio/lbry.go#51, apsystole/log#15): text is kept as it is, and U+2028 ends no line.
func TestB025TextKept(t *testing.T) {
	k, _ := read(t, Options{}, bug("B025"))
	if want := "if a < b && c > d & <b>bold</b> \u2028 line sep \u007f del"; len(k.chunks) != 1 || k.chunks[0].Text != want {
		t.Errorf("%q", describe(k))
	}
}

// B029 (marmot-protocol/mdk#586, openai/codex#34871): ids that look the same are distinct.
func TestB029LookalikeIDs(t *testing.T) {
	k, _ := read(t, Options{}, bug("B029"))
	if len(k.chunks) != 7 || k.chunk("adm\u200bin").Text != "refund lookalike id" || k.chunk("admin").Text != "refund plain id" {
		t.Errorf("%q", describe(k))
	}
}

// B030 (tobi/qmd#86, daeh/zotero-markdb-connect#139): odd names, links and contents are skipped with their reason, and
// the rest is read.
func TestB030OddFolder(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"----.md": "refund two\n", ".hidden/secret.md": "refund hidden\n", "UPPER.MD": "refund five\n", "note.markdown": "refund six\n",
		"a b/c d.md": "# Spaces\n\nrefund four\n", "bad_front.md": "---\ntitle: [unclosed\n---\n\nrefund three\n", "empty.md": "",
		"image.md": "\x89PNG\r\n\x1a\n\x00\x01\x02\xff", "latin1.md": "# caf\xe9\n\nrefund seven\n", "only_front.md": "---\ntitle: x\n---\n",
		"same/Title.md": "# Same\n\nrefund\n", "same2/Title.md": "# Same\n\nrefund\n", "°.md": "# Degree\n\nrefund one\n",
	} {
		write(t, dir, name, content)
	}
	link(t, "../same/Title.md", filepath.Join(dir, "same2", "alias.md"))
	link(t, "nowhere.md", filepath.Join(dir, "dangling.md"))
	link(t, ".", filepath.Join(dir, "loop"))

	k, sum := read(t, Options{}, dir)
	compare(t, "chunks", describe(k), []string{
		"----.md#1 | ---- | refund two", "UPPER.MD#1 | UPPER | refund five", "a b/c d.md#1 | Spaces | # Spaces⏎⏎refund four",
		"bad_front.md#1 | bad_front | refund three", "note.markdown#1 | note | refund six", "same/Title.md#1 | Same | # Same⏎⏎refund",
		"same2/Title.md#1 | Same | # Same⏎⏎refund", "°.md#1 | Degree | # Degree⏎⏎refund one",
	})
	compare(t, "skipped", skips(sum, dir), []string{
		".hidden: hidden", "dangling.md: a link to nowhere.md, which is not there", "empty.md: empty",
		"image.md: binary: a NUL byte in line 3, at offset 8", "latin1.md: not UTF-8: byte 0xE9 in line 1, at offset 5",
		"loop: a link to a folder that it is in, a loop", "only_front.md: it holds front matter only", "same2/alias.md: a link to same/Title.md, which is read",
	})
	if len(sum.Notes) != 1 || sum.Notes[0].File != filepath.Join(dir, "bad_front.md") || !strings.Contains(sum.Notes[0].Text, "front matter") {
		t.Errorf("notes %v", sum.Notes)
	}
	// As the hint says, naming the encoding reads the one file and spoils no other.
	k, sum = read(t, Options{Encoding: "latin1"}, dir)
	if c := k.chunk("latin1.md#1"); c.Title != "café" || k.chunk("°.md#1").Title != "Degree" || len(sum.Skipped) != 7 {
		t.Errorf("with an encoding: %q", describe(k))
	}
}

// B038 (blevesearch/bleve#266, #106): metadata is kept byte for byte, whatever its type.
func TestB038Metadata(t *testing.T) {
	k, _ := read(t, Options{}, bug("B038"))
	raw, err := os.ReadFile(bug("B038"))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		_, meta, _ := strings.Cut(l, `"meta": `)
		if got := string(k.chunks[i].Meta); got != strings.TrimSuffix(meta, "}") || !json.Valid(k.chunks[i].Meta) {
			t.Errorf("%s: metadata %s", k.chunks[i].ID, got)
		}
	}
}

// B039 (blevesearch/bleve#239, quickwit-oss/search-benchmark-game#15): rows without a usable id are refused by number,
// empty texts are kept and named, and the rest goes on.
func TestB039EmptyIDsAndTexts(t *testing.T) {
	k, sum := read(t, Options{}, bug("B039"))
	if want := []string{"c2", "c3", "c7", "c9", "c10"}; !slices.Equal(k.ids(), want) {
		t.Errorf("ids %q, want %q", k.ids(), want)
	}
	if want := []string{"c2", "c3", "c7"}; !slices.Equal(sum.Empty, want) || sum.EmptyRows != 3 {
		t.Errorf("empty %q, want %q", sum.Empty, want)
	}
	compare(t, "rejects", rejects(sum), []string{
		"1: the id is empty", "4: there is no text: no field is called text, content, contents or the like",
		"5: there is no id: no field is called id, _id, chunk_id or the like", `6: the id "id" is null`, `8: the text "text" of "c8" is a list`, `9: the id "id" is a list`,
	})
	if s := sum.Sources[0]; s.Accepted+s.Rejected != 11 {
		t.Errorf("counts %+v", s)
	}
}
