package report

import (
	"bytes"
	_ "embed"
)

//go:embed check.schema.json
var checkSchema []byte

//go:embed comparison.schema.json
var comparisonSchema []byte

// CheckSchema is the JSON Schema (draft 2020-12) of what check --json prints: a retrieval.Report, version 1.
func CheckSchema() []byte { return bytes.Clone(checkSchema) }

// ComparisonSchema is the JSON Schema (draft 2020-12) of what compare --json prints: a retrieval.Comparison, version 1.
func ComparisonSchema() []byte { return bytes.Clone(comparisonSchema) }
