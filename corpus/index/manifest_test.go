package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/ask"
)

func someManifest(t testing.TB) *manifest {
	t.Helper()
	mapping, err := mappingHash()
	if err != nil {
		t.Fatal(err)
	}
	return &manifest{
		Format: formatVersion, Bleve: bleveVersion, Mapping: mapping, Analyzer: analyzerName("en"), Language: "en",
		Info:   corpus.Info{ID: "c-1", Fingerprint: corpus.HashText("x"), Chunks: 3, Sources: []corpus.Source{{Path: "a <b> & c"}}},
		Chunks: 3, Words: 30, Documents: 1, Rows: 4, Texts: []uint32{1, 2}, Docs: []uint32{1},
		Shards: []shardInfo{{"shard-0", 3}}, Files: []fileInfo{{"shard-0/store/root.bolt", 5, strings.Repeat("0", 64)}},
	}
}

func TestManifest(t *testing.T) {
	folder := t.TempDir()
	m := someManifest(t)
	b, err := encodeManifest(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, manifestFile), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	back, err := readManifest(folder)
	if err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("%+v came back as %+v (%v)", m, back, err)
	}
	if err := m.usable(); err != nil {
		t.Error(err)
	}
	// Any byte that is changed, and any that is missing, is noticed.
	for i := range b {
		changed := append([]byte(nil), b...)
		changed[i] ^= 1
		if err := os.WriteFile(filepath.Join(folder, manifestFile), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readManifest(folder); err == nil && !reflect.DeepEqual(got, m) {
			t.Errorf("byte %d: %+v", i, got)
		}
		if err := os.WriteFile(filepath.Join(folder, manifestFile), b[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readManifest(folder); err == nil && i < len(b)-1 {
			t.Errorf("%d of %d bytes are a manifest", i, len(b))
		}
	}
}

func TestAverageIsNeverZero(t *testing.T) {
	for _, m := range []manifest{{}, {Chunks: 5}, {Words: 5}} {
		if got := m.averageWords(); got != 1 {
			t.Errorf("%+v: %g", m, got)
		}
	}
	if got := (&manifest{Chunks: 4, Words: 10}).averageWords(); got != 2.5 {
		t.Errorf("average %g", got)
	}
}

func TestFolderNames(t *testing.T) {
	for name, want := range map[string]string{"": "build-000001-*", "build-000001-99": "build-000002-*", "build-999999-1": "build-1000000-*", "nonsense": "build-000001-*"} {
		if got := nextFolder(name); got != want {
			t.Errorf("after %q comes %q, not %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"build-000001-1": true, "build-1000000-123": true, "build-1-1": false, "build-000001-": false, "build-000001-x": false, "build-000001-1/..": false, "xbuild-000001-1": false, "build-000001-1\n": false} {
		if folderName.MatchString(name) != want {
			t.Errorf("%q is a build: %v", name, !want)
		}
	}
}

func TestCheckFiles(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "big"), make([]byte, 2*smallFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "small"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := listFiles(context.Background(), folder, nil)
	if err != nil || len(files) != 2 || files[0].Path != "big" || files[1].Size != 1 {
		t.Fatalf("%+v (%v)", files, err)
	}
	m := &manifest{Files: files}
	check := func(all, want bool, what string) {
		t.Helper()
		err := m.checkFiles(context.Background(), folder, all)
		var d *DamagedError
		if want && err != nil || !want && !errors.As(err, &d) {
			t.Errorf("%s: %v", what, err)
		}
	}
	check(true, true, "whole")
	m.Files = []fileInfo{files[0], {"small", 1, files[0].SHA256}}
	check(false, false, "a small file is another")
	m.Files = []fileInfo{{"big", files[0].Size, files[1].SHA256}, files[1]}
	check(false, true, "a big file is not read when opened")
	check(true, false, "a big file is another")
	m.Files = []fileInfo{{"big", files[0].Size - 1, files[0].SHA256}}
	check(false, false, "a big file is longer")
	m.Files = []fileInfo{{"none", 1, files[1].SHA256}}
	check(false, false, "a file is missing")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m.Files = files
	if err := m.checkFiles(ctx, folder, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// A file that is shared with the build before keeps its hash unread.
	shared := map[string]fileInfo{"big": {"big", files[0].Size, "as it was"}, "small": {"small", 7, "another size"}}
	files, err = listFiles(context.Background(), folder, shared)
	if err != nil || files[0].SHA256 != "as it was" || files[1].SHA256 == "another size" {
		t.Errorf("%+v (%v)", files, err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	cause := errors.New("cause")
	for _, e := range []*DamagedError{{What: "x.zap", Err: cause}, {What: "x.zap"}} {
		if !strings.Contains(e.Error(), "x.zap") || !strings.Contains(e.Hint(), "assay index") || errors.Is(e, cause) != (e.Err != nil) {
			t.Errorf("%v, hint %s", e, e.Hint())
		}
	}
	if got := damaged("y", &DamagedError{What: "x"}); got.Error() != "open index: x" {
		t.Errorf("wrapped twice: %v", got)
	}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded} {
		if got := damaged("y", err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	e := &BuildingError{PID: 42, Host: "here"}
	if !strings.Contains(e.Error(), "42") || !strings.Contains(e.Error(), "here") {
		t.Error(e)
	}
}

func TestLevels(t *testing.T) {
	j := &searchJob{groups: []groupMask{{parts: 0b0011, whole: 0b0100}, {parts: 0b1000, prefix: 0b10000}}}
	for mask, want := range map[uint64]float64{0: 0, 0b0011: 0, 0b1000: 0, 0b1011: 2, 0b1100: 2, 0b10011: 1, 0b10100: 1, 0b11011: 2, 0b11001: 0, 0b11111: 2} {
		if got := j.level(mask); got != want {
			t.Errorf("%05b has level %g, not %g", mask, got, want)
		}
	}
	j = &searchJob{groups: []groupMask{{parts: 0b011, whole: 0b100}}, named: true}
	for mask, want := range map[uint64]float64{0b001: 0, 0b011: 2, 0b100: 3, 0b111: 3} {
		if got := j.level(mask); got != want {
			t.Errorf("a name: %03b has level %g, not %g", mask, got, want)
		}
	}
	for _, test := range []struct {
		groups []groupMask
		named  bool
		want   bool
	}{{nil, false, false}, {[]groupMask{{parts: 1}}, false, false}, {[]groupMask{{parts: 3}}, false, true}, {[]groupMask{{parts: 1}, {parts: 2}}, false, true}, {[]groupMask{{parts: 1, prefix: 2}}, false, true}, {[]groupMask{{parts: 1, whole: 2}}, true, true}} {
		if got := (&searchJob{groups: test.groups, named: test.named}).leveled(); got != test.want {
			t.Errorf("%+v: leveled %v", test.groups, got)
		}
	}
}

func TestInverseFrequency(t *testing.T) {
	last := math.Inf(1)
	for with := range 101 {
		got := inverseFrequency(100, float64(with))
		if got <= 0 || got >= last {
			t.Errorf("in %d of 100: %g", with, got)
		}
		last = got
	}
	if got, want := inverseFrequency(1400, 3), math.Log(1+1397.5/3.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, not %g", got, want)
	}
}

// Only the rarest words of a long search count, in the order in which they were typed.
func TestRarestWordsCount(t *testing.T) {
	var units []ask.Unit
	counts := make([]uint64, 100)
	for i := range counts {
		units = append(units, ask.Unit{Weight: 1})
		counts[i] = uint64(1 + (i*37)%100)
	}
	counts[5] = 0
	j := &searchJob{chunks: 1000, plan: ask.Plan{Units: units}}
	j.weigh([]*shardTask{{counts: counts}})
	if len(j.scored) != maxScored || j.cut != 99-maxScored {
		t.Fatalf("%d count, %d are cut", len(j.scored), j.cut)
	}
	for i, s := range j.scored {
		if counts[s.unit] == 0 || counts[s.unit] > uint64(maxScored)+1 {
			t.Errorf("a word of %d chunks counts", counts[s.unit])
		}
		if i > 0 && s.unit <= j.scored[i-1].unit {
			t.Error("not in the order of the search")
		}
	}
	if !strings.Contains(j.note(), fmt.Sprint(maxScored)) {
		t.Errorf("note %q", j.note())
	}
}
