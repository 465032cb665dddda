package fake

import "context"

// Exporter is a port.Exporter that writes nothing and says what it would have.
type Exporter struct {
	Losses []string
	Err    error
}

// Formats implements port.Exporter.
func (Exporter) Formats() []string { return []string{"assay", "beir", "trec"} }

// Export implements port.Exporter.
func (e Exporter) Export(_ context.Context, format string) (paths, losses []string, err error) {
	if e.Err != nil {
		return nil, nil, e.Err
	}
	return []string{"exports/gold." + format + ".jsonl"}, e.Losses, nil
}
