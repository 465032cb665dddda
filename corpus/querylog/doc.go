// Package querylog reads query logs: files in which each row is something that a user asked. It finds the query's text
// and id under their common names, counts repeats, and says what importing a log would change.
//
// It may import corpus and the leaves corpus/rows and corpus/text.
//
// Its central decision is what makes two rows the same query. Where a row gives an id, the id does, byte for byte:
// two ids with one text stay two queries, since labels hang on ids, and one id with two texts is a conflict, of which
// the first is kept and both are reported. Where a row gives none, text.MatchKey does (NFC, one space for any white
// space, no case), and the id is made from that key, so that the same question has the same id in every log and a
// second import finds it again. The text itself is kept as the first row has it.
//
// An import never adds up: reading a log twice must change nothing, so the count of a query that is there already stays.
// A row whose query can be used is kept even where something beside it (a time, a count) can't be read; that is counted
// and named in Log.Unread.
package querylog
