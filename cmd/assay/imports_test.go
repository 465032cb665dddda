package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports holds the house together: imports go one way, rooms ignore each other, and each engine lives in one room.
func TestImports(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imp := range p.Imports {
			if why := forbidden(p.ImportPath, imp); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, why)
			}
		}
	}
}

// TestImportRules tries the rules on imports that must be refused, so that the test above can fail.
func TestImportRules(t *testing.T) {
	refused := [][2]string{
		{"assay/corpus", "golang.org/x/text/unicode/norm"},
		{"assay/corpus", "assay/corpus/text"},
		{"assay/corpus/text", "assay/corpus/rows"},
		{"assay/corpus/index", "assay/corpus/docs"},
		{"assay/corpus/index", "assay/store"},
		{"assay/corpus/retrieval", "assay/export"},
		{"assay/store", "github.com/blevesearch/bleve/v2"},
		{"assay/store", "assay/export"},
		{"assay/export", "assay/store"},
		{"assay/export", "assay/corpus/index"},
		{"assay/export", "assay/corpus/querylog"},
		{"assay/tui/label", "assay/store"},
		{"assay/tui/label", "assay/tui"},
		{"assay/tui/label", "assay/tui/queries"},
		{"assay/tui", "assay/corpus/index"},
		{"assay/tui", "go.etcd.io/bbolt"},
		{"assay/tui/queries", "assay/tui/label/outbox"},
		{"assay/export", "assay/cmd/assay/internal/desk"},
		{"assay/cmd/assay/internal/bench", "assay/tui/port"},
		{"assay/cmd/assay/internal/bench", "assay/cmd/assay/internal/desk"},
		{"assay/corpus/docs", "github.com/charmbracelet/lipgloss"},
		{"assay/corpus/remote", "assay/export"},
		{"assay/export", "assay/corpus/remote"},
		{"assay/tui/check", "assay/corpus/remote"},
		{"assay/export/report", "assay/corpus/index"},
		{"assay/corpus/retrieval", "gonum.org/v1/gonum/stat"},
		{"assay/corpus/retrieval/measure", "assay/corpus/retrieval"},
		{"assay/corpus/retrieval/measure", "assay/corpus/agreement"},
		{"assay/corpus/generation", "assay/corpus/retrieval/measure"},
		{"assay/export", "assay/corpus/retrieval/measure"},
		{"assay/tui/check", "assay/corpus/retrieval/measure"},
		{"assay/cmd/assay", "assay/corpus/retrieval/measure"},
		{"assay/export", "github.com/NimbleMarkets/ntcharts/linechart"},
		{"assay/corpus/querylog/group", "assay/corpus/querylog/redact"},
		{"assay/corpus/querylog/sample", "assay/corpus/querylog"},
		{"assay/corpus/docs", "assay/corpus/trace"},
		{"assay/corpus/trace", "assay/corpus/querylog"},
	}
	for _, r := range refused {
		if forbidden(r[0], r[1]) == "" {
			t.Errorf("%s may import %s", r[0], r[1])
		}
	}
	allowed := [][2]string{
		{"assay/corpus/index", "assay/corpus/text"},
		{"assay/corpus/querylog", "assay/corpus/trace"},
		{"assay/corpus/trace", "assay/corpus/rows"},
		{"assay/corpus/querylog/mine", "assay/corpus/querylog/redact"},
		{"assay/corpus/querylog/mine", "assay/corpus/querylog"},
		{"assay/corpus/querylog", "assay/corpus/querylog/redact"},
		{"assay/cmd/assay", "assay/corpus/querylog/mine"},
		{"assay/corpus/index", "assay/corpus/index/internal/words"},
		{"assay/tui/label", "assay/tui/label/outbox"},
		{"assay/export", "assay/corpus/retrieval"},
		{"assay/export/report", "assay/corpus/retrieval"},
		{"assay/corpus/retrieval", "assay/corpus/stats"},
		{"assay/corpus/retrieval", "assay/corpus/retrieval/measure"},
		{"assay/corpus/retrieval/measure", "assay/corpus/text"},
		{"assay/tui", "assay/tui/label"},
		{"assay/tui/label", "assay/corpus/text"},
		{"assay/cmd/assay", "assay/store"},
		{"assay/cmd/assay/internal/desk", "assay/tui/port"},
		{"assay/cmd/assay/internal/bench", "assay/store"},
	}
	for _, r := range allowed {
		if why := forbidden(r[0], r[1]); why != "" {
			t.Errorf("%s may not import %s: %s", r[0], r[1], why)
		}
	}
}

