package pretty

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		rows   [][]string
		want   string
		reason string
	}{
		{nil, "", "nothing"},
		{[][]string{{"ID", "RUN", "TESTS"}, {"1", "検索", "2"}, {"2", "e\u0301tat", "10"}},
			"ID  RUN   TESTS\n1   検索  2\n2   e\u0301tat  10\n", "wide characters take two columns, combining ones none"},
		{[][]string{{"a", ""}, {"", "b"}}, "a\n   b\n", "no blanks at the end of a line"},
		{[][]string{{"a", "long"}, {"alone"}, {"b", "c", "d"}}, "a      long\nalone\nb      c     d\n", "rows of any length"},
	} {
		var b strings.Builder
		if err := Columns(&b, c.rows); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", c.reason, err, b.String(), c.want)
		}
	}
}
