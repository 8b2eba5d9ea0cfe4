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

// gateNights has nights whose log odds vary together, and asks how often the build is red.
func gateNights(w *world) *tally {
	const tests, trials, nights, shared = 8, 4, 15, 0.5
	rate := func(test int, night float64) float64 {
		p := 0.9 + 0.012*float64(test)
		return 1 / (1 + math.Exp(-math.Log(p/(1-p))-shared*night))
	}
	truth := 0.
	for at := -5.; at <= 5; at += 0.01 { // the normal law of nights
		green := 1.
		for t := range tests {
			green *= math.Pow(rate(t, at), trials)
		}
		truth += (1 - green) * 0.01 * math.Exp(-at*at/2) / math.Sqrt(2*math.Pi)
	}
	return w.repeat(200, func(sum *tally) {
		args := []string{"audit", "gate", "--rule", "all"}
		for n := range nights {
			var s stream
			night := w.NormFloat64()
			for t := range tests {
				w.trials(&s, trial{Test: fmt.Sprint(t)}, trials, rate(t, night))
			}
			args = append(args, w.save(fmt.Sprint("night", n, ".ndjson"), &s))
		}
		sum.add(ask[gateAudit](w, args...).Build.Predicted.misses(truth))
	})
}

// gateAudit and testsAudit are what the referee reads of audits.
type (
	gateAudit struct {
		Build struct{ Predicted interval }
	}
	testsAudit struct {
		Tests []struct{ Says string }
	}
)

// soundTests has variants and tests of a logistic model, none of which is against the rest.
func soundTests(w *world) *tally {
	return w.repeat(100, func(sum *tally) {
		var s stream
		for v := range 16 {
			ability := w.NormFloat64()
			for t := range 30 {
				w.trials(&s, trial{Test: fmt.Sprint(t), Variant: fmt.Sprint(v)}, 4, 1/(1+math.Exp(float64(t-15)/10-ability)))
			}
		}
		for _, t := range ask[testsAudit](w, "audit", "tests", w.save("r.ndjson", &s)).Tests {
			sum.add(t.Says == "against the rest")
		}
	})
}