var (
	leaves = []string{"assay/corpus/rows", "assay/corpus/text", "assay/corpus/stats", "assay/corpus/trace"}
	pure   = []string{"assay/corpus/retrieval", "assay/corpus/agreement"} // rooms that do no I/O
	// shared are the parts of tui that its screens stand on.
	shared  = []string{"assay/tui/cell", "assay/tui/port", "assay/tui/screen", "assay/tui/status"}
	engines = map[string]string{
		"go.etcd.io/bbolt":                   "assay/store",
		"github.com/blevesearch/":            "assay/corpus/index",
		"github.com/charmbracelet/bubbletea": "assay/tui",
		"github.com/charmbracelet/lipgloss":  "assay/tui",
		"github.com/charmbracelet/bubbles":   "assay/tui",
		"github.com/NimbleMarkets/ntcharts":  "assay/tui",
		"github.com/spf13/cobra":             "assay/cmd/assay",
		"github.com/yuin/goldmark":           "assay/corpus/docs",
		"github.com/theory/jsonpath":         "assay/corpus/remote",
		"gonum.org/":                         "assay/corpus/stats",
		"github.com/nyaruka/phonenumbers":    "assay/corpus/querylog/redact",
		"github.com/abadojack/whatlanggo":    "assay/corpus/querylog/propose",
	}
)

// forbidden says why pkg must not import imp; "" where it may.
func forbidden(pkg, imp string) string {
	for prefix, home := range engines {
		if strings.HasPrefix(imp, prefix) && !within(pkg, home) {
			return "only " + home + " knows this library"
		}
	}
	if pkg == "assay/corpus" && strings.Contains(strings.Split(imp, "/")[0], ".") {
		return "the domain's types use the standard library only"
	}
	if !within(imp, "assay") {
		return ""
	}
	switch {
	case pkg == "assay/cmd/assay/internal/bench" && (within(imp, "assay/tui") || within(imp, "assay/cmd")):
		return "what runs are measured against knows no screen"
	case imp == "assay/corpus/retrieval/measure" && pkg != "assay/corpus/retrieval":
		return "retrieval hands on what others need of its inner room"
	case within(pkg, "assay/cmd"):
		return ""
	case pkg == "assay/corpus/querylog/mine" && within(imp, "assay/corpus/querylog"):
		return "" // mining is the other stages, one after the other
	case within(imp, pkg) && pkg != "assay/corpus" && pkg != "assay/tui" || sameInternal(pkg, imp):
		return "" // a room's own inner rooms
	case within(imp, "assay/cmd"):
		return "nothing imports cmd"
	case pkg == "assay/corpus":
		return "the domain's types use the standard library only"
	case imp == "assay/corpus":
		return ""
	case pkg == "assay/corpus/trace" && imp == "assay/corpus/rows":
		return "" // an export is rows
	case imp == "assay/corpus/trace" && !slices.Contains([]string{"assay/corpus/querylog", "assay/corpus/generation"}, pkg):
		return "only logs and answers come as traces"
	case slices.Contains(leaves, pkg):
		return "a leaf imports the domain's types at most"
	case slices.Contains(leaves, imp):
		return ""
	case within(pkg, "assay/tui"):
		return tuiForbidden(pkg, imp)
	case within(pkg, "assay/export") && slices.Contains(pure, imp):
		return ""
	case pkg == "assay/corpus/generation" && imp == "assay/corpus/retrieval":
		return ""
	}
	return "rooms beside each other do not import each other"
}

func tuiForbidden(pkg, imp string) string {
	switch {
	case slices.Contains(pure, imp):
		return ""
	case !within(imp, "assay/tui"):
		return "the screens know ports, not stores, indexes or files"
	case pkg == "assay/tui" || slices.Contains(shared, imp):
		return ""
	case pkg == "assay/tui/drive" || pkg == "assay/tui/fake":
		return "" // what tests of screens stand on
	case pkg == "assay/tui/terminal" && imp == "assay/tui/input":
		return "" // a terminal's bytes become keys
	}
	return "screens ignore each other"
}

// sameInternal reports whether imp is internal to the room that pkg belongs to.
func sameInternal(pkg, imp string) bool {
	room, _, ok := strings.Cut(imp, "/internal/")
	return ok && within(pkg, room)
}

func within(pkg, home string) bool { return pkg == home || strings.HasPrefix(pkg, home+"/") }

type listed struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "assay/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	d := json.NewDecoder(strings.NewReader(string(out)))
	var all []listed
	for {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 5 {
		t.Fatalf("only %d packages were listed", len(all))
	}
	return all
}
