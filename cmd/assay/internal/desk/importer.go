package desk

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"assay/cmd/assay/internal/intake"
	"assay/corpus/querylog/sample"
	"assay/corpus/text"
	"assay/tui/port"
)

// Importer implements port.Importer: a log comes in as assay import queries brings it in, with nothing switched off.
type Importer struct {
	Place     intake.Place
	Annotator string
	Home      string // what a ~ at the beginning of a path stands for; "" leaves it
}

var _ port.Importer = Importer{}

// Preview implements port.Importer.
func (i Importer) Preview(ctx context.Context, r port.ImportRequest, progress func(string, int64, int64)) (port.ImportReport, error) {
	return i.run(ctx, r, true, progress)
}

// Import implements port.Importer.
func (i Importer) Import(ctx context.Context, r port.ImportRequest, progress func(string, int64, int64)) (port.ImportReport, error) {
	return i.run(ctx, r, false, progress)
}

func (i Importer) run(ctx context.Context, r port.ImportRequest, dry bool, progress func(string, int64, int64)) (port.ImportReport, error) {
	path := r.Path
	if rest, ok := strings.CutPrefix(path, "~"+string(os.PathSeparator)); ok && i.Home != "" {
		path = filepath.Join(i.Home, rest)
	}
	opt := intake.Options{
		Files: []string{path}, DryRun: dry, Progress: progress, Annotator: func() (string, error) { return i.Annotator, nil },
	}
	opt.Read.Stdin = strings.NewReader("") // the terminal is the screen's
	if r.Sample > 0 {
		by := sample.Stratified
		if r.By != "" {
			by = sample.By(r.By)
		}
		opt.Draw = &sample.Design{By: by, N: r.Sample}
	}
	out, err := intake.Run(ctx, i.Place, opt)
	if err != nil {
		return port.ImportReport{}, err
	}
	report := port.ImportReport{New: out.Added, Batch: out.Batch}
	for _, line := range append(out.Notes(), out.Lines()...) {
		report.Lines = append(report.Lines, text.Sanitize(line))
	}
	for n, x := range out.Rejects {
		if n == 20 {
			report.Lines = append(report.Lines, "…")
			break
		}
		report.Lines = append(report.Lines, text.Sanitize("refused, line "+strconv.Itoa(x.Line)+": "+x.Reason))
	}
	if out.Batch != "" {
		report.Lines = append(report.Lines, "batch "+out.Batch+"; take it back with: assay log undo "+out.Batch)
	}
	return report, nil
}
