package lines

import (
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	for _, s := range []string{
		"2024-05-01T12:00:05Z", "2024-05-01T14:00:05+02:00", "2024-05-01 12:00:05", "2024-05-01T12:00:05", "2024-05-01 12:00:05.000000",
		"2024-05-01 12:00:05+00:00", "2024-05-01T14:00:05+0200", "2024-05-01T14:00:05.000+02", "2024-05-01 12:00:05,000", "2024-05-01 12:00:05 UTC",
		"2024-05-01 12:00:05.000000000 +0000 UTC", "2024-05-01 12:00:05.0 +0000 UTC m=+0.000012", "2024-05-01t12:00:05z",
		"1714564805", "1714564805000", "1714564805000000", "1714564805000000000", "1714564805.0", "240501120005", "20240501120005", "20240501T120005Z",
		"01/May/2024:14:00:05 +0200", "Wed May  1 12:00:05 2024", "Wed, 01 May 2024 12:00:05 GMT", "Wed, 01 May 2024 14:00:05 +0200",
		"Wed May 01 2024 14:00:05 GMT+0200 (Central European Summer Time)", "2024/05/01 12:00:05", "5/1/2024, 12:00:05 PM", "May 1, 2024, 12:00:05 PM",
		"Wed May 01 14:00:05 +0200 2024", "1 May 2024 12:00:05", "01-May-2024 12:00:05", "May 1, 2024 @ 12:00:05.000",
	} {
		if got, ok := Time(s); !ok || !got.Equal(noon) || got.Location() != time.UTC {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
	for s, want := range map[string]time.Time{
		"1714564805.25": noon.Add(250 * time.Millisecond), "2024-05-01T12:00:05.25Z": noon.Add(250 * time.Millisecond),
		"2024-05-01T12:00:05.123456789Z": noon.Add(123456789), "2024-05-01": noon.Truncate(24 * time.Hour), "20240501": noon.Truncate(24 * time.Hour),
		"2024-05-01 12:00": noon.Truncate(time.Minute), "970916105432": time.Date(1997, 9, 16, 10, 54, 32, 0, time.UTC),
	} {
		if got, ok := Time(s); !ok || !got.Equal(want) {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
	for _, s := range []string{
		"", "now", "05/01/2024", "05/01/2024 12:00:05", "17", "-1714564805", "2024-02-30", "2024-13-01", "1e9", "17145648051714564805", "red shoes now",
		"2024-05-01T", "2024-05-01T12:00:05+", "2024-05-01T12:00:05.Z", "2024-05-01T12:00:05+99:00", "2024-05-01x12:00:05", "2024-05-01T25:00:00Z",
		"991332120005", "12345678", "1714564805.x", "20249901120005", "4111111111111111111111",
	} {
		if got, ok := Time(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}

// What the standard library reads as RFC 3339 is read so too, and to the same time.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"2024-05-01T12:00:05.25+02:00", "2024-05-01", "970916105432", "1714564805.25", "Wed May  1 12:00:05 2024", "2024-05-01 12:00:05 +0000 UTC m=+1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := Time(s)
		if ok && got.Location() != time.UTC || !ok && !got.IsZero() && len(s) < 8 {
			t.Errorf("%q: %v, %v", s, got, ok)
		}
		want, err := time.Parse(time.RFC3339, s)
		_, offset := want.Zone()
		if err == nil && len(s) <= 80 && s[10] == 'T' && s[13] == ':' && offset < 18*3600 && offset > -18*3600 && (!ok || !got.Equal(want)) {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	})
}

func BenchmarkTime(b *testing.B) {
	for _, s := range []string{"2024-05-01T12:00:05.25+02:00", "2024-05-01 12:00:05", "970916105432", "1714564805.25", "Wed May  1 12:00:05 2024"} {
		b.Run(s, func(b *testing.B) {
			for b.Loop() {
				if _, ok := Time(s); !ok {
					b.Fatal("not read")
				}
			}
		})
	}
}
