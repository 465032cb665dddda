package corpus

import (
	"cmp"
	"slices"
)

// TakeIn makes other a variant of q: q stands for both from here on and counts for both, other is taken out of the gold
// set and names q as its group. Labels on other are none of this: they stay. It reports false, and changes nothing,
// where other is q, stands for variants that include q, or is one of q's already.
func (q *Query) TakeIn(other *Query) bool {
	if other.ID == q.ID || q.hasVariant(other.ID) || other.hasVariant(q.ID) {
		return false
	}
	asked := max(1, other.Count)
	q.Group, q.Count = q.ID, max(1, q.Count)+asked
	q.addVariant(Variant{ID: other.ID, Text: other.Text, Count: asked})
	q.reweigh()
	other.Group, other.Excluded = q.ID, true
	return true
}

// LetGo takes a variant out of q, as a query of its own with what q knows of its kind, source and language. false where
// q has no such variant.
func (q *Query) LetGo(variantID string) (Query, bool) {
	i := slices.IndexFunc(q.Variants, func(v Variant) bool { return v.ID == variantID })
	if i < 0 {
		return Query{}, false
	}
	v := q.Variants[i]
	q.Variants = slices.Delete(slices.Clone(q.Variants), i, i+1)
	q.Count = max(1, q.Count-v.Count)
	if len(q.Variants) == 0 {
		q.Variants, q.Group = nil, ""
	}
	q.reweigh()
	own := Query{
		ID: v.ID, Text: v.Text, Count: v.Count, Kind: q.Kind, Source: q.Source, Language: q.Language,
		Stratum: q.Stratum, Inclusion: q.Inclusion,
	}
	own.reweigh()
	return own, true
}

func (q *Query) hasVariant(id string) bool {
	return slices.ContainsFunc(q.Variants, func(v Variant) bool { return v.ID == id })
}

// addVariant keeps the variants in order, the most asked first.
func (q *Query) addVariant(v Variant) {
	variants := append(slices.Clone(q.Variants), v)
	slices.SortStableFunc(variants, func(a, b Variant) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
	})
	q.Variants = variants[:min(len(variants), MaxVariants)]
}

// reweigh keeps the weight of a sampled query in line with its count.
func (q *Query) reweigh() {
	if q.Inclusion != nil && *q.Inclusion > 0 {
		w := float64(max(1, q.Count)) / *q.Inclusion
		q.Weight = &w
	}
}
