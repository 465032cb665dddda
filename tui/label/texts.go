package label

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/label/pages"
)

// batch is how many chunks of a document are loaded at a time.
const batch = 8

// linger is how long a chunk must be at the cursor before the length of its document is asked for.
const linger = 150 * time.Millisecond

// texts loads what the screen shows of chunks. The newest wish cancels those before.
type texts struct {
	cache    pages.Cache
	gen      int
	cancel   context.CancelFunc
	loading  []pages.Key
	width    int // of what is loading
	rowsBusy bool

	sizes     map[string]int // chunks of a document, by its id
	lingering string
}

func newTexts() texts { return texts{cache: pages.New(), sizes: map[string]int{}} }

func (t *texts) stop() {
	if t.cancel != nil {
		t.cancel()
		t.cancel = nil
	}
}

type textsMsg struct {
	gen   int
	keys  []pages.Key
	pages []pages.Page
}

func (t *texts) got(m textsMsg) {
	if m.gen == t.gen {
		t.loading, t.cancel = nil, nil
	}
	for i, p := range m.pages {
		t.cache.Keep(m.keys[i], p)
	}
}

type sizeMsg struct {
	docID string
	n     int
}

func (t *texts) gotSize(m sizeMsg) {
	if m.n > 0 {
		t.sizes[m.docID] = m.n
	}
}

// lit is the search whose matches are shown.
func (s *Screen) lit() (string, corpus.Mode) {
	if s.focus == inDocument {
		return s.doc.search, s.doc.mode
	}
	if s.tab == searchTab && s.find.shown.Request.Text != "" {
		return s.find.shown.Request.Text, s.find.shown.Request.Mode
	}
	return s.query().Text, corpus.Plain
}

func (s *Screen) textKey(chunkID string) pages.Key {
	search, mode := s.lit()
	return pages.Key{ChunkID: chunkID, Search: search, Mode: mode}
}

// page is that of the chunk at the cursor of the list; empty while it is not here.
func (s *Screen) page() pages.Page {
	r, ok := s.tabs[s.tab].current()
	if !ok || s.width == 0 {
		return pages.Page{}
	}
	p, _ := s.texts.cache.Get(s.textKey(r.chunkID), s.textWidth())
	return p
}

// wanted are the pages to have, in order: what is on screen, then what may be next.
func (s *Screen) wanted() []pages.Key {
	if s.focus == inDocument {
		return s.docWanted()
	}
	t := &s.tabs[s.tab]
	var keys []pages.Key
	for _, i := range []int{t.cursor, t.cursor + 1} {
		if i < len(t.rows) {
			keys = append(keys, s.textKey(t.rows[i].chunkID))
		}
	}
	return keys
}

// load starts whatever the screen lacks.
func (s *Screen) load() tea.Cmd {
	if !s.loaded {
		return nil
	}
	return tea.Batch(s.loadRows(s.layout().rows.H), s.loadTexts(), s.lingerOn())
}

func (s *Screen) loadTexts() tea.Cmd {
	t, width := &s.texts, s.textWidth()
	var missing []pages.Key
	for _, k := range s.wanted() {
		if _, ok := t.cache.Get(k, width); !ok && !slices.Contains(missing, k) {
			missing = append(missing, k)
		}
	}
	most := batch
	if s.focus != inDocument {
		most = 1 // the one on screen does not wait for the next one
	}
	missing = missing[:min(most, len(missing))]
	if len(missing) == 0 || t.width == width && slices.Equal(missing, t.loading) {
		return nil
	}
	t.stop()
	t.gen++
	t.loading, t.width = missing, width
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	jobs := make([]pages.Job, len(missing))
	for i, k := range missing {
		jobs[i] = t.cache.Job(k, s.docChunk(k.ChunkID))
	}
	open, close := s.theme.MatchMarks()
	gen, finder := t.gen, s.finder
	return func() tea.Msg {
		defer cancel()
		m := textsMsg{gen: gen}
		for _, j := range jobs {
			p, ok := pages.Load(ctx, finder, j, width, open, close)
			if !ok {
				break
			}
			m.keys, m.pages = append(m.keys, j.Key), append(m.pages, p)
		}
		return m
	}
}

type lingerMsg struct{ chunkID string }

// lingerOn waits a moment before asking how many chunks the document has, which reads all of them.
func (s *Screen) lingerOn() tea.Cmd {
	if s.focus == inDocument {
		return nil
	}
	c := s.page().Chunk
	if c.ID == "" || c.DocID == "" || c.Ordinal == 0 || s.texts.sizes[c.DocID] > 0 || s.texts.lingering == c.ID {
		return nil
	}
	s.texts.lingering = c.ID
	return s.tick(linger, func(time.Time) tea.Msg { return lingerMsg{c.ID} })
}

func (s *Screen) lingered(m lingerMsg) tea.Cmd {
	c := s.page().Chunk
	if c.ID != m.chunkID || s.focus == inDocument {
		if s.texts.lingering == m.chunkID {
			s.texts.lingering = ""
		}
		return nil
	}
	finder := s.finder
	return func() tea.Msg {
		chunks, err := finder.Document(context.Background(), c.ID)
		if err != nil {
			return sizeMsg{c.DocID, -1}
		}
		return sizeMsg{c.DocID, len(chunks)}
	}
}

// chunkView is where the chunk beside the list is scrolled to.
type chunkView struct {
	chunkID string
	top     int
}

// clamp starts a chunk at its top and keeps its last line in view.
func (v *chunkView) clamp(p pages.Page, height int) {
	if p.Chunk.ID != v.chunkID && p.Chunk.ID != "" {
		v.chunkID, v.top = p.Chunk.ID, 0
	}
	v.top = max(0, min(v.top, p.Text.Len()-max(1, height)))
}
