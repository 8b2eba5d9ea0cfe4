package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/stats"
)

// compareLabels sets how well the judge agrees with labels of people, and the pass rate corrected for its errors.
func compareLabels(env *envelope.Envelope) {
	out := &envelope.Labels{Trials: env.Summary.Trials.Counted}
	categories := envelope.AnyTest(env.Tests, func(t *envelope.Test) bool { return t.Rows.Truth().Categories() })
	table := map[[2]int]int{} // of categories: the judge's, the label
	for i := range env.Tests {
		countLabels(out, env.Tests[i].Rows, categories, table)
	}
	if out.Labelled+out.Uncounted == 0 {
		return
	}
	env.Summary.Labels = out
	if categories {
		agreeOn(out, table, env.Policy.Confidence.V)
		return
	}
	of := stats.Judged{BothPass: out.BothPass, JudgeOnly: out.JudgeOnly, TruthOnly: out.LabelOnly, Neither: out.Neither}
	confidence := env.Policy.Confidence.V
	out.Sensitivity = rule.RateOf(of.BothPass, of.Positives(), confidence)
	out.Specificity = rule.RateOf(of.Neither, of.Negatives(), confidence)
	out.Truth = rule.RateOf(of.Positives(), of.N(), confidence)
	k := stats.CohenKappa(of.BothPass, of.JudgeOnly, of.TruthOnly, of.Neither, confidence)
	out.Kappa = estimate(stats.Part{Value: k.Kappa, Lo: k.Lo, Hi: k.Hi})
	passed := env.Summary.Trials.Passed - of.BothPass - of.JudgeOnly
	n := out.Trials - of.N()
	if x := stats.RoganGladenRate(passed, n, of, confidence); !math.IsNaN(x.Lo) {
		out.RoganGladen = &envelope.Rate{Value: x.Estimate, Lo: x.Lo, Hi: x.Hi, Method: "rogan-gladen, lang-reiczigel", Confidence: confidence}
	}
	if x := stats.PPIRate(passed, n, of, confidence); !math.IsNaN(x.Lo) {
		out.Powered = &envelope.Rate{Value: x.Estimate, Lo: x.Lo, Hi: x.Hi, Method: "prediction-powered", Confidence: confidence}
	}
	out.Notes = uncorrected(out, of)
	out.Threshold = cmp.Or(env.Policy.RunThreshold, env.Policy.Threshold)
	if raw := env.Summary.Rate.PerProtocol; out.Threshold.OK && raw != nil && out.Labelled > 0 {
		out.Verdicts = &envelope.RateVerdicts{Raw: gate.OfRate(raw, out.Threshold.V)}
		if out.RoganGladen != nil {
			out.Verdicts.RoganGladen = gate.OfRate(out.RoganGladen, out.Threshold.V)
		}
		if out.Powered != nil {
			out.Verdicts.Powered = gate.OfRate(out.Powered, out.Threshold.V)
		}
		if out.Labelled == out.Trials {
			out.Verdicts.Labels = gate.OfRate(out.Truth, out.Threshold.V)
		}
	}
}

// agreeOn says how far labels agree with the judge that are categories, equal or not.
func agreeOn(out *envelope.Labels, counts map[[2]int]int, confidence float64) {
	places := map[int]int{}
	for pair := range counts {
		for _, category := range pair {
			places[category] = 0
		}
	}
	for i, category := range slices.Sorted(maps.Keys(places)) {
		places[category] = i
	}
	table := make([][]int, len(places))
	for i := range table {
		table[i] = make([]int, len(places))
	}
	for pair, n := range counts {
		table[places[pair[0]]][places[pair[1]]] = n
		if pair[0] == pair[1] {
			out.Agree += n
		}
	}
	out.Categories = max(2, len(places))
	k := stats.CohenKappaOf(table, confidence)
	out.Kappa = estimate(stats.Part{Value: k.Kappa, Lo: k.Lo, Hi: k.Hi})
	out.Notes = []string{"no sensitivity, specificity or corrected rate: they need labels pass and fail, and these are categories"}
}

// countLabels counts the labelled trials of a test by who passed them, or by category.
func countLabels(out *envelope.Labels, rows *envelope.Rows, categories bool, table map[[2]int]int) {
	for i := range rows.Truth() {
		truth, outcome := rows.Truth().At(i), rows.Outcome[i]
		switch {
		case truth == "":
			continue
		case !outcome.Counted():
			out.Uncounted++
			continue
		case categories:
			label, _ := rows.Truth().Category(i)
			table[[2]int{int(rows.JudgedCategory(i)), label}]++
		case truth == envelope.Pass && outcome == envelope.Passed:
			out.BothPass++
		case truth == envelope.Pass:
			out.LabelOnly++
		case outcome == envelope.Passed:
			out.JudgeOnly++
		default:
			out.Neither++
		}
		out.Labelled++
	}
}

func estimate(p stats.Part) *envelope.Estimate {
	if math.IsNaN(p.Value) || math.IsNaN(p.Lo) || math.IsNaN(p.Hi) {
		return nil
	}
	return &envelope.Estimate{Value: p.Value, Lo: p.Lo, Hi: p.Hi}
}

