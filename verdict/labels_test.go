package verdict

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// labelledTrials are trials of one test: a letter each of what the judge said, and of a person's label, . for none.
func labelledTrials(said, labels string) []envelope.Trial {
	status := map[byte]envelope.Status{'P': envelope.Pass, 'F': envelope.Fail, 'S': envelope.Skip, '.': ""}
	var out []envelope.Trial
	for i := range len(said) {
		out = append(out, envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(i)), Status: status[said[i]], Truth: status[labels[i]]})
	}
	return out
}

func times(letter string, n int) string { return strings.Repeat(letter, n) }

// TestLabels holds the report to vectors of PRACTICE (checked against R's asht::prevSeSp,
// ppi_py and statsmodels), which are worked examples of docs/statistics/judge.md as well: 45 of 90
// unlabelled trials pass and the judge never erred on 50 labels; 8 of 14, and 39, 6, 27, 9.
func TestLabels(t *testing.T) {
	said := times("P", 45) + times("F", 45) + times("P", 25) + times("F", 25)
	e := sealed(t, labelledTrials(said, times(".", 90)+times("P", 25)+times("F", 25)), envelope.Policy{RunThreshold: envelope.Some(0.3)})
	l := e.Summary.Labels
	if l == nil || l.Labelled != 50 || l.Trials != 140 || l.BothPass != 25 || l.Neither != 25 || l.JudgeOnly+l.LabelOnly+l.Uncounted != 0 {
		t.Fatalf("%+v", l)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 5e-5 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("sensitivity", l.Sensitivity.Value, 1)
	near("its bound", l.Sensitivity.Lo, 25/(25+1.96*1.96)) // Wilson's of all of n is n/(n+z²)
	near("kappa", l.Kappa.Value, 1)
	near("the rate by labels", l.Truth.Value, 0.5)
	near("Rogan-Gladen", l.RoganGladen.Value, 0.5)
	if !(l.RoganGladen.Lo <= 0.3780+5e-5 && l.RoganGladen.Hi >= 0.6220-5e-5) {
		t.Errorf("%+v does not hold Lang and Reiczigel's 0.3780 to 0.6220", l.RoganGladen)
	}
	near("prediction-powered", l.Powered.Value, 0.5)
	near("its lower bound", l.Powered.Lo, 0.4065)
	near("its upper bound", l.Powered.Hi, 0.5935)
	if v := l.Verdicts; v == nil || *v != (envelope.RateVerdicts{Raw: envelope.Pass, RoganGladen: envelope.Pass, Powered: envelope.Pass}) || v.Turn() || problemOf(e, envelope.CodeJudgeErrs) != nil {
		t.Errorf("%+v, %v", v, e.Problems)
	}
	// Cohen's kappa of 46, 3, 14, 17 is 0.5211.
	said = times("P", 46) + times("P", 3) + times("F", 14) + times("F", 17) + "PF"
	e = sealed(t, labelledTrials(said, times("P", 46)+times("F", 3)+times("P", 14)+times("F", 17)+".."), envelope.Policy{})
	near("kappa", e.Summary.Labels.Kappa.Value, 0.5211)
	if v := e.Summary.Labels.Verdicts; v != nil {
		t.Errorf("a verdict against no threshold: %+v", v)
	}
}

// TestLabelsTurnTheVerdict: a judge that passes 40 of 50 bad trials passes 92 of 100 of an
// agent at 60 %: the warning names both rates and their verdicts.
func TestLabelsTurnTheVerdict(t *testing.T) {
	said := times("P", 184) + times("F", 16) + times("P", 60) + times("P", 32) + times("F", 8)
	e := sealed(t, labelledTrials(said, times(".", 200)+times("P", 60)+times("F", 40)), envelope.Policy{RunThreshold: envelope.Some(0.8)})
	l := e.Summary.Labels
	if l.Verdicts.Raw != envelope.Pass || l.Verdicts.Powered != envelope.Fail || !l.Verdicts.Turn() {
		t.Errorf("%+v", l.Verdicts)
	}
	problem := problemOf(e, envelope.CodeJudgeErrs)
	if problem == nil {
		t.Fatalf("no warning: %v", e.Problems)
	}
	says := problem.Message
	for _, want := range []string{"depends on the judge's errors: 92 % (the judge's own) passes", "100 labels", "(prediction-powered) fails"} {
		if !strings.Contains(says, want) {
			t.Errorf("%q does not say %q", says, want)
		}
	}
}

// TestLabelsOfAllTrialsTurnTheVerdict: where every trial is labelled there is nothing to be
// corrected, and 30 passes of 50 labels, 0.462 to 0.724 by Wilson (prop.test without
// correction of R 4.2.2), fail a threshold that 50 of 50 by the judge, 0.929 to 1, pass.
func TestLabelsOfAllTrialsTurnTheVerdict(t *testing.T) {
	e := sealed(t, labelledTrials(times("P", 50), times("P", 30)+times("F", 20)), envelope.Policy{RunThreshold: envelope.Some(0.8)})
	if v := e.Summary.Labels.Verdicts; *v != (envelope.RateVerdicts{Raw: envelope.Pass, Labels: envelope.Fail}) || !v.Turn() {
		t.Errorf("%+v", v)
	}
	problem := problemOf(e, envelope.CodeJudgeErrs)
	if problem == nil || !strings.Contains(problem.Message, "60 % (labels alone) fails") {
		t.Errorf("%+v", problem)
	}
	agreed := sealed(t, labelledTrials(times("P", 50), times("P", 50)), envelope.Policy{RunThreshold: envelope.Some(0.8)})
	if v := agreed.Summary.Labels.Verdicts; v.Labels != envelope.Pass || v.Turn() || problemOf(agreed, envelope.CodeJudgeErrs) != nil {
		t.Errorf("labels that all agree: %+v", v)
	}
}

// TestLabelsThatCorrectNothing: what cannot be corrected says why.
func TestLabelsThatCorrectNothing(t *testing.T) {
	for _, c := range []struct {
		said, labels, why string
		rogan, powered    bool
	}{
		{"PPPPFF", "PP....", "no label is a fail, so the specificity is unknown", false, true},
		{"PPFFFF", "..FF..", "no label is a pass, so the sensitivity is unknown", false, true},
		{"PFPFPP", "PPFF..", "no better than a coin", false, true},
		{"PF", "PF", "every trial that counts is labelled", false, false},
		{"PS", ".P", "no trial that counts is labelled", false, false},
		{"PPFF", "P...", "it needs at least two labels", false, false},
		{"PPFFPF", "PPFF..", "", true, true},
	} {
		l := sealed(t, labelledTrials(c.said, c.labels), envelope.Policy{}).Summary.Labels
		if l == nil || (l.RoganGladen != nil) != c.rogan || (l.Powered != nil) != c.powered || !strings.Contains(strings.Join(l.Notes, "; "), c.why) || (c.why == "") != (len(l.Notes) == 0) {
			t.Errorf("%s labelled %s: %+v", c.said, c.labels, l)
		}
	}
	if e := sealed(t, labelledTrials("PF", ".."), envelope.Policy{}); e.Summary.Labels != nil || e.Tests[0].Rows.Truth() != nil {
		t.Errorf("labels of nobody: %+v", e.Summary.Labels)
	}
}

// votedTrials are trials of two tests with labels and a check that is judged by votes.
func votedTrials() []envelope.Trial {
	var out []envelope.Trial
	for i, votes := range []string{"11", "10", "11", "01"} {
		trial := envelope.Trial{Key: envelope.Key{Test: "ab"[i/2 : i/2+1]}, Run: "r", Attempt: envelope.Some(int32(i % 2)), Status: envelope.Pass}
		if i%2 == 0 {
			trial.Truth = envelope.Fail
		}
		for k, vote := range votes {
			status := envelope.Fail
			if vote == '1' {
				status = envelope.Pass
			}
			trial.Checks = append(trial.Checks, envelope.Check{Name: "right", Status: status, Vote: envelope.Some(int32(k))})
		}
		out = append(out, trial)
	}
	return out
}

// TestVotes by hand, as in docs/statistics/judge.md: two tests of two trials judged 2/2 and 1/2
// vary by 0.25 within trials, and nothing more between those of a test.
func TestVotes(t *testing.T) {
	e := sealed(t, votedTrials(), envelope.Policy{})
	v, ok := e.Summary.Votes["right"]
	if !ok || v.Trials != 4 || v.Votes != 8 || v.Judge.Value != 0.25 || v.Agent.Value != 0 || v.Share.Value != 1 {
		t.Errorf("%+v", e.Summary.Votes)
	}
	once := votedTrials()
	for i := range once {
		once[i].Checks = once[i].Checks[:1]
	}
	if e := sealed(t, once, envelope.Policy{}); e.Summary.Votes != nil {
		t.Errorf("judged once: %+v", e.Summary.Votes)
	}
}

// TestLabelsAndVotesInAnyOrder: in whatever order trials come, the envelope is the same to the byte.
func TestLabelsAndVotesInAnyOrder(t *testing.T) {
	held := resolved(t, envelope.Policy{})
	write := func(trials []envelope.Trial) string {
		b := count.NewBuilder(5, held.ScoreThreshold.V)
		in := b.Input("in", "native")
		for i := range trials {
			in.Trial(&trials[i])
		}
		in.Close()
		return published(t, b.Run(held.OnConflict, 5), held)
	}
	want := write(votedTrials())
	for _, part := range []string{`"truth":"F."`, `"votes":[2,2]`, `"votes_passed":[2,1]`} {
		if !strings.Contains(want, part) {
			t.Errorf("no %s in %s", part, want)
		}
	}
	r := rand.New(rand.NewPCG(4, 20))
	for range 5 {
		trials := votedTrials()
		r.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		if got := write(trials); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

// TestLabelsOfCategories: the table of Fleiss, Levin and Paik (2003), 18.1, whose kappa is
// .676. What needs pass and fail is not made up from three categories, and says so.
func TestLabelsOfCategories(t *testing.T) {
	var trials []envelope.Trial
	for judge, row := range [][]int{{75, 1, 4}, {5, 4, 1}, {0, 0, 10}} {
		for label, n := range row {
			for range n {
				truth, _ := envelope.ParseTruth(string(rune('0' + label)))
				trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(len(trials))), Status: envelope.Pass,
					Category: envelope.Some(int32(judge)), Truth: truth})
			}
		}
	}
	l := sealed(t, trials, envelope.Policy{RunThreshold: envelope.Some(0.5)}).Summary.Labels
	if l.Labelled != 100 || l.Categories != 3 || l.Agree != 89 || math.Abs(l.Kappa.Value-0.23/0.34) > 1e-12 || math.Abs(l.Kappa.Lo-0.5046) > 1e-4 {
		t.Errorf("%+v, kappa %+v", l, l.Kappa)
	}
	if l.Sensitivity != nil || l.Specificity != nil || l.Truth != nil || l.RoganGladen != nil || l.Powered != nil || l.Verdicts != nil || len(l.Notes) != 1 {
		t.Errorf("%+v: of three categories none is the one that passed", l)
	}
	// A judge that gives no category is one of pass and fail, which agrees on 0 and 1 alone.
	for i := range trials {
		trials[i].Category = envelope.Opt[int32]{}
	}
	if l = sealed(t, trials, envelope.Policy{}).Summary.Labels; l.Agree != 5 || l.Categories != 3 {
		t.Errorf("%+v: all passed, and 5 labels are 1", l)
	}
}

// TestGradedVotes: votes of 0, 0.5 and 1 are cut at the score threshold, which is said.
func TestGradedVotes(t *testing.T) {
	vote := func(scores ...float64) (checks []envelope.Check) {
		for i, s := range scores {
			checks = append(checks, envelope.Check{Name: "tone", Vote: envelope.Some(int32(i)), Score: envelope.Some(s)})
		}
		return checks
	}
	for want, checks := range map[int][]envelope.Check{0: vote(1, 0, 1), 1: vote(1, 0.5, 0)} {
		e := sealed(t, []envelope.Trial{{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, Checks: checks}}, envelope.Policy{})
		if got := e.Summary.Votes["tone"].Graded; got != want {
			t.Errorf("%+v: %d trials with votes between, want %d", checks, got, want)
		}
	}
}
