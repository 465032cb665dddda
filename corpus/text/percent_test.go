package text

import "testing"

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0%", 0.0001: "<1%", 0.0049: "<1%", 0.0099: "1%", 0.01: "1%", 0.3169: "32%", 0.5: "50%", 0.99: "99%", 0.991: "99%", 0.996: ">99%", 0.9999: ">99%", 1: "100%",
	} {
		if got := Percent(share); got != want {
			t.Errorf("%v is %s, want %s", share, got, want)
		}
	}
}
