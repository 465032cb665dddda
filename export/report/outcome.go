package report

import (
	"assay/corpus/retrieval"
	"assay/corpus/text"
)

// maxReasons is how many of the failed queries a build server's report names with their reasons where it says that they
// failed; all of them are below.
const maxReasons = 10

// troubles are what fails a check whatever its gates say, in words, e.g. "2 gold ids are not in the corpus": its figures
// are not whole.
func troubles(d Document) []string {
	return append(failedTrouble(d), missingTrouble(d)...)
}

func failedTrouble(d Document) []string {
	if n := len(d.Report.Failed); n > 0 {
		return []string{"the retriever failed on " + queries(n)}
	}
	return nil
}

func missingTrouble(d Document) []string {
	if n := len(d.Report.Missing); n > 0 && !d.MissingAllowed {
		return []string{text.Count(n, "gold id is", "gold ids are") + " not in the corpus"}
	}
	return nil
}

// outcome is how the check ended, what failed first. There are no words where it has no gate and no trouble.
func outcome(d Document) (v retrieval.Verdict, words []string) {
	words = troubles(d)
	t := tallied(d.Report.Gates)
	v = t.overall()
	switch {
	case len(d.Report.Gates) == 0:
	case t.fail > 0:
		words = append([]string{t.String()}, words...)
	default:
		words = append(words, t.String())
	}
	if len(troubles(d)) > 0 {
		v = retrieval.Fail
	}
	return v, words
}
