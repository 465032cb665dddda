package remote

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const behaviour = "REMOTE_TEST_COMMAND"

// TestMain makes this binary the command that the tests ask.
func TestMain(m *testing.M) {
	if name := os.Getenv(behaviour); name != "" {
		commands[name](bufio.NewReaderSize(os.Stdin, 16))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func ask(in *bufio.Reader) (question, bool) {
	var q question
	line, err := in.ReadBytes('\n')
	return q, err == nil && json.Unmarshal(line, &q) == nil
}

func say(q question) {
	fmt.Printf(`{"query_id":%q,"chunks":["%s-1","%s-%d"]}`+"\n", q.QueryID, q.QueryID, q.QueryID, q.K)
}

func all(in *bufio.Reader) (qs []question) {
	for q, ok := ask(in); ok; q, ok = ask(in) {
		qs = append(qs, q)
	}
	return qs
}

func echo(in *bufio.Reader) {
	for q, ok := ask(in); ok; q, ok = ask(in) {
		say(q)
	}
}

var commands = map[string]func(*bufio.Reader){
	"echo": echo,
	"batch": func(in *bufio.Reader) { // reads everything, then answers in another order
		qs := all(in)
		slices.Reverse(qs)
		for _, q := range qs {
			say(q)
		}
	},
	"pairs": func(in *bufio.Reader) { // answers two at a time, the later first
		for {
			a, _ := ask(in)
			b, ok := ask(in)
			if !ok {
				return
			}
			say(b)
			say(a)
		}
	},
	"die": func(in *bufio.Reader) {
		q, _ := ask(in)
		say(q)
		fmt.Fprint(os.Stderr, "loading\rloaded\nout of \x1b[31mmemory\n\n")
		os.Exit(3)
	},
	"late": func(in *bufio.Reader) {
		for _, q := range all(in)[:1] {
			say(q)
		}
		os.Exit(4)
	},
	"unhappy": func(in *bufio.Reader) {
		echo(in)
		os.Exit(5)
	},
	"mute": func(in *bufio.Reader) {
		q, _ := ask(in)
		say(q)
		all(in)
		time.Sleep(time.Hour)
	},
	"stumbles": func(in *bufio.Reader) { // at the queries that HANG and DIE name
		for q, ok := ask(in); ok; q, ok = ask(in) {
			if slices.Contains(strings.Fields(os.Getenv("HANG")), q.QueryID) {
				time.Sleep(time.Hour)
			}
			if slices.Contains(strings.Fields(os.Getenv("DIE")), q.QueryID) {
				fmt.Fprintln(os.Stderr, "no memory for "+q.QueryID)
				os.Exit(3)
			}
			say(q)
		}
	},
	"deep": func(in *bufio.Reader) { // more than asked for, the best last
		for q, ok := ask(in); ok; q, ok = ask(in) {
			fmt.Printf(`{"query_id":%q,"chunks":[{"id":"c","score":1},{"id":"b","score":2},{"id":"a","score":3}]}`+"\n", q.QueryID)
		}
	},
	"marks order": func(in *bufio.Reader) { // as some consoles do
		fmt.Print("\ufeff")
		echo(in)
	},
	"complains": func(in *bufio.Reader) {
		for q, ok := ask(in); ok; q, ok = ask(in) {
			fmt.Fprint(os.Stderr, strings.Repeat("warning: slow\n", 150))
			say(q)
		}
	},
	"deaf": func(in *bufio.Reader) { time.Sleep(time.Hour) }, // never reads
	"lingers": func(in *bufio.Reader) {
		echo(in)
		time.Sleep(time.Hour)
	},
	"closes": func(in *bufio.Reader) {
		q, _ := ask(in)
		say(q)
		os.Stdout.Close()
		time.Sleep(time.Hour)
	},
	"loud": func(in *bufio.Reader) {
		noise := strings.Repeat("noise ", 40_000)
		for q, ok := ask(in); ok; q, ok = ask(in) {
			fmt.Fprintln(os.Stderr, noise)
			fmt.Println(noise)
			say(q)
		}
	},
	"talks first": func(in *bufio.Reader) { // more than a pipe holds, before it reads
		fmt.Print(strings.Repeat("starting up\n", 50_000))
		echo(in)
	},
	"flood": func(*bufio.Reader) {
		for {
			os.Stdout.WriteString(strings.Repeat("no line end ", 1000))
		}
	},
	"junk": func(in *bufio.Reader) {
		fmt.Println("\x1b[2Jhello")
		fmt.Println(`{"chunks":["a"]}`)
		fmt.Println(`{"query_id":"q2","chunks":["too early"]}`)
		fmt.Println("\n  \n[1]\n\xff")
		for q, ok := ask(in); ok; q, ok = ask(in) {
			say(question{QueryID: "q77", K: 1})
			say(q)
			say(question{QueryID: q.QueryID, K: 99})
		}
		fmt.Print(`{"query_id":"q1","chunks":["torn`)
	},
	"faulty": func(in *bufio.Reader) {
		for _, reply := range []string{
			`"error":"no \u001b[31mindex\nhere"`, `"error":{"code":7}`, `"error":""`, `"chunks":"a"`, `"chunks":[{"id":"a","score":"nan"}]`,
			`"chunks":[{"id":"a","score":1e400}]`, `"chunks":[{"id":"a","score":"inf"}]`, `"chunks":[""]`, `"nothing":1`, `"error":null,"chunks":[]`,
			`"error":"` + strings.Repeat("é", 1000) + `"`,
		} {
			q, _ := ask(in)
			fmt.Printf(`{"query_id":%q,%s}`+"\n", q.QueryID, reply)
		}
	},
	"by text": func(in *bufio.Reader) {
		for q, ok := ask(in); ok; q, ok = ask(in) {
			line, _ := json.Marshal(map[string]any{"query": q.Query, "chunks": []any{map[string]any{"id": 7, "score": 1}, map[string]any{"id": "b", "score": 2}}})
			fmt.Println(string(line))
		}
	},
	"repeats the question": func(in *bufio.Reader) { // the question, with chunks
		for line, err := in.ReadString('\n'); err == nil; line, err = in.ReadString('\n') {
			fmt.Println(strings.TrimSuffix(line, "}\n") + `,"chunks":[` + strconv.Quote(line) + `]}`)
		}
	},
	"child": func(in *bufio.Reader) { // leaves a child with its pipes and a connection, then does nothing
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), behaviour+"=hang on")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		if os.Getenv("LEAVE") != "" {
			os.Exit(6)
		}
		time.Sleep(time.Hour)
	},
	"hang on": func(*bufio.Reader) {
		conn, err := net.Dial("tcp", os.Getenv("CALL"))
		if err != nil {
			panic(err)
		}
		conn.Write([]byte("x"))
		time.Sleep(time.Hour)
	},
}
