package desk

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"assay/cmd/assay/internal/bench"
	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/text"
	"assay/export"
	"assay/store"
	"assay/tui/port"
)

// ExportOptions say how a gold set leaves.
type ExportOptions struct {
	Format        export.Format
	Path          string // "-" is Stdout; a folder for BEIR
	Stdout        io.Writer
	GuardFormulas bool // CSV
	EncodeIDs     bool // TREC; the ids that were encoded are listed beside the file, as Path with ".ids.jsonl"
	Binary        bool // TREC: 1 from relevant_from on, else 0
}

// DefaultPath is where an export goes unless told otherwise, below the workspace's exports folder.
func DefaultPath(exports, name string, f export.Format) string {
	ending := map[export.Format]string{
		export.Native: ".gold.jsonl", export.BEIR: ".beir", export.TREC: ".qrels", export.CSV: ".csv",
	}[f]
	return filepath.Join(exports, fileName(name)+ending)
}

// fileName keeps a name from leaving its folder or hiding.
func fileName(name string) string {
	out := []rune{}
	for _, r := range name {
		switch {
		case r < 0x20 || r == 0x7f || r == '/' || r == '\\' || r == filepath.Separator:
			r = '_'
		case r == '.' && len(out) == 0:
			r = '_'
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return "gold"
	}
	return string(out)
}

// Export writes a gold set and returns what the format could not hold. ix gives BEIR its corpus.jsonl; nil leaves it out.
func Export(ctx context.Context, gold corpus.GoldSet, ix *index.Index, opt ExportOptions) ([]export.Loss, error) {
	if opt.Format == export.BEIR {
		if opt.Path == "-" {
			return nil, fmt.Errorf("beir is a folder of files and can't go to stdout")
		}
		return export.WriteBEIR(opt.Path, gold, export.BEIROptions{Chunks: chunks(ctx, ix)})
	}
	if opt.Format == export.TREC {
		return WriteTREC(opt, func(w io.Writer, o export.TRECOptions) ([]export.Loss, error) {
			return export.WriteQrels(w, gold, o)
		})
	}
	var losses []export.Loss
	write := func(w io.Writer) error {
		var err error
		switch opt.Format {
		case export.Native:
			losses, err = export.WriteNative(w, gold)
		case export.CSV:
			losses, err = export.WriteCSV(w, gold, export.CSVOptions{Guard: opt.GuardFormulas})
		default:
			err = fmt.Errorf("format %q can't hold a gold set", opt.Format)
		}
		return err
	}
	if opt.Path == "-" {
		return losses, write(opt.Stdout)
	}
	err := export.WriteFile(opt.Path, write)
	return losses, err
}

// WriteTREC writes qrels or a run, and the list of encoded ids beside it where ids are encoded. The list comes first, so
// that no file with encoded ids is ever without it.
func WriteTREC(opt ExportOptions, write func(io.Writer, export.TRECOptions) ([]export.Loss, error)) ([]export.Loss, error) {
	o := export.TRECOptions{EncodeIDs: opt.EncodeIDs, Binary: opt.Binary}
	if opt.Path == "-" {
		return write(opt.Stdout, o)
	}
	if opt.EncodeIDs {
		err := export.WriteFile(opt.Path+".ids.jsonl", func(w io.Writer) error {
			listed := o
			listed.Map = w
			_, err := write(io.Discard, listed)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var losses []export.Loss
	err := export.WriteFile(opt.Path, func(w io.Writer) (err error) {
		losses, err = write(w, o)
		return err
	})
	return losses, err
}

// chunks yields the corpus in id order.
func chunks(ctx context.Context, ix *index.Index) func(func(corpus.Chunk, error) bool) {
	if ix == nil {
		return nil
	}
	return func(yield func(corpus.Chunk, error) bool) {
		err := ix.EachID(func(id string, _ [32]byte) bool {
			if ctx.Err() != nil {
				yield(corpus.Chunk{}, ctx.Err())
				return false
			}
			return yield(ix.Chunk(ctx, id))
		})
		if err != nil {
			yield(corpus.Chunk{}, err)
		}
	}
}

// Exporter implements port.Exporter.
type Exporter struct {
	DB         *store.DB
	Index      *index.Index
	Dir, Name  string
	Rule       corpus.Rule
	Program    string
	Guidelines corpus.Hash
}

var _ port.Exporter = Exporter{}

// Formats implements port.Exporter.
func (Exporter) Formats() []string {
	return []string{string(export.Native), string(export.BEIR), string(export.TREC), string(export.CSV)}
}

// Export implements port.Exporter.
func (e Exporter) Export(ctx context.Context, format string) (paths, losses []string, err error) {
	gold, err := bench.Gold(ctx, e.DB, e.Rule, e.Program, e.Guidelines)
	if err != nil {
		return nil, nil, err
	}
	opt := ExportOptions{Format: export.Format(format), Path: DefaultPath(e.Dir, e.Name, export.Format(format))}
	found, err := Export(ctx, gold, e.Index, opt)
	if counts, cerr := e.DB.Counts(); cerr == nil {
		found = append(found, ExcludedLoss(counts)...)
	}
	for _, l := range found {
		losses = append(losses, LossLine(l))
	}
	return []string{opt.Path}, losses, err
}

// ExcludedLoss says that queries which were left out by hand are in no export, with all that was said about them.
func ExcludedLoss(c store.Counts) []export.Loss {
	if c.Excluded == 0 {
		return nil
	}
	return []export.Loss{{Field: "query", Rows: c.Excluded, Why: "left out of the gold set by hand"}}
}

// LossLine says a loss in words.
func LossLine(l export.Loss) string {
	return fmt.Sprintf("%s: %s (%s)", l.Field, l.Why, text.Count(l.Rows, "row", "rows"))
}
