// Package boltfile opens bbolt files that may be damaged, held by another process, or being written while they are
// read.
//
// It knows nothing of what the file holds; package store does. It may import bbolt and the standard library.
//
// The central decision is to trust no page before it was looked at: bbolt maps the file into memory and follows
// whatever page numbers and lengths it finds, so that a cut or flipped file raises SIGBUS, reads beyond its mapping,
// recurses without end, or hands pages in use to the next writer. Check therefore reads the file with plain reads
// and walks every page that bbolt could reach before bbolt sees it. What still goes wrong later, because the file
// changes under us, becomes an error: transactions run under Protect, which turns faults and panics into
// *PanicError.
//
// A writer holds flock on the file from before the check until Close, and leaves a note beside it (path + ".lock")
// that says who it is; the note is for people, the lock is what counts. Locks over NFS and SSHFS are as good as the
// server makes them: a workspace belongs on a local disk.
//
// Readers take no lock. Copy reads the file while it may be written: bbolt writes a transaction's pages only into
// pages that the transaction before does not use, and its meta page last. So, if the newest valid meta page is the
// same before and after, all that it reaches was left alone in between, although pages that it does not reach may
// have changed. The copy gets that one meta page twice, whatever the other slot held.
//
// Rewrite exchanges the file for a copy without its free pages, which hold what was deleted. The copy is locked, on disk
// and checked before it is renamed over the file; what a process that ends on the way leaves behind (path +
// ".rewrite-…") the next writer removes. A reader that is copying the old file meanwhile finishes with that.
package boltfile
