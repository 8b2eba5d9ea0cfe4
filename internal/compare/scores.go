package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/stats"
)

// scale is the range that the scores of a test, or of a run, lie in.
type scale struct{ least, most float64 }

// outside reports whether scores go beyond 0 to 1, where a hundredth is a point.
func (s scale) outside() bool { return s.least < 0 || s.most > 1 }

// width is by how much two means can differ at most, as far as is known.
func (s scale) width() float64 { return math.Max(1, s.most-s.least) }

func (s scale) with(o scale) scale {
	return scale{math.Min(s.least, o.least), math.Max(s.most, o.most)}
}

// takeScores fills in what the trials compared scored, where some has a score that is
// more than a pass or a failure in numbers.
func (s *sample) takeScores() {
	column := s.test.Rows.Score()
	if column == nil {
		return
	}
	points, graded, scale := make([]float64, len(s.rows)), false, scale{0, 1}
	for i, row := range s.rows {
		points[i] = rule.PointsOf(s.test.Rows, row)
		graded = graded || points[i] != 0 && points[i] != 1
		scale.least, scale.most = math.Min(scale.least, points[i]), math.Max(scale.most, points[i])
		s.scored = s.scored || column.Opt(row).OK
	}
	if of := stats.ScoredOf(points); !envelope.Finite(of.Mean).OK || !envelope.Finite(of.Squares).OK || !envelope.Finite(2*scale.width()).OK {
		s.scored = false // too large to be summed: there is no mean to compare
		return
	}
	s.scores, s.graded, s.scale = points, graded, scale
}

// points are the scores of the trials compared, 1 for a pass and 0 for another without one.
func (s *sample) points() []float64 {
	if s.scores != nil {
		return s.scores
	}
	return each.Of(s.rows, func(row int) float64 { return rule.Points(s.did(row)) })
}

// lookAtScores says whether the scores of both sides are compared, and whether the state of
// the test is theirs. Scores that are all 0 or 1 say what passes say.
func (m *match) lookAtScores() {
	if m.scored = m.base.scored && m.candidate.scored && (m.base.graded || m.candidate.graded); !m.scored {
		return
	}
	m.scale = m.base.scale.with(m.candidate.scale)
	if m.scored = envelope.Finite(2 * m.scale.width()).OK; !m.scored {
		return
	}
	m.byScore = rule.ScoresDecide(m.base.test) && rule.ScoresDecide(m.candidate.test)
	m.base.MeanScore, m.candidate.MeanScore = meanScore(m.base.scores), meanScore(m.candidate.scores)
}

func meanScore(scores []float64) envelope.Opt[float64] {
	return envelope.Finite(rule.ShortDecimal(mean(scores)))
}

func mean(values []float64) float64 {
	m, _ := stats.MeanDeviation(values)
	return m
}

// besidePasses is the difference of the mean scores where passes have the state: Student's
// or Welch's test takes a thousandth of the time of permutations, of which a second line
// for every test of a large run is not worth more.
func (m *match) besidePasses(runs *manyRuns, o Options) Finding {
	if runs != nil {
		return m.findScores(runs, o)
	}
	f := Finding{Method: MethodStudent, share: 1}
	if rows := pairedRows(&m.base, &m.candidate); rows != nil && o.Pairing == PairAuto {
		differences, pairs := m.differences(rows)
		e := stats.MeanOfGroups(differences, nil, o.Confidence)
		rarest := math.Min(1, math.Exp2(1-float64(pairs.discordant()))) // of all changes of sign
		f.Pairs, f.PValue = &pairs, envelope.Some(max(rarest, envelope.Finite(e.P).Or(rarest)))
		f.takeDifference(e, IntervalT, m.scale, len(rows), o)
		return f
	}
	base, candidate := m.base.points(), m.candidate.points()
	f.PValue = envelope.Finite(stats.MeansApart(stats.ScoredOf(candidate), stats.ScoredOf(base)))
	f.takeDifference(stats.DifferenceOfMeans(candidate, base, o.Confidence), IntervalWelch, m.scale, min(m.base.N, m.candidate.N), o)
	return f
}

// differences are those of pairs of trials, and which side scored higher in how many. The
// mean scores of the test become those of the pairs.
func (m *match) differences(rows [][2]int) ([]float64, Pairs) {
	differences, base, pairs := make([]float64, len(rows)), make([]float64, len(rows)), Pairs{}
	candidate := slices.Clone(base)
	for i, pair := range rows {
		base[i], candidate[i] = rule.PointsOf(m.base.test.Rows, pair[0]), rule.PointsOf(m.candidate.test.Rows, pair[1])
		differences[i] = candidate[i] - base[i]
		switch {
		case differences[i] < 0:
			pairs.Base++
		case differences[i] > 0:
			pairs.Candidate++
		default:
			pairs.Both++
		}
	}
	m.base.MeanScore, m.candidate.MeanScore = meanScore(base), meanScore(candidate)
	m.Base.MeanScore, m.Candidate.MeanScore = m.base.MeanScore, m.candidate.MeanScore
	return differences, pairs
}

