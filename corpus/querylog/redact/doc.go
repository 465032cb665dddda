// Package redact takes what identifies people and what opens doors out of texts: e-mail addresses, phone and card
// numbers, bank accounts, IP addresses, secrets, long numbers, and names that a field of the log gives. It imports the
// standard library, xxhash for the hashes that stand for values, and x/text for what a character reads as.
//
// Its central decision: values are looked for in a view of the text, not in the text. People write one value in very
// many ways (percent-encoded, with full-width digits, broken over lines, with invisible characters in it) and each
// finder would have to know them all. The view reads as a person would read the text, one byte a character, and knows
// which bytes of the text each came from; finders know only what a value is, and what is cut out are the text's bytes.
// Finders are written by hand: regular expressions over a megabyte of questions cost more than everything else does.
//
// What stands beside a number decides what it is. The same ten figures are a phone number behind "call", nothing
// behind "timestamp", and a number in between; so the words around it are read, and the shape that its groups have.
// In doubt a value is taken out, except where ordinary texts are full of its like: versions, dates, digests, amounts.
//
// Addresses that identify nobody stay: loopback, unspecified, multicast, broadcast and documentation ranges, whole
// networks, and those of public resolvers. Private ones are taken out: within a company they are somebody's.
//
// How long phone numbers can be in each country is a table of numbers here, written from phonenumbers' metadata and
// compared with it in the tests: its 2 MB of tables and its parser would stand in the program for these 200 lengths.
package redact
