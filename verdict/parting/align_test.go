package parting

import (
	"strings"
	"testing"

	"tribunal/envelope"
)

// beside is an alignment in a line: = for equal steps, ~ for steps of one name.
func beside(first, second []envelope.Step) string {
	var words []string
	for _, p := range Align(first, second) {
		switch {
		case p.Second < 0:
			words = append(words, "-"+first[p.First].Name)
		case p.First < 0:
			words = append(words, "+"+second[p.Second].Name)
		case first[p.First] == second[p.Second]:
			words = append(words, "="+first[p.First].Name)
		default:
			words = append(words, "~"+first[p.First].Name+second[p.Second].Name)
		}
	}
	return strings.Join(words, " ")
}

func TestAlign(t *testing.T) {
	cases := []struct{ first, second, want, reason string }{
		{"", "", "", "nothing"},
		{"a b", "a b", "=a =b", "equal"},
		{"a b c", "a c", "=a -b =c", "a step missing"},
		{"a c", "a b c", "=a +b =c", "a step more"},
		{"a b d", "a c d", "=a ~bc =d", "a step replaced"},
		{"a b d", "a c e d", "=a ~bc +e =d", "and one more"},
		{"x s", "s s", "~xs =s", "of two equal ones the one that leaves fewer steps alone"},
		{"s s", "x s", "~sx =s", "and the other way round"},
		{"b f(1)", "f(2) c", "-b ~ff +c", "one name is worth more than others beside each other"},
		{"a f(1) d", "a f(2) d", "=a ~ff =d", "the same tool with other arguments is one difference"},
		{"f(1) x", "f(2) y f(1) x", "+f +y =f =x", "equal steps are worth more than names"},
		{"a b c d", "", "-a -b -c -d", "one made none"},
		{"a x", "a a x", "=a +a =x", "the common beginning first"},
		{"a a x", "a x", "=a -a =x", "and the other way round"},
	}
	for _, c := range cases {
		if got := beside(stepsOf(c.first), stepsOf(c.second)); got != c.want {
			t.Errorf("%s: %q and %q: %s, want %s", c.reason, c.first, c.second, got, c.want)
		}
	}
}

// TestAlignLong: where the table would be too large nothing is lost.
func TestAlignLong(t *testing.T) {
	first, second := stepsOf(strings.Repeat("a b ", 1500)), stepsOf(strings.Repeat("b a c ", 1500))
	i, j := 0, 0
	for _, p := range Align(first, second) {
		if p.First >= 0 {
			if p.First != i {
				t.Fatalf("step %d of the first where %d was due", p.First, i)
			}
			i++
		}
		if p.Second >= 0 {
			if p.Second != j {
				t.Fatalf("step %d of the second where %d was due", p.Second, j)
			}
			j++
		}
	}
	if i != len(first) || j != len(second) {
		t.Errorf("%d of %d and %d of %d steps", i, len(first), j, len(second))
	}
}

func TestNearest(t *testing.T) {
	cases := []struct {
		to     string
		among  []string
		want   int
		reason string
	}{
		{"a b c", nil, -1, "none"},
		{"a b c", []string{"b c", "a x"}, 1, "a longer beginning wins over more equal steps"},
		{"a b c", []string{"a x", "a x c", "a c"}, 1, "then more equal steps, then the first"},
		{"x", []string{"a", ""}, 0, "the first of equals"},
	}
	for _, c := range cases {
		var among [][]envelope.Step
		for _, w := range c.among {
			among = append(among, stepsOf(w))
		}
		if got := Nearest(stepsOf(c.to), among); got != c.want {
			t.Errorf("%s: nearest to %q among %q is %d, want %d", c.reason, c.to, c.among, got, c.want)
		}
	}
}
