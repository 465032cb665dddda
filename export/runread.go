package export

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"
	"unsafe"

	"assay/corpus"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// RunFile is a run that was read: rankings are ordered by score, then id, whatever the file's order and ranks. A chunk
// that comes twice for a query is there twice.
type RunFile struct {
	Run      corpus.Run
	Format   Format
	Hits     int
	Warnings []string
	Stats    Stats

	Failed map[string]string // by query id: why there is no ranking; of JSON Lines

	// Of a kept run, see OpenKeptRun; nil for any other.
	Header  *RunHeader
	Latency map[string]time.Duration // by query id, where it was measured
	Asked   map[string]corpus.Hash   // by query id: of the text that was asked
}

// ReadRun reads a run: TREC, queries grouped or not, or JSON Lines as run.jsonl has them. Bad lines are rejected, the
// rest is kept. The error is about the file as a whole.
func ReadRun(path string, opt ReadOptions) (RunFile, error) {
	in, err := openStream(path, opt.Stdin)
	if err != nil {
		return RunFile{}, err
	}
	defer in.Close()
	format := opt.Format
	if format == "" {
		format = TRECRun
		if in.firstByte() == '{' {
			format = RunLines
		}
	}
	switch format {
	case TRECRun:
		return readTRECRun(in, opt.DecodeIDs)
	case RunLines:
		return readRunLines(in)
	}
	return RunFile{}, &rows.Error{File: path, Reason: fmt.Sprintf("%q is no format of runs", format), Advice: "formats are trec-run and jsonl-run"}
}

// runReader reads TREC runs. It looks at each byte about once and allocates per block of hits, not per line: runs
// of hundreds of megabytes are common.
type runReader struct {
	out    RunFile
	file   string
	decode bool

	query   string         // of the group at hand
	ranking corpus.Ranking // of the group at hand, at the end of block
	block   corpus.Ranking // where rankings are cut from
	ids     idArena

	ordered  bool            // the group at hand is, so far
	unsorted map[string]bool // queries whose ranking is to be sorted in the end

	lineNo              int
	last                place // of the line before in the same group
	tags                int
	longer              int // lines with more than six fields
	disagree, distances int // groups whose ranks and scores do, and those in which scores rise with the ranks
	firstDisagreement   int // its line
	agreed              bool
	disagreed           bool
}

type place struct {
	rank  int64 // 0 where the field is no number
	score float64
}

func readTRECRun(in *stream, decode bool) (RunFile, error) {
	r := &runReader{file: in.name, decode: decode, unsorted: map[string]bool{}}
	r.out.Format = TRECRun
	r.out.Run.Rankings = map[string]corpus.Ranking{}
	for {
		line, long, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return RunFile{}, &rows.Error{File: in.name, Line: r.lineNo + 1, Err: err}
		}
		r.lineNo++
		if long {
			r.reject(fmt.Sprintf("the line is longer than %d bytes", MaxLine), "")
			continue
		}
		r.line(line)
	}
	r.endGroup()
	if r.lineNo == 0 {
		return RunFile{}, &rows.Error{File: in.name, Reason: "the file is empty"}
	}
	for query := range r.unsorted {
		r.out.Run.Rankings[query].Sort()
	}
	r.warn()
	return r.out, nil
}

func (r *runReader) reject(reason, hint string) {
	r.out.Stats.reject(&Reject{File: r.file, Line: r.lineNo, EndLine: r.lineNo, Reason: reason, Hint: hint})
}

// line reads "qid Q0 docid rank score tag".
func (r *runReader) line(line []byte) {
	var f [7][]byte
	n := 0
	for i := 0; i < len(line) && n < len(f); {
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		start := i
		for i < len(line) && (line[i] > ' ' || !isSpace(line[i])) {
			i++
		}
		if i > start {
			f[n] = line[start:i]
			n++
		}
	}
	switch {
	case n == 0:
		r.out.Stats.Blank++
		return
	case n < 6:
		r.reject(fmt.Sprintf("%d fields, want 6: query id, Q0, chunk id, rank, score, tag", n), "")
		return
	case n > 6:
		r.longer++
	}
	score, reason := parseScore(f[4])
	if reason != "" {
		r.reject(reason, "")
		return
	}
	if string(f[0]) != r.query || len(r.ranking) == 0 || r.decode {
		if !r.startGroup(f[0]) {
			return
		}
	}
	chunk, ok := r.chunkID(f[2])
	if !ok {
		return
	}
	if r.out.Stats.Accepted == 0 {
		r.out.Run.Name = string(f[5])
	} else if string(f[5]) != r.out.Run.Name {
		r.tags++
	}
	r.out.Stats.Accepted++
	r.compareRank(place{parseRank(f[3]), score})
	r.push(corpus.Hit{ChunkID: chunk, Score: score})
}