// findScores is the difference of the mean scores, of pairs where trials are paired.
func (m *match) findScores(runs *manyRuns, o Options) Finding {
	base, candidate := m.base.points(), m.candidate.points()
	var rows [][2]int
	if runs == nil && o.Pairing == PairAuto && !o.Sequential {
		rows = pairedRows(&m.base, &m.candidate)
	}
	if rows == nil {
		e, f := stats.DifferenceOfMeans(candidate, base, o.Confidence), Finding{share: 1}
		if runs != nil {
			effect, df := runs.of(m, true).DesignEffect(runsOf(runs.candidate, &m.candidate), runsOf(runs.base, &m.base))
			e = stats.Estimate(e.Value, e.SE*e.SE*effect, df, o.Confidence)
			f.Method, f.PValue, f.DesignEffect = MethodStudent, envelope.Some(envelope.Finite(e.P).Or(1)), envelope.Some(effect)
		} else {
			p, least := stats.PermutationTest(candidate, base)
			f.Method, f.PValue, f.LeastP = MethodPermutation, envelope.Finite(p), envelope.Finite(least)
		}
		f.takeDifference(e, IntervalWelch, m.scale, min(m.base.N, m.candidate.N), o)
		return f
	}
	differences, pairs := m.differences(rows)
	p, least := stats.SignTest(differences)
	f := Finding{Method: MethodSigns, Pairs: &pairs, PValue: envelope.Finite(p), LeastP: envelope.Finite(least)}
	if independent := stats.DifferenceOfMeans(candidate, base, o.Confidence); independent.SE > 0 {
		e := stats.MeanOfGroups(differences, nil, o.Confidence)
		f.share = e.SE * e.SE / (independent.SE * independent.SE)
	}
	f.takeDifference(stats.MeanOfGroups(differences, nil, o.Confidence), IntervalT, m.scale, len(rows), o)
	return f
}

// takeDifference makes an estimate the difference of the finding. Scores that hardly vary,
// or stand at the edge of their range, have an interval next to 0 that a few trials cannot
// vouch for: what is within a margin is asked of one that is as wide as that of so many
// pairs of passes, z²/(n+z²) to either side, and so is one without any spread to go by.
func (f *Finding) takeDifference(e stats.DifferenceEstimate, method string, scale scale, trials int, o Options) {
	z := stats.ConventionalZ(o.Confidence)
	d := &Difference{Value: rule.ShortDecimal(e.Value), Lo: e.Lo, Hi: e.Hi, Method: method, Of: OfScores,
		outside: scale.outside(), least: scale.width() * z * z / (float64(trials) + z*z)}
	switch {
	case !(e.DF > 0) || math.IsNaN(e.Lo):
		d.Lo, d.Hi = -scale.width(), scale.width()
	case e.SE == 0:
		d.Lo, d.Hi = d.Value-d.least, d.Value+d.least
	}
	d.Lo, d.Hi = math.Max(-scale.width(), d.Lo), math.Min(scale.width(), d.Hi)
	f.Difference, f.NonInferior = d, d.above(-o.Margin)
}

// means are the mean scores of tests on both sides, as the run as a whole sees them.
type means struct {
	base, candidate, differences []float64
	scale                        scale
	keys                         []envelope.Key
	trials                       [2]int
	share                        float64
	alone                        Finding // of its one test
	one                          [2]envelope.Opt[float64]
}

// add adds a test; what its scores say by themselves is found already.
func (s *means) add(m *match, alone Finding) {
	base, candidate := mean(m.base.points()), mean(m.candidate.points())
	s.base, s.candidate, s.differences = append(s.base, base), append(s.candidate, candidate), append(s.differences, candidate-base)
	s.scale, s.keys = s.scale.with(m.scale), append(s.keys, m.Key)
	s.trials[0], s.trials[1] = s.trials[0]+m.base.N, s.trials[1]+m.candidate.N
	s.share += (alone.share - s.share) / float64(len(s.base))
	s.alone, s.one = alone, [2]envelope.Opt[float64]{m.base.MeanScore, m.candidate.MeanScore}
	s.alone.PAdjusted = envelope.Opt[float64]{}
}

