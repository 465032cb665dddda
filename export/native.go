package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"assay/corpus"
)

// nativeVersion is the version of the native format that this program writes, and the newest that it reads.
const nativeVersion = 1

// WriteNative writes a gold set as JSON Lines: a header, then a query a line, with keys in a fixed order. The same gold
// set gives the same bytes, and what ReadLabels makes of them gives them again.
func WriteNative(w io.Writer, gold corpus.GoldSet) ([]Loss, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	var line jsonLine
	line.header(gold.Header)
	line.b = append(line.b, '\n')
	if _, err := out.Write(line.b); err != nil {
		return nil, err
	}
	for i := range gold.Rows {
		line.b = line.b[:0]
		line.row(&gold.Rows[i])
		line.b = append(line.b, '\n')
		if _, err := out.Write(line.b); err != nil {
			return nil, err
		}
	}
	return nil, out.Flush()
}

func (j *jsonLine) header(h corpus.GoldHeader) {
	j.open('{')
	j.field("assay", "gold")
	j.intField("version", nativeVersion)
	j.timeField("as_of", h.AsOf)
	j.key("snapshot")
	if h.Snapshot == nil {
		j.null()
	} else {
		j.string(*h.Snapshot)
	}
	j.field("program", h.Program)
	j.field("guidelines_sha256", string(h.GuidelinesSHA256))
	j.key("scale")
	j.open('{')
	j.field("id", h.Scale.ID)
	j.intField("min", int(h.Scale.Min))
	j.intField("max", int(h.Scale.Max))
	j.key("names")
	j.open('{')
	for _, g := range slices.Sorted(maps.Keys(h.Scale.Names)) {
		j.field(g.String(), h.Scale.Names[g])
	}
	j.close('}')
	j.intField("relevant_from", int(h.Scale.RelevantFrom))
	j.close('}')
	j.key("corpus")
	j.open('{')
	j.field("id", h.Corpus.ID)
	j.field("fingerprint", string(h.Corpus.Fingerprint))
	j.intField("chunks", h.Corpus.Chunks)
	j.close('}')
	j.field("rule", string(h.Rule))
	j.intField("queries", h.Queries)
	j.intField("labels", h.Labels)
	j.close('}')
}

func (j *jsonLine) row(r *corpus.GoldRow) {
	j.open('{')
	j.field("query_id", r.QueryID)
	j.key("query")
	if r.Query == nil {
		j.null()
	} else {
		j.string(*r.Query)
	}
	j.field("kind", string(r.Kind))
	j.intField("count", r.Count)
	j.key("weight")
	j.number(r.Weight)
	j.field("stratum", r.Stratum)
	j.field("group", r.Group)
	j.field("source", r.Source)
	j.field("language", r.Language)
	j.timeField("first_seen", r.FirstSeen)
	j.timeField("last_seen", r.LastSeen)
	j.key("turns")
	j.open('[')
	for _, t := range r.Turns {
		j.open('{')
		j.field("role", t.Role)
		j.field("content", t.Content)
		j.close('}')
	}
	j.close(']')
	j.field("parent_id", r.ParentID)
	j.field("standalone_query", r.Standalone)
	j.field("state", string(r.State))
	j.key("answerable")
	switch {
	case r.Answerable == nil:
		j.null()
	case *r.Answerable:
		j.b = append(j.b, "true"...)
	default:
		j.b = append(j.b, "false"...)
	}
	j.strings("tags", r.Tags)
	j.field("reference_answer", r.ReferenceAnswer)
	j.strings("relevant_chunk_ids", r.RelevantChunkIDs)
	j.key("grades")
	j.open('{')
	for _, id := range slices.Sorted(maps.Keys(r.Grades)) {
		j.key(id)
		j.grade(r.Grades[id])
	}
	j.close('}')
	j.strings("unresolved", r.Unresolved)
	j.key("evidence_sets")
	j.open('[')
	for _, set := range r.EvidenceSets {
		j.open('[')
		for _, id := range set {
			j.string(id)
		}
		j.close(']')
	}
	j.close(']')
	j.strings("hard_negatives", r.HardNegatives)
	j.key("conflicts")
	j.open('[')
	for _, c := range r.Conflicts {
		j.open('{')
		j.strings("chunk_ids", c.ChunkIDs)
		j.field("holds", c.Holds)
		j.field("note", c.Note)
		j.close('}')
	}
	j.close(']')
	j.whoSaidWhat(r)
	j.close('}')
}

func (j *jsonLine) whoSaidWhat(r *corpus.GoldRow) {
	j.key("labels")
	j.open('[')
	for i := range r.Labels {
		j.label(&r.Labels[i])
	}
	j.close(']')
	j.key("said")
	j.open('[')
	for _, s := range r.Said {
		j.open('{')
		j.field("what", string(s.What))
		j.field("value", s.Value)
		j.key("proof")
		j.raw(s.Proof)
		j.field("annotator", s.Annotator)
		j.timeField("at", &s.At)
		j.close('}')
	}
	j.close(']')
	j.key("searches")
	j.open('[')
	for _, s := range r.Searches {
		j.open('{')
		j.field("text", s.Text)
		j.field("mode", string(s.Mode))
		j.intField("results", s.Results)
		j.intField("deepest", s.Deepest)
		j.field("annotator", s.Annotator)
		j.timeField("at", &s.At)
		if s.CorpusID != "" {
			j.field("corpus_id", s.CorpusID)
		}
		j.close('}')
	}
	j.close(']')
}

