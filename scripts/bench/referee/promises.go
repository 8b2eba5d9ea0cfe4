package main

import (
	"fmt"
	"slices"
)

// promises is the table: each is tried through the command line.
var promises = []promise{
	{"rate at the threshold 0.9, 10 trials, `--rule exact`", wrongVerdicts(0.025, 0.025), rule(10, 0.9, "exact")},
	{"rate at the threshold 0.9, 50 trials, `--rule exact`", wrongVerdicts(0.025, 0.025), rule(50, 0.9, "exact")},
	{"rate at the threshold 0.9, looked at after each of 200 trials, `--rule anytime`", wrongVerdicts(1, 0.05), rule(200, 0.9, "anytime")},
	{"rate 0.8, threshold 0.9, gap 0.1, looked at after each of 200 trials, `--rule anytime`", wrongVerdicts(0.2, 1),
		rule(200, 0.8, "anytime")},
	{"rate at the threshold 0.9, 200 trials, `--rule sprt`", wrongVerdicts(1, 0.05), rule(200, 0.9, "sprt")},
	{"rate 0.8, threshold 0.9, gap 0.1, 200 trials, `--rule sprt`", wrongVerdicts(0.2, 1), rule(200, 0.8, "sprt")},
	{"scores 1, 0.5 or 0 with the mean at the threshold, 5 trials, `--rule bounded-mean`", wrongVerdicts(0.025, 0.025),
		scoreRule(5, "bounded-mean", coarse)},
	{"scores 1, 0.5 or 0 with the mean at the threshold, 20 trials, `--rule bounded-mean`", wrongVerdicts(0.025, 0.025),
		scoreRule(20, "bounded-mean", coarse)},
	{"scores of 0.8 to 1 with the mean at the threshold, 20 trials, `--rule t-interval`", wrongVerdicts(0.025, 0.025),
		scoreRule(20, "t-interval", fine)},
	{"20 tests of rates 0.5 to 0.95, 10 trials each", []claim{{"the pass rate's interval misses", 0.05}}, onThese},
	{"20 tests of 10 trials from a population of ICC 0.3", likeThese, like(20, 10, 0)},
	{"40 tests of 5 trials, a fifth of the population never passes", likeThese, like(40, 5, 0.2)},
	{"`compare`, 20 unchanged tests of 20 trials", changes(0.05), unchanged(20, sides{runs: []int{20}})},
	{"`compare`, 20 tests of 100 trials, worse by exactly the margin of 5 points", []claim{{"the run is EQUIVALENT", 0.05}}, atTheMargin},
	{"`compare`, 20 unchanged tests of 30 trials a run, ICC 0, three runs a side", changes(0.06),
		unchanged(20, sides{runs: []int{30, 30, 30}})},
	{"`compare`, the same with ICC 0.1", changes(0.06), unchanged(20, sides{runs: []int{30, 30, 30}, icc: 0.1, first: 0.1})},
	{"`compare`, 20 unchanged tests, runs of 60, 2, 2 and 2 trials a test, ICC 0.05", changes(0.06),
		unchanged(20, sides{runs: []int{60, 2, 2, 2}, icc: 0.05, first: 0.05})},
	{"`compare`, 20 unchanged tests, one of ICC 0.3 and the others 0, three runs a side", changes(0.06),
		unchanged(20, sides{runs: []int{30, 30, 30}, first: 0.3})},
	{"`compare --sequential`, 5 unchanged tests, looked at after each of 100 pairs", changes(0.05),
		unchanged(5, sides{runs: []int{100}, flags: []string{"--sequential"}})},
	{"`compare --sequential --sequential-test gsprt --margin 0.1`, the same", changes(0.05),
		unchanged(5, sides{runs: []int{100}, flags: []string{"--sequential", "--sequential-test", "gsprt", "--margin", "0.1"}})},
	{"`compare --sequential`, a test more of the candidate every 4 pairs, looked at after every 8",
		[]claim{{"an unchanged test changed", 0.05}, {"a later look takes a change back", 0}}, joining},
	{"`compare --cluster-by suite`, 5 suites of 4 tests that move together by 12 points around no change",
		[]claim{{"the run changed", 0.06}}, grouped},
	{"`compare` of scores, 20 unchanged tests of 8 trials that score 1, 0.5 or 0", changes(0.05), sameScores},
	{"`rank`, 5 equal variants, 20 tests of 10 trials",
		bestLeftOut, ranking(1)},
	{"`rank --cluster-by suite`, the same with tests that move together in fours", bestLeftOut, ranking(4, "--cluster-by", "suite")},
	{"`history trend`, 60 nights of 5 trials of a steady test, rate 0.8, ICC 0.1",
		[]claim{{"it drifts (p before adjustment)", 0.05}, {"it ever changed", 0.05}}, nights},
	{"`history trend`, 60 nights of 5 independent trials of a steady test, rate 0.8",
		[]claim{{"FIXED, NEW-FLAKY, BROKEN or DRIFTING", 0.05}, {"it ever changed", 0.05}},
		steady(func(w *world, s *stream, t string) { w.trials(s, trial{Test: t}, 5, 0.8) })},
	{"`history trend`, 60 nights of 5 scores of 1, 0.5 or 0 of a steady test",
		[]claim{{"DRIFTING or BROKEN", 0.05}, {"it ever changed", 0.05}},
		steady(func(w *world, s *stream, t string) { w.scores(s, trial{Test: t}, 5, coarse) })},
	{"`history release`, tests at the threshold 0.9 with ICC 0.1, looked at after each 4th of 80 nights of 5 trials",
		[]claim{{"a test may leave", 0.05}}, released},
	{"`compare --history`, 20 unchanged tests of 30 trials, ICC 0.1, a history of 10 nights", changes(0.06), withPast},
	{"20 tests of rate 0.98 and 20 of 0.5 that `--rule anytime` stopped, at most 60 trials",
		[]claim{{"the estimate of a stopped run: the lower end is above the truth", 0.025}, {"the upper end is below the truth", 0.025}},
		stoppedRuns},
	{"`plan --detect 0.9:0.7`, tests of as many trials a side as it says, power 0.8", []claim{{"the fall is missed", 0.2}}, detected},
	{"`plan --rule exact --threshold 0.9 --trials 50`, 4000 tests of each of 6 rates",
		[]claim{{"the share of PASS is more than 4 standard errors off", 0}}, planned},
	{"`audit gate --rule all`, 15 runs of 8 tests of 4 trials that move together by 0.5 in log odds",
		[]claim{{"the interval of the chance of a red build misses", 0.05}}, gateNights},
	{"`audit tests`, 16 variants, 30 sound tests of 4 trials", []claim{{"a test ranks against the rest", 0.001}}, soundTests},
	{"votes, 20 tests of 10 trials with 3 votes each; trials of a test correlate by 0.3",
		[]claim{{"the interval of judging again misses", 0.05}, {"that of trying again misses", 0.05},
			{"that of the judge's share misses", 0.05}}, voted},
	{"labels, a judge of 0.95 and 0.9, rate 0.9, 100 labels of 300 trials",
		[]claim{{"Rogan-Gladen's interval misses", 0.05}, {"the prediction-powered interval misses", 0.05}}, judged},
}

