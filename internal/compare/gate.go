package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/stats"
)

// gateOf turns the comparison into an exit code: what the options fail on wins
// over input that could not be used.
func gateOf(c *Comparison, base Input, candidates []Input, o Options) Gate {
	g := Gate{Status: envelope.Pass, Reasons: []string{}}
	for i := range c.Contrasts {
		contrast := &c.Contrasts[i]
		of := words.If(len(c.Contrasts) > 1, contrast.Candidate.Name+": ")
		for _, reason := range contrast.fails(o) {
			g.Raise(envelope.Fail, gate.ExitFailed, of+reason)
		}
	}
	broken := gate.Broken(c.own, base.Envelope.Policy.Policy) + each.Sum(append([]Input{base}, candidates...), func(in Input) int {
		return gate.Broken(in.Envelope.Problems, in.Envelope.Policy.Policy)
	})
	if broken > 0 {
		g.Raise(envelope.Error, gate.ExitUnusable, words.Plural(broken, "error", "errors")+" in the input")
	}
	return g
}

// Raise adds a reason, and the status and exit code of the first.
func (g *Gate) Raise(status envelope.Status, code int, reason string) {
	g.Reasons = append(g.Reasons, reason)
	if g.ExitCode == gate.ExitOK {
		g.Status, g.ExitCode = status, code
	}
}

func (c *Contrast) fails(o Options) []string {
	var reasons []string
	on := func(word string, n int, what string) {
		if n > 0 && slices.Contains(o.FailOn, word) {
			reasons = append(reasons, words.Plural(n, "test ", "tests ")+what)
		}
	}
	if c.Run.State == Regressed && slices.Contains(o.FailOn, OnRegressed) {
		reasons = append(reasons, "the run as a whole regressed")
	}
	s := c.Summary
	on(OnRegressed, s.Regressed, "regressed")
	on(OnUnresolved, s.Unresolved, "unresolved"+s.untried())
	on(OnGone, s.Gone, "gone")
	on(OnGone, s.NotTried, "not tried")
	on(OnNewlyFlaky, s.NewlyFlaky, "newly flaky")
	on(OnNewlyBroken, s.NewlyBroken, "newly broken")
	on(OnNewFails, s.NewFails, "new and failing")
	return reasons
}

// FailsUnseen says what fails the build beside what regressed; "" where nothing does.
func (c *Comparison) FailsUnseen() string {
	return words.If(c.Gate.Status == envelope.Fail, strings.Join(c.others(), "; "))
}

// adjustRates adjusts the p-values of all differences of pass rates over those
// that could reach alpha at all. That could is decided by the number of
// discordant pairs, or of passes in both samples together, which the exact tests
// take as given; so leaving the others out keeps every error rate, and tests
// with too few trials make it no harder for the rest.
//
// Looked at while trials come, the family is fixed: the tests of the base, for each candidate,
// with a p-value of 1 while they have no pair. New tests and late ones are no members.
//
// R. E. Tarone, Biometrics 46 (1990) 515-522; P. B. Gilbert, J. R. Stat. Soc. C
// 54 (2005) 143-158.
func adjustRates(matches []match, members int, o Options) (asked, able int) {
	p := make([]float64, len(matches))
	for i, m := range matches {
		p[i] = math.NaN()
		if !m.PValue.OK || m.late {
			continue
		}
		asked++
		if o.Sequential || m.LeastP.V <= o.alpha() {
			able++
			p[i] = m.PValue.V
		}
	}
	if o.Sequential {
		p = append(p, slices.Repeat([]float64{1}, members-able)...)
		asked, able = members, members
	}
	for i, q := range o.adjust(p)[:len(matches)] {
		if matches[i].PValue.OK {
			matches[i].PAdjusted = envelope.Finite(q)
		}
	}
	return asked, able
}

// settleAll adjusts the p-values of measurements, nil where there is none.
func settleAll(all []*Measurement, o Options) {
	for i, q := range o.adjust(each.Of(all, func(m *Measurement) float64 {
		if m == nil {
			return math.NaN()
		}
		return m.PValue.Or(math.NaN())
	})) {
		if m := all[i]; m != nil {
			m.PAdjusted = envelope.Finite(q)
			m.Sure = m.PAdjusted.OK && m.PAdjusted.V <= o.alpha()
		}
	}
}

