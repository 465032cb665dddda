package querylog_test

import (
	"fmt"
	"strings"

	"assay/corpus/querylog"
)

// Read what was asked from a web server's log.
func Example() {
	const log = `192.0.2.7 - ann [01/May/2024:14:00:05 +0200] "GET /search?q=red+shoes HTTP/1.1" 200 5120
192.0.2.7 - ann [01/May/2024:14:00:06 +0200] "GET /logo.png HTTP/1.1" 200 912
192.0.2.8 - - [01/May/2024:14:00:09 +0200] "GET /search?q=caf%C3%A9 HTTP/1.1" 200 4100
`
	l, err := querylog.Open("-", querylog.Options{Stdin: strings.NewReader(log)})
	if err != nil {
		panic(err)
	}
	defer l.Close()
	for asked, err := range l.Rows() {
		if err != nil {
			fmt.Println(err) // a row that was refused; the others follow
			continue
		}
		fmt.Printf("%s asked for %q at %s\n", asked.User, asked.Query.Text, asked.At.Format("15:04:05"))
	}
	s := l.Stats()
	fmt.Printf("%s: %d rows, %d without a query\n", s.Format, s.Accepted, s.NoQuery)
	// Output:
	// ann asked for "red shoes" at 12:00:05
	// 192.0.2.8 asked for "café" at 12:00:09
	// access-log: 3 rows, 1 without a query
}