func wrongVerdicts(pass, fail float64) []claim {
	return []claim{{"a wrong PASS", pass}, {"a wrong FAIL", fail}}
}

func changes(most float64) []claim {
	return []claim{{"some test changed", most}, {"the run changed", most}}
}

var bestLeftOut = []claim{{"the best is left out", 0.05}, {"a place is missed", 0.05}, {"the interval of the first variant misses", 0.05}}

var likeThese = []claim{{"tests like these: the lower end is above the truth", 0.029},
	{"tests like these: the upper end is below the truth", 0.029}}

// rule judges many tests of one rate.
func rule(trials int, rate float64, rule string) func(*world) *tally {
	return func(w *world) *tally {
		var s stream
		for t := range w.times(4000) {
			w.trials(&s, trial{Test: fmt.Sprint(t)}, trials, rate)
		}
		return verdicts(w, &s, rule)
	}
}

func verdicts(w *world, s *stream, rule string) *tally {
	var sum tally
	for _, t := range ask[envelope](w, "report", w.save("r.ndjson", s), "--rule", rule, "--threshold", "0.9").Tests {
		sum.add(t.Status == "pass", t.Status == "fail")
	}
	return &sum
}

// coarse and fine are scores with the mean 0.9.
func coarse(w *world) float64 {
	switch u := w.Float64(); {
	case u < 0.85:
		return 1
	case u < 0.95:
		return 0.5
	}
	return 0
}

