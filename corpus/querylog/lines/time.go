package lines

import (
	"strconv"
	"strings"
	"time"
)

// layouts are how programs write times, beside ISO 8601. Without a zone they are UTC.
var layouts = []string{
	"02/Jan/2006:15:04:05 -0700", time.RFC1123Z, time.RFC1123, "2006/01/02 15:04:05", "2006/01/02 15:04:05.999999999", "2006/01/02",
	"2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02 15:04:05 MST", time.ANSIC, time.UnixDate, time.RubyDate, time.RFC850, time.RFC822Z, time.RFC822,
	"Mon Jan 02 2006 15:04:05 GMT-0700", "Jan 2, 2006 15:04:05", "Jan 2, 2006, 15:04:05", "Jan 2, 2006, 3:04:05 PM", "Jan 2, 2006 @ 15:04:05.000",
	"2 Jan 2006 15:04:05", "02-Jan-2006 15:04:05", "1/2/2006, 3:04:05 PM", "1/2/2006 3:04:05 PM", "20060102T150405Z", "20060102T150405",
}

// Time reads a time as logs write it, in UTC: ISO 8601 and its relatives (a space for the T, a comma before the
// fraction, no zone, no time), the layouts of Go, Python, JavaScript and web servers, seconds, milliseconds,
// microseconds and nanoseconds since 1970, and yyyymmddHHMMSS with four digits of the year or two. Days and months in
// digits whose order can't be told (05/01/2024) are no time.
func Time(s string) (time.Time, bool) {
	if len(s) < 8 || len(s) > 80 {
		return time.Time{}, false
	}
	if t, ok := isoTime(s); ok {
		return t, true
	}
	if strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }) < 0 {
		return digitTime(s)
	}
	s, _, _ = strings.Cut(s, " (")  // JavaScript adds the zone's name
	s, _, _ = strings.Cut(s, " m=") // and Go its clock's reading
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// isoTime reads yyyy-mm-dd, alone or with a time after T or a space, by hand: most rows of most logs have one.
func isoTime(s string) (time.Time, bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return time.Time{}, false
	}
	year, ok1 := digits(s[0:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:10])
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || day < 1 || day > 31 {
		return time.Time{}, false
	}
	var hour, minute, second, nanos int
	zone := time.Duration(0)
	if rest := s[10:]; rest != "" {
		if rest[0] != 'T' && rest[0] != ' ' && rest[0] != 't' || len(rest) < 6 || rest[3] != ':' {
			return time.Time{}, false
		}
		var ok bool
		hour, ok1 = digits(rest[1:3])
		minute, ok2 = digits(rest[4:6])
		if rest = rest[6:]; len(rest) >= 3 && rest[0] == ':' {
			second, ok3 = digits(rest[1:3])
			rest = rest[3:]
		}
		if nanos, rest, ok = fraction(rest); !ok {
			return time.Time{}, false
		}
		if zone, ok = zoneOf(rest); !ok || !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
			return time.Time{}, false
		}
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if t.Day() != day {
		return time.Time{}, false // the 30th of February
	}
	return t.Add(-zone), true
}

// fraction reads ".25" or ",250" as nanoseconds, and what comes after it.
func fraction(s string) (nanos int, rest string, ok bool) {
	if s == "" || s[0] != '.' && s[0] != ',' {
		return 0, s, true
	}
	n := 1
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	for i := 1; i <= 9; i++ {
		nanos *= 10
		if i < n {
			nanos += int(s[i] - '0')
		}
	}
	return nanos, s[n:], n > 1
}

// zoneOf reads Z, UTC, +02, +0200, +02:00 and nothing, with a space before it or none.
func zoneOf(s string) (time.Duration, bool) {
	s = strings.TrimPrefix(s, " ")
	switch s {
	case "", "Z", "z", "UTC", "GMT":
		return 0, true
	}
	if s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	if len(s) == 6 && s[3] == ':' {
		s = s[:3] + s[4:]
	}
	if len(s) == 3 {
		s += "00"
	}
	n, ok := digits(s[1:])
	if !ok || len(s) != 5 || n%100 > 59 || n/100 > 18 {
		return 0, false
	}
	zone := time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute
	if s[0] == '-' {
		zone = -zone
	}
	return zone, true
}

// digitTime reads times that are numbers, by how many digits they have.
func digitTime(s string) (time.Time, bool) {
	whole, part, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	layout := ""
	switch len(whole) {
	case 8:
		layout = "20060102"
	case 10:
		nanos, rest, ok := fraction("." + part + "0")
		return time.Unix(n, int64(nanos)).UTC(), ok && rest == ""
	case 12:
		layout = "060102150405"
	case 13:
		return time.UnixMilli(n).UTC(), true
	case 14:
		layout = "20060102150405"
	case 16:
		return time.UnixMicro(n).UTC(), true
	case 19:
		return time.Unix(0, n).UTC(), true
	default:
		return time.Time{}, false
	}
	t, err := time.Parse(layout, whole)
	return t, err == nil && part == "" && t.Year() >= 1970 && t.Year() < 2200
}
