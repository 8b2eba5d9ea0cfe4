package compare_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/internal/compare"
)

func sequential() compare.Options {
	o := compare.Defaults()
	o.Sequential = true
	return o
}

// of twelve pairs all of which got worse the e-value is the mean of (1+c)^n over
// c: (2^13-1)/13 for the integral. It came to 2/0.05 = 40 after the eighth,
// (2^9-1)/9 = 56.8, and had 36.4/1 = (2^8-1)/8 = 31.9 after the seventh.
func TestSequentialRegresses(t *testing.T) {
	base := run(t, true, strip{"s/t", of(12, 12)})
	candidate := run(t, true, strip{"s/t", of(0, 12)})
	s := compared(t, base, candidate, sequential()).Contrasts[0].Tests[0]
	if s.State != compare.Regressed || s.DecidedAfter != 8 || s.Method != compare.MethodBetting {
		t.Errorf("%+v", s)
	}
	if e := 2 / s.PValue.V; e > 8191./13 || e < 0.999*8191./13 {
		t.Errorf("e-value %v, want the integral %v, less what its sum rounds off", e, 8191./13)
	}
	if !strings.Contains(s.Reason, "of 12 pairs 12 got worse and 0 better") || !strings.Contains(s.Reason, "decided after 8 pairs") {
		t.Errorf("reason: %s", s.Reason)
	}
	better := compared(t, candidate, base, sequential()).Contrasts[0].Tests[0]
	if better.State != compare.Improved || better.DecidedAfter != 8 || better.PValue != s.PValue {
		t.Errorf("the sides exchanged: %+v", better)
	}
	seven := run(t, true, strip{"s/t", of(0, 7)})
	early := compared(t, base, seven, sequential()).Contrasts[0].Tests[0]
	if early.State != compare.Unresolved || early.DecidedAfter != 0 || early.Pairs == nil || early.Pairs.N() != 7 {
		t.Errorf("after seven pairs, the candidate still running: %+v", early)
	}
}

// 105 pairs that are alike are within five points of 0 and 104 are not (see the
// tests of stats).
func TestSequentialIsEquivalent(t *testing.T) {
	for n, want := range map[int]compare.State{104: compare.Unresolved, 105: compare.Equivalent, 120: compare.Equivalent} {
		side := run(t, true, strip{"s/t", of(n, n)})
		c := compared(t, side, side, sequential()).Contrasts[0]
		if s := c.Tests[0]; s.State != want || want == compare.Equivalent && s.DecidedAfter != 105 {
			t.Errorf("%d pairs: %s after %d, want %s", n, s.State, s.DecidedAfter, want)
		}
		if c.Run.State != want {
			t.Errorf("%d pairs: the run is %s, want %s", n, c.Run.State, want)
		}
	}
}

// The run looks at complete rounds: trials that one test has more change nothing of
// it. Its pairs of a round count together.
func TestSequentialRounds(t *testing.T) {
	base := run(t, true, strip{"s/a", of(40, 40)}, strip{"s/b", of(40, 40)}, strip{"s/c", of(40, 40)})
	some := run(t, true, strip{"s/a", "PFPF"}, strip{"s/b", "FPFF"}, strip{"s/c", "FFPF"})
	more := run(t, true, strip{"s/a", "PFPF"}, strip{"s/b", "FPFF"}, strip{"s/c", "FFPF" + of(36, 36)})
	x, y := compared(t, base, some, sequential()).Contrasts[0].Run, compared(t, base, more, sequential()).Contrasts[0].Run
	if x.PValue != y.PValue || *x.Difference != *y.Difference || *x.Pairs != *y.Pairs {
		t.Errorf("with more trials of one test %+v, without %+v", y.Finding, x.Finding)
	}
	// Eight of twelve pairs got worse, none better: (2^9-1)/9 by the integral, after
	// the fourth round; after the third it was five of nine, (2^6-1)/6 = 10.5.
	if x.State != compare.Regressed || x.DecidedAfter != 4 || x.Pairs.N() != 12 {
		t.Errorf("%+v", x)
	}
	if !strings.Contains(x.Reason, "decided after 4 rounds") {
		t.Errorf("reason: %s", x.Reason)
	}
}

