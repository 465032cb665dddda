package redact

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	f, err := os.Open(os.Getenv("PROBE"))
	if err != nil {
		t.Skip()
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	n := 0
	for sc.Scan() {
		n++
		l := sc.Text()
		if o := New().Text(l); o != l {
			fmt.Printf("%s\n   => %s\n", l, o)
		}
	}
	fmt.Println(n)
}
