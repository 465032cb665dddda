// Package rows reads files of rows (JSON Lines, JSON lists, CSV, TSV, plain lines) as a stream, whatever their encoding
// and compression, and says of each row where it stands and of each bad one what is wrong with it.
//
// It is a leaf: it imports the standard library, golang.org/x/text and klauspost/compress, and nothing of assay. Every
// room that reads files of people's making reads them through it, so that line numbers, byte order marks, quotes and
// digits are dealt with once.
//
// Its central decision is that a bad row is a value, not the end. Next returns a *Reject with file, line, offset, reason
// and hint, and the next call goes on with the next row; an *Error ends the reading only where no row can be understood
// any more: the stream breaks, the encoding has no such name, the header can't be read. Accepted + Rejected + Blank is
// the number of rows met, always, and every physical line belongs to the header, to a blank or to the Line to EndLine of
// exactly one row or reject. What could silently swallow rows is therefore suspected first: a quote that doesn't close
// refuses its own line and gives the lines after it back.
//
// What is decided about text:
//   - UTF-8 with or without BOM; UTF-16 by BOM, or without one by its pattern of NULs. Anything else has to be named. A
//     line with bytes that don't decode is rejected and the reason names the first such byte, its line and its offset.
//   - A NUL, raw or as \u0000, and half a surrogate pair refuse the row: text that other tools cut off or alter is not
//     stored, and ids are never changed.
//   - Lines end in LF or CRLF; in CR too where the beginning of the file has no LF. U+2028 ends nothing. Within a quoted
//     cell a line end is LF, whatever it is in the source; cells are otherwise kept byte for byte, header names trimmed.
//   - Numbers are their digits in the source: 1e3 and -0 are the ids "1e3" and "-0", and 42 is "42".
//   - A key that an object gives twice refuses the row, unless both values are the same bytes.
//   - In CSV, a row with more cells than the header is refused, one with fewer lacks the last ones. A separator of ";"
//     is recognised. Memory is bounded by a small multiple of the longest allowed line.
package rows
