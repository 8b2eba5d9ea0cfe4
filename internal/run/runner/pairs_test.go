package runner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/compare"
	"tribunal/verdict"
)

// inPairs is a plan of tests under old and new, whose comparison is that of compare.
func inPairs(t testing.TB, o compare.Options, pairs int, names ...string) Plan {
	t.Helper()
	plan := Plan{
		Policy: policyOf(t, "", 0, func(p *envelope.Policy) { p.DetectEmptyRuns = envelope.Some(true) }),
		Trials: pairs, InfraRetries: 3,
		Pairs: &Pairs{Base: "old", Candidate: "new", Compare: func(tests int) (Comparison, error) { return compare.NewCourse(tests, o) }},
	}
	for _, name := range names {
		for _, variant := range []string{"old", "new"} {
			plan.Tests = append(plan.Tests, Test{Key: envelope.Key{Test: name, Variant: variant}})
		}
	}
	return plan
}

func bets(margin float64) compare.Options {
	o := compare.Defaults()
	o.Sequential, o.Margin = true, margin
	return o
}

// scripts are tests of a run of pairs, by their numbers, each as script is.
func scripts(outcomes ...string) func(test, attempt int) *envelope.Trial {
	return func(test, attempt int) *envelope.Trial { return script(outcomes[test])(test, attempt) }
}

// statesOfStream are the states that compare --sequential says of a journal, of the tests
// that are on both sides by name.
func statesOfStream(t *testing.T, e *engine, o compare.Options) map[string]compare.State {
	t.Helper()
	var sides []compare.Input
	for _, variant := range []string{"old", "new"} {
		b := must(verdict.NewBuilder(e.plan.Policy.Policy))(t)
		in := b.Input("journal.ndjson", "native")
		for _, line := range e.journal {
			if r, is := line.(Record); is && e.tests[r.Test].key.Variant == variant {
				trial := *r.Trial
				trial.Variant = ""
				in.Trial(&trial)
			}
		}
		in.Close()
		judged := must(verdict.Seal(b.Run(e.plan.Policy.OnConflict, 0), e.plan.Policy))(t)
		sides = append(sides, compare.Input{Name: variant, Envelope: judged})
	}
	c := must(compare.Runs("variant", sides[0], sides[1:], nil, o))(t)
	states := map[string]compare.State{}
	for _, test := range c.Contrasts[0].Tests {
		states[test.Key.Test] = test.State
	}
	return states
}

// Eight pairs that all got worse decide, 105 that are all alike are within five points of
// each other, and 104 are not (see the tests of compare); at any number of places, whatever
// ends first, and none is started that was not needed.
func TestPairsKnownValues(t *testing.T) {
	for _, c := range []struct {
		name, base, candidate string
		pairs                 int
		streams               string // of both, how they ended
	}{
		{"worse", "P", "F", 0, "pppppppp ffffffff decided"},
		{"better", "F", "P", 0, "ffffffff pppppppp decided"},
		{"the same", "P", "P", 0, strings.Repeat("p", 105) + " " + strings.Repeat("p", 105) + " decided"},
		{"the same, too few", "P", "P", 104, strings.Repeat("p", 104) + " " + strings.Repeat("p", 104) + " full"},
		{"a pair is replaced as a whole", "PXP", "F", 0, "pxppppppp fffffffff decided"},
		{"both break at once", "PXP", "FXF", 0, "pxppppppp fxfffffff decided"},
		{"too many are broken", "PXPXPX", "FFFFXF", 0, "pxpxpx ffffxf infrastructure"},
		{"one that is skipped is not drawn again", "PPS", "F", 5, "ppsss fffff full"},
		{"all are skipped", "S", "F", 0, "sssssss fffffff full"},
		{"not to be tried under one", "V", "P", 0, "x p check"},
	} {
		for _, places := range []int{1, 2, 3, 16} {
			for _, ends := range []endOrder{inOrder, reversed} {
				plan := inPairs(t, bets(0.05), c.pairs, "a")
				plan.Places = places
				e := newEngine(t, plan, world{scripts(c.base, c.candidate), ends}, seeded(1), nil)
				e.run()
				got := fmt.Sprintf("%s %s %s", stream(t, e.journal, 0), stream(t, e.journal, 1), endOf(e.journal, 0).How)
				if both := endOf(e.journal, 1).How; !strings.EqualFold(got, c.streams) || both != endOf(e.journal, 0).How {
					t.Errorf("%s, %d places: %s, %s; want %s", c.name, places, got, both, c.streams)
				}
				if tried := len(stream(t, e.journal, 0)) + len(stream(t, e.journal, 1)); endOf(e.journal, 0).How == Decided && e.starts != tried {
					t.Errorf("%s, %d places: %d trials started, %d in the streams", c.name, places, e.starts, tried)
				}
			}
		}
	}
}

