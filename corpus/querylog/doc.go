// Package querylog reads query logs: files in which rows say what users asked. It finds out what kind of log a file is
// and where in its rows the query, its id, its time, its user and its conversation stand, and gives what was asked row
// by row; and it says what importing queries would change.
//
// It may import corpus, the leaves corpus/rows, corpus/text and corpus/trace, and its inner rooms lines (formats whose
// rows are no table) and redact (whose placeholders ids look past).
//
// Its central decision is that a log is told from its first rows, once, and then read by one set of rules: the same
// names mean the same in JSON, CSV and TSV, and formats that need more are turned into rows first (a topic of several
// lines, the spans in an OTLP object) or into a query afterwards (a request's parameter, a search's body). What is told
// is in Stats, so that a command can say it aloud, and each part of it can be overridden. A row is accepted or refused,
// never dropped: accepted + rejected is all of them, blank lines apart, and what is accepted and asks nothing is counted.
//
// What is decided about rows:
//   - Where a row gives an id, it is the query's, byte for byte. Where it gives none, the id is made from the text
//     (TextID), or from the text and the turns before it (TurnsID), so that the same question has the same id in every
//     log. A time, a count or the like that can't be read costs the row nothing; it is named in Asked.Unread.
//   - Requests in access logs ask by GET, whatever their status: a search that failed was asked too. The first of the
//     usual parameters that has a text is the query; a number in p, s or k is a page or a post. Escapes are decoded as
//     browsers write them; bytes that are not UTF-8 then refuse the row.
//   - A slow log has a line for each shard and phase; the fetch phase repeats the query's and is passed over. The text is
//     that of the first full-text query, clauses that score before filters.
//   - Of traces, whole ones ask, else their roots, else retrievers; what one of these was asked by another is no query.
//   - A row is a chat's where it is a list of messages, follows on turns, or belongs to a conversation, thread or chat.
package querylog
