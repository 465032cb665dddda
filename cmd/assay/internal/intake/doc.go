// Package intake brings query logs into a workspace: it mines the files into the frame, takes the queries to label
// from it, all or a sample, and writes them to labels.db, with a report of everything that was done.
//
// It imports corpus and its rooms, store and workspace; no screen and no command line. Its central decision is the
// order: the frame is in place before labels.db changes, and labels.db is compared with the frame, never counted up. So
// an import that was cut off is finished by importing again, importing twice changes nothing, and a longer log brings
// just what is new. Labels are not touched, whatever a log says.
package intake
