package clean

import (
	"strings"
	"testing"
	"testing/quick"
	"time"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want Rule
	}{
		{Row{Text: "how do I lock my card?"}, ""},
		{Row{Text: ""}, Empty},
		{Row{Text: " \t\u00a0\u200b"}, Empty},
		{Row{Text: "?!… -- «»"}, Empty},
		{Row{Text: "C++"}, ""},
		{Row{Text: "7"}, ""},
		{Row{Text: "①"}, ""},
		{Row{Text: "銀行"}, ""},
		{Row{Text: "कार्ड"}, ""},
		{Row{Text: "💳"}, ""},
		{Row{Text: "healthz"}, Health},
		{Row{Text: "/healthz"}, Health},
		{Row{Text: "Health-Check"}, Health},
		{Row{Text: "__SYNTHETIC TEST__"}, Health},
		{Row{Text: "health"}, ""}, // people search for it
		{Row{Text: "ping"}, ""},
		{Row{Text: "test"}, ""},
		{Row{Text: "how to configure a readiness probe"}, ""},
		{Row{Text: "cards", Agent: "kube-probe/1.29"}, Health},
		{Row{Text: "cards", Agent: "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)"}, Health},
		{Row{Text: "cards", Agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}, Bot},
		{Row{Text: "cards", Agent: "SomeBot"}, Bot},
		{Row{Text: "cards", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"}, ""},
		{Row{Text: "cards", Agent: "Mozilla/5.0 (Windows NT 10.0) CUBOT_X18"}, ""}, // a telephone
		{Row{Text: strings.Repeat("é", DefaultMaxLength)}, ""},
		{Row{Text: strings.Repeat("é", DefaultMaxLength+1)}, Long},
		{Row{Text: strings.Repeat(" ", 5000) + "late"}, ""},
	} {
		if got := (Options{}).Check(c.row); got != c.want {
			t.Errorf("%.40q by %q: %q, want %q", c.row.Text, c.row.Agent, got, c.want)
		}
	}
}

func TestRulesSwitch(t *testing.T) {
	rows := map[Rule]Row{
		Empty:  {Text: "?"},
		Long:   {Text: strings.Repeat("x", 2000)},
		Health: {Text: "healthz"},
		Bot:    {Text: "cards", Agent: "a spider"},
	}
	for rule, row := range rows {
		if got := (Options{}).Check(row); got != rule {
			t.Errorf("%s: %q", rule, got)
		}
		if got := (Options{Off: []Rule{rule}}).Check(row); got != "" {
			t.Errorf("%s, switched off: %q", rule, got)
		}
	}
	if got := (Options{MaxLength: 3}).Check(Row{Text: "four"}); got != Long {
		t.Errorf("four runes where three are allowed: %q", got)
	}
	if len(Rules()) != len(rows)+1 {
		t.Errorf("%d rules, %d tried here and the one of bursts", len(Rules()), len(rows))
	}
}

// seconds makes times that many seconds and a half after a whole minute.
func seconds(s ...float64) []time.Time {
	base := time.Date(2026, 3, 1, 12, 0, 0, 5e8, time.UTC)
	var at []time.Time
	for _, x := range s {
		at = append(at, base.Add(time.Duration(x*float64(time.Second))))
	}
	return at
}

func marked(m []bool) string {
	s := ""
	for _, b := range m {
		if b {
			s += "x"
		} else {
			s += "."
		}
	}
	return s
}

func TestBursts(t *testing.T) {
	o := Options{BurstSize: 3, BurstTime: 10 * time.Second}
	minutes := []time.Time{}
	for i := range 5 {
		minutes = append(minutes, time.Date(2026, 3, 1, 12, i/4, 0, 0, time.UTC))
	}
	zero := seconds(0, 1, 2, 3)
	zero[1] = time.Time{}
	for _, c := range []struct {
		name string
		at   []time.Time
		want string
	}{
		{"none", nil, ""},
		{"too few", seconds(0, 1), ".."},
		{"slow", seconds(0, 6, 12, 18), "...."},
		{"exactly", seconds(0, 5, 10), "xxx"},
		{"just not", seconds(0, 5, 10.001), "..."},
		{"the whole burst, not only its end", seconds(0, 100, 101, 102, 103, 200), ".xxxx."},
		{"two", seconds(0, 1, 2, 60, 120, 121, 122), "xxx.xxx"},
		{"times to the minute", minutes, "....."},
		{"unknown times are in none", zero, "x.xx"},
	} {
		if got := marked(o.Bursts(c.at)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	o.Off = []Rule{Burst}
	if got := marked(o.Bursts(seconds(0, 1, 2))); got != "..." {
		t.Errorf("switched off: %s", got)
	}
}

// A person who types fast is no bot: whatever the times, fewer than BurstSize rows are never dropped, and a row is
// dropped just where it lies in some window that is full.
func TestBurstsProperty(t *testing.T) {
	o := Options{BurstSize: 4, BurstTime: 5 * time.Second}
	err := quick.Check(func(steps []uint16) bool {
		at, now := []time.Time{}, seconds(0.25)[0]
		for _, s := range steps {
			now = now.Add(time.Duration(s%4000) * time.Millisecond)
			at = append(at, now)
		}
		got := o.Bursts(at)
		for i := range at {
			want := false
			for first := max(0, i-3); first <= i && first+3 < len(at); first++ {
				want = want || at[first+3].Sub(at[first]) <= o.BurstTime
			}
			if got[i] != want {
				return false
			}
		}
		return true
	}, nil)
	if err != nil {
		t.Error(err)
	}
}
