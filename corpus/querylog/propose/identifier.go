package propose

import (
	"slices"
	"strings"
	"unicode"
)

// Identifiers are the words of the text that look like something to be found letter for letter: codes, flags, paths,
// versions, host names, article and ticket numbers, names from programs. In order, each once.
func Identifiers(s string) []string {
	var found []string
	for _, field := range strings.Fields(s) {
		w := strings.TrimFunc(field, func(r rune) bool { return strings.ContainsRune("\"'`“”‘’«»()[]{}<>,;:!?…", r) })
		w = strings.TrimRight(w, ".")
		if identifier(w) && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}

func identifier(w string) bool {
	switch {
	case len(w) < 3 || len(w) > 200 || strings.HasPrefix(w, "[") && strings.HasSuffix(w, "]"):
		return false
	case strings.HasPrefix(w, "--"):
		return isLetter(w[2])
	case strings.Contains(w, "://"), strings.HasPrefix(w, "www."):
		return true
	case strings.HasPrefix(w, "0x") && len(w) > 4:
		return strings.Trim(w[2:], "0123456789abcdefABCDEF") == ""
	}
	return path(w) || version(w) || program(w) || code(w)
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isDigit(b byte) bool  { return b >= '0' && b <= '9' }

// shape counts what a word consists of; other is what is neither letter, digit nor a joint.
type shape struct {
	upper, lower, digits, joints, other int
	switches                            int // from letter to digit or back, joints passed over
}

func shapeOf(w string) shape {
	var s shape
	last := 0 // 1 letter, 2 digit
	for _, r := range w {
		kind := last
		switch {
		case unicode.IsDigit(r):
			s.digits++
			kind = 2
		case unicode.IsUpper(r):
			s.upper++
			kind = 1
		case unicode.IsLetter(r):
			s.lower++
			kind = 1
		case strings.ContainsRune("-_./:#\\", r):
			s.joints++
		default:
			s.other++
		}
		if last != 0 && kind != last {
			s.switches++
		}
		last = kind
	}
	return s
}

// path: /etc/hosts, C:\Windows, ~/.bashrc, src/main.go. "and/or", "24/7" and dates are none.
func path(w string) bool {
	s := shapeOf(w)
	switch {
	case s.lower+s.upper < 2:
		return false
	case strings.HasPrefix(w, "/"), strings.HasPrefix(w, "~/"), strings.HasPrefix(w, "./"), strings.HasPrefix(w, "../"):
		return strings.Count(w, "/") > 1 || strings.HasPrefix(w, "~") || strings.HasPrefix(w, ".") || len(w) > 4 && strings.ContainsAny(w, "._-")
	case len(w) > 3 && isLetter(w[0]) && w[1] == ':' && w[2] == '\\', strings.HasPrefix(w, `\\`):
		return true
	}
	slash := strings.LastIndexByte(w, '/')
	return slash > 0 && (strings.Count(w, "/") > 2 || fileName(w[slash+1:]))
}

// version: v2.45.0, 1.2.3, 10.4.1-rc2. A price, a decimal and a date are none.
func version(w string) bool {
	body := strings.TrimPrefix(strings.TrimPrefix(w, "v"), "V")
	if body == "" || !isDigit(body[0]) {
		return false
	}
	number, _, _ := strings.Cut(body, "-")
	number, _, _ = strings.Cut(number, "+")
	parts := strings.Split(number, ".")
	if slices.ContainsFunc(parts, func(p string) bool { return p == "" || strings.Trim(p, "0123456789") != "" }) {
		return false
	}
	if len(parts) == 3 && (len(parts[2]) == 4 || len(parts[0]) == 4 && len(parts[1]) == 2 && len(parts[2]) == 2) {
		return false // 24.12.2025, 2025.12.24
	}
	return len(parts) >= 3 || len(parts) == 2 && len(body) < len(w)
}

// program: names from programs: kube_pod_info, getUserById, std::string, foo.bar.baz, prometheus.yml, ERR_CONN.
func program(w string) bool {
	s := shapeOf(w)
	if s.lower+s.upper < 3 || s.other > 0 && !strings.ContainsAny(w, "*$@") {
		return false
	}
	switch {
	case strings.Trim(w, "_") != w:
		return len(strings.Trim(w, "_")) > 2 && s.other == 0
	case strings.Contains(w, "_"), strings.Contains(w, "::"):
		return true
	}
	return fileName(w) || camel(w)
}

// fileTypes are endings that a file or host name has and a sentence without its space has not.
var fileTypes = words("yml yaml json toml ini cfg conf xml csv tsv txt log md html htm css js ts jsx tsx go py rb rs java kt c h cc cpp cs php pl sh ps1 bat exe dll so dmg iso zip tar gz tgz bz2 7z rar jar war sql db pdf doc docx xls xlsx ppt pptx png jpg jpeg gif svg mp3 mp4 avi mov wav lock sum mod " +
	"com org net edu gov io dev app co uk de fr")

func fileName(w string) bool {
	dot := strings.LastIndexByte(w, '.')
	if dot <= 0 || dot == len(w)-1 {
		return false
	}
	name, end := w[:dot], strings.ToLower(w[dot+1:])
	return fileTypes[end] && strings.Trim(name, ".") != "" && end == w[dot+1:] ||
		strings.Count(w, ".") > 1 && !strings.Contains(w, "..") && len(end) > 2 && shapeOf(w).digits == 0 && initials(w)
}

// initials keeps "U.S.A" and "e.g.x" out of dotted names.
func initials(w string) bool {
	return !slices.ContainsFunc(strings.Split(w, "."), func(p string) bool { return len(p) < 2 })
}

// camel: getUserById, PodDisruptionBudget. Brand names of two parts (YouTube, PayPal) and shouting are none.
func camel(w string) bool {
	humps := 0
	for i := 1; i < len(w); i++ {
		if w[i] >= 'A' && w[i] <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			humps++
		}
	}
	return humps >= 2 || humps == 1 && w[0] >= 'a' && w[0] <= 'z' && len(w) > 6
}

// code: PROJ-1234, ORA-00942, WH1000XM4, E1024, a hash, a UUID. "mp3", "4x4", "2nd", "1990s", "24h", "windows95" are none.
func code(w string) bool {
	s := shapeOf(w)
	letters := s.lower + s.upper
	if s.digits == 0 || letters == 0 || s.other > 0 || strings.ContainsAny(w, "/:\\") {
		return false
	}
	joined := strings.ContainsAny(w, "-_#")
	switch {
	case letters+s.digits >= 16 && s.switches >= 4:
		return true // hashes, UUIDs
	case joined && s.upper > 0 && s.lower == 0:
		return s.digits >= 2 && isLetter(w[0]) || s.switches >= 2
	case joined:
		return s.switches >= 3 && s.digits >= 2
	case s.upper > 0 && s.lower == 0:
		return s.switches >= 2 && letters+s.digits >= 5 || s.switches == 1 && s.digits >= 3 && letters <= 4 && isLetter(w[0])
	}
	return s.switches >= 3 && letters+s.digits >= 6
}
