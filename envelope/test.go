package envelope

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// SetEndings says how the test ended in all its runs: as the one that got least far, with the
// trials of all of them. Where the one run is that of the header, nothing else needs to be kept.
func (t *Test) SetEndings(all []Ending, h *RunHeader) {
	if len(all) == 0 {
		return
	}
	t.Ended = all[0].How
	for _, e := range all {
		if slices.Index(Hows, e.How) < slices.Index(Hows, t.Ended) {
			t.Ended = e.How
		}
		if e.Trials.OK {
			t.Trials.Planned = Some(t.Trials.Planned.V + e.Trials.V)
		}
	}
	t.Endings = nil
	if len(all) > 1 || all[0].Run != h.ID || all[0].Elsewhere || all[0].Beyond > 0 || all[0].How == "" && !all[0].Trials.OK {
		t.Endings = all
	}
}

// EndingsIn is the reverse of SetEndings: how the test ended in all its runs, as
// the header of the run says which of them is its own.
func (t *Test) EndingsIn(h *RunHeader) []Ending {
	if len(t.Endings) > 0 || t.Ended == "" && !t.Trials.Planned.OK {
		return t.Endings
	}
	return []Ending{{Run: h.ID, Trials: t.Trials.Planned, How: t.Ended}}
}

// StoppedByOutcome reports a test whose outcomes decided, in some run, how many trials
// there are: it ended at a verdict, and not at a number.
func (t *Test) StoppedByOutcome(h *RunHeader) bool {
	return slices.ContainsFunc(t.EndingsIn(h), func(e Ending) bool {
		return e.How == EndedAdaptive || e.How == EndedEarly || e.How == EndedDecided
	})
}

// Beyond are the trials that were paid for when the test had ended, and their cost.
func (t *Test) Beyond() (trials int64, costUSD Opt[float64]) {
	for _, e := range t.Endings {
		trials += e.Beyond
		if e.BeyondUSD.OK {
			costUSD = Some(costUSD.V + e.BeyondUSD.V)
		}
	}
	return trials, costUSD
}

// unset ends the first year of computers: what is dated before ran where no clock was set.
const unset = int64(365 * 24 * time.Hour)

// StartedAt is when the run started, in nanoseconds since 1970: as its header says,
// or else its first trial; not ok when neither says it, or only with a clock that was not set.
func (e *Envelope) StartedAt() (ns int64, ok bool) {
	if ns, ok = Instant(e.Run.StartedAt); ok && ns >= unset {
		return ns, true
	}
	ok = false
	for i := range e.Tests {
		rows := e.Tests[i].Rows
		if rows == nil {
			continue
		}
		for _, at := range rows.StartedAt().Values() {
			if at >= unset && (!ok || at < ns) {
				ns, ok = at, true
			}
		}
	}
	return ns, ok
}

// Transcript is the conversation of a trial, and whether it was kept.
func (e *Envelope) Transcript(t *Test, trial int) (turns []Turn, kept bool) {
	at, kept := slices.BinarySearchFunc(t.Transcripts, trial, func(tr Transcript, row int) int { return tr.Trial - row })
	if !kept {
		return nil, false
	}
	return t.Transcripts[at].Turns(e.Texts), true
}

// StepsOf are the tool calls of a trial in order, at most MostSteps of them, and whether it is
// known which there were. Its end is cut off where the column StepsTotal says how many there were.
func (e *Envelope) StepsOf(t *Test, trial int) (steps iter.Seq[Step], known bool) {
	places, known := t.Rows.Steps().At(trial)
	return func(yield func(Step) bool) {
		for _, place := range places {
			if !yield(e.Steps[place]) {
				return
			}
		}
	}, known
}

// CheckNames are the checks of the test, those that fail most first.
func (t *Test) CheckNames() []string {
	names := slices.Collect(maps.Keys(t.Checks))
	share := func(c CheckRate) float64 {
		if c.N == 0 {
			return 2 // never tried: behind all
		}
		return float64(c.Passed) / float64(c.N)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := t.Checks[a], t.Checks[b]
		return cmp.Or(cmp.Compare(share(x), share(y)), cmp.Compare(y.N, x.N), strings.Compare(a, b))
	})
	return names
}

// Verdicts keeps verdicts that are the same once: most tests have the numbers of another, and with them its reason.
type Verdicts struct {
	last map[counted]*Verdict // the last one of so many trials
}

// counted are the numbers that verdicts are found by.
type counted struct{ n, passed int }

// mostVerdicts bounds what is remembered, not what is kept.
const mostVerdicts = 1 << 12

// Own is a verdict like v that stays, perhaps that of another test, so that nobody may
// change it. v itself may be used again.
func (s *Verdicts) Own(v *Verdict) *Verdict {
	of := counted{v.N, v.Passed}
	if known := s.last[of]; known != nil && known.is(v) {
		return known
	}
	if s.last == nil || len(s.last) >= mostVerdicts {
		s.last = map[counted]*Verdict{}
	}
	own := *v
	s.last[of] = &own
	return &own
}