func uncorrected(l *envelope.Labels, of stats.Judged) (notes []string) {
	switch {
	case l.Labelled == 0:
		return []string{"no correction: no trial that counts is labelled"}
	case l.Labelled == l.Trials:
		return []string{"no correction: every trial that counts is labelled, so the labels give the pass rate"}
	}
	if l.RoganGladen == nil {
		why := fmt.Sprintf("sensitivity and specificity add up to %.2f, so the judge is no better than a coin and cannot be corrected",
			of.Sensitivity()+of.Specificity())
		switch {
		case of.Positives() == 0:
			why = "no label is a pass, so the sensitivity is unknown"
		case of.Negatives() == 0:
			why = "no label is a fail, so the specificity is unknown"
		case of.Sensitivity()+of.Specificity() > 1:
			why = "with so few labels the judge may be no better than a coin"
		}
		notes = append(notes, "no correction by Rogan and Gladen: "+why)
	}
	if l.Powered == nil {
		notes = append(notes, "no prediction-powered correction: it needs at least two labels")
	}
	return notes
}

var verb = map[envelope.Status]string{envelope.Pass: "passes", envelope.Fail: "fails", envelope.Inconclusive: "is undecided"}

func judgeErrorProblems(env *envelope.Envelope) []envelope.Problem {
	l := env.Summary.Labels
	if l == nil || l.Verdicts == nil || !l.Verdicts.Turn() {
		return nil
	}
	by := func(r *envelope.Rate, status envelope.Status, method string) string {
		if r == nil || status == "" {
			return ""
		}
		return words.Percent(r.Value) + " % (" + method + ") " + verb[status]
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeJudgeErrs, Stage: envelope.StageJudge,
		Message: fmt.Sprintf("the verdict against %s depends on the judge's errors: %s; corrected by %s, %s",
			words.Level(l.Threshold.V), by(env.Summary.Rate.PerProtocol, l.Verdicts.Raw, "the judge's own"),
			words.Plural(l.Labelled, "label", "labels"), words.Join(" and ", by(l.RoganGladen, l.Verdicts.RoganGladen, "Rogan-Gladen"),
				by(l.Powered, l.Verdicts.Powered, "prediction-powered"), by(l.Truth, l.Verdicts.Labels, "labels alone"))+
				words.If(l.Labelled < l.Trials, "; label more trials"))}}
}

// measureVotes sets how much of the variation within tests is the judge's, for every check that was judged several times in a trial.
func measureVotes(env *envelope.Envelope) {
	byCheck, graded := map[string][][]stats.Cluster{}, map[string]int{}
	for i := range env.Tests {
		rows := env.Tests[i].Rows
		for c := range rows.Checks() {
			if column := &rows.Checks()[c]; column.Votes != nil {
				if trials := votesOf(rows, column); trials != nil {
					byCheck[column.Name] = append(byCheck[column.Name], trials)
					graded[column.Name] += gradedVotes(rows, column)
				}
			}
		}
	}
	for name, tests := range byCheck {
		v := stats.VotesOf(tests, env.Policy.Confidence.V)
		if math.IsNaN(v.Judge.Value) { // no trial was judged twice
			continue
		}
		if env.Summary.Votes == nil {
			env.Summary.Votes = map[string]envelope.VoteParts{}
		}
		ones := each.Of(slices.Concat(tests...), func(t stats.Cluster) []float64 { // the votes of a trial, 1 for a pass
			return slices.Concat(slices.Repeat([]float64{1}, t.Passed), make([]float64, t.N-t.Passed))
		})
		alpha := stats.KrippendorffAlpha(ones, stats.Nominal)
		env.Summary.Votes[name] = envelope.VoteParts{Trials: v.Trials, Votes: v.Votes, Judge: estimate(v.Judge), Agent: estimate(v.Agent),
			Share: estimate(v.Share),
			Alpha: envelope.Opt[float64]{V: alpha, OK: !math.IsNaN(alpha)}, Graded: graded[name]}
	}
}

// gradedVotes counts the trials with a vote that is neither 0 nor 1: the mean of their scores is not the share that passed.
func gradedVotes(rows *envelope.Rows, c *envelope.CheckColumn) (n int) {
	for i, outcome := range rows.Outcome {
		mean, votes, passed := c.Score.Opt(i), c.Votes.Opt(i), c.VotesPassed.Opt(i)
		if outcome.Counted() && mean.OK && math.Abs(mean.V*float64(votes.V)-float64(passed.V)) > 1e-9 {
			n++
		}
	}
	return n
}

// votesOf are the counted trials of a test in which a check was judged by votes.
func votesOf(rows *envelope.Rows, c *envelope.CheckColumn) (trials []stats.Cluster) {
	for i, outcome := range rows.Outcome {
		votes, passed := c.Votes.Opt(i), c.VotesPassed.Opt(i)
		if outcome.Counted() && votes.V > 0 {
			trials = append(trials, stats.Cluster{Passed: int(passed.V), N: int(votes.V)})
		}
	}
	return trials
}