// drawPairs is a run of pairs drawn at random: tests of several rates, a part of whose
// trials end by infrastructure, idle or skipped.
func drawPairs(t testing.TB, random *rand.Rand) (scenario, compare.Options) {
	o := bets([]float64{0.05, 0.2, 0.3}[random.IntN(3)])
	o.Adjust = compare.Adjustments[random.IntN(3)]
	var names, outcomes []string
	const most = 40
	for i := range 1 + random.IntN(5) {
		names = append(names, fmt.Sprint("t", i))
		for _, rate := range [][]float64{{0.9, 0.2}, {0.3, 0.9}, {1, 1}, {0.9, 0.9}, {1, 0}}[random.IntN(5)] {
			var strip strings.Builder
			for range 3 * most {
				switch u := random.Float64(); {
				case u < 0.02:
					strip.WriteByte('X')
				case u < 0.03:
					strip.WriteByte("ISE"[random.IntN(3)])
				case random.Float64() < rate:
					strip.WriteByte('P')
				default:
					strip.WriteByte('F')
				}
			}
			outcomes = append(outcomes, strip.String())
		}
	}
	plan := inPairs(t, o, most, names...)
	plan.Order = []Order{Round, OneByOne}[random.IntN(2)]
	if random.IntN(3) == 0 {
		plan.Form = Batch
	}
	return scenario{plan, scripts(outcomes...)}, o
}

// The laws of a run hold for one of pairs: the streams are those of one trial at a time,
// whatever runs at once and ends first, and also after a crash at any moment; no trial of a
// test that is decided was started in vain. What is decided is what compare --sequential
// says of the streams.
func TestPairsDoNotDependOnPlacesNorCrashes(t *testing.T) {
	decided, full, broken, crashes := 0, 0, 0, 0
	for seed := range uint64(60) {
		random := seeded(500 + seed)
		c, o := drawPairs(t, random)
		one := newEngine(t, c.plan, world{c.trial, inOrder}, random, nil)
		one.run()
		want := results(t, one)
		states := statesOfStream(t, one, o)
		for _, p := range one.pairs {
			name := one.tests[p.sides[0]].key.Test
			switch p.how {
			case Decided:
				decided++
				if states[name] == compare.Unresolved {
					t.Errorf("seed %d: %s was decided, and compare --sequential says %s", seed, name, states[name])
				}
			case Full:
				full++
			default:
				broken++
			}
		}
		for i, places := range []int{2, 8, 64} {
			plan := c.plan
			plan.Places = places
			e := newEngine(t, plan, world{c.trial, ends[(int(seed)+i)%len(ends)]}, random, nil)
			e.lasts = func(test, attempt int) float64 { return 1 + 9*float64((test*7+attempt*13)%11) }
			if i == 1 {
				e.crash = 1 + random.IntN(len(one.journal))
			}
			if !e.run() {
				crashes++
				plan.Places = 1 + random.IntN(16)
				e = newEngine(t, plan, world{c.trial, shuffled}, random, e.journal)
				e.run()
			} else if inVain := e.starts - inStreams(t, e); inVain != vain(e.journal) {
				t.Fatalf("seed %d, %d places: %d trials started in vain, %d of tests that broke or were skipped", seed, places, inVain, vain(e.journal))
			}
			if got := results(t, e); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d places:\n%s\none at a time:\n%s", seed, places, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			again := newEngine(t, plan, world{c.trial, inOrder}, random, e.journal)
			if again.run(); again.starts > 0 || len(again.journal) != len(e.journal) {
				t.Fatalf("seed %d: a finished run starts %d trials and writes %d lines", seed, again.starts, len(again.journal)-len(e.journal))
			}
		}
	}
	if decided < 50 || full < 20 || broken < 10 || crashes < 40 {
		t.Errorf("one-sided: %d tests decided, %d full, %d broken, %d crashes", decided, full, broken, crashes)
	}
}

// However often the process dies, also between the two trials of a pair, what had ended is
// not lost: only what ran, and the trial whose end was not written yet, is started again.
// Each attempt is in the stream once, in order (which stream asks).
func TestPairsManyCrashes(t *testing.T) {
	crashes := 0
	for seed := range uint64(20) {
		random := seeded(700 + seed)
		c, _ := drawPairs(t, random)
		c.plan.Form, c.plan.InfraRetries = Each, 1000
		var journal []Line
		for finished := false; !finished; {
			c.plan.Places = 1 + random.IntN(16)
			e := newEngine(t, c.plan, world{c.trial, ends[random.IntN(len(ends))]}, random, journal)
			e.crash = len(journal) + 1 + random.IntN(20)
			finished = e.run()
			journal = e.journal
			if finished {
				break
			}
			crashes++
			// Where nothing was started, what ran before may not be cut off yet, nor what was to be ended.
			if n := unended(journal); e.starts > 0 && e.killed == 0 && n > len(e.running)+1 {
				t.Fatalf("seed %d: %d attempts of the journal have not ended, of %d that ran", seed, n, len(e.running))
			}
		}
		for id := range c.plan.Tests {
			stream(t, journal, id)
			if endOf(journal, id).Test < 0 {
				t.Fatalf("seed %d: test %d has no end", seed, id)
			}
		}
	}
	if crashes < 150 {
		t.Errorf("%d crashes", crashes)
	}
}

