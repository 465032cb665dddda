package mine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"assay/corpus/querylog/frame"
)

// Rows of conversations are added up after those of nobody: which of two texts an id stands for goes by the log all the
// same, and each row that is refused is counted and kept.
func TestConflictsGoByTheLogsOrder(t *testing.T) {
	for _, ordered := range []int{0, 1} { // in memory, and where there is too much for it
		p := newPlace(t)
		p.opt.ordered = ordered
		var rejects bytes.Buffer
		p.opt.Rejects = &rejects
		r := p.mine(log(t, "a.csv", "id,session,query\n1,s1,first text\n1,,second text\n1,,second text\n1,s2,third text\n1,,First  text\n2,,lock card\n"))
		if got := p.said(); got != "first text×2 | lock card×1" || r.Rejected != 3 || r.Kept != 3 || r.Repeats != 1 {
			t.Errorf("%q, %+v", got, r)
		}
		var lines []int
		for _, reject := range r.Rejects {
			if lines = append(lines, reject.Line); !strings.Contains(reject.Reason, `the id "1" already stands for another query, on line 2`) {
				t.Errorf("%+v", reject)
			}
		}
		if fmt.Sprint(lines) != "[3 4 5]" || strings.Count(rejects.String(), "second text") != 2 || strings.Count(rejects.String(), "third text") != 1 {
			t.Errorf("lines %v, kept %q", lines, rejects.String())
		}
	}
}

// Where the two are in different logs, the reject says which.
func TestConflictsBetweenLogs(t *testing.T) {
	p := newPlace(t)
	r := p.mine(log(t, "a.csv", "id,query\n1,lock card\n"), log(t, "b.csv", "id,query\n1,refund\n"))
	if len(r.Rejects) != 1 || !strings.HasSuffix(r.Rejects[0].File, "b.csv") || !strings.Contains(r.Rejects[0].Reason, "on line 2 of a.csv") ||
		r.Files[0].Accepted != 1 || r.Files[1].Rejected != 1 {
		t.Errorf("%+v", r)
	}
}

// One id for all, as a column of tenants is: whatever memory there is, all is counted, and the list has the first ones.
func TestOneIDForEverything(t *testing.T) {
	p := newPlace(t)
	p.opt.partitions = 3
	var rejects bytes.Buffer
	p.opt.Rejects = &rejects
	var b strings.Builder
	b.WriteString("id,query\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "tenant,question %d\n", i)
	}
	r := p.mine(log(t, "a.csv", b.String()))
	if r.Rejected != 4999 || len(r.Rejects) != MaxRejects || r.Rejects[0].Line != 3 || r.Rejects[MaxRejects-1].Line != MaxRejects+2 || strings.Count(rejects.String(), "\n") != 4999 {
		t.Errorf("%d rejected, %d listed, %+v", r.Rejected, len(r.Rejects), r.Rejects[0])
	}
	if got := p.said(); got != "question 0×1" {
		t.Error(got)
	}
}

// What a log said goes with it when another of its name takes its place: its times, its tags, its answers.
func TestAReplacedLogLeavesNothingBehind(t *testing.T) {
	p := newPlace(t)
	p.mine(log(t, "a.csv", "query,time,tags,answer\nlock card,2020-03-01 09:00:00,old,never\nrefund,2020-03-01 09:00:00,,\n"))
	p.mine(log(t, "a.csv", "query,time,tags\nrefund,2026-03-01 09:01:00,\nlock card,2026-03-01 09:00:00,new\n"))
	es := p.entries()
	if e := es[0]; e.Text != "lock card" || e.FirstSeen.Year() != 2026 || fmt.Sprint(e.Tags) != "[new]" || e.ReferenceAnswer != "" {
		t.Errorf("%+v", e)
	}
	// What another log that stays said of it stays.
	p.mine(log(t, "b.csv", "query,time,tags\nlock card,2021-03-01 09:00:00,kept\n"))
	p.mine(log(t, "a.csv", "query,time,tags\nlock card,2027-03-01 09:00:00,newer\n"))
	es = p.entries()
	if e := es[0]; len(es) != 1 || e.FirstSeen.Year() != 2021 || e.LastSeen.Year() != 2027 || !strings.Contains(fmt.Sprint(e.Tags), "kept") || e.Count != 2 {
		t.Errorf("%+v", es)
	}
}

