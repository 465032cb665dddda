package redact

import (
	"encoding/csv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// collection is the path of something in the folder of real collections; the test is skipped where there is none.
func collection(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("ASSAY_DATA")
	for up := ".."; dir == "" && len(up) < 40; up += "/.." {
		found := filepath.Join(up, "shared", "data")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			dir = found
		}
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); dir == "" || err != nil {
		t.Skipf("collections not found: %s", name)
	}
	return path
}

// questions are 1,000 rows of a bank's support, the same ones each time.
func questions(t testing.TB) []string {
	f, err := os.Open(collection(t, "log-banking77/train.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range rows[1:] {
		all = append(all, r[0])
	}
	return drawn(all)
}

// manual is 1,000 lines of technical documentation, the same ones each time.
func manual(t testing.TB) []string {
	var all []string
	err := filepath.WalkDir(collection(t, "docs-prometheus"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" || d.Name() == "README.md" {
			return err
		}
		b, err := os.ReadFile(path)
		for l := range strings.Lines(string(b)) {
			if l = strings.TrimRight(l, "\r\n"); strings.TrimSpace(l) != "" {
				all = append(all, l)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return drawn(all)
}

func drawn(all []string) []string {
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1000]
}

// At most 5 of 1,000 lines of ordinary texts are touched that hold nothing of a person.
func TestOrdinaryTexts(t *testing.T) {
	for _, c := range []struct {
		name    string
		lines   func(testing.TB) []string
		rightly []string // parts of lines that hold an address or the like
	}{
		{"questions", questions, nil},
		{"manual", manual, []string{
			"@cncf.io", "@googlegroups.com", "%40group.calendar.google.com", "@gmail.com", "@richih.org", "@nerp.net", "@google.com", "@prometheus.io", "@grafana.com",
			"'10.1.200.130:", "['10.11.", "[\"10.11.", "[\"10.0.33.1:", // hosts of private networks
			"$2b$12$", "password as `admin`", // a hash of a password, and a password
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var wrongly []string
			lines := c.lines(t)
			for _, l := range lines {
				got := New().Text(l)
				if got == l || slices.ContainsFunc(c.rightly, func(part string) bool { return strings.Contains(l, part) }) {
					continue
				}
				wrongly = append(wrongly, l+"\n became "+got)
			}
			if len(wrongly)*1000 > len(lines)*5 {
				t.Errorf("%d of %d lines touched:\n%s", len(wrongly), len(lines), strings.Join(wrongly, "\n"))
			}
			t.Logf("%d of %d wrongly touched", len(wrongly), len(lines))
		})
	}
}
