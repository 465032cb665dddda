package clean

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Rule names a reason to drop a row. "" drops nothing.
type Rule string

// The rules, in the order in which they are tried.
const (
	Empty  Rule = "empty"  // nothing that could be searched for: no letter, no digit, no symbol of a language
	Long   Rule = "long"   // a paste rather than a question
	Health Rule = "health" // health checks and monitors' probes
	Bot    Rule = "bot"    // the client says that it is a crawler
	Burst  Rule = "burst"  // one user asks faster than a person can
)

// Rules are all rules, in the order in which they are tried.
func Rules() []Rule { return []Rule{Empty, Long, Health, Bot, Burst} }

// What the rules go by where Options say nothing.
const (
	DefaultMaxLength = 1000 // runes: some 150 words
	DefaultBurstSize = 20
	DefaultBurstTime = 10 * time.Second
)

// Options switch and tune the rules. The zero value has all on.
type Options struct {
	Off       []Rule
	MaxLength int           // in runes; 0 for DefaultMaxLength
	BurstSize int           // so many asked within BurstTime are a burst; 0 for DefaultBurstSize
	BurstTime time.Duration // 0 for DefaultBurstTime
}

// Row is what the rules look at.
type Row struct {
	Text  string
	Agent string // the client's user agent; "" where unknown
}

// On reports whether a rule is in force.
func (o Options) On(rule Rule) bool { return !slices.Contains(o.Off, rule) }

// Check is the rule that drops the row by itself, "" where none does. Bursts need more than one row: see Bursts.
func (o Options) Check(r Row) Rule {
	switch {
	case o.On(Empty) && !sayable(r.Text):
		return Empty
	case o.On(Long) && o.tooLong(r.Text):
		return Long
	case o.On(Health) && (probes(r.Text) || names(r.Agent, monitors)):
		return Health
	case o.On(Bot) && names(r.Agent, crawlers):
		return Bot
	}
	return ""
}

// sayable reports whether the text has anything that a search could look for.
func sayable(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
	})
}

func (o Options) tooLong(s string) bool {
	most := o.MaxLength
	if most <= 0 {
		most = DefaultMaxLength
	}
	return len(s) > most && utf8.RuneCountInString(strings.TrimSpace(s)) > most
}

// probes reports whether the text is what monitors send instead of a question. Words that people search for too
// ("health", "ping", "test") are not among them.
func probes(s string) bool {
	if len(s) > 40 {
		return false
	}
	bare := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	return slices.Contains(probeTexts, bare)
}

// probeTexts are without case, spaces and punctuation.
var probeTexts = []string{
	"healthz", "healthcheck", "healthcheckquery", "healthprobe", "livez", "livenessprobe", "liveness", "readyz",
	"readinessprobe", "readiness", "keepalive", "heartbeatcheck", "uptimecheck", "monitoringprobe", "monitoringtest",
	"monitoringcheck", "syntheticcheck", "synthetictest", "syntheticmonitor", "smoketest", "pingdom", "warmupquery",
	"cachewarmup", "loadtest",
}

// monitors are parts of the user agents of health checks and uptime services, in lower case.
var monitors = []string{
	"kube-probe", "healthcheck", "health-check", "health check", "googlehc", "elb-health", "pingdom", "uptimerobot", "statuscake",
	"site24x7", "datadogsynthetics", "datadog/synthetics", "newrelicsynthetics", "newrelicpinger", "checkly", "nagios",
	"zabbix", "blackbox exporter", "blackbox-exporter", "updown.io", "hetrixtools", "better uptime", "betteruptime", "catchpoint",
	"route53-health", "load balancer agent", "haproxy", "freshping", "uptime-kuma", "uptime kuma", "monit/",
}

// crawlers are parts of the user agents of programs that say what they are, in lower case. "bot" has to end a word.
var crawlers = []string{
	"bot/", "bot;", "bot)", "bot ", "bot-", "robot", "crawler", "spider", "slurp", "bingpreview", "facebookexternalhit", "mediapartners-google",
	"ia_archiver", "archive.org", "semrush", "ahrefs", "headlesschrome", "phantomjs", "scrapy", "sqlmap", "nikto", "masscan", "zgrab",
	"nuclei", "apachebench", "jmeter", "k6/", "wrk/", "gatling", "locust", "siege/",
}

func names(agent string, parts []string) bool {
	if agent == "" {
		return false
	}
	agent = strings.ToLower(agent) + " "
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(agent, p) })
}

// Bursts marks which of one user's rows, in order of time, are part of a burst: BurstSize or more within BurstTime. A
// zero time is in none. Times that are all whole minutes are no times that a burst could be told by.
func (o Options) Bursts(at []time.Time) []bool {
	marks := make([]bool, len(at))
	size, within := o.BurstSize, o.BurstTime
	if size <= 0 {
		size = DefaultBurstSize
	}
	if within <= 0 {
		within = DefaultBurstTime
	}
	if !o.On(Burst) || len(at) < size || coarse(at) {
		return marks
	}
	known := make([]int, 0, len(at))
	for i, t := range at {
		if !t.IsZero() {
			known = append(known, i)
		}
	}
	marked := 0 // of known, all before are looked at
	for first := 0; first+size <= len(known); first++ {
		last := first + size - 1
		if at[known[last]].Sub(at[known[first]]) > within {
			continue
		}
		for i := max(first, marked); i <= last; i++ {
			marks[known[i]] = true
		}
		marked = last + 1
	}
	return marks
}

func coarse(at []time.Time) bool {
	return !slices.ContainsFunc(at, func(t time.Time) bool { return !t.IsZero() && !t.Equal(t.Truncate(time.Minute)) })
}
