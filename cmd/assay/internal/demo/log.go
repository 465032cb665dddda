package demo

import (
	"bytes"
	_ "embed" // for the log and the script
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

//go:embed log.jsonl
var log []byte

// LogName is what the log's file is called.
const LogName = "log.jsonl"

// Log is the log as a file of JSON Lines. The caller may keep and change it.
func Log() []byte { return bytes.Clone(log) }

// eachLine decodes JSON Lines strictly: these are our own files, so an unknown key is a slip of the pen.
func eachLine[Row any](data []byte, use func(line int, row Row) error) error {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		var row Row
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(&row)
		if err == nil {
			if _, more := d.Token(); !errors.Is(more, io.EOF) {
				err = errors.New("more than one value")
			}
		}
		if err == nil {
			err = use(line, row)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}
