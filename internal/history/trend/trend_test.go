package trend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"tribunal/envelope"
)

// seriesOf makes a trend of one test from words such as "5/5 4/5 - x3": passed of counted in
// each run, - for a run without the test, x for trials that were all excluded.
func seriesOf(words string) *Trend {
	b := NewBuilder(0.95)
	test := b.Test(envelope.Key{Test: "t"})
	for i, word := range strings.Fields(words) {
		b.Run(fmt.Sprintf("%08d", i+1), envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
		if p, ok := pointOf(word); ok {
			b.Point(test, p)
		}
	}
	return b.Trend()
}

func pointOf(word string) (Point, bool) {
	if word == "-" {
		return Point{}, false
	}
	if rest, ok := strings.CutPrefix(word, "x"); ok {
		n, _ := strconv.Atoi(rest)
		return Point{Excluded: int32(n), Status: CodeOf(envelope.Error)}, true
	}
	passed, counted, _ := strings.Cut(word, "/")
	c, _ := strconv.Atoi(passed)
	n, _ := strconv.Atoi(counted)
	return Point{Passed: int32(c), Counted: int32(n), Status: CodeOf(envelope.Pass), CostUSD: math.NaN(), DurationMS: math.NaN()}, true
}

func again(word string, n int) string { return strings.Repeat(word+" ", n) }

func TestStates(t *testing.T) {
	for _, c := range []struct {
		series   string
		state    State
		evidence string
		reason   string
	}{
		{"- x3 - -", Unknown, "not in the last 2 runs; no trial was counted in 1 run", "nothing was counted"},
		{again("0/1", 4) + "x1 -", New, "not in the last run; 0 of 4 trials passed; other states need 5 runs", "runs without a counted trial do not count"},
		{again("0/1", 5), Broken, "none of 5 trials passed in 5 runs", "it never passed"},
		{again("5/5 -", 5), Stable, "all 25 trials passed in 5 runs", "it always passed, and every other run lacks it"},
		{"3/5 3/5 4/5 3/5 3/5", Flaky, "16 of 25 trials passed (64 %) in 5 runs, no steady rise or fall (p = 1.00)", "mixed, without a change"},
		{again("5/5", 4) + "0/5", Broken, "20 of 20 trials passed up to run 00000004, none of 5 trials in 1 run since (p below 0.0001)",
			"1 of C(25,5) = 53130 orders has all five failures last"},
		{"1/1 1/1 1/1 0/1 1/1", Flaky, "4 of 5 trials passed (80 %) in 5 runs, no steady rise or fall (p = 0.80)", "in four orders of five the failure is not in the middle"},
		{again("2/5", 6) + again("5/5", 4), Fixed, "18 of 30 trials failed up to run 00000006, all 20 trials in 4 runs passed since (p below 0.0001)",
			"18 failures, none among the last 20 of 50"},
		{again("0/5", 3) + again("5/5", 3), Fixed, "15 of 15 trials failed up to run 00000003, all 15 trials in 3 runs passed since (p below 0.0001)", "broken before"},
		{again("5/5", 8) + again("3/5", 4), NewFlaky, "all 40 trials in 8 runs passed before run 00000009, 8 of 20 trials failed since (p below 0.0001)",
			"8 failures, none among the first 40 of 60"},
		{again("10/10", 10) + "9/10 " + again("10/10", 10), Flaky, "209 of 210 trials passed (99.5 %) in 21 runs, no steady rise or fall (p = 1.00)", "one failure in the middle is no change: p = 110/210 at both ends"},
		{"20/20 19/20 18/20 17/20 16/20 15/20 14/20 13/20", DriftingDown, "the pass rate falls: 74 of 80 (92.5 %) in the first 4 runs, 58 of 80 (72.5 %) in the last 4 (trend p below 0.0001)",
			"a steady fall from a clean first run, which goes on falling after it: 2 of 8! orders"},
		{"9/10 8/10 9/10 8/10 9/10 8/10", Flaky, "51 of 60 trials passed (85 %) in 6 runs, no steady rise or fall (p = 0.70)", "up and down: the sum of three of six places is 9 or less, or 12 or more, in 14 of 20 ways"},
		{"10/20 12/20 14/20 16/20 18/20 19/20", DriftingUp, "the pass rate rises: 36 of 60 (60 %) in the first 3 runs, 53 of 60 (88.3 %) in the last 3 (trend p = 0.0028)", "a steady rise that has not reached the end: 2 of 6! orders"},
	} {
		got := seriesOf(c.series).Tests[0]
		if got.State != c.state || got.Evidence != c.evidence {
			t.Errorf("%s: %s, %q\n\twant %s, %q: %s", c.series, got.State, got.Evidence, c.state, c.evidence, c.reason)
		}
	}
}

func TestStrip(t *testing.T) {
	b := NewBuilder(0.95)
	test := b.Test(envelope.Key{Test: "t"})
	for _, word := range strings.Fields("5/5 4/5 0/5 x3 - 1/1") {
		b.Run("r", envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
		if p, ok := pointOf(word); ok {
			b.Point(test, p)
		}
	}
	b.Run("r", envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
	b.Point(test, Point{Excluded: 2, Status: CodeOf(envelope.Skip)})
	if got := b.Trend().Tests[0].Strip; got != "PMFX.PS" {
		t.Errorf("strip %q, want PMFX.PS", got)
	}
}

// Steady tests look changed no more often than the level allows: not one by one, and over all of them together.
func TestSteadyTestsSeldomLookChanged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const families, tests, runs, trials = 200, 20, 12, 5
	alone, together := 0, 0
	for range families {
		b := NewBuilder(0.95)
		for r := range runs {
			b.Run(fmt.Sprint(r), envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
			for k := range tests {
				p := Point{Counted: trials, Status: CodeOf(envelope.Pass)}
				for range trials {
					if random.Float64() < 0.5+0.025*float64(k) { // rates of 0.5 to 0.975
						p.Passed++
					}
				}
				b.Point(b.Test(envelope.Key{Test: fmt.Sprint(k)}), p)
			}
		}
		changed := 0
		for _, test := range b.Trend().Tests {
			if test.Drift != nil && test.Drift.PValue <= 0.05 {
				alone++
			}
			if test.State != Flaky && test.State != Stable {
				changed++
			}
		}
		if changed > 0 {
			together++
		}
	}
	if share := float64(alone) / (families * tests); share > 0.055 {
		t.Errorf("%.3f of the steady tests drift by their own p-value, want at most 0.05 and the error of the simulation", share)
	}
	// Three families of p-values, each adjusted by itself, and drift.
	if share := float64(together) / families; share > 4*0.05 {
		t.Errorf("in %.3f of the series some steady test looks changed, want at most 4 times 0.05", share)
	}
}

func TestPolicies(t *testing.T) {
	half := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.5)}
	other := envelope.Policy{Rule: "all", ScoreThreshold: envelope.Some(0.7)}
	for _, c := range []struct {
		policies []envelope.Policy
		starts   []string
		want     []string
		reason   string
	}{
		{[]envelope.Policy{half, half}, []string{"", ""}, nil, "one policy"},
		{[]envelope.Policy{half, {Rule: "all"}}, []string{"", ""}, []string{"2 different policies"}, "statuses differ, counts do not"},
		{[]envelope.Policy{half, other}, []string{"", ""}, []string{"2 different ways (score_threshold"}, "counts differ as well"},
		{[]envelope.Policy{half, half}, []string{"", "2026-03-01T00:00:00Z"}, []string{"no started_at in 1 of 2 runs"}, "half dated"},
	} {
		b := NewBuilder(0.95)
		for i, p := range c.policies {
			b.Run("r", envelope.RunHeader{Header: envelope.Header{StartedAt: c.starts[i]}}, envelope.Effective{Policy: p}, envelope.Summary{})
		}
		notes := b.Trend().Notes
		if len(notes) != len(c.want) {
			t.Errorf("%s: notes %q, want %q", c.reason, notes, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(notes[i], want) {
				t.Errorf("%s: %q, want %q in it", c.reason, notes[i], want)
			}
		}
	}
}

func TestJSONIsReadByAnybody(t *testing.T) {
	var text bytes.Buffer
	if err := seriesOf("5/5 4/5 x3 - 1/1").EncodeJSON(&text); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema string
		Runs   []map[string]any
		Tests  []struct {
			State, Strip string
			Points       map[string][]any
		}
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatal(err, text.String())
	}
	if got.Schema != Schema || len(got.Runs) != 5 || len(got.Tests) != 1 {
		t.Fatalf("schema %q, %d runs, %d tests", got.Schema, len(got.Runs), len(got.Tests))
	}
	points := got.Tests[0].Points
	for name, column := range points {
		if len(column) != 4 {
			t.Errorf("column %s has %d cells, want 4: the test was in four runs", name, len(column))
		}
	}
	if fmt.Sprint(points["run"], points["rate"], points["cost_usd"]) != "[0 1 2 4] [1 0.8 <nil> 1] [<nil> <nil> 0 <nil>]" {
		t.Errorf("points %v", points)
	}
}

func TestNothing(t *testing.T) {
	empty := NewBuilder(0.95).Trend()
	if len(empty.Tests)+len(empty.Runs)+len(empty.Notes) != 0 {
		t.Errorf("a trend of nothing: %+v", empty)
	}
}

// Names that come and go, such as those with a number or a date in them, cost what they were in and not what they could have been in.
func TestNamesThatComeAndGoCostTheirPointsAlone(t *testing.T) {
	const runs, names = 200, 20
	b := NewBuilder(0.95)
	for r := range runs {
		b.Run(fmt.Sprint(r), envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
		for k := range names {
			b.Point(b.Test(envelope.Key{Test: fmt.Sprint(r, k)}), Point{Counted: 1})
		}
	}
	room := 0
	for _, test := range b.Trend().Tests {
		room += cap(test.Points)
	}
	if most := 2 * runs * names; room > most {
		t.Errorf("room for %d points, want at most %d for %d", room, most, runs*names)
	}
}

func TestTheZeroBuilder(t *testing.T) {
	var b Builder
	b.Point(b.Test(envelope.Key{Test: "t"}), Point{Counted: 1}) // of no run
	b.Run("1", envelope.RunHeader{}, envelope.Effective{}, envelope.Summary{})
	b.Point(b.Test(envelope.Key{Test: "t"}), Point{Counted: 1, Passed: 1})
	if got := b.Trend(); got.Confidence != DefaultConfidence || got.Tests[0].Strip != "P" || got.Tests[0].State != New {
		t.Errorf("%+v", got)
	}
}
