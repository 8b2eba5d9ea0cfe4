package audit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"tribunal/internal/each"
	"tribunal/internal/plan"
	"tribunal/stats"
)

// model is what is known of nights to come: the rate of each test, what moves all tests of a
// night, and how trials of one test correlate beyond that.
type model struct {
	shared, own float64
	of          []fitted // by the place of a test
	// mirror is the model where what all tests share comes out below 0, with the opposite variance: see chance.
	mirror *model
}

// chance is that of a model. Cutting a variance at 0 would make it too large on average, and the chance wrong by as
// much; where it comes out below 0, the chance goes as far to the other side of that of no variance.
func (m *model) chance(of func(*model) float64) float64 {
	if m.mirror == nil {
		return of(m)
	}
	return reflected(of(m), of(m.mirror))
}

// reflected is as far from the chance without a variance as that with it, to the other side, on the
// logarithmic scale of what is left green.
func reflected(without, with float64) float64 {
	if without <= 0 || without >= 1 || with <= 0 || with >= 1 {
		return without
	}
	a, b := math.Log1p(-without), math.Log1p(-with)
	return -math.Expm1(a * a / b)
}

type fitted struct {
	test *watched
	rate float64
	// size says how surely the rate is known: as if from so many trials. 0 is surely.
	size   float64
	lo, hi float64   // of the rate
	alike  bool      // its rate is that of all tests together
	red    []float64 // its chance at each node
	errors float64   // the share of nights in which it errors
}

// The nodes at which what moves a night is looked at: standard normal values and weights. The
// trapezoidal rule is exact to ten digits for what is smooth.
var nodes, weights = func() (z, w []float64) {
	sum := 0.
	for at := -5.; at <= 5; at += 0.5 {
		z, w = append(z, at), append(w, math.Exp(-at*at/2))
		sum += w[len(w)-1]
	}
	for i := range w {
		w[i] /= sum
	}
	return z, w
}()

func (s *series) fit(confidence float64, left int) *model {
	m := &model{own: s.plan.ICC}
	keep := func(night int) bool { return left < 0 || night*s.blocks()/s.nights != left }
	counts := make([]stats.Cluster, len(s.tests))
	for i, w := range s.tests {
		for night, n := range w.counted {
			if keep(night) && w.rule != nil {
				counts[i].Passed, counts[i].N = counts[i].Passed+w.passed[night], counts[i].N+n
			}
		}
	}
	if s.nights > 0 {
		m.own = 0
		m.vary(s, counts, keep)
	}
	rates := stats.ShrinkRates(counts, confidence)
	passed, trials := 0, 0
	for _, c := range counts {
		passed, trials = passed+c.Passed, trials+c.N
	}
	for i, w := range s.tests {
		f := fitted{test: w, size: float64(counts[i].N), errors: w.errorShare(keep)}
		switch {
		case s.nights == 0:
			f.rate, f.lo, f.hi, f.size = s.plan.Expect, s.plan.Expect, s.plan.Expect, 0
		case counts[i].N == 0:
			f.rate, f.lo, f.hi = 1, 1, 1
		default:
			f.rate = float64(counts[i].Passed) / float64(counts[i].N)
			f.lo, f.hi = m.interval(counts[i], w.trials, confidence)
			switch rates.Kind {
			case stats.ShrunkenFitted:
				f.rate, f.size = rates.Mean[i], f.size+rates.A+rates.B
			case stats.ShrunkenPooled:
				f.rate, f.size, f.alike = rates.Mean[i], float64(trials), true
				f.lo, f.hi = m.interval(stats.Cluster{Passed: passed, N: trials}, w.trials, confidence)
			}
		}
		m.of = append(m.of, f)
	}
	if m.shared < 0 {
		m.mirror = &model{shared: -m.shared, own: m.own, of: slices.Clone(m.of)}
		m.mirror.atAllNodes()
		m.shared = 0
	}
	m.atAllNodes()
	return m
}

func (m *model) atAllNodes() {
	for i := range m.of {
		m.of[i].red = m.atNodes(&m.of[i], m.of[i].rate, nil)
	}
}

func (m *model) interval(c stats.Cluster, trials int, confidence float64) (lo, hi float64) {
	effect := 1 + float64(max(trials, 1)-1)*math.Max(0, m.own)
	n := max(1, int(math.Round(float64(c.N)/effect)))
	passed := int(math.Round(float64(c.Passed) / effect))
	if passed = min(passed, n); passed == n && c.Passed < c.N {
		passed--
	}
	return stats.ClopperPearson(max(0, passed), n, confidence)
}

