// Package texts keeps what an index can't give back: the chunks as they came, their ids in order, the decoded
// documents.
//
// Texts lie in files of zstd blocks that are only ever appended to, so that a refreshed index shares the old ones by
// hard link; tables of fixed-width rows say where each is. Everything is read with pread: an open index costs no
// memory for its texts, and a file that was truncated is an error, where a memory map would be a SIGBUS. A block
// holds about 16 KiB: small enough to show a hundred chunks in a few milliseconds, large enough to compress.
//
// It may import corpus and zstd.
package texts
