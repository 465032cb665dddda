package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html.tmpl
var pageTemplate string

var page = template.Must(template.New("page").Parse(pageTemplate))

// WriteHTML writes one file that needs nothing else: no script, no font or picture from elsewhere.
func WriteHTML(w io.Writer, d Document) error {
	if err := page.Execute(w, d.Report); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}