// finding is the mean over tests of the differences of their mean scores, each test once,
// with the error of groups that move together; nil where each moves on its own. Without any
// spread to go by it is tested by the signs of the differences.
func (s *means) finding(groups []int, o Options) Finding {
	if len(s.differences) == 1 {
		return s.alone
	}
	e := stats.MeanOfGroups(s.differences, groups, o.Confidence)
	f := Finding{Method: MethodStudent, PValue: envelope.Finite(e.P), share: s.share}
	method, moved := IntervalCluster, len(s.differences)
	if groups != nil {
		method, moved = IntervalGroup, 1+slices.Max(groups)
	}
	if e.DF > 0 && e.SE == 0 {
		p, _ := stats.SignTest(slices.Repeat([]float64{e.Value}, moved))
		f.Method, f.PValue = MethodSigns, envelope.Finite(p)
	}
	f.takeDifference(e, method, s.scale, min(s.trials[0], s.trials[1]), o)
	return f
}

// ScoreChange is the difference of mean scores beside a state that passes have.
type ScoreChange struct {
	Finding
	Sure bool `json:"sure"` // the adjusted p-value is at most alpha
}

func (c *ScoreChange) fell() bool { return c != nil && c.Sure && c.Difference.Value < 0 }

// settleScores adjusts the p-values of score changes over one family; nil is none.
func settleScores(all []*ScoreChange, o Options) {
	p := make([]float64, len(all))
	for i, c := range all {
		p[i] = math.NaN()
		if c != nil && c.LeastP.V <= o.alpha() {
			p[i] = c.PValue.Or(math.NaN())
		}
	}
	for i, q := range o.adjust(p) {
		if all[i] != nil {
			all[i].PAdjusted = envelope.Finite(q)
			all[i].Sure = q <= o.alpha()
		}
	}
}

// ScoreWords are the mean scores of the run beside the state that its passes have, "" where
// there are none.
func (c *Contrast) ScoreWords() string {
	return words.If(c.Run.Scores != nil, c.Run.Scores.words(c.Run.Base, c.Run.Candidate)+c.SureWords(Scored))
}

// ScoreWords are the mean scores of the test beside the state that its passes have, "" where
// there are none.
func (t *Test) ScoreWords() string { return t.Scores.words(t.Base.Trials, t.Candidate.Trials) }

func (c *ScoreChange) words(base, candidate Trials) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("mean %s before, %s now: %s, p %s by %s", base.Score(), candidate.Score(),
		c.Difference.Words(), words.Probability(c.PValue.Or(1)), c.MethodWords())
}

// ByScore reports whether the run is compared by mean scores and not by pass rates.
func (c *Contrast) ByScore() bool { return c.Run.Difference.ofScores() }

// ByScore reports whether the test is compared by its mean scores and not by its pass rates.
func (t *Test) ByScore() bool { return t.Difference.ofScores() }

func (d *Difference) ofScores() bool { return d != nil && d.Of == OfScores }

// Outside reports whether the difference is of scores that go beyond 0 to 1.
func (d *Difference) Outside() bool { return d.outside }

// Compared is what a test has on one side of what is compared: its mean score, or how many
// of its trials passed. It is empty on a side without the test.
func (t *Test) Compared(side *SideOfTest) string {
	switch {
	case side.Status == "":
		return ""
	case t.ByScore():
		return side.Score()
	}
	of, candidate := t.Sides(t.Base.Trials, t.Candidate.Trials)
	if side == &t.Candidate {
		of = candidate
	}
	return words.Count(of.Passed) + "/" + words.Count(of.N)
}

// ScorePoints is the change of the mean score that stands beside the state of a test: ~
// where chance may explain it, "" where there is none.
func (t *Test) ScorePoints() string {
	if t.Scores != nil && t.Scores.Sure {
		return t.Scores.Difference.Points()
	}
	return words.If(t.Scores != nil, "~")
}

func (d *Difference) marginWords(margin float64) string {
	if d.outside {
		return ScoreText(margin)
	}
	return points(margin) + " points"
}

// Score is the mean score as reports show it.
func (t Trials) Score() string {
	if !t.MeanScore.OK {
		return "?"
	}
	return ScoreText(t.MeanScore.V)
}

// ScoreText is a mean score with as many digits as mean something.
func ScoreText(v float64) string {
	if math.Abs(v) >= 1000 && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Basis is what runs are compared by: pass rates, or mean scores.
type Basis struct {
	Scores  bool
	Outside bool // some go beyond 0 to 1: a pass is no score of 1
}

// fill puts the mean scores of both sides into the run, and what they say beside passes.
func (s *strata) fill(all *Overall, o Options) {
	scores := &s.scores
	if !s.Basis.Scores {
		scores = &s.beside
	}
	if len(scores.base) == 0 {
		return
	}
	all.Base.MeanScore, all.Candidate.MeanScore = meanScore(scores.base), meanScore(scores.candidate)
	if len(scores.base) == 1 {
		all.Base.MeanScore, all.Candidate.MeanScore = scores.one[0], scores.one[1]
	}
	if !s.Basis.Scores {
		all.Scores = &ScoreChange{Finding: scores.finding(nil, o)}
	}
}