// startGroup begins the lines of another query, or says false and rejects the line where its id can't be.
func (r *runReader) startGroup(field []byte) bool {
	query, err := r.text(field)
	if err == nil {
		err = corpus.CheckID(query)
	}
	if err != nil {
		r.reject("query id: "+err.Error(), "")
		return false
	}
	if query == r.query && len(r.ranking) > 0 {
		return true
	}
	r.endGroup()
	r.query = query
	return true
}

func (r *runReader) text(field []byte) (string, error) {
	if r.decode {
		return decodeID(string(field))
	}
	return string(field), nil
}

// endGroup files the ranking at hand. A query whose lines are scattered over the file gets the others' joined on.
func (r *runReader) endGroup() {
	if len(r.ranking) > 0 {
		ranking := r.ranking[:len(r.ranking):len(r.ranking)]
		if before := r.out.Run.Rankings[r.query]; before != nil {
			ranking = append(before, ranking...)
			r.ordered = false
			r.block = r.block[:len(r.block)-len(r.ranking)] // copied: the space is free again
		}
		r.out.Run.Rankings[r.query] = ranking
		if !r.ordered {
			r.unsorted[r.query] = true
		}
		if r.disagreed {
			r.disagree++
			if !r.agreed {
				r.distances++
			}
		}
	}
	r.ranking, r.last = nil, place{}
	r.agreed, r.disagreed, r.ordered = false, false, true
}

// push adds a hit to the ranking at hand, which stays in one piece: a full block's last ranking moves to the next.
func (r *runReader) push(hit corpus.Hit) {
	if len(r.block) == cap(r.block) {
		const hits = 1 << 14
		next := make(corpus.Ranking, 0, max(hits, 2*len(r.ranking)))
		r.block = append(next, r.ranking...)
	}
	if n := len(r.ranking); n > 0 && r.ordered {
		r.ordered = hit.Score < r.ranking[n-1].Score || corpus.CompareHits(r.ranking[n-1], hit) <= 0
	}
	r.block = append(r.block, hit)
	r.ranking = r.block[len(r.block)-len(r.ranking)-1:]
	r.out.Hits++
}

func (r *runReader) chunkID(field []byte) (string, bool) {
	if r.decode {
		id, err := decodeID(string(field))
		if err == nil {
			err = corpus.CheckID(id)
		}
		if err != nil {
			r.reject("chunk id: "+err.Error(), "")
			return "", false
		}
		return id, true
	}
	if len(field) > corpus.MaxIDLen || !utf8.Valid(field) {
		r.reject("chunk id: "+corpus.CheckID(string(field)).Error(), "")
		return "", false
	}
	return r.ids.keep(field), true
}

// compareRank notes whether two lines that follow each other in a group are ranked as they are scored.
func (r *runReader) compareRank(p place) {
	if r.last.rank != 0 && p.rank != 0 && p.rank != r.last.rank && p.score != r.last.score {
		if (p.rank > r.last.rank) == (p.score < r.last.score) {
			r.agreed = true
		} else {
			r.disagreed = true
			if r.firstDisagreement == 0 {
				r.firstDisagreement = r.lineNo
			}
		}
	}
	r.last = p
}

func (r *runReader) warn() {
	add := func(format string, args ...any) {
		r.out.Warnings = append(r.out.Warnings, fmt.Sprintf(format, args...))
	}
	if r.disagree > 0 {
		advice := ""
		if r.distances == r.disagree {
			advice = "; if the scores are distances, negate them"
		}
		add("rank and score disagree in %s, first in line %d: the score decides, the highest first%s", text.Count(r.disagree, "query", "queries"), r.firstDisagreement, advice)
	}
	if r.longer > 0 {
		add("%s more than 6 fields, the rest of which was ignored: ids can't hold spaces in this format", text.Count(r.longer, "line has", "lines have"))
	}
	if r.tags > 0 {
		add("%s another tag than the first, %q, which is taken as the run's name", text.Count(r.tags, "line has", "lines have"), clipped(r.out.Run.Name))
	}
}

// parseRank reads a rank, 0 where it is none: it is only compared, never used.
func parseRank(b []byte) int64 {
	if len(b) > 9 {
		return 0
	}
	n := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	return n + 1 // ranks may count from 0
}

// idArena keeps ids in blocks: a string per id would cost an allocation each and most of the memory.
type idArena struct{ free []byte }

func (a *idArena) keep(id []byte) string {
	if len(id) == 0 {
		return ""
	}
	if len(id) > len(a.free) {
		a.free = make([]byte, max(64<<10, len(id)))
	}
	n := copy(a.free, id)
	s := unsafe.String(&a.free[0], n) // these bytes are never written again
	a.free = a.free[n:]
	return s
}
