package querylog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// collected is what a file of queries says, each query once.
type collected struct {
	Queries   []corpus.Query      // in the order of their first rows; Count is how often each was asked, Order its place from 1
	Tags      map[string][]string // by query id, for queries that the log tags
	Lines     map[string]int      // by query id, the line of its first row
	Repeats   int                 // accepted rows that ask a query again
	Derived   int                 // queries whose id was made from their text
	Conflicts []Conflict          // the first MaxRejects rows that were refused because their id stands for another text
	Rejects   []*rows.Reject      // the first MaxRejects refused rows, those in conflict included
	Unread    []Unread            // what the log has beside the queries and could not be understood
	Rows      Counts
	TextField string     // where the query's text was found: the columns, or the keys of the first accepted row
	IDField   string     // the same of the id; "" where there is none
	Stats     rows.Stats // what the reader of rows counted, before this room looked at them
}

// MaxRejects is how many rejects a collected keeps. All are counted.
const MaxRejects = 1000

// Counts of a log's rows. Accepted + Rejected + Blank is all of them.
type Counts struct {
	Accepted, Rejected, Blank int
}

// Conflict is an id that two rows give to different texts. The first is kept.
type Conflict struct {
	ID                    string
	KeptLine, Line        int
	KeptText, RefusedText string
}

// Unread is a field whose values could not be understood in some rows, which do without.
type Unread struct {
	Field string
	Rows  int
	Line  int // of the first
}

// gather reads a whole log, as mining does. Rows with the same given id, and rows without an id whose texts match, are one query asked
// several times: counts add up, times widen, tags join, and of everything else the first that a row says is kept. The
// error is one that ended the reading; what was read until then is returned with it.
func gather(r *rows.Reader, opt Options) (collected, error) {
	c := collector{at: map[string]int{}, log: collected{Tags: map[string][]string{}, Lines: map[string]int{}}}
	var end error
	l, err := newLog(r, opt, sniffed{})
	if err != nil {
		return c.log, err
	}
	for asked, err := range l.Rows() {
		if err == nil && strings.TrimSpace(asked.Query.Text) == "" {
			err = asked.Reject("the query is empty", "")
		}
		var reject *rows.Reject
		switch {
		case err == nil:
			c.add(asked)
		case errors.As(err, &reject):
			c.refuse(reject)
		default:
			end = err
		}
	}
	c.log.Stats = r.Stats()
	c.log.Rows.Blank = c.log.Stats.Blank
	return c.log, end
}

type collector struct {
	log collected
	at  map[string]int // query id → index in log.Queries
}

func (c *collector) refuse(r *rows.Reject) {
	c.log.Rows.Rejected++
	if len(c.log.Rejects) < MaxRejects {
		c.log.Rejects = append(c.log.Rejects, r)
	}
}

func (c *collector) add(a Asked) {
	id := a.Query.ID
	i, known := c.at[id]
	if known && !sameQuestion(c.log.Queries[i].Text, a.Query.Text) {
		c.conflict(c.log.Queries[i], a)
		return
	}
	if c.log.Rows.Accepted++; c.log.Rows.Accepted == 1 {
		c.log.TextField, c.log.IDField = a.textField, a.idField
	}
	for _, field := range a.Unread {
		c.unread(field, a.Line)
	}
	for _, t := range a.Tags {
		if !slices.Contains(c.log.Tags[id], t) {
			c.log.Tags[id] = append(c.log.Tags[id], t)
		}
	}
	if known {
		c.log.Repeats++
		Merge(&c.log.Queries[i], a.Query)
		return
	}
	c.at[id] = len(c.log.Queries)
	a.Query.Order = len(c.log.Queries) + 1
	c.log.Queries = append(c.log.Queries, a.Query)
	c.log.Lines[id] = a.Line
	if a.Derived {
		c.log.Derived++
	}
}

func sameQuestion(a, b string) bool { return a == b || text.MatchKey(a) == text.MatchKey(b) }

func (c *collector) conflict(kept corpus.Query, a Asked) {
	line := c.log.Lines[kept.ID]
	c.refuse(a.row.Reject(fmt.Sprintf("the id %q already stands for another query, on line %d", kept.ID, line),
		"the first is kept; give one of them another id"))
	if len(c.log.Conflicts) < MaxRejects {
		c.log.Conflicts = append(c.log.Conflicts, Conflict{
			ID: kept.ID, KeptLine: line, Line: a.Line, KeptText: kept.Text, RefusedText: a.Query.Text,
		})
	}
}

func (c *collector) unread(field string, line int) {
	i := slices.IndexFunc(c.log.Unread, func(u Unread) bool { return u.Field == field })
	if i < 0 {
		i = len(c.log.Unread)
		c.log.Unread = append(c.log.Unread, Unread{Field: field, Line: line})
	}
	c.log.Unread[i].Rows++
}