func (s State) changed() bool { return s == Regressed || s == Improved }

// standsUpTo is the correlation of the trials of a run above which the finding would
// not stand, when it does up to a variance that is larger by a factor. A pair that is
// alike on both sides varies less in its difference than two independent trials, and a
// shared fate of a run more in comparison.
func (f *Finding) standsUpTo(factor float64, base, candidate Trials) envelope.Opt[float64] {
	n1, n2, share := base.N, candidate.N, 1.
	if f.Difference.ofScores() {
		share = f.share
	}
	if p := f.Pairs; p != nil && f.Method != MethodFisher {
		n1, n2 = p.N(), p.N()
		if !f.Difference.ofScores() {
			rate := float64(2*p.Both+p.Base+p.Candidate) / float64(2*p.N())
			share = float64(p.discordant()) / float64(p.N()) / (2 * rate * (1 - rate))
		}
	}
	return envelope.Finite(stats.UndoingICC(factor, share, n1, n2))
}

// floored is a correlation with two digits that mean something, not rounded up.
func floored(icc float64) string {
	if icc <= 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(icc))-1)
	return strconv.FormatFloat(math.Floor(icc/unit+1e-9)*unit, 'g', 2, 64)
}

// widen widens the interval of a finding to that of an estimate, and raises its p-value
// to that one's.
func (f *Finding) widen(e stats.DifferenceEstimate, method string) {
	if !(e.DF > 0) {
		return
	}
	if d := f.Difference; e.Lo < d.Lo || e.Hi > d.Hi {
		d.Method = method
		d.Lo, d.Hi = math.Min(d.Lo, e.Lo), math.Max(d.Hi, e.Hi)
		if !d.outside {
			d.Lo, d.Hi = math.Max(-1, d.Lo), math.Min(1, d.Hi)
		}
	}
	if e.P > f.PValue.V {
		f.PValue, f.Method = envelope.Some(e.P), MethodStudent
	}
}

// words say where the variance between runs is from, and how large it is.
func (b *Between) words() string {
	if b == nil {
		return ""
	}
	from := words.Plural(b.BaseRuns, "run", "runs") + fmt.Sprintf(" of base and %d of the candidate", b.CandidateRuns)
	if b.From == BetweenHistory {
		from = fmt.Sprintf("%d runs of the history", b.Runs)
	}
	uneven := words.If(b.uneven, "; one run has nearly all trials, so that hardly any change can be shown")
	return fmt.Sprintf("; accounts for run-to-run variance, from %s: trials of a test correlate by %s within a run (%s)",
		from, strconv.FormatFloat(b.ICC, 'f', 3, 64), words.Plural(b.DF, "degree of freedom", "degrees of freedom")) + uneven
}

// StandsWords say what may undo the changes of single tests, or when a sequential comparison
// decided them, and numbers for those who ask; "" where nothing would, or where it is known how runs vary.
func (c *Contrast) StandsWords() (says, numbers string) {
	numbers = words.Around("Changes hold while trials of a run correlate by at most: ", words.Join(", ", c.listed("", func(t *Test) string {
		return words.If(t.StandsUpTo.OK, t.Key.RunnerName()+" "+floored(t.StandsUpTo.V))
	}), words.If(c.Run.StandsUpTo.OK, "the run "+floored(c.Run.StandsUpTo.V))))
	says = words.If(numbers != "", "One run a side: an outage or a slow machine can look like these changes. "+
		"To be sure, compare several runs a side (--base, --candidate), or use --history with 2 or more runs of the base.")
	return cmp.Or(says, c.listed("Decided after: ", func(t *Test) string {
		return words.If(t.DecidedAfter > 0, t.Key.RunnerName()+" "+words.Plural(t.DecidedAfter, "pair", "pairs"))
	})), numbers
}

// listed is what there is to say of tests, of the first ones by rank in full; "" where
// it is of none.
func (c *Contrast) listed(title string, say func(*Test) string) string {
	const mostListed = 5
	return words.Around(title, words.First(words.Present(each.Of(c.Ranked(), say)...), mostListed, strings.Clone))
}
