package parting

import (
	"fmt"
	"math"
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

// told is trials written as people tell them, "a b(1) +" one that passed: a tool a
// letter, its arguments in brackets, an ellipsis for steps that are not known.
func told(ways ...string) (steps []envelope.Step, trials []Trial) {
	at := map[envelope.Step]uint32{}
	for row, way := range ways {
		trial := Trial{Row: row}
		for _, word := range strings.Fields(way) {
			switch word {
			case "+", "-":
				trial.Passed = word == "+"
				continue
			case "…":
				trial.Cut = true
				continue
			}
			name, arguments, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
			step := envelope.Step{Name: name, Digest: arguments}
			if _, seen := at[step]; !seen {
				at[step], steps = uint32(len(steps)), append(steps, step)
			}
			trial.Steps = append(trial.Steps, at[step])
		}
		trials = append(trials, trial)
	}
	return steps, trials
}

// stepsOf are the steps of one trial.
func stepsOf(of string) (steps []envelope.Step) {
	table, trials := told(of)
	for _, place := range trials[0].Steps {
		steps = append(steps, table[place])
	}
	return steps
}

func TestUses(t *testing.T) {
	tests := [][]string{
		{"f a +", "f f a +", "a -", "a -"}, // f: 2/2 against 0/2
		{"f +", "-"},                       // f: 1/1 against 0/1
		{"f +", "f -"},                     // all called it
		{"f +", "+"},                       // nothing failed
		{"a … +", "f -", "g -"},            // of the first it is not known whether it called f or g: 0/1 against 0/1
	}
	steps, _ := told("f a g")
	table := NewTable(steps, nil)
	uses := NewUses(table)
	for _, test := range tests {
		of, trials := told(test...)
		for i := range trials {
			for j, place := range trials[i].Steps {
				for k, s := range steps {
					if s == of[place] {
						trials[i].Steps[j] = uint32(k)
					}
				}
			}
		}
		uses.Add(trials)
	}
	got := uses.Found()
	// f: tables 2/2 against 0/2 and 1/1 against 0/1; the sum has 1, 5, 5, 1 of 12.
	// a: in the last test 1/1 of the cut trial against 0/2: p = 1/3.
	want := []string{"f 1.000 0.167 0.333 2", "a 1.000 0.333 0.333 1"}
	for i, u := range got {
		line := fmt.Sprintf("%s %.3f %.3f %.3f %d", u.Name, u.Difference, u.P, u.Adjusted, u.Tests)
		if i >= len(want) || line != want[i] || math.IsNaN(u.P) {
			t.Errorf("%s, want %q", line, want)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tools, want %d", len(got), len(want))
	}
}
