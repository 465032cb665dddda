package querylog

import (
	"strings"

	"assay/corpus/rows"
)

// role is a thing that a row says beside its text and id, found by name.
type role int

const (
	timeRole role = iota
	userRole
	sessionRole
	agentRole
	statusRole
	roles
)

// The names of these; of several in one row the first listed counts.
var roleNames = [roles][]string{
	timeRole: {
		"timestamp", "@timestamp", "time", "datetime", "date_time", "date", "created_at", "createdat", "asked_at", "start_time",
		"event_time", "ts", "querytime", "query_time",
	},
	userRole: {
		"user_id", "userid", "user", "uid", "anonid", "anon_id", "anonymous_id", "client_id", "customer_id", "visitor_id", "remote_addr", "ip", "client_ip",
	},
	sessionRole: {
		"session_id", "sessionid", "session", "conversation_id", "conversation", "thread_id", "chat_id", "dialog_id", "trace_id", "traceid",
	},
	agentRole: {"user_agent", "useragent", "http_user_agent", "agent"},
}

// nameFields hold what people are called.
var nameFields = map[string]bool{
	"name": true, "first_name": true, "last_name": true, "firstname": true, "lastname": true, "full_name": true, "fullname": true,
	"surname": true, "given_name": true, "family_name": true, "customer_name": true, "user_name": true, "contact_name": true,
	"client_name": true, "display_name": true, "patient_name": true,
}

// layout is where in rows of one shape to look: the position of each thing among the fields, -1 where it is not there.
// Most logs have one shape, so that names are looked for once.
type layout struct {
	names   []string // of the fields, in order
	text    []int    // to try in this order
	id      int
	roles   [roles]int
	details []placed
	people  []int
}

type placed struct {
	detail
	at int
}

// shape is the layout of a row.
func (l *Log) shape(row rows.Row) *layout {
	if l.lay.fits(row) {
		return &l.lay
	}
	l.lay = layout{names: make([]string, len(row.Fields)), id: find(row, l.form.id)}
	for i, f := range row.Fields {
		l.lay.names[i] = f.Name
		if nameFields[strings.ToLower(f.Name)] {
			l.lay.people = append(l.lay.people, i)
		}
	}
	for _, n := range l.form.text {
		if at := find(row, []string{n}); at >= 0 {
			l.lay.text = append(l.lay.text, at)
		}
	}
	for r := range roles {
		l.lay.roles[r] = find(row, l.form.roles[r])
	}
	for _, d := range details {
		if at := find(row, d.names); at >= 0 {
			l.lay.details = append(l.lay.details, placed{d, at})
		}
	}
	return &l.lay
}

func (l *layout) fits(row rows.Row) bool {
	if len(l.names) != len(row.Fields) || l.names == nil {
		return false
	}
	for i := range row.Fields {
		if l.names[i] != row.Fields[i].Name {
			return false
		}
	}
	return true
}

// find is the position of the first field that has one of the names, as rows.Row.Get finds it.
func find(row rows.Row, names []string) int {
	if len(names) == 0 {
		return -1
	}
	_, name, ok := row.Get(names...)
	if !ok {
		return -1
	}
	for i, f := range row.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// said is the text of a field, "" where the row has none there.
func saidAt(row rows.Row, at int) string {
	if at < 0 || at >= len(row.Fields) {
		return ""
	}
	s, _ := row.Fields[at].Value.Text()
	return s
}