func (j *jsonLine) label(l *corpus.GoldLabel) {
	j.open('{')
	j.field("chunk_id", l.ChunkID)
	if l.CorpusID != "" {
		j.field("corpus_id", l.CorpusID)
	}
	j.key("grade")
	j.grade(l.Grade)
	j.field("annotator", l.Annotator)
	j.timeField("at", &l.At)
	j.field("scale_id", l.ScaleID)
	j.field("note", l.Note)
	j.field("found", string(l.Found))
	j.key("anchor")
	j.open('{')
	j.field("corpus_id", l.Anchor.CorpusID)
	j.field("doc_id", l.Anchor.DocID)
	j.field("doc_sha256", string(l.Anchor.DocSHA256))
	j.offset("start", l.Anchor.Start)
	j.offset("end", l.Anchor.End)
	j.field("chunk_sha256", string(l.Anchor.ChunkSHA256))
	j.key("evidence")
	j.open('[')
	for _, e := range l.Anchor.Evidence {
		j.open('{')
		j.intField("start", e.Start)
		j.intField("end", e.End)
		j.field("quote", e.Quote)
		j.field("prefix", e.Prefix)
		j.field("suffix", e.Suffix)
		j.close('}')
	}
	j.close(']')
	j.close('}')
	j.close('}')
}

func (j *jsonLine) grade(g corpus.Grade) {
	if g == corpus.CannotJudge {
		j.string(g.String())
	} else {
		j.int(int(g))
	}
}

func (j *jsonLine) offset(k string, n *int) {
	j.key(k)
	if n == nil {
		j.null()
	} else {
		j.int(*n)
	}
}

// nativeReader reads a native gold set line by line.
type nativeReader struct {
	gold   corpus.GoldSet
	lineOf map[string]int // of each query
}

// headerKeys and rowKeys are the keys of the two kinds of line.
var (
	headerKeys = []string{"assay", "version", "as_of", "snapshot", "program", "guidelines_sha256", "scale", "corpus", "rule", "queries", "labels"}
	rowKeys    = []string{
		"query_id", "query", "kind", "count", "weight", "stratum", "group", "source", "language", "first_seen", "last_seen", "turns", "parent_id",
		"standalone_query", "state", "answerable", "tags", "reference_answer", "relevant_chunk_ids", "grades", "unresolved", "evidence_sets",
		"hard_negatives", "conflicts", "labels", "said", "searches",
	}
)

// readHeader reads the first line. Without it the rest can't be understood.
func (n *nativeReader) readHeader(raw []byte) error {
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(raw, &version); err == nil && version.Version > nativeVersion {
		return fmt.Errorf("the file is of version %d, this program reads up to %d", version.Version, nativeVersion)
	}
	h := &n.gold.Header
	if err := decodeStrict(raw, h, headerKeys); err != nil {
		return fmt.Errorf("the header can't be read: %w", err)
	}
	if h.Assay != "gold" || h.Version != nativeVersion {
		return fmt.Errorf("the header names assay %q, version %d", h.Assay, h.Version)
	}
	if err := h.Scale.Check(); err != nil {
		return fmt.Errorf("the header's %w", err)
	}
	if h.Scale.Names == nil {
		h.Scale.Names = map[corpus.Grade]string{}
	}
	switch h.Rule {
	case corpus.Majority, corpus.Single, corpus.Adjudicated:
	default:
		return fmt.Errorf("the header's rule %q is not majority, single or adjudicated", h.Rule)
	}
	return nil
}

// readRow reads any other line.
func (n *nativeReader) readRow(raw []byte, line int) error {
	var row corpus.GoldRow
	if err := decodeStrict(raw, &row, rowKeys); err != nil {
		return err
	}
	if err := checkRow(&row); err != nil {
		return err
	}
	if first, ok := n.lineOf[row.QueryID]; ok {
		return fmt.Errorf("query %q was in line %d already", row.QueryID, first)
	}
	n.lineOf[row.QueryID] = line
	n.gold.Rows = append(n.gold.Rows, row)
	return nil
}

// warnings say where the header promised something else than there was: a cut file looks whole otherwise.
func (n *nativeReader) warnings() []string {
	labels := 0
	for _, r := range n.gold.Rows {
		labels += len(r.Labels)
	}
	h := n.gold.Header
	if h.Queries == len(n.gold.Rows) && h.Labels == labels {
		return nil
	}
	return []string{fmt.Sprintf("the header promises %d queries and %d labels, the file holds %d and %d", h.Queries, h.Labels, len(n.gold.Rows), labels)}
}
