package main

import (
	"fmt"
	"math"
)

// stoppedRuns lets a sequential rule stop every test, keeps no trial after that, and asks
// for the rate of all.
func stoppedRuns(w *world) *tally {
	return w.repeat(400, func(sum *tally) {
		var whole, stopped stream
		trials := map[string][]trial{}
		for t := range 40 {
			of := trial{Test: fmt.Sprint(t), Adaptive: true}
			for of.Attempt = range 60 {
				of.Status = word(w.Float64() < []float64{0.98, 0.5}[t%2])
				whole.add(of)
				trials[of.Test] = append(trials[of.Test], of)
			}
		}
		rule := []string{"--rule", "anytime", "--threshold", "0.9"}
		for _, t := range ask[envelope](w, append([]string{"report", w.save("whole.ndjson", &whole)}, rule...)...).Tests {
			n := 60
			if at := t.Verdict.StoppedAt; at != nil {
				n = *at
			}
			for _, one := range trials[t.Test][:n] {
				stopped.add(one)
			}
		}
		rate := ask[envelope](w, append([]string{"report", w.save("stopped.ndjson", &stopped)}, rule...)...).Summary.Stopped.Rate
		sum.add(rate.above(0.74), rate.below(0.74))
	})
}

// plan is what the referee reads of a plan.
type plan struct {
	Difference struct {
		Unpaired struct{ Exact struct{ Trials int } }
	}
	Decision struct {
		Sizes []struct {
			Effort  struct{ Trials int }
			Chances []struct{ Rate, Pass float64 }
		}
	}
}

// detected compares tests of as many trials as the plan asks for to see a fall.
func detected(w *world) *tally {
	trials := ask[plan](w, "plan", "--detect", "0.9:0.7").Difference.Unpaired.Exact.Trials
	var base, candidate stream
	for t := range w.times(2000) {
		w.trials(&base, trial{Test: fmt.Sprint(t)}, trials, 0.9)
		w.trials(&candidate, trial{Test: fmt.Sprint(t)}, trials, 0.7)
	}
	var sum tally
	for _, t := range w.compare(&base, &candidate, "--adjust", "none", "--pairing", "none").Contrasts[0].Tests {
		sum.add(t.State != "regressed")
	}
	return &sum
}

// planned holds the chances of a plan to the verdicts of as many trials.
func planned(w *world) *tally {
	rule := []string{"--rule", "exact", "--threshold", "0.9"}
	size := ask[plan](w, append([]string{"plan", "--trials", "50", "--expect", "0.97"}, rule...)...).Decision.Sizes[0]
	var sum tally
	for _, chance := range size.Chances[len(size.Chances)-6:] {
		var s stream
		n, passed := w.times(4000), 0
		for t := range n {
			w.trials(&s, trial{Test: fmt.Sprint(t)}, size.Effort.Trials, chance.Rate)
		}
		for _, t := range ask[envelope](w, append([]string{"report", w.save("r.ndjson", &s)}, rule...)...).Tests {
			if t.Status == "pass" {
				passed++
			}
		}
		off := math.Abs(float64(passed) - float64(n)*chance.Pass)
		sum.add(off > 4*math.Sqrt(float64(n)*chance.Pass*(1-chance.Pass)))
	}
	return &sum
}

// voted has trials of some quality each, and votes that pass as often.
func voted(w *world) *tally {
	const rate, icc = 0.7, 0.3
	agent := icc * rate * (1 - rate)
	judge := rate*(1-rate) - agent
	return w.repeat(400, func(sum *tally) {
		var s stream
		for t := range 20 {
			for i := range 10 {
				one, quality := trial{Test: fmt.Sprint(t), Attempt: i, Status: "pass"}, w.beta(rate, icc)
				for vote := range 3 {
					one.Checks = append(one.Checks, check{"right", word(w.Float64() < quality), vote})
				}
				s.add(one)
			}
		}
		v := ask[envelope](w, "report", w.save("r.ndjson", &s)).Summary.Votes["right"]
		sum.add(v.Judge.misses(judge), v.Agent.misses(agent), v.Share.misses(judge/(judge+agent)))
	})
}
