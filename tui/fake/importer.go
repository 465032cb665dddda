package fake

import (
	"context"
	"sync"

	"assay/tui/port"
)

// Importer is a port.Importer that reads nothing. It answers with Report, or Err; Hook runs first.
type Importer struct {
	mu     sync.Mutex
	Report port.ImportReport
	Err    error
	Hook   func(ctx context.Context, method string) error
	asked  []string
}

// Asked lists the calls: "preview PATH" and "import PATH".
func (i *Importer) Asked() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.asked...)
}

func (i *Importer) call(ctx context.Context, method string, r port.ImportRequest, progress func(string, int64, int64)) (port.ImportReport, error) {
	i.mu.Lock()
	i.asked = append(i.asked, method+" "+r.Path)
	hook, report, err := i.Hook, i.Report, i.Err
	i.mu.Unlock()
	if progress != nil {
		progress("reading", 1, 2)
	}
	if hook != nil {
		if err := hook(ctx, method); err != nil {
			return port.ImportReport{}, err
		}
	}
	return report, err
}

// Preview implements port.Importer.
func (i *Importer) Preview(ctx context.Context, r port.ImportRequest, progress func(string, int64, int64)) (port.ImportReport, error) {
	return i.call(ctx, "preview", r, progress)
}

// Import implements port.Importer.
func (i *Importer) Import(ctx context.Context, r port.ImportRequest, progress func(string, int64, int64)) (port.ImportReport, error) {
	return i.call(ctx, "import", r, progress)
}
