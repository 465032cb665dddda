// Package disk has what a build needs of files so that it lasts or leaves no trace: files put in place in one step,
// folders synced with the names in them, hashes of content, and a lock that the system lets go of when a process dies.
//
// The lock is the system's own on an open file, not a file that is there or not: a killed build leaves nothing to
// clean up by hand, and no process id is ever mistaken for a living one.
package disk
