// Package redact takes what identifies people and what opens doors out of texts: e-mail addresses, phone and card
// numbers, bank accounts, IP addresses, secrets, long numbers, and names that a field of the log gives.
package redact
