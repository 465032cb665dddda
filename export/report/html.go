package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

var page = template.Must(template.New("page").Parse(pageTemplate))

// policy allows the one style sheet of the page, by its hash, and an icon without content, which keeps browsers from
// asking a server for one. There is no script, frame, form, font or picture, and none can be put in by a chunk's text.
var policy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
}()

// WriteHTML writes one file that needs nothing else: no script, no font or picture from elsewhere, light and dark, fit
// for paper. It stays usable with many thousand queries: those are drawn in bins, and a table of them is cut.
func WriteHTML(w io.Writer, d Document) error {
	var b bytes.Buffer // so that a fault in the template leaves no half page behind
	if err := page.Execute(&b, viewOf(d)); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}