// Trials come in any order: pairs are looked at in the order of their numbers.
func TestSequentialOrderIsThatOfNumbers(t *testing.T) {
	trials := func(shuffled bool) *envelope.Envelope {
		var out []envelope.Trial
		for i := range 30 {
			status := envelope.Pass
			if i%3 == 0 {
				status = envelope.Fail
			}
			out = append(out, envelope.Trial{Key: envelope.Key{Test: "t"}, Status: status, Attempt: envelope.Some(int32(i + 1))})
		}
		if shuffled {
			rand.New(rand.NewPCG(5, 6)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		return sealed(t, envelope.Policy{}, out...)
	}
	base := run(t, true, strip{"/t", of(31, 31)})
	x, y := compared(t, base, trials(false), sequential()), compared(t, base, trials(true), sequential())
	if a, b := x.Contrasts[0].Tests[0], y.Contrasts[0].Tests[0]; a.PValue != b.PValue || a.DecidedAfter != b.DecidedAfter || a.Pairs.N() != 30 {
		t.Errorf("in order %+v, shuffled %+v", a, b)
	}
}

// What can never say anything is refused and not called unresolved: that is green.
func TestSequentialRefuses(t *testing.T) {
	plain := run(t, false, strip{"s/t", of(9, 10)})
	numbered := run(t, true, strip{"s/t", of(9, 10)})
	groups, pairless := sequential(), sequential()
	groups.ClusterBy, pairless.Pairing = "suite", compare.PairNone
	several := []compare.Counts{compare.CountsOf(plain), compare.CountsOf(plain)}
	for name, test := range map[string]struct {
		base compare.Input
		o    compare.Options
		want string
	}{
		"no numbers":   {compare.Input{Envelope: plain}, sequential(), "Number the trials (attempt"},
		"groups":       {compare.Input{Envelope: numbered}, groups, "leave out --cluster-by"},
		"no pairs":     {compare.Input{Envelope: numbered}, pairless, "leave out --pairing none"},
		"several runs": {compare.Input{Envelope: numbered, Runs: several}, sequential(), "one run on each side"},
		"history":      {compare.Input{Envelope: numbered, Past: several}, sequential(), "one run on each side"},
	} {
		_, err := compare.Runs("", test.base, []compare.Input{{Envelope: numbered}}, nil, test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	// One test without numbers beside one with: it is said of the one.
	mixed := sealed(t, envelope.Policy{}, envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Attempt: envelope.Some(int32(1))}, envelope.Trial{Key: envelope.Key{Test: "b"}, Status: envelope.Pass})
	c := compared(t, mixed, mixed, sequential()).Contrasts[0]
	if s := c.Tests[1]; s.State != compare.Unresolved || !strings.Contains(s.Reason, "needs pairs") || c.Run.Tests != 1 {
		t.Errorf("%+v", s)
	}
}

// runsOf are trials of tests of some runs: of each its name, when its first trial began
// in minutes (below 0: nobody says it), and its outcomes, a minute apart.
type runAt struct {
	test    string
	name    string
	minute  int
	outcome string
}

func runsOf(t *testing.T, runs ...runAt) *envelope.Envelope {
	t.Helper()
	var out []envelope.Trial
	for _, r := range runs {
		for i, letter := range r.outcome {
			trial := envelope.Trial{Key: envelope.Key{Test: r.test}, Run: r.name, Status: envelope.Pass, Attempt: envelope.Some(int32(i))}
			if letter == 'F' {
				trial.Status = envelope.Fail
			}
			if r.minute >= 0 {
				trial.StartedAt = time.Date(2026, 3, 14, 2, r.minute+i, 0, 0, time.UTC)
			}
			out = append(out, trial)
		}
	}
	return sealed(t, envelope.Policy{}, out...)
}

// Runs of a side come one after the other as they began, whatever they are called: a run
// that is added later adds pairs at the end, and what was said stays said. By name, run a
// would come first, and the seven pairs that got worse would not have been the first.
func TestSequentialRunsInTheOrderOfTheirTime(t *testing.T) {
	base := runsOf(t, runAt{"t", "x", 0, of(7, 7)}, runAt{"t", "y", 20, of(9, 9)})
	first := compared(t, base, runsOf(t, runAt{"t", "z", 0, of(0, 7)}), sequential()).Contrasts[0].Tests[0]
	then := compared(t, base, runsOf(t, runAt{"t", "a", 20, of(9, 9)}, runAt{"t", "z", 0, of(0, 7)}), sequential()).Contrasts[0].Tests[0]
	// Seven of seven got worse: 2 times (2^8-1)/8 is 31.9, p 0.063; nine that are alike say
	// nothing for or against it.
	if first.Pairs.N() != 7 || then.Pairs.N() != 16 || then.PValue.V > first.PValue.V || first.PValue.V > 0.07 {
		t.Errorf("seven pairs: %+v, then %+v", first.Finding, then.Finding)
	}
}

// What has no order that stays is refused.
func TestSequentialRefusesRunsWithoutOrder(t *testing.T) {
	one := runsOf(t, runAt{"t", "x", 0, "PPPP"})
	for name, c := range map[string]struct {
		side *envelope.Envelope
		want string
	}{
		"no time":      {runsOf(t, runAt{"t", "b", -1, "PP"}, runAt{"t", "a", 9, "PP"}), `run "b" has no start time`},
		"the same":     {runsOf(t, runAt{"t", "b", 5, "PP"}, runAt{"t", "a", 5, "PP"}), "had not ended when run"},
		"side by side": {runsOf(t, runAt{"t", "b", 5, "PPPP"}, runAt{"t", "a", 7, "PP"}), `run "b" had not ended when run "a" began`},
	} {
		for _, pair := range [][2]*envelope.Envelope{{one, c.side}, {c.side, one}} {
			_, err := compare.Runs("", compare.Input{Name: "base", Envelope: pair[0]}, []compare.Input{{Name: "candidate", Envelope: pair[1]}}, nil, sequential())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "compare once, at the end") {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
	}
}

// Eight pairs that got worse, and twenty better ones after them: the bets against
// "not worse" had 2/0.05 after the eighth, and nothing later takes that back. It was said
// to have IMPROVED, by the evidence of its being worse.
func TestSequentialStaysWhatItWas(t *testing.T) {
	base := run(t, true, strip{"s/t", of(8, 8) + of(0, 20)})
	for after, want := range map[int]string{8: "", 16: "undid it", 28: "undid it"} {
		candidate := run(t, true, strip{"s/t", of(0, 8) + of(after-8, after-8)})
		c := compared(t, base, candidate, sequential()).Contrasts[0]
		s := c.Tests[0]
		if s.State != compare.Regressed || s.DecidedAfter != 8 || c.Run.State != compare.Regressed || c.Run.DecidedAfter != 8 {
			t.Errorf("after %d pairs the test is %s after %d, the run %s after %d", after, s.State, s.DecidedAfter, c.Run.State, c.Run.DecidedAfter)
		}
		if (want != "") != strings.Contains(s.Reason, "undid it") || !strings.Contains(c.Run.Reason, want) {
			t.Errorf("after %d pairs: %s", after, s.Reason)
		}
	}
}

// Ten pairs that got worse have 2/e = 0.0108 (e is (2^11-1)/11 = 186.1), which over the five
// tests of the base is 0.0537, and stays it as the others get their first pairs, and while the
// candidate gets tests that the base has not. Over the tests that have a pair it would be 0.0108.
func TestSequentialFamilyIsTheBase(t *testing.T) {
	others := []strip{{"s/b", of(10, 10)}, {"s/c", of(10, 10)}, {"s/d", of(10, 10)}, {"s/e", of(10, 10)}, {"s/f", of(10, 10)}, {"s/g", of(10, 10)}}
	base := run(t, true, append([]strip{{"s/a", of(10, 10)}}, others[:4]...)...)
	for n := range len(others) + 1 {
		c := compared(t, base, run(t, true, append([]strip{{"s/a", of(0, 10)}}, others[:n]...)...), sequential())
		s := c.Contrasts[0].Tests[0]
		if q := s.PAdjusted.V; q < 0.0537 || q > 0.0538 || s.State != compare.Unresolved || c.Settings.Asked != 5 || c.Settings.Able != 5 {
			t.Errorf("%d other tests have pairs: adjusted p %v over %d of %d tests, %s", n, q, c.Settings.Able, c.Settings.Asked, s.State)
		}
	}
}

// Nine pairs that got worse have 2/e = 18/1023 = 0.0196 (e is (2^10-1)/10 = 102.3), which is less than
// 0.05 over two tests, and no more over three. What was said of the two is said when the third
// comes, whichever side has it first, if it joined the base late; and of the run.
func TestSequentialLateTestTakesNoStateAway(t *testing.T) {
	side := func(a string, late string, minute int) *envelope.Envelope {
		return runsOf(t, runAt{"a", "", 0, a}, runAt{"b", "", 0, of(9, 9)}, runAt{"late", "", minute, late})
	}
	const gone, stays = compare.Unresolved, compare.Regressed
	for _, c := range []struct {
		minute, base, candidate, family int // when the third test begins, its trials on either side, and how many tests are adjusted for
		late                            bool
		a, run                          compare.State
	}{
		{7, 0, 0, 2, false, stays, stays}, {20, 0, 3, 2, false, stays, stays}, {20, 3, 0, 2, true, stays, stays}, {9, 1, 1, 2, true, stays, stays},
		{8, 1, 1, 2, true, stays, stays}, {20, 40, 40, 2, true, stays, stays}, {7, 1, 1, 3, false, gone, gone}, {0, 9, 9, 3, false, gone, stays},
	} {
		got := compared(t, side(of(9, 9), of(c.base, c.base), c.minute), side(of(0, 9), of(0, c.candidate), c.minute), sequential())
		if a, all := got.Contrasts[0].Tests[0], got.Contrasts[0].Run; a.State != c.a || all.State != c.run || got.Settings.Able != c.family {
			t.Errorf("%+v: %s of %d tests, the run %s: %s", c, a.State, got.Settings.Able, all.State, all.Reason)
		}
		problem := slices.ContainsFunc(got.Problems, func(p envelope.Problem) bool { return p.Code == compare.CodeLate })
		if problem != (c.late && c.candidate > 0) || problem && got.Contrasts[0].Tests[2].State != gone || got.Gate.ExitCode != 1 && c.a == stays {
			t.Errorf("%+v: a problem: %v, exit %d, %+v", c, problem, got.Gate.ExitCode, got.Problems)
		}
	}
}

// The run is all tests of the base: what was said of one would be lost with the first pair of
// the other, which is one round.
func TestSequentialRunWaitsForAllTests(t *testing.T) {
	base := run(t, true, strip{"s/a", of(40, 40)}, strip{"s/b", of(40, 40)})
	for n, want := range map[int]compare.State{0: compare.Unresolved, 1: compare.Unresolved, 40: compare.Regressed} {
		c := compared(t, base, run(t, true, strip{"s/a", of(0, 40)}, strip{"s/b", of(0, n)}), sequential()).Contrasts[0]
		if c.Run.State != want || strings.Contains(c.Run.Reason, "1 test has none") != (n == 0) {
			t.Errorf("%d pairs of the second test: %s: %s", n, c.Run.State, c.Run.Reason)
		}
	}
}

func gsprt(margin float64) compare.Options {
	o := sequential()
	o.SequentialTest, o.Margin = compare.TestGSPRT, margin
	return o
}

// Of pairs that all got worse the likeliest distribution without a difference halves them,
// and with -0.1 has 0.55 of them: the ratio is n log 1.1, which reaches log 40 at 39 pairs
// (3.717). Bets, which do not know the margin, need eight.
func TestSequentialGSPRT(t *testing.T) {
	base, worse := run(t, true, strip{"s/t", of(60, 60)}), run(t, true, strip{"s/t", of(0, 60)})
	s := compared(t, base, worse, gsprt(0.1)).Contrasts[0].Tests[0]
	if s.State != compare.Regressed || s.DecidedAfter != 39 || s.Method != compare.MethodGSPRT {
		t.Errorf("%+v", s)
	}
	if c := compared(t, worse, base, gsprt(0.1)); c.Contrasts[0].Tests[0].State != compare.Improved || c.Contrasts[0].Run.DecidedAfter != 39 || c.Settings.SequentialTest != compare.TestGSPRT {
		t.Errorf("the sides exchanged: %+v", c.Contrasts[0])
	}
	// Five pairs got better and five worse, and the others are alike: by a search over the
	// two likeliest distributions (Python) the ratio of 0 to 0.1 either way passes log 40 at
	// 96 pairs (3.655 at 95).
	base = run(t, true, strip{"s/t", of(5, 5) + of(0, 5) + of(190, 190)})
	same := run(t, true, strip{"s/t", of(0, 5) + of(5, 5) + of(190, 190)})
	known, bets := compared(t, base, same, gsprt(0.1)).Contrasts[0].Tests[0], sequential()
	bets.Margin = 0.1
	any := compared(t, base, same, bets).Contrasts[0].Tests[0]
	if known.State != compare.Equivalent || known.DecidedAfter != 96 || any.DecidedAfter <= known.DecidedAfter || !known.NonInferior {
		t.Errorf("%s after %d; by bets %s after %d", known.State, known.DecidedAfter, any.State, any.DecidedAfter)
	}
	// Nothing but alike pairs has no ratio: bets say it, as without it.
	base = run(t, true, strip{"s/t", of(120, 120)})
	if s := compared(t, base, base, gsprt(0.05)).Contrasts[0].Tests[0]; s.State != compare.Equivalent || s.DecidedAfter != 105 {
		t.Errorf("alike: %+v", s)
	}
}

// A test that would not be heard is refused.
func TestSequentialTestRefuses(t *testing.T) {
	once, exact, wrong := compare.Defaults(), gsprt(0), sequential()
	once.SequentialTest, wrong.SequentialTest = compare.TestBetting, "gsrpt"
	for words, o := range map[string]compare.Options{"needs --sequential; give both": once, "needs a --margin above 0": exact, "gsprt": wrong} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// The same nine pairs, and another candidate that comes when the first can be decided: it
// gets no state, and takes none away. One that was there from the beginning is adjusted for
// from the beginning, also of the run while it has no pair.
func TestSequentialLateCandidateTakesNoStateAway(t *testing.T) {
	side := func(a string, minute int, b string) compare.Input {
		return compare.Input{Name: "side", Envelope: runsOf(t, runAt{"a", "", minute, a}, runAt{"b", "", minute, b})}
	}
	for _, c := range []struct {
		minute, family int // when the other candidate begins, and how many tests are adjusted for
		want           compare.State
	}{{20, 2, compare.Regressed}, {9, 2, compare.Regressed}, {0, 4, compare.Unresolved}} {
		other := side(of(0, 3), c.minute, of(3, 3))
		got, err := compare.Runs("variant", side(of(9, 9), 0, of(9, 9)), []compare.Input{side(of(0, 9), 0, of(9, 9)), other}, nil, sequential())
		if err != nil {
			t.Fatal(err)
		}
		if a := got.Contrasts[0].Tests[0]; a.State != c.want || got.Settings.Able != c.family {
			t.Errorf("begins at %d: %s of %d tests: %s", c.minute, a.State, got.Settings.Able, a.Reason)
		}
		late := slices.ContainsFunc(got.Problems, func(p envelope.Problem) bool { return p.Code == compare.CodeLate })
		if late != (c.minute > 0) || got.Contrasts[1].Tests[0].State != compare.Unresolved || got.Contrasts[1].Run.State != compare.Unresolved {
			t.Errorf("begins at %d: a problem: %v, %+v", c.minute, late, got.Contrasts[1].Tests[0])
		}
	}
}
