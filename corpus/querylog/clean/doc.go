// Package clean says which rows of a query log are not worth labeling: empty ones, health checks, declared bots, bursts
// of undeclared ones, pastes.
//
// It imports the standard library only. Its central decision: a rule looks at one row alone, or at the times of one
// user's rows, and never at what was asked by others, so that a log can be cleaned as it streams by. Each rule has a
// name, can be switched off and is counted by whoever asks: a row that is dropped is dropped aloud. The rules err
// towards keeping: a query that is dropped is never seen again, while one too many costs an annotator a key.
package clean
