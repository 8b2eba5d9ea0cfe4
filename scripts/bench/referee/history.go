package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// night keeps a run in a history of the world.
func (w *world) night(db string, n int, fill func(*stream)) {
	var s stream
	fmt.Fprintf(&s, `{"type":"run","id":"night %d","started_at":"2026-%02d-%02dT00:00:00Z"}`+"\n", n, 1+n/28, 1+n%28)
	fill(&s)
	w.run("history", "--db", db, "add", w.save("night.ndjson", &s))
}

// trend keeps 60 nights of steady tests and reads their trend.
func (w *world) trend(night func(*world, *stream, string)) []test {
	tests := w.times(1000)
	for n := range 60 {
		w.night("h.db", n, func(s *stream) {
			for t := range tests {
				night(w, s, fmt.Sprint(t))
			}
		})
	}
	return ask[envelope](w, "history", "--db", "h.db", "trend", "--window", "1000").Tests
}

// nights are steady tests whose trials of a night correlate.
func nights(w *world) *tally {
	var sum tally
	for _, t := range w.trend(func(w *world, s *stream, t string) { w.trials(s, trial{Test: t}, 5, w.beta(0.8, 0.1)) }) {
		sum.add(t.Drift.P != nil && *t.Drift.P <= 0.05, t.Ever.Changed)
	}
	return &sum
}

// steady counts the tests that never changed and have a state of change.
func steady(night func(*world, *stream, string)) func(*world) *tally {
	return func(w *world) *tally {
		var sum tally
		for _, t := range w.trend(night) {
			sum.add(t.State != "FLAKY" && t.State != "STABLE", t.Ever.Changed)
		}
		return &sum
	}
}

// released looks at quarantined tests again and again, none of which is better than the threshold.
func released(w *world) *tally {
	tests := w.times(400)
	config := "quarantine:\n  tests:\n    - {match: '*', owner: o, reason: r, since: 2026-01-01, expires: 2027-01-01}\n"
	if err := os.WriteFile(filepath.Join(w.folder, "tribunal.yaml"), []byte(config), 0o644); err != nil {
		panic(err)
	}
	left := map[string]bool{}
	for n := range 80 {
		w.night("h.db", n, func(s *stream) {
			for t := range tests {
				w.trials(s, trial{Test: fmt.Sprint(t)}, 5, w.beta(0.9, 0.1))
			}
		})
		if n%4 == 3 {
			for line := range strings.Lines(string(w.run("history", "--db", "h.db", "release", "--threshold", "0.9"))) {
				if words := strings.Fields(line); words[0] == "leaves" {
					left[words[1]] = true
				}
			}
		}
	}
	var sum tally
	for t := range tests {
		sum.add(left[fmt.Sprint(t)])
	}
	return &sum
}

// withPast compares one run a side, whose variance only the history knows.
func withPast(w *world) *tally {
	fill := func(s *stream) {
		for t := range 20 {
			w.trials(s, trial{Test: fmt.Sprintf("%02d", t)}, 30, w.beta(0.5+0.45*float64(t)/20, 0.1))
		}
	}
	var sum tally
	for past := range w.times(400) / 40 {
		db := fmt.Sprintf("%d.db", past)
		for n := range 10 {
			w.night(db, n, fill)
		}
		for range 40 {
			var base, candidate stream
			fill(&base)
			fill(&candidate)
			sum.compared(w.compare(&base, &candidate, "--history", "--db", db))
		}
	}
	return &sum
}
