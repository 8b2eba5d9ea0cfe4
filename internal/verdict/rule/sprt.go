package rule

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

var sprtRule = Rule{
	Name: "sprt", Doc: "tests threshold against threshold - gap (Wald); stops at the first boundary, but later trials can withdraw a pass",
	ThreeWay: true, Sequential: true, Reports: "mean", Fill: fillSequential, Check: checkSPRT, Judge: judgeSPRT, Counts: countsSPRT,
	Onward: onwardSPRT, Hypotheses: hypothesesSPRT,
	Asks: asksSequential("sprt", hypothesesSPRT), Explains: explainHypotheses,
}

// fillSequential gives the hypotheses and error rates of sequential rules.
func fillSequential(p *envelope.Policy) {
	p.Gap, p.Beta, p.Alpha = envelope.Some(p.Gap.Or(defaultGap)), envelope.Some(p.Beta.Or(0.20)),
		envelope.Some(p.Alpha.Or(complement(p.Confidence.V)))
}

func sprtOf(p envelope.Policy) (stats.SPRT, error) {
	return stats.NewSPRT(p.Threshold.V, p.Gap.V, p.Alpha.V, p.Beta.V)
}

func checkSPRT(p envelope.Policy) error {
	if err := needThreshold(p); err != nil {
		return err
	}
	if t := p.Threshold.V; t < 0.02 || t > 0.999 {
		return &policy.KeyError{Key: "threshold", Value: words.Number(t), Text: "is out of range for rule sprt: give 0.02 to 0.999"}
	}
	_, err := sprtOf(p)
	return err
}

func hypothesesSPRT(p envelope.Effective) *envelope.Hypotheses {
	test, _ := sprtOf(p.Policy) // Resolve checked it
	return &envelope.Hypotheses{P0: test.P0, P1: test.P1, Alpha: test.Alpha, Beta: test.Beta}
}

func countsSPRT(p envelope.Effective) Decide {
	test, _ := sprtOf(p.Policy) // Resolve checked it
	return test.Decide
}

// onwardSPRT keeps what it stopped with, and a pass as long as the trials after
// it do not contradict it.
func onwardSPRT(s *Sample, p envelope.Effective) Decide {
	test, _ := sprtOf(p.Policy) // Resolve checked it
	before := test.Run(s.Outcomes)
	return func(passed, failed int) stats.Decision {
		switch later := before.Later; before.Decision {
		case stats.Fail:
			return stats.Fail
		case stats.Pass:
			if test.Contradicts(test.Later(later.Passed+passed, later.Trials+passed+failed)) {
				return stats.Undecided
			}
			return stats.Pass
		}
		return test.Decide(s.Passed+passed, s.N()-s.Passed+failed)
	}
}

func judgeSPRT(s *Sample, p envelope.Effective) Judgement {
	test, err := sprtOf(p.Policy)
	if err != nil { // Resolve checked it
		return Judgement{Status: envelope.Inconclusive, Verdict: envelope.Verdict{Reason: err.Error()}}
	}
	r := test.Run(s.Outcomes)
	j := sequential(r.Decision, r.Trials, p)
	lo, hi := wilsonInterval(s.Passed, s.N(), p.Confidence.V)
	j.Verdict.Interval = &envelope.Interval{Lo: lo, Hi: hi, Method: "wilson (descriptive)"}
	j.Verdict.Statistic = envelope.Some(r.LLR)
	j.Verdict.ValidUnderPeeking = envelope.Some(true)
	j.Verdict.Hypotheses = hypothesesSPRT(p)
	j.Verdict.Evidence = []envelope.Evidence{evidence("log_likelihood_ratio", r.Trials, test.Path(s.Outcomes[:r.Trials]))}
	j.Verdict.Evidence[0].FailAt, j.Verdict.Evidence[0].PassAt = envelope.Some(r.Lower), envelope.Some(r.Upper)
	between := fmt.Sprintf("log-likelihood ratio %.3f between %.3f and %.3f", r.LLR, r.Lower, r.Upper)
	switch r.Decision {
	case stats.Pass:
		between = fmt.Sprintf("log-likelihood ratio %.3f reached %.3f", r.LLR, r.Upper)
	case stats.Fail:
		between = fmt.Sprintf("log-likelihood ratio %.3f reached %.3f", r.LLR, r.Lower)
	}
	j.Verdict.Reason = fmt.Sprintf("%s (%s with %s passed)", shown(r.Decision, r.Trials, j.Verdict.Hypotheses), between,
		words.Of(r.Passed, r.Trials, "trial", "trials"))
	if r.Decision == stats.Pass && test.Contradicts(r.Later) {
		contradict(&j, r.Later, test.Alpha)
	}
	return j
}

// contradict takes a pass back that the trials after the stop do not bear. Both
// numbers stay: where the test stopped, and what came after.
func contradict(j *Judgement, later stats.Later, alpha float64) {
	j.Status = envelope.Inconclusive
	j.Verdict.Contradicted = &envelope.Contradicted{N: later.Trials, Passed: later.Passed, PValue: later.P, Level: alpha}
	j.Verdict.Reason += fmt.Sprintf("; contradicted-after-stop: only %s passed. A rate of %s or more gives so few with "+
		"probability %s, below the limit of %s",
		words.Of(later.Passed, later.Trials, "later trial", "later trials"), words.Number(j.Verdict.Threshold.V),
		words.Distinct(later.P, 'g', 3, alpha), words.Number(alpha))
}

// sequential records what both sequential rules share.
func sequential(d stats.Decision, at int, p envelope.Effective) Judgement {
	j := Judgement{Status: StatusOf(d)}
	if d != stats.Undecided {
		j.Verdict.StoppedAt = envelope.Some(at)
	}
	j.Verdict.Threshold, j.Verdict.Confidence = p.Threshold, p.Confidence
	return j
}

// shown says what a sequential test has shown, and after how many trials. A pass
// rejects the lower of its two rates, a fail the threshold: between them both are right.
func shown(d stats.Decision, trials int, h *envelope.Hypotheses) string {
	after := " after " + words.Plural(trials, "trial", "trials") + ": "
	below, above := "below "+words.Number(h.P0), "above "+words.Number(h.P1)
	switch d {
	case stats.Pass:
		return "stopped with a pass" + after + "a rate " + above + " is shown"
	case stats.Fail:
		return "stopped with a fail" + after + "a rate " + below + " is shown"
	}
	return "not decided" + after + "neither a rate " + above + " nor one " + below + " is shown yet"
}

// maxPath bounds the points of a path, so that a report of a million trials
// stays one that can be opened.
const maxPath = 500

// evidence thins a path to its every Step-th point and the last.
func evidence(name string, trials int, path []float64) envelope.Evidence {
	step := max(1, (trials+maxPath-1)/maxPath)
	e := envelope.Evidence{Name: name, Step: step}
	for i := step - 1; i < len(path)-1; i += step {
		e.Path = append(e.Path, path[i])
	}
	if len(path) > 0 {
		e.Path = append(e.Path, path[len(path)-1])
	}
	return e
}
