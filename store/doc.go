// Package store keeps everything people said, in one bbolt file that can't be rebuilt: queries, labels, how far who
// is, tags and other statements, searches that were tried, scales, corpora. Never derived data.
//
// It may import corpus and the leaves corpus/rows, corpus/text and corpus/stats. Only cmd knows it.
//
// The central decision: every change is an event, appended to a journal and projected onto the state in one
// transaction, which is on disk before the write returns. So nothing that was shown as saved is lost, undo is one
// more event, and the state can be proved: Verify replays the journal into an empty file and compares. An event's id
// is unique across copies of a workspace, and its place in replay order is (hybrid logical clock, id). The state of a
// subject is what the last event in that order says, whatever the order in which events arrived: copies merge.
//
// One thing goes beyond that: Forget removes a query from the journal too. What it leaves replays to nothing, so that
// Verify goes on proving what is left, and it is done by writing the whole file anew, since bbolt's free pages keep what
// was deleted.
//
// What a change says is compared to what is there: one that changes nothing writes no event.
//
// # What is in the file
//
// Keys join ids with the byte ÿ (0xff), which no valid UTF-8 text holds: ids may hold any characters, NUL and slashes
// included, and nothing needs escaping. An id of more than a KiB stands in a key by its hash (0xfe, then hex), for
// bbolt's keys are limited. Numbers are eight bytes, big-endian. A record is a header (version, clock and id of the
// event that last set the subject, a label's grade) and the value as JSON; where the subject was removed the record
// stays, without a value.
//
//	meta
//	├─ schema              version of this layout, decimal
//	├─ workspace_id        32 hex digits, shared by copies
//	├─ hlc                 the clock's last reading
//	└─ traces              there while free pages may hold what was forgotten: the file is to be rewritten
//	events
//	└─ seq                 event as JSON, fields unknown to this program included; one about a query that was
//	                       forgotten is a tombstone: kind "forgotten", v, id, seq, hlc, at, in event_ids only
//	event_ids
//	└─ event id            seq
//	by_annotator
//	└─ annotator ÿ seq     (1)
//	by_batch
//	├─ batch ÿ             summary as JSON: when, who, what, how much
//	└─ batch ÿ seq         (1)
//
//	queries
//	└─ query               record: Query
//	labels
//	└─ query ÿ corpus ÿ chunk ÿ annotator
//	                       record: Label
//	by_doc                 labels whose anchor has a span
//	└─ corpus ÿ document ÿ start query ÿ chunk ÿ annotator
//	                       the label's key
//	texts
//	└─ SHA-256             text of a labeled chunk, once
//	work
//	└─ annotator ÿ query   record: Work
//	tags
//	└─ query ÿ annotator ÿ tag ÿ name
//	                       record: Said
//	sets                   answer, note, set, hard_negative, conflict, decision
//	└─ query ÿ annotator ÿ what ÿ value
//	                       record: Said; answer and note, of which there is one each, have no value in their key
//	searches
//	└─ query ÿ annotator ÿ seq
//	                       record: SearchTried; seq is that of the event that noted it
//	scales
//	├─ ÿ                   record: the Scale in force
//	└─ scale               record: each Scale that ever was
//	corpora
//	├─ ÿ                   record: the Info of the corpus in force
//	└─ corpus              record: each Info that ever was: id, fingerprint, chunking, sources
//	forgotten              queries of which nothing is left but this
//	└─ SHA-256 of the id   record: the hash; its event says who forgot it
//	drafts                 not events
//	└─ annotator ÿ name    name and text as JSON
//	agreed, verdicts, snapshots
//	                       empty in this version
//
// Schema 2 added forgotten. A program that knows schema 1 only would read such a file right, tombstones included, but
// the next import would write what was forgotten again, and a copy of it merged would bring it back: it has to refuse
// the file. The step from 1 adds an empty bucket.
//
// by_batch and the clock in meta answer from a few pages what would otherwise take a walk through the whole journal.
//
// # Who reads and writes
//
// One writer holds the file (Open); everybody else reads a private copy of its last transaction (OpenCopy). What can
// go wrong with the file itself is dealt with in internal/boltfile. Locks over NFS or SSHFS are only as good as the
// server: keep a workspace on a local disk.
package store
