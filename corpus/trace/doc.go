// Package trace decodes rows of trace exports (Langfuse observations, LangSmith runs, Phoenix's OpenInference spans) to
// spans: what was asked, what was found, what was answered.
//
// It is a leaf and imports corpus and corpus/rows. Its central decision: a row is one span, and a span that can't be
// understood in part is still one. The exports differ in names only, and people rename them; so each thing is looked for
// under all its names, in plain text and in JSON within a text, and what is not there is empty.
package trace
