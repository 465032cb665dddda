package mine

import "github.com/cespare/xxhash/v2"

// spill writes rows to the files that they belong in while others are read.
type spill struct {
	m     *miner
	batch []record
	out   chan []record
	ended chan struct{}
	err   error // once ended is closed
	shut  bool
}

func newSpill(m *miner) *spill {
	s := &spill{m: m, out: make(chan []record, 4), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		for rows := range s.out {
			for i := range rows {
				if s.err == nil {
					s.err = s.write(&rows[i])
				}
			}
		}
	}()
	return s
}

func (s *spill) write(r *record) error {
	if r.user != 0 {
		return s.m.byUser.add(r.user, r)
	}
	return s.m.byQuery.add(xxhash.Sum64String(r.query.ID), r)
}

func (s *spill) add(r record) error {
	s.batch = append(s.batch, r)
	if len(s.batch) < batch {
		return nil
	}
	s.out <- s.batch
	s.batch = make([]record, 0, batch)
	return nil
}

// close waits until all is written, and says what went wrong.
func (s *spill) close() error {
	if !s.shut {
		s.shut = true
		s.out <- s.batch
		close(s.out)
	}
	<-s.ended
	return s.err
}