func (w *watched) errorShare(keep func(int) bool) float64 {
	errors, nights := 0., 0.
	for night, status := range w.statuses {
		if status == "" || !keep(night) {
			continue
		}
		nights++
		if w.red[night] && w.counted[night] == 0 {
			errors++
		}
	}
	return errors / math.Max(nights, 1)
}

// vary estimates how nights vary. How far trials of a test correlate within a night comes from the analysis of
// variance of package stats; what part of it all tests share, from how the sum of all tests varies more than the
// tests do alone: the covariance of two tests is the variance in log odds times p (1-p) of both.
func (m *model) vary(s *series, counts []stats.Cluster, keep func(int) bool) {
	var side [][]stats.Scored
	sums, alone := make([]float64, s.nights), 0.
	all, squares, kept := 0., 0., float64(each.Count(each.Index(s.nights), keep))
	for i, w := range s.tests {
		if counts[i].N < 2 || w.rule == nil {
			continue
		}
		n := float64(counts[i].N)
		p := float64(counts[i].Passed) / n
		spread := p * (1 - p) * n / (n - 1)
		all, squares = all+spread, squares+spread*spread
		var runs []stats.Scored
		for night := range s.nights {
			if !keep(night) {
				continue
			}
			runs = append(runs, stats.Cluster{Passed: w.passed[night], N: w.counted[night]}.Scored())
			if w.counted[night] > 0 {
				off := float64(w.passed[night])/float64(w.counted[night]) - p
				sums[night] += off
				alone += off * off
			}
		}
		side = append(side, runs)
	}
	if kept < 2 || !(all > 0) {
		return
	}
	total := 0.
	for night, sum := range sums {
		if keep(night) {
			total += sum * sum
		}
	}
	between := stats.BetweenRuns(side)
	shared := 0.
	if pairs := all*all - squares; pairs > 1e-12 {
		shared = (total - alone) / (kept - 1) / pairs
	}
	m.shared = math.Copysign(math.Sqrt(math.Abs(shared)), shared)
	m.own = between.Raw - shared*squares/all
}

const mostBlocks = 20

func (s *series) blocks() int { return min(s.nights, mostBlocks) }

// look is how a test is judged in place of how it was: by a rule, after so many trials.
type look struct {
	rule   *plan.Rule
	trials int
}

// atNodes is the chance of a test to be red at each node, if it passes at the rate on
// average; nil for how it was judged.
func (m *model) atNodes(f *fitted, rate float64, by *look) []float64 {
	out := make([]float64, len(nodes))
	icc := m.own
	if f.size > 0 {
		icc += 1 / (f.size + 1)
	}
	at := func(rate float64) float64 { // see chance for a correlation below 0
		if icc >= 0 {
			return f.redAt(rate, icc, by)
		}
		return reflected(f.redAt(rate, 0, by), f.redAt(rate, -icc, by))
	}
	if by == nil {
		by = &look{f.test.rule, f.test.trials}
	} else {
		icc = math.Max(0, icc) // of more trials, what is below 0 says nothing
	}
	varies := m.shared > 0 && rate > 0 && rate < 1
	middle := m.middle(rate)
	for q, z := range nodes {
		switch {
		case varies:
			out[q] = at(logistic(middle + m.shared*z))
		case q == 0:
			out[q] = at(rate)
		default:
			out[q] = out[0]
		}
	}
	return out
}

