package rows_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/corpus/rows"
)

// Read all rows of a source, good and bad.
func Example() {
	source := strings.NewReader("id,query\nq1,24\" monitor\nq2,\"never closed\nq3,\"two\nlines\"\n")
	r, err := rows.New(source, "log.csv", rows.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for {
		row, err := r.Next()
		var reject *rows.Reject
		if errors.As(err, &reject) {
			fmt.Println(reject)
			continue
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		query, column, _ := row.Get("question", "query")
		text, _ := query.Text()
		fmt.Printf("line %d: %s %q\n", row.Line, column, text)
	}
	s := r.Stats()
	fmt.Printf("%s: %d accepted, %d rejected, %d blank\n", s.Format, s.Accepted, s.Rejected, s.Blank)
	// Output:
	// line 2: query "24\" monitor"
	// log.csv:3: the quote that opens on line 3 does not close: text follows another quote, on line 4
	// line 4: query "two\nlines"
	// csv: 2 accepted, 1 rejected, 0 blank
}