func fine(w *world) float64 { return 0.8 + 0.2*w.Float64() }

func (w *world) scores(s *stream, of trial, n int, score func(*world) float64) {
	for i := range n {
		v := score(w)
		of.Attempt, of.Score = i, &v
		s.add(of)
	}
}

func scoreRule(trials int, rule string, score func(*world) float64) func(*world) *tally {
	return func(w *world) *tally {
		var s stream
		for t := range w.times(2000) {
			w.scores(&s, trial{Test: fmt.Sprint(t)}, trials, score)
		}
		return verdicts(w, &s, rule)
	}
}

func onThese(w *world) *tally {
	return w.repeat(500, func(sum *tally) {
		var s stream
		mean := 0.
		for t := range 20 {
			rate := 0.5 + 0.45*float64(t)/19
			mean += rate / 20
			w.trials(&s, trial{Test: fmt.Sprint(t)}, 10, rate)
		}
		sum.add(ask[envelope](w, "report", w.save("r.ndjson", &s)).Summary.Rate.Counted.misses(mean))
	})
}

// like draws tests from a population: some never pass, the rates of the others vary.
func like(tests, trials int, never float64) func(*world) *tally {
	return func(w *world) *tally {
		return w.repeat(1000, func(sum *tally) {
			var s stream
			for t := range tests {
				rate := 0.
				if w.Float64() >= never {
					rate = w.beta(0.8, 0.3)
				}
				w.trials(&s, trial{Test: fmt.Sprint(t)}, trials, rate)
			}
			rate := ask[envelope](w, "report", w.save("r.ndjson", &s)).Summary.Like.Rate
			sum.add(rate.above(0.8*(1-never)), rate.below(0.8*(1-never)))
		})
	}
}

// sides is how each side of a comparison is made: trials of a test in each run, how
// they correlate within a run, those of the first test, and the flags.
type sides struct {
	runs       []int
	icc, first float64
	flags      []string
}

func unchanged(tests int, of sides) func(*world) *tally {
	return func(w *world) *tally {
		return w.repeat(400, func(sum *tally) {
			args := append([]string{"compare"}, of.flags...)
			for _, side := range []string{"base", "candidate"} {
				for r, trials := range of.runs {
					var s stream
					for t := range tests {
						icc := of.icc
						if t == 0 {
							icc = of.first
						}
						w.trials(&s, trial{Test: fmt.Sprintf("%02d", t)}, trials, w.beta(0.5+0.45*float64(t)/float64(tests), icc))
					}
					args = append(args, "--"+side, w.save(fmt.Sprintf("%s%d.ndjson", side, r), &s))
				}
			}
			sum.compared(ask[comparison](w, args...))
		})
	}
}

// joining has tests that come one after the other, every second of them worse; the base has
// the first eight of ten.
func joining(w *world) *tally {
	return w.repeat(200, func(sum *tally) {
		var base, candidate stream
		var wrong, lost bool
		for t := range 8 {
			w.trials(&base, trial{Test: fmt.Sprint(t)}, 40, 0.8)
		}
		for pair, said := 0, map[string]bool{}; pair < 40; pair++ {
			for t := range min(10, pair/4+1) {
				candidate.add(trial{Test: fmt.Sprint(t), Attempt: pair - 4*t, Status: word(w.Float64() < 0.8-0.6*float64(t%2))})
			}
			if pair%8 < 7 {
				continue
			}
			c := w.compare(&base, &candidate, "--sequential").Contrasts[0]
			for _, s := range append(c.Tests, c.Run) {
				wrong = wrong || s.changed() && s.Test != "" && s.Test[0]%2 == 0
				lost = lost || said[s.Test] && s.State == "unresolved"
				said[s.Test] = s.changed()
			}
		}
		sum.add(wrong, lost)
	})
}

