package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"assay/corpus"
	"assay/corpus/index"
)

// corpusFolder is a folder for an example.
func corpusFolder() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func feed(chunks ...corpus.Chunk) func(context.Context, index.Sink) error {
	return func(_ context.Context, sink index.Sink) error {
		for _, c := range chunks {
			if err := sink.Chunk(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// A corpus is fed whole each time: the build finds out what changed.
func ExampleBuild() {
	dir, remove := corpusFolder()
	defer remove()
	chunks := []corpus.Chunk{
		{ID: "refunds#1", Text: "Refunds are paid within 14 days."},
		{ID: "refunds#2", Text: "Returns need the original box."},
		{ID: "orders#1", Text: "Orders can be cancelled before dispatch."},
		{ID: "orders#2", Text: "The warranty lasts 24 months."},
		{ID: "support#1", Text: "Support answers on weekdays."},
	}
	for _, change := range []func(){func() {}, func() {}, func() { chunks[0].Text = "Refunds are paid within 30 days." }} {
		change()
		r, err := index.Build(context.Background(), dir, index.BuildOptions{Language: "en"}, feed(chunks...))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d chunks: %d added, %d changed, %d unchanged\n", r.Chunks, r.Added, r.Changed, r.Unchanged)
	}
	// Output:
	// 5 chunks: 5 added, 0 changed, 0 unchanged
	// 5 chunks: 0 added, 0 changed, 5 unchanged
	// 5 chunks: 0 added, 1 changed, 4 unchanged
}

func ExampleIndex_Search() {
	dir, remove := corpusFolder()
	defer remove()
	_, err := index.Build(context.Background(), dir, index.BuildOptions{Language: "en"}, feed(
		corpus.Chunk{ID: "a", Text: "We call getUserByID for each user_id."},
		corpus.Chunk{ID: "b", Text: "Users are found by their id."},
		corpus.Chunk{ID: "c", Text: "Refunds are paid within 14 days."},
	))
	if err != nil {
		panic(err)
	}
	ix, err := index.Open(dir)
	if err != nil {
		panic(err)
	}
	defer ix.Close()
	for _, r := range []corpus.SearchRequest{
		{Text: "getuserbyid", Mode: corpus.Plain},
		{Text: "user id", Mode: corpus.Plain},
		{Text: "refun", Mode: corpus.Plain, Prefix: true},
		{Text: "user* -refund", Mode: corpus.Syntax},
		{Text: `"14 days"`, Mode: corpus.Syntax},
	} {
		r.Limit = 10
		result, err := ix.Search(context.Background(), r)
		if err != nil {
			panic(err)
		}
		fmt.Print(r.Text, ":")
		for _, h := range result.Hits {
			fmt.Print(" ", h.ChunkID)
		}
		fmt.Println()
	}
	_, err = ix.Search(context.Background(), corpus.SearchRequest{Text: `user "open`, Mode: corpus.Syntax, Limit: 10})
	var mistake *index.SyntaxError
	if errors.As(err, &mistake) {
		fmt.Printf("at %d: %s\n", mistake.Pos, mistake.Msg)
	}
	// Output:
	// getuserbyid: a
	// user id: a b
	// refun: c
	// user* -refund: a b
	// "14 days": c
	// at 5: the quote is not closed: add a second "
}

func ExampleIndex_Matches() {
	dir, remove := corpusFolder()
	defer remove()
	text := "Refunds for user_id 7: see the refund policy."
	if _, err := index.Build(context.Background(), dir, index.BuildOptions{}, feed(corpus.Chunk{ID: "a", Text: text})); err != nil {
		panic(err)
	}
	ix, err := index.Open(dir)
	if err != nil {
		panic(err)
	}
	defer ix.Close()
	for _, span := range ix.Matches("refund user", corpus.Plain, text) {
		fmt.Println(span.Start, span.End, text[span.Start:span.End])
	}
	// Output:
	// 0 7 Refunds
	// 12 16 user
	// 31 37 refund
}

func ExampleOpen() {
	dir, remove := corpusFolder()
	defer remove()
	_, err := index.Open(dir)
	fmt.Println(err, errors.Is(err, index.ErrNone))
	// Output: nothing is indexed yet true
}
