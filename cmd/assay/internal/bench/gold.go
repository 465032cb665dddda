package bench

import (
	"context"

	"assay/corpus"
	"assay/corpus/agreement"
	"assay/store"
)

// Said is everything that people said, as the store holds it, ready for agreement.Gold.
func Said(ctx context.Context, db *store.DB) (agreement.Input, error) {
	in := agreement.Input{Searches: map[string][]corpus.SearchTried{}}
	var err error
	if in.Queries, err = db.Queries(); err != nil {
		return in, err
	}
	if err = db.EachLabel(ctx, func(l corpus.Label) error { in.Labels = append(in.Labels, l); return nil }); err != nil {
		return in, err
	}
	if err = db.EachWork(ctx, func(w corpus.Work) error { in.Works = append(in.Works, w); return nil }); err != nil {
		return in, err
	}
	if err = db.EachSaid(ctx, func(s corpus.Said) error { in.Said = append(in.Said, s); return nil }); err != nil {
		return in, err
	}
	err = db.EachSearch(ctx, func(s corpus.SearchTried) error {
		in.Searches[s.QueryID] = append(in.Searches[s.QueryID], s)
		return nil
	})
	if err != nil {
		return in, err
	}
	if in.Scale, _, err = db.Scale(); err != nil {
		return in, err
	}
	in.Corpus, _, err = db.CurrentCorpus()
	return in, err
}

// Gold is the gold set of what people said, by a rule. guidelines is the hash of those in force.
func Gold(ctx context.Context, db *store.DB, rule corpus.Rule, program string, guidelines corpus.Hash) (corpus.GoldSet, error) {
	in, err := Said(ctx, db)
	if err != nil {
		return corpus.GoldSet{}, err
	}
	return GoldIn(in, rule, program, guidelines)
}

// GoldIn is Gold for what was read already.
func GoldIn(said agreement.Input, rule corpus.Rule, program string, guidelines corpus.Hash) (corpus.GoldSet, error) {
	said.Rule, said.Program, said.GuidelinesSHA256 = rule, program, guidelines
	return agreement.Gold(said)
}
