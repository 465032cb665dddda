package corpus

import (
	"math"
	"strings"
	"testing"
)

func TestParseScore(t *testing.T) {
	for text, want := range map[string]float64{
		"1": 1, "-0.5": -0.5, "1e3": 1000, "1e-400": 0, "inf": math.Inf(1), "9007199254740993": 9007199254740992,
	} {
		if f, err := ParseScore(text); err != nil || f != want {
			t.Errorf("%q is %v, %v", text, f, err)
		}
	}
	for text, want := range map[string]string{
		"": `score "" is not a number`, "a": "is not a number", "1,5": "is not a number", " 1": "is not a number",
		"1e400": "beyond what a float64 holds", "-1e400": "beyond", "NaN": `score "NaN" can't be ordered`,
		strings.Repeat("é", 100): `score "` + strings.Repeat("é", 30) + `…" is not a number`,
	} {
		if f, err := ParseScore(text); err == nil || !strings.Contains(err.Error(), want) || f != 0 {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
}

func TestRankingOf(t *testing.T) {
	r, err := RankingOf([]string{"9007199254740993", "007", "a b", "007"}, nil)
	if err != nil || len(r) != 4 || r[0] != (Hit{"9007199254740993", 4}) || r[1] != (Hit{"007", 3}) || r[3] != (Hit{"007", 1}) {
		t.Errorf("%v, %v", r, err)
	}
	r, err = RankingOf([]string{"a", "b"}, []string{"1", "2.5"})
	if err != nil || len(r) != 2 || r[0] != (Hit{"a", 1}) || r[1] != (Hit{"b", 2.5}) {
		t.Errorf("not as they came: %v, %v", r, err)
	}
	if r, err := RankingOf(nil, nil); err != nil || r == nil || len(r) != 0 {
		t.Errorf("nothing is %v, %v", r, err)
	}
	for _, c := range []struct {
		ids, scores []string
		want        string
	}{
		{[]string{"a", ""}, nil, "hit 2: the id is empty"},
		{[]string{"a\xff"}, nil, "hit 1: the id is not valid UTF-8"},
		{[]string{"a", "b"}, []string{"1", "nan"}, `hit 2: score "nan" can't be ordered`},
		{[]string{"a", "b"}, []string{"1"}, "2 ids have 1 scores"},
	} {
		if r, err := RankingOf(c.ids, c.scores); err == nil || err.Error() != c.want || r != nil {
			t.Errorf("%q %q: %v, %v", c.ids, c.scores, r, err)
		}
	}
}
