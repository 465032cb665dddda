package retrieval

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"assay/corpus"
)

// dataDir is a real collection's folder, or skips the test. It looks in ASSAY_DATA, else for shared/data beside the
// folders above.
func dataDir(t *testing.T, collection string) string {
	t.Helper()
	if data := os.Getenv("ASSAY_DATA"); data != "" {
		dir := filepath.Join(data, collection)
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	} else {
		for up := ".."; len(up) < 40; up = filepath.Join("..", up) {
			dir := filepath.Join(up, "shared", "data", collection)
			if _, err := os.Stat(dir); err == nil {
				return dir
			}
		}
	}
	t.Skip("collections not found: set ASSAY_DATA to the folder that holds " + collection)
	return ""
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func eachLine(t *testing.T, path string, do func(line string)) {
	t.Helper()
	lines := bufio.NewScanner(open(t, path))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		do(lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func addGrade(qrels corpus.Qrels, query, chunk string, grade corpus.Grade) {
	if qrels[query] == nil {
		qrels[query] = map[string]corpus.Grade{}
	}
	qrels[query][chunk] = grade
}

// readQrels reads TREC qrels, or the tabs of BEIR after their header. Lines without a whole grade are left out.
func readQrels(t *testing.T, path string) corpus.Qrels {
	t.Helper()
	qrels := corpus.Qrels{}
	eachLine(t, path, func(line string) {
		f := strings.Fields(line)
		grade, err := strconv.Atoi(f[len(f)-1])
		if err != nil {
			return
		}
		addGrade(qrels, f[0], f[len(f)-2], corpus.Grade(grade))
	})
	return qrels
}

func readRun(t *testing.T, path string) corpus.Run {
	t.Helper()
	run := corpus.Run{Rankings: map[string]corpus.Ranking{}}
	eachLine(t, path, func(line string) {
		f := strings.Fields(line)
		score, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		run.Name = f[5]
		run.Rankings[f[0]] = append(run.Rankings[f[0]], corpus.Hit{ChunkID: f[2], Score: score})
	})
	return run
}

// readRunLines reads {"query", "chunks"} a line: order given is score descending.
func readRunLines(t *testing.T, path string) corpus.Run {
	t.Helper()
	run := corpus.Run{Name: filepath.Base(path), Rankings: map[string]corpus.Ranking{}}
	eachLine(t, path, func(line string) {
		var row struct {
			Query  string   `json:"query"`
			Chunks []string `json:"chunks"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		ranking := corpus.Ranking{}
		for i, id := range row.Chunks {
			ranking = append(ranking, corpus.Hit{ChunkID: id, Score: float64(len(row.Chunks) - i)})
		}
		run.Rankings[row.Query] = ranking
	})
	return run
}

// readTrecEval reads what trec_eval printed, by measure and query ("all" for the averages).
func readTrecEval(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	printed := map[string]map[string]string{}
	eachLine(t, path, func(line string) {
		f := strings.Split(line, "\t")
		measure := strings.TrimSpace(f[0])
		if printed[measure] == nil {
			printed[measure] = map[string]string{}
		}
		printed[measure][f[1]] = f[2]
	})
	return printed
}

func parse(t *testing.T, lists ...string) []Measure {
	t.Helper()
	m, err := ParseMeasures(lists...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func evaluate(t *testing.T, in Input, measures string) Report {
	t.Helper()
	r, err := Evaluate(in, parse(t, measures))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mean is the mean of a measure in the list; it fails the test where there is none.
func mean(t *testing.T, list []Mean, name string) float64 {
	t.Helper()
	for _, m := range list {
		if m.Name == name && m.Mean != nil {
			return *m.Mean
		}
	}
	t.Fatalf("no mean of %s in %+v", name, list)
	return 0
}
