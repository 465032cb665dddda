package pages

import (
	"context"
	"errors"
	"slices"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/port"
)

const (
	mostPages   = 512
	mostBytes   = 64 << 20
	rewrapBytes = 128 << 10 // what a resize may wrap at once; the rest is wrapped in a Cmd
)

// Key names a chunk as one search lights it.
type Key struct {
	ChunkID string
	Search  string
	Mode    corpus.Mode
}

// Page is a chunk's text, lit and wrapped for one width.
type Page struct {
	Chunk corpus.Chunk
	Text  cell.Page
	Width int    // 0: not wrapped yet
	Err   string // why there is no text

	matched bool
	lit     cell.Lit
}

// Cache keeps pages; make it with New.
type Cache struct {
	kept  map[Key]Page
	order []Key // oldest first
	bytes int
}

// New is an empty cache.
func New() Cache { return Cache{kept: map[Key]Page{}} }

// Get is a page that can be drawn at the width, any width where that is 0; false where it has to be loaded first.
func (c *Cache) Get(k Key, width int) (Page, bool) {
	p, ok := c.kept[k]
	if !ok || p.Err == "" && width != 0 && p.Width != width {
		return Page{}, false
	}
	return p, true
}

// Keep adds or replaces a page and lets the oldest go where there are too many.
func (c *Cache) Keep(k Key, p Page) {
	if old, ok := c.kept[k]; ok {
		c.bytes -= len(old.Chunk.Text)
	} else {
		c.order = append(c.order, k)
	}
	c.kept[k] = p
	c.bytes += len(p.Chunk.Text)
	for len(c.order) > 1 && (len(c.order) > mostPages || c.bytes > mostBytes) {
		c.bytes -= len(c.kept[c.order[0]].Chunk.Text)
		delete(c.kept, c.order[0])
		c.order = c.order[1:]
	}
}

// Rewrap follows a resize, newest pages first, as far as that is quick.
func (c *Cache) Rewrap(width int) {
	if width <= 0 {
		return
	}
	done := 0
	for i := len(c.order) - 1; i >= 0; i-- {
		p := c.kept[c.order[i]]
		if p.Width == width || p.Err != "" {
			continue
		}
		if done += len(p.Chunk.Text); done > rewrapBytes {
			return
		}
		p.Width, p.Text = width, cell.Wrap(p.Chunk.Text, width, p.lit)
		c.kept[c.order[i]] = p
	}
}

// ForgetErrors lets what could not be read be tried again.
func (c *Cache) ForgetErrors() {
	c.order = slices.DeleteFunc(c.order, func(k Key) bool {
		failed := c.kept[k].Err != ""
		if failed {
			delete(c.kept, k)
		}
		return failed
	})
}

// Job is a page to load, with what is known of it already.
type Job struct {
	Key  Key
	from Page
	have bool
}

// Job plans the loading of a page. chunk is its text where that is at hand, else nil.
func (c *Cache) Job(k Key, chunk *corpus.Chunk) Job {
	if p, ok := c.kept[k]; ok && p.Err == "" {
		return Job{k, p, true}
	}
	if chunk != nil {
		return Job{k, Page{Chunk: *chunk}, true}
	}
	return Job{Key: k}
}

// Load runs in a Cmd. Width 0 leaves the wrapping to a Rewrap, once there is a screen. ok is false where it was
// cancelled; a chunk that can't be read is a page that says why.
func Load(ctx context.Context, finder port.Finder, job Job, width int, open, close string) (p Page, ok bool) {
	p = job.from
	if !job.have {
		c, err := finder.Chunk(ctx, job.Key.ChunkID)
		if errors.Is(err, context.Canceled) {
			return Page{}, false
		}
		if err != nil {
			return Page{Chunk: corpus.Chunk{ID: job.Key.ChunkID}, Err: err.Error()}, true
		}
		p.Chunk = c
	}
	if ctx.Err() != nil {
		return Page{}, false
	}
	if !p.matched {
		p.lit = cell.Lit{Spans: finder.Matches(job.Key.Search, job.Key.Mode, p.Chunk.Text), Open: open, Close: close}
		p.matched = true
	}
	if width > 0 {
		p.Width, p.Text = width, cell.Wrap(p.Chunk.Text, width, p.lit)
	}
	return p, true
}
