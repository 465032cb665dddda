// Package input turns what a terminal sends into keys, pastes and mouse events.
//
// Bubble Tea's own reader takes one read for one event boundary: a UTF-8 character, a mouse report or a late reply
// that is split across reads becomes stray keys, which grade or are typed, and a paste of a megabyte is searched from
// its start again with every 256 bytes. So assay decodes bytes itself. The central decision: the Decoder is a plain
// state machine over bytes, without goroutines and with the time handed in, and it lives in the root model: reads
// arrive there as Raw messages, in order, and what is incomplete waits in the machine until more comes or its time is
// up. Whatever is not understood is dropped, never typed.
//
// It imports Bubble Tea, for the types of the messages that it makes.
package input
