package driver

import (
	"testing"

	"tribunal/envelope"
	"tribunal/run/journal"
	"tribunal/run/runner"
)

// TestToll: from five starts on, in the order of the starts, a larger share of broken
// ones than allowed gives the suite up, whenever their ends come.
func TestToll(t *testing.T) {
	cases := []struct {
		ends   []int // numbers of starts as they end; negative is one that broke, from -1 for start 0 on
		none   []int // starts that were cut off
		most   float64
		at     int // which end gives up, from 1 on; 0 none
		reason string
	}{
		{[]int{-1, -2, -3, -4, -5}, nil, 0.2, 5, "all broke: at the fifth"},
		{[]int{-1, -2, -3, -4, 4}, nil, 0.8, 0, "4 of 5 are not more than 0.8"},
		{[]int{0, 1, 2, -4, -5}, nil, 0.2, 5, "2 of 5"},
		{[]int{-1, 1, 2, 3, 4, 5}, nil, 0.2, 0, "1 of 5 is not more than 0.2"},
		{[]int{-5, -4, -3, -2, -1}, nil, 0.2, 5, "they end from behind: none before the first is there"},
		{[]int{-6, -7, 0, 1, 2, 3, 4}, nil, 0.2, 7, "1 of 5 would hold; 2 of 7, which had ended before"},
		{[]int{-1, 2, 3, 4, 5}, []int{1}, 0.1, 5, "one was cut off, and is no start"},
		{[]int{-1, -1, -1, -1, -1}, nil, 0.1, 0, "the same start again"},
		{[]int{0, 1, 2, 3, 4}, nil, 0, 0, "none broke, and none may"},
		{[]int{0, 1, 2, 3, 4, -6}, nil, 0, 6, "one broke, and none may"},
	}
	for _, c := range cases {
		d := &drive{run: &Run{MaxErrorRates: map[string]float64{"s": c.most}}, tolls: map[string]*toll{}}
		for _, number := range c.none {
			d.toll("s", number, none)
		}
		at := 0
		for i, number := range c.ends {
			end := whole
			if number < 0 {
				number, end = -number-1, broken
			}
			trial := &envelope.Trial{Status: envelope.Pass}
			d.giveUp(&start{Start: runner.Start{Number: number, Group: envelope.Key{Suite: "s"}}}, end, []runner.Reported{{Trial: trial}})
			if at == 0 && trial.ErrorClass == envelope.ClassErrorRate {
				at = i + 1
			}
		}
		if at != c.at {
			t.Errorf("%s: given up at end %d, want %d", c.reason, at, c.at)
		}
	}
}

// TestTollIsRemembered: what the journal tells of starts counts for the run that goes
// on with it, each start once, and one that was cut off not at all.
func TestTollIsRemembered(t *testing.T) {
	d := &drive{run: &Run{MaxErrorRates: map[string]float64{"s": 0.2}}, tolls: map[string]*toll{}}
	line := func(number int) journal.Start {
		return journal.Start{Key: envelope.Key{Suite: "s", Test: "a"}, Number: envelope.Some(number)}
	}
	d.remember(line(0), &envelope.Trial{RawStatus: "exit 1"})
	d.remember(line(0), &envelope.Trial{RawStatus: "exit 1"}) // of another contract
	d.remember(line(1), nil)
	for number := 2; number < 5; number++ {
		d.remember(line(number), &envelope.Trial{RawStatus: "exit 0"})
	}
	if over := d.toll("s", 5, whole); over != "" {
		t.Errorf("1 of 5 is not more than 0.2: %s", over)
	}
	if over := d.toll("s", 6, broken); over != "stopped: 2 of 6 commands did not end with exit code 0, and max_error_rate is 0.20" {
		t.Errorf("%q", over)
	}
	if over := d.toll("other", 0, broken); over != "" {
		t.Errorf("a suite without a limit: %q", over)
	}
}