func (f *fitted) redAt(rate, icc float64, by *look) float64 {
	w := f.test
	switch {
	case w.excused:
		return 0
	case w.rule == nil:
		return float64(count(w.red)) / math.Max(1, float64(w.runs()))
	}
	c := by.rule.Chance(by.trials, rate, icc)
	red := c.Fail
	if treatedRed(w.policy) {
		red += c.Inconclusive
	}
	return f.errors + (1-f.errors)*red
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// middle is the log odds of a rate in the middle of nights, whose mean over nights it is.
func (m *model) middle(rate float64) float64 {
	at := math.Log(rate / (1 - rate))
	if m.shared == 0 || math.IsInf(at, 0) {
		return at
	}
	for range 50 {
		mean, slope := 0., 0.
		for q, z := range nodes {
			p := logistic(at + m.shared*z)
			mean, slope = mean+weights[q]*p, slope+weights[q]*p*(1-p)
		}
		step := math.Max(-2, math.Min(2, (rate-mean)/slope))
		if at += step; math.Abs(step) < 1e-10 {
			break
		}
	}
	return at
}

func mean(at []float64) float64 { return floats.Dot(weights[:len(at)], at) }

// red is the chance that some of the tests is red, if they are judged by a look; nil for how they were.
func (m *model) red(of []*watched, by *look) float64 {
	reds := make([][]float64, len(of))
	for i, w := range of {
		f := &m.of[w.place]
		if reds[i] = f.red; by != nil {
			reds[i] = m.atNodes(f, f.rate, by)
		}
	}
	return anyOf(reds)
}

func anyOf(reds [][]float64) float64 {
	green := slices.Repeat([]float64{1}, len(nodes))
	for _, red := range reds {
		for q := range green {
			green[q] *= 1 - red[q]
		}
	}
	return math.Max(0, 1-mean(green))
}

// chanceOf is the chance that some of the tests is red. Of other looks, what is below 0 says nothing.
func chanceOf(of []*watched, by *look) func(*model) float64 {
	red := func(m *model) float64 { return m.red(of, by) }
	if by != nil {
		return red
	}
	return func(m *model) float64 { return m.chance(red) }
}

// testChance is the chance of a test with its interval: that of its rate, or of its red runs.
func (m *model) testChance(i int, confidence float64, by *look) Chance {
	f := &m.of[i]
	if f.test.rule == nil && f.test.runs() > 0 {
		return *observed(count(f.test.red), f.test.runs(), confidence)
	}
	exact := *f
	exact.size = 0
	value := mean(m.atNodes(f, f.rate, by))
	lo, hi := mean(m.atNodes(&exact, f.hi, by)), mean(m.atNodes(&exact, f.lo, by))
	return within(value, math.Min(value, lo), math.Max(value, hi))
}

// interval is the chance that some of the tests is red, with the wider of two intervals: that of the jackknife over
// blocks of nights, on the scale of the complementary log-log, and that of the tests. Runs that are alike say nothing
// to the first.
//
// B. Efron, C. Stein, Ann. Stat. 9 (1981) 586-596; H. R. Künsch, Ann. Stat. 17 (1989) 1217-1241 (blocks).
func (s *series) interval(confidence float64, of []*watched, by *look) Chance {
	red := chanceOf(of, by)
	value := red(s.model)
	if s.nights < fewRuns {
		return Chance{Value: plan.Digits(value)}
	}
	left := each.Of(s.left, func(m *model) float64 { return math.Log(green(math.Max(red(m), 1e-12))) })
	_, deviation := stats.MeanDeviation(left)
	k := float64(s.blocks())
	half := stats.StudentT(confidence, s.blocks()-1) * deviation * (k - 1) / math.Sqrt(k)
	at := green(value)
	down, up := s.ofTests(confidence, of, by)
	lo, hi := math.Min(at*math.Exp(-half), math.Max(0, at-down)), math.Max(at*math.Exp(half), at+up)
	return within(value, -math.Expm1(-lo), -math.Expm1(-hi))
}

// ofTests is how far the intervals of the tests let the chance that some is red go down and up, on the scale of
// green. Tests that failed go their ways independently, and those that never did may all be red never; but no
// failure in all their trials leaves room for one of them to be red as often as its interval allows. Rates that are
// estimated as one go together.
//
// G. Y. Zou, A. Donner, Stat. Med. 27 (2008) 1693-1702 (sums of what has intervals); M. P. Fay, E. J. Feuer,
// Stat. Med. 16 (1997) 791-801 (one more failure, where it weighs most).
func (s *series) ofTests(confidence float64, of []*watched, by *look) (down, up float64) {
	var squaresDown, squaresUp, most float64
	for _, w := range of {
		c := s.model.testChance(w.place, confidence, by)
		at := green(c.Value)
		under, over := at-green(c.Lo.V), green(c.Hi.V)-at
		passed, counted := w.all()
		switch {
		case s.model.of[w.place].alike:
			down, up = down+under, up+over
		case passed < counted || count(w.red) > 0:
			squaresDown, squaresUp = squaresDown+under*under, squaresUp+over*over
		default:
			down, most = down+under, math.Max(most, over)
		}
	}
	return down + math.Sqrt(squaresDown), up + math.Sqrt(squaresUp+most*most)
}

// green is how much a chance of red takes off the logarithm of that of green.
func green(red float64) float64 { return -math.Log1p(-math.Min(red, 1-1e-12)) }