// is reports whether two verdicts are the same to the last bit. Those of sequential rules,
// which hold paths of their own, are not.
func (v *Verdict) is(o *Verdict) bool {
	return v.Rule == o.Rule && v.N == o.N && v.Passed == o.Passed && v.Reason == o.Reason && v.RawStatus == o.RawStatus &&
		v.StoppedAt == o.StoppedAt && v.ValidUnderPeeking == o.ValidUnderPeeking &&
		isReal(v.Threshold, o.Threshold) && isReal(v.Confidence, o.Confidence) && isReal(v.Statistic, o.Statistic) &&
		isReal(v.PValue, o.PValue) && isReal(v.PAdjusted, o.PAdjusted) && isReal(v.MinCoverage, o.MinCoverage) &&
		v.Interval.is(o.Interval) && slices.Equal(v.Changes, o.Changes) && !v.sequential() && !o.sequential()
}

// sequential reports what a sequential rule alone says.
func (v *Verdict) sequential() bool {
	return v.Contradicted != nil || v.Hypotheses != nil || len(v.Evidence) > 0
}

func (i *Interval) is(o *Interval) bool {
	if i == nil || o == nil {
		return i == o
	}
	return isBits(i.Lo, o.Lo) && isBits(i.Hi, o.Hi) && i.Method == o.Method
}

func isReal(a, b Opt[float64]) bool { return a.OK == b.OK && isBits(a.V, b.V) }

// isBits distinguishes -0 from 0, which JSON does as well.
func isBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// KindOf is the kind of a judged test.
func (t *Test) KindOf() Kind {
	switch {
	case t.Excused():
		return KindExcused
	case t.Status == Skip:
		return KindSkipped
	case t.Status == Inconclusive:
		return KindUndecided
	case t.Status == Pass && t.Trials.Passed > 0 && t.Trials.Passed < t.Trials.Counted: // without a pass it passed by its scores
		return KindUnstable
	case t.Status == Pass:
		return KindPassed
	case t.NotRun():
		return KindNotRun
	case t.Trials.Counted == 0 || t.Status == Error:
		return KindErrored
	case t.History != nil && t.History.Worse():
		return KindRegressed
	case t.ByScore(), t.Trials.Passed == t.Trials.Counted:
		return KindLowScore
	case t.Trials.Passed == 0:
		return KindBroken
	}
	return KindFlaky
}

// JudgesScores reports a rule on the mean score, and ByScore a test that such a rule judged.
func JudgesScores(rule string) bool {
	return rule == "mean" || rule == "t-interval" || rule == "bounded-mean"
}

func (t *Test) ByScore() bool { return t.Score != nil && JudgesScores(t.Verdict.Rule) }

// NotRun reports a test that a stop or a limit of the run left without a trial.
func (t *Test) NotRun() bool {
	return t.Trials.Total == 0 && (t.Ended.Again() && t.Ended != EndedSetup || t.Ended == "" && t.Trials.Planned.OK) &&
		(len(t.Endings) == 0 || !t.Endings[0].Elsewhere)
}

// Red reports a kind of tests that fail. A test that was not run makes the build red, too, but did not fail.
func (k Kind) Red() bool {
	return k == KindRegressed || k == KindBroken || k == KindFlaky || k == KindLowScore || k == KindErrored
}

// TrialsSum is that of all trials of the envelope, and of what of them could not be read.
func (e *Envelope) TrialsSum() TrialsSum {
	sum := e.sum
	if sum.Trials == 0 {
		var hashes []uint64
		reasons := HashReasons(nil, e.Reasons)
		for i := range e.Tests {
			sum, hashes = e.Tests[i].AddTo(sum, reasons, hashes)
		}
	}
	sum.Add(SumOfErrors(e.Problems))
	return sum
}

// KeepSum stores the sum of all trials, which is cheapest to compute while they are judged.
func (e *Envelope) KeepSum(trials TrialsSum) { e.sum = trials }

// HashReasons appends the hashes of reasons.
func HashReasons(to []uint64, reasons []Reason) []uint64 {
	for _, r := range reasons {
		to = append(to, r.Hash())
	}
	return to
}

// AddTo adds the trials of the test to a sum. It returns the memory of their hashes, to be used again.
func (t *Test) AddTo(sum TrialsSum, reasons, memory []uint64) (TrialsSum, []uint64) {
	hashes := slices.Grow(memory[:0], t.Rows.Len())[:t.Rows.Len()]
	test := t.Key.Hash()
	for n := range hashes {
		hashes[n] = test
	}
	t.Rows.Sums(hashes, reasons, func(_ int, one TrialsSum) { sum.Add(one) })
	return sum, hashes
}
