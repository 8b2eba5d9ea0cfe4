package trend

import "testing"

// TestTitle: a trend is called as its runs are, which are called as who ran them says.
func TestTitle(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "Trend of 0 tests over 0 runs"},
		{[]string{"", ""}, "Trend of 0 tests over 2 runs"},
		{[]string{"nightly", "", "nightly"}, "Trend of nightly: 0 tests over 3 runs"},
		{[]string{"nightly", "weekly"}, "Trend of nightly and weekly: 0 tests over 2 runs"},
		{[]string{"a", "b", "c", "d"}, "Trend of 0 tests over 4 runs"},
	} {
		trend := Trend{}
		for _, name := range c.names {
			trend.Runs = append(trend.Runs, Run{Name: name})
		}
		if got := trend.Title(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.names, got, c.want)
		}
	}
	for want, r := range map[string]Run{
		"this run":                            {Name: "nightly"},
		"run 0123abcd":                        {ID: "0123abcd4567"},
		"run 0123abcd of 2026-03-01":          {ID: "0123abcd4567", StartedAt: "2026-03-01T04:00:00Z"},
		"nightly 17 (0123abcd) of 2026-03-01": {ID: "0123abcd4567", Name: "nightly", Given: "17", StartedAt: "2026-03-01T04:00:00Z"},
		"pipeline 4711 (0123abcd)":            {ID: "0123abcd4567", Given: "pipeline 4711"},
	} {
		if got := nameOf(&r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
