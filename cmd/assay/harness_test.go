package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// machine runs commands as a user without a terminal would, one process after the other, in a home of its own.
type machine struct {
	t     *testing.T
	dir   string // the workspace, once there is one
	env   map[string]string
	clock time.Time
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	return &machine{t: t, env: map[string]string{}, clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
}

// result is what a command left behind.
type result struct {
	out, err string
	code     int
}

// run runs a command; the clock moves on by a second.
func (m *machine) run(args ...string) result { return m.runWith(nil, args...) }

func (m *machine) runWith(stdin []byte, args ...string) result {
	m.t.Helper()
	return m.runUntil(context.Background(), stdin, args...)
}

// runUntil is runWith for a command that ctx, the user's ctrl+c, may end.
func (m *machine) runUntil(ctx context.Context, stdin []byte, args ...string) result {
	m.t.Helper()
	m.clock = m.clock.Add(time.Second)
	var out, errs bytes.Buffer
	if m.dir != "" && len(args) > 0 {
		args = append([]string{"--workspace", m.dir}, args...)
	}
	now := m.clock
	code := run(ctx, process{
		args: args, stdin: bytes.NewReader(stdin), stdout: &out, stderr: &errs,
		getenv: func(k string) string { return m.env[k] },
		now:    func() time.Time { return now },
	})
	r := result{out.String(), errs.String(), code}
	for _, stream := range []string{r.out, r.err} {
		if strings.ContainsRune(stream, 0x1b) {
			m.t.Errorf("assay %s: an escape byte without a terminal: %q", strings.Join(args, " "), stream)
		}
	}
	return r
}

// must runs a command that has to succeed.
func (m *machine) must(args ...string) result {
	m.t.Helper()
	r := m.run(args...)
	if r.code != 0 {
		m.t.Fatalf("assay %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	return r
}

// workspace makes a workspace and makes it the one that commands use.
func (m *machine) workspace(flags ...string) *machine {
	m.t.Helper()
	dir := filepath.Join(m.t.TempDir(), "w")
	m.dir = ""
	m.must(append([]string{"init", dir}, flags...)...)
	m.dir = dir
	return m
}

// file writes a file outside the workspace and returns its path.
func (m *machine) file(name, content string) string {
	m.t.Helper()
	path := filepath.Join(m.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// has checks that a stream holds each of the words.
func has(t *testing.T, stream string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(stream, w) {
			t.Errorf("%q is not in:\n%s", w, stream)
		}
	}
}

func decode[T any](t *testing.T, s string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, s)
	}
	return v
}

// collections is the folder of real collections beside the checkout; the test is skipped where there is none.
func collections(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("ASSAY_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		dir = filepath.Dir(dir)
		if data := filepath.Join(dir, "shared", "data"); exists(filepath.Join(data, "cranfield")) {
			return data
		}
	}
	t.Skip("the real collections are not beside this checkout (ASSAY_DATA names their folder)")
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