// Logs that were brought in under one name are told apart by their bytes.
func TestOneNameForTwoLogs(t *testing.T) {
	p := newPlace(t)
	named := func(s Source) Source { s.Name = "search"; return s }
	a, b := named(log(t, "a.txt", "lock card\n")), named(log(t, "b.txt", "lock card\nrefund\n\n"))
	c := named(log(t, "c.txt", "warranty\n"))
	p.mine(a, c)
	if r := p.mine(a); p.said() != "lock card×1 | warranty×1" || len(r.Replaced) != 1 || r.Replaced[0].Why != "same" {
		t.Errorf("%q, %+v", p.said(), r.Replaced)
	}
	if r := p.mine(b); p.said() != "lock card×1 | warranty×1 | refund×1" || len(r.Replaced) != 1 || r.Replaced[0].Why != "longer" {
		t.Errorf("%q, %+v", p.said(), r.Replaced)
	}
	// One whose bytes are of none of them takes the place of all that have its name.
	if r := p.mine(named(log(t, "d.txt", "reset\n"))); p.said() != "reset×1" || len(r.Replaced) != 2 {
		t.Errorf("%q, %+v", p.said(), r.Replaced)
	}
}

// A user with too many rows is looked at by nobody; the others of the file are.
func TestACrowdAmongUsers(t *testing.T) {
	p := newPlace(t)
	p.opt.partitions, p.opt.most, p.opt.piece = 1, 3000, 2000
	var b strings.Builder
	b.WriteString("user,time,query\n")
	for i := range 400 {
		fmt.Fprintf(&b, "proxy,2026-03-01 %02d:%02d:00,how does it work %d\n", i/60, i%60, i)
	}
	for i := range 20 {
		fmt.Fprintf(&b, "ann%d,2026-03-01 09:00:00,rotate the signing key\nann%d,2026-03-01 09:01:00,and for Windows?\n", i, i)
	}
	r := p.mine(log(t, "a.csv", b.String()))
	if r.Unthreaded != 400 || r.FollowUps != 20 || r.Distinct != 402 {
		t.Errorf("%+v", r)
	}
}

// A group of any size is kept as its total and the most asked of it.
func TestALargeGroup(t *testing.T) {
	p := newPlace(t)
	var b strings.Builder
	b.WriteString("query,count\n")
	want := 0
	for i := range 240 { // the same words in many spellings
		b.WriteString(strings.Repeat("!", i) + "how do i lock my bank card" + strings.Repeat("?", i%7) + "," + fmt.Sprint(1000-i) + "\n")
		want += 1000 - i
	}
	p.mine(log(t, "a.csv", b.String()))
	var stands frame.Entry
	members := 0
	for _, e := range p.entries() {
		if e.Group == "" {
			continue
		}
		if members++; e.Stands() {
			stands = e
		} else if e.Group != stands.ID {
			t.Errorf("%+v", e)
		}
	}
	if members < 200 || len(stands.Variants) != 100 || stands.Count != 1000 {
		t.Fatalf("%d members, %d variants, %+v", members, len(stands.Variants), stands.Query.ID)
	}
	if members == 240 && stands.Total != want {
		t.Errorf("total %d, want %d", stands.Total, want)
	}
	for i, v := range stands.Variants {
		if v.ID == stands.ID || i > 0 && v.Count > stands.Variants[i-1].Count || v.Count < 800 {
			t.Errorf("variant %d: %+v", i, v)
		}
	}
}
