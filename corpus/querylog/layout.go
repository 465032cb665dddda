package querylog

import (
	"strings"
	"unicode"

	"assay/corpus/rows"
)

// role is a thing that a row says beside its text and id, found by name.
type role int

const (
	timeRole role = iota
	userRole
	sessionRole
	agentRole
	roles
)

// The names of these; of several in one row the first listed counts.
var roleNames = [roles][]string{
	timeRole: {
		"timestamp", "@timestamp", "time", "datetime", "date_time", "date", "created_at", "createdat", "asked_at", "start_time",
		"event_time", "ts", "querytime", "query_time", "time_iso8601", "time_local", "starttime", "startutc", "logged_at",
	},
	userRole: {
		"user_id", "userid", "user", "uid", "anonid", "anon_id", "anonymous_id", "client_id", "customer_id", "visitor_id", "user.id",
		"username", "user_name", "remote_user", "remote_addr", "remote_ip", "clienthost", "client_ip", "ip", "customer", "enduser.id",
	},
	sessionRole: {
		"session_id", "sessionid", "session", "conversation_id", "conversationid", "thread_id", "threadid", "chat_id", "chatid", "dialog_id",
		"dialogue_id", "trace_id", "traceid", "session.id", "visit_id",
	},
	agentRole: {"user_agent", "useragent", "http_user_agent", "agent", "user-agent", "request_user-agent", "user_agent.original"},
}

// chatNames are the sessions in which people talk, rather than search.
var chatNames = []string{"conversation", "thread", "chat", "dialog"}

// people are the fields that hold what people are called. Those that may hold another name, or a login, count where
// the value looks like a person's.
var people = map[string]bool{
	"first_name": true, "last_name": true, "firstname": true, "lastname": true, "full_name": true, "fullname": true,
	"surname": true, "given_name": true, "family_name": true, "customer_name": true, "contact_name": true, "client_name": true,
	"patient_name": true, "employee_name": true,
	"name": false, "display_name": false, "user_name": false, "username": false, "user": false, "customer": false,
}

// place is where in a row of one layout something stands; at is -1 where it is not there.
type place struct {
	name string // as the source spells it
	at   int
	path []string // within the field
}

func (p place) found() bool { return p.at >= 0 }

// value is what stands there; absent where the row has nothing there.
func (p place) value(row rows.Row) rows.Value {
	if p.at < 0 || p.at >= len(row.Fields) {
		return rows.Value{}
	}
	v := row.Fields[p.at].Value
	for _, name := range p.path {
		fields, _ := v.Members()
		v, _, _ = (rows.Row{Fields: fields}).Get(name)
	}
	return v
}

func (p place) text(row rows.Row) string {
	s, _ := p.value(row).Text()
	return s
}

// layout is where in rows of one shape to look. Most logs have few shapes, so that names are looked for once.
type layout struct {
	names    []string // of the fields, in order
	text     []place  // to try in this order
	id       place
	roles    [roles]place
	details  []placed
	metadata place
	people   []placed
	chat     bool
}

type placed struct {
	detail
	at   int
	sure bool // of people: whatever the value
}

// mostLayouts are kept. A log whose keys are data has as many as rows.
const mostLayouts = 1000

// shape is the layout of a row.
func (l *Log) shape(row rows.Row) *layout {
	if l.lay != nil && l.lay.fits(row) {
		return l.lay
	}
	var key [512]byte
	names := key[:0]
	for _, f := range row.Fields {
		names = append(append(names, f.Name...), 0)
	}
	lay, ok := l.known[string(names)]
	if !ok {
		lay = l.newLayout(row)
		if len(l.known) < mostLayouts {
			l.known[string(names)] = lay
		}
	}
	l.lay = lay
	return lay
}

func (l *Log) newLayout(row rows.Row) *layout {
	lay := &layout{names: make([]string, len(row.Fields)), id: find(row, l.form.id), metadata: find(row, []string{"metadata"})}
	for i, f := range row.Fields {
		lay.names[i] = f.Name
		if sure, ok := people[strings.ToLower(f.Name)]; ok {
			lay.people = append(lay.people, placed{at: i, sure: sure})
		}
	}
	for _, n := range l.form.text {
		if at := find(row, []string{n}); at.found() {
			lay.text = append(lay.text, at)
		}
	}
	for r := range roles {
		lay.roles[r] = find(row, l.form.roles[r])
	}
	for _, d := range details {
		if at := find(row, d.names); at.found() && len(at.path) == 0 {
			lay.details = append(lay.details, placed{detail: d, at: at.at})
		}
	}
	for _, n := range chatNames {
		lay.chat = lay.chat || strings.Contains(strings.ToLower(lay.roles[sessionRole].name), n)
	}
	return lay
}

func (l *layout) fits(row rows.Row) bool {
	if len(l.names) != len(row.Fields) {
		return false
	}
	for i := range row.Fields {
		if l.names[i] != row.Fields[i].Name {
			return false
		}
	}
	return true
}

// find is the place of the first field that has one of the names, as rows.Row.Get finds it, or of what is within a
// field: "a.b" is b in a.
func find(row rows.Row, names []string) place {
	if len(names) == 0 {
		return place{at: -1}
	}
	if _, name, ok := row.Get(names...); ok {
		return place{name: name, at: position(row, name)}
	}
	for _, n := range names {
		outer, rest, ok := strings.Cut(n, ".")
		if !ok {
			continue
		}
		v, name, ok := row.Get(outer)
		if fields, _ := v.Members(); ok {
			if in := find(rows.Row{Fields: fields}, []string{rest}); in.found() {
				return place{name: name + "." + in.name, at: position(row, name), path: strings.Split(in.name, ".")}
			}
		}
	}
	return place{at: -1}
}

func position(row rows.Row, name string) int {
	for i, f := range row.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// idOf is the text of a value that may be an object with an id.
func idOf(v rows.Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	fields, _ := v.Members()
	id, _, _ := (rows.Row{Fields: fields}).Get("id", "user_id", "uid", "name", "email")
	s, _ := id.Text()
	return s
}

// namesIn are what the row calls people.
func (lay *layout) namesIn(row rows.Row, textName string) []string {
	var names []string
	for _, p := range lay.people {
		f := row.Fields[p.at]
		if f.Name == textName {
			continue
		}
		if fields, ok := f.Value.Members(); ok && !p.sure { // user: {"id": …, "name": …}
			inner, _, _ := (rows.Row{Fields: fields}).Get("name", "full_name", "display_name")
			if s, _ := inner.Text(); s != "" {
				names = append(names, s)
			}
			continue
		}
		if s, _ := f.Value.Text(); strings.TrimSpace(s) != "" && (p.sure || personal(s)) {
			names = append(names, s)
		}
	}
	return names
}

// personal reports whether a text looks like a person's name: two to five words without digits, none in lower case
// but short ones such as "van".
func personal(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || len(words) > 5 || strings.ContainsFunc(s, unicode.IsDigit) {
		return false
	}
	for _, w := range words {
		first := []rune(w)[0]
		if !unicode.IsLetter(first) || unicode.IsLower(first) && len(w) > 3 {
			return false
		}
	}
	return true
}
