// Package report turns a check or a comparison into forms that leave the program: Markdown for a pull request, JUnit
// XML for a build server, one HTML file for a reader, and the JSON Schemas of what --json prints.
//
// It imports corpus, the leaf corpus/text, and corpus/retrieval, whose reports it shows; it reads no file, clock or
// workspace, and computes no figure of its own. The central decision: each form is a function of the Document alone,
// so that the same check gives the same bytes, and all of them say the same thing in the same words: a figure, its
// interval, how many queries it stands on, and how much of it was judged, side by side. A figure without these invites
// a decision that it can't carry.
//
// All text is hostile: it goes through text.Sanitize before it is escaped for the form at hand. HTML is written with
// html/template, carries no script, asks for nothing from elsewhere, and forbids both by its own policy, since reports
// are mailed around and opened in browsers that are logged in elsewhere.
package report
