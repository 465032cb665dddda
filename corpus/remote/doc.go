// Package remote asks a retriever that lives elsewhere: a command that is run here, or a web service.
//
// It does I/O of its own, so only cmd imports it; it imports corpus, the leaves rows and text, and theory/jsonpath, which
// finds ids and scores in whatever shape a service replies and is RFC 9535 to the letter, digits of large numbers
// included. It keeps nothing: cmd files the answers as they come (export.KeptRun), and asks only for the rest next time.
//
// The central decision: a query that gets no ranking is an Answer with the reason, not the end, and never an empty ranking.
// A retriever that found nothing is measured as 0; one that was down, late or unintelligible is not measured at all.
// Which is which is said per query, so that figures can show what they are over. Attempts are bounded, each has a hard
// deadline, and only what time may heal is tried again, by one loop in one place: stacked retries are how a bill doubles.
//
// Replies are hostile: text, size, nesting and numbers are bounded before they are looked into, ids pass byte for byte or
// not at all, and whatever is quoted in a message is made safe to show. Secrets come from the environment, go into
// headers only and to the host that they were set for only; a service that echoes one, in whatever guise, does not get it
// into a message or an id. What a query says cannot leave its place in a body or a URL.
//
// A line of a command's output is a line of a run in JSON Lines. Both are taken apart by package rows (RankedQuery,
// RankedHits) and made a ranking by corpus.RankingOf, since export, which reads such files, is no room that remote may
// import, nor the other way round. What a command prints can thus be kept in a file and imported as it is.
package remote