// compared adds whether some test changed, and whether the run did.
func (t *tally) compared(of comparison) {
	c := of.Contrasts[0]
	t.add(slices.ContainsFunc(c.Tests, state.changed), c.Run.changed())
}

func (w *world) compare(base, candidate *stream, flags ...string) comparison {
	return ask[comparison](w, append([]string{"compare", w.save("base.ndjson", base), w.save("candidate.ndjson", candidate)}, flags...)...)
}

func atTheMargin(w *world) *tally {
	return w.repeat(400, func(sum *tally) {
		var base, candidate stream
		for t := range 20 {
			w.trials(&base, trial{Test: fmt.Sprint(t)}, 100, 0.9)
			w.trials(&candidate, trial{Test: fmt.Sprint(t)}, 100, 0.85)
		}
		sum.add(w.compare(&base, &candidate).Contrasts[0].Run.State == "equivalent")
	})
}

func grouped(w *world) *tally {
	return w.repeat(400, func(sum *tally) {
		var base, candidate stream
		for suite := range 5 {
			move := 0.12 * w.NormFloat64()
			for t := range 4 {
				of := trial{Suite: fmt.Sprint(suite), Test: fmt.Sprint(t)}
				w.trials(&base, of, 20, 0.7)
				w.trials(&candidate, of, 20, min(1, max(0, 0.7+move)))
			}
		}
		sum.add(w.compare(&base, &candidate, "--cluster-by", "suite").Contrasts[0].Run.changed())
	})
}

func sameScores(w *world) *tally {
	return w.repeat(400, func(sum *tally) {
		var sides [2]stream
		for side := range sides {
			for t := range 20 {
				w.scores(&sides[side], trial{Test: fmt.Sprint(t)}, 8, coarse)
			}
		}
		sum.compared(w.compare(&sides[0], &sides[1]))
	})
}

// ranking draws variants that are equal over tests like these. The tests of a suite move
// together from variant to variant.
func ranking(suite int, flags ...string) func(*world) *tally {
	return func(w *world) *tally {
		return w.repeat(400, func(sum *tally) {
			var s stream
			var move [5]float64
			for t := range 20 {
				base := 0.7 + 0.1*w.NormFloat64()
				for v := range move {
					if t%suite == 0 {
						move[v] = 0.1 * w.NormFloat64()
					}
					w.trials(&s, trial{Suite: fmt.Sprint(t / suite), Test: fmt.Sprint(t), Variant: fmt.Sprint(v)}, 10, min(1, max(0, base+move[v])))
				}
			}
			r := ask[rank](w, append([]string{"rank", w.save("r.ndjson", &s), "--by", "variant"}, flags...)...)
			first := r.Variants[slices.IndexFunc(r.Variants, func(v variant) bool { return v.Name == "0" })]
			sum.add(!slices.Contains(r.Best, "0"), slices.ContainsFunc(r.Variants, func(v variant) bool { return v.From > 1 || v.To < 5 }),
				first.Mean.misses(0.7))
		})
	}
}

// judged is a run whose judge errs, with a person's label of the first trials.
func judged(w *world) *tally {
	const rate = 0.9
	return w.repeat(400, func(sum *tally) {
		var s stream
		for i := range 300 {
			truth := w.Float64() < rate
			passes := 0.1 // one minus the specificity, or the sensitivity
			if truth {
				passes = 0.95
			}
			one := trial{Test: "t", Attempt: i, Status: word(w.Float64() < passes)}
			if i < 100 {
				one.Truth = word(truth)
			}
			s.add(one)
		}
		l := ask[envelope](w, "report", w.save("r.ndjson", &s)).Summary.Labels
		sum.add(l.RoganGladen.misses(rate), l.Powered.misses(rate))
	})
}