// The process died between the two trials of a pair, so that one variant is a trial ahead.
// Its next one that ends is held like any other until its turn, also when its partner has
// ended: the trial that was lost comes before both.
func TestPairsHoldWhatIsAhead(t *testing.T) {
	s := must(New(func() Plan { p := inPairs(t, bets(0.05), 0, "a"); p.Places = 4; return p }()))(t)
	first := letter('P')
	first.Attempt = envelope.Some(int32(0))
	for _, line := range []Line{Start{Slot: 0, Trials: []Place{{Test: 0}}}, Start{Slot: 1, Trials: []Place{{Test: 1}}}, Record{0, first}} {
		if err := s.Recover(line); err != nil {
			t.Fatal(err)
		}
	}
	s.Begin()
	slots := map[Place]int{}
	for r, ok := s.Next(); ok; r, ok = s.Next() {
		slots[Place{Test: r.Trials[0].Test, Attempt: r.Trials[0].Attempt}] = r.Slot
	}
	var told []string
	for _, p := range []Place{{1, 1, 0}, {0, 1, 0}, {1, 0, 0}} {
		for _, a := range s.Step(Ended{Slot: slots[p], Trials: []Reported{{p.Test, letter('P')}}}) {
			switch a := a.(type) {
			case Hold:
				told = append(told, fmt.Sprint("hold ", a.Test, a.Trial.Attempt.V))
			case Record:
				told = append(told, fmt.Sprint("record ", a.Test, a.Trial.Attempt.V))
			}
		}
	}
	if got, want := strings.Join(told, ", "), "hold 1 1, hold 0 1, record 1 0, record 0 1, record 1 1"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// unended counts the attempts of a journal that were started and of which it has no end.
func unended(journal []Line) int {
	open := map[[2]int]bool{}
	done := func(test int, trial *envelope.Trial) { delete(open, [2]int{test, int(trial.Attempt.V)}) }
	for _, line := range journal {
		switch l := line.(type) {
		case Start:
			for _, p := range l.Trials {
				open[[2]int{p.Test, p.Attempt}] = true
			}
		case Hold:
			done(l.Test, l.Trial)
		case Record:
			done(l.Test, l.Trial)
		case Beyond:
			done(l.Test, l.Trial)
		case Cut:
			delete(open, [2]int{l.Test, l.Attempt})
		}
	}
	return len(open)
}

func inStreams(t *testing.T, e *engine) (trials int) {
	for id := range e.tests {
		trials += len(stream(t, e.journal, id))
	}
	return trials
}

// Two tests that are the same under both variants, at 0.8: in at most 1 of 20 runs one of
// them ever is REGRESSED or IMPROVED, though every pair is looked at, failures take ten times
// as long as passes, and sixteen trials run at once. By chance it may be so in 20 of 200
// (the chance of more, of Binomial(200, 1/20), is 0.001).
func TestPairsFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const runs, most = 200, 20
	o := bets(0.05)
	o.Adjust = compare.AdjustHolm
	regressed, changed := 0, 0
	for seed := range uint64(runs) {
		random := seeded(9000 + seed)
		var outcomes []string
		for range 4 {
			var strip strings.Builder
			for range 60 {
				strip.WriteByte("PF"[map[bool]int{true: 0, false: 1}[random.Float64() < 0.8]])
			}
			outcomes = append(outcomes, strip.String())
		}
		plan := inPairs(t, o, 60, "a", "b")
		plan.Places = 16
		e := newEngine(t, plan, world{scripts(outcomes...), byTime}, random, nil)
		e.lasts = func(test, attempt int) float64 {
			if outcomes[test][attempt] == 'F' {
				return 10
			}
			return 1
		}
		e.run()
		states := statesOfStream(t, e, o)
		is := func(state compare.State) bool { return states["a"] == state || states["b"] == state }
		if is(compare.Regressed) {
			regressed++
		}
		if is(compare.Regressed) || is(compare.Improved) {
			changed++
		}
	}
	if changed > most {
		t.Errorf("of %d runs of variants that are the same, %d changed, %d of them for the worse; at most %d may by chance", runs, changed, regressed, most)
	}
}

// What a run of pairs cannot be is said before anything starts.
func TestPairsRefuse(t *testing.T) {
	for _, c := range []struct {
		change func(*Plan)
		want   string
	}{
		{func(p *Plan) { p.Tests = p.Tests[:1] }, `a [new] is missing; a pair needs`},
		{func(p *Plan) { p.Tests = p.Tests[1:] }, `a [old] is missing; a pair needs`},
		{func(p *Plan) { p.Tests[0].Variant = "other" }, `has another variant`},
		{func(p *Plan) { p.Pairs.Candidate = "old" }, `both are called "old"`},
		{func(p *Plan) { p.Form = Sweep }, "{test}"},
		{func(p *Plan) { p.Order = ByValue(0) }, "cannot use --order value"},
		{func(p *Plan) { p.Early = true }, "--stop early"},
		{func(p *Plan) { p.FailFast = true }, "--fail-fast"},
		{func(p *Plan) { p.Limits.MaxCostPerTestUSD = envelope.Some(1.) }, "--max-cost"},
	} {
		plan := inPairs(t, bets(0.05), 0, "a")
		c.change(&plan)
		if _, err := New(plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
