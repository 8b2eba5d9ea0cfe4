package parting

import (
	"fmt"
	"math"
	"testing"
)

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
