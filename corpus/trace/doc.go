// Package trace decodes rows of trace exports (Langfuse traces and observations, LangSmith runs, OpenInference spans as
// Phoenix or OTLP export them) to spans: what was asked, what was found, what was answered.
//
// It is a leaf and imports corpus and corpus/rows. Its central decision: a row is one span (Split takes apart those that
// hold more), and a span that can't be understood in part is still one. The exports differ in names only, and people
// rename them; so each thing is looked for under all its names, in plain text and in JSON within a text, and what is not
// there is empty. Nothing here fails: whether a span without a query is a mistake is for its reader to say.
package trace
