// Package gate turns the verdicts and problems of a run into an exit code and the line that says why.
//
// All that can fail a build is here: the exit codes, the problems of the input that count
// under a policy, and the conditions of a policy on the run or on each test. A condition is an
// expression over dot paths of the envelope. It has no loops and cannot see anything else.
//
// Packages verdict and rule decide the status of tests.
package gate

import (
	"slices"

	"tribunal/envelope"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/policy"
)

// Exit codes of the program.
const (
	ExitOK           = 0 // nothing failed
	ExitFailed       = 1 // a test failed or errored, or a gate did not hold
	ExitUnusable     = 2 // usage, unreadable input, malformed records, an output that could not be written
	ExitInconclusive = 3 // nothing failed, something is inconclusive, and treat_as is exit3
	ExitNothing      = 4 // tribunal next: nothing is left to run
)

// lenient has the problems that `lenient` accepts: malformed and missing records.
var lenient = map[string]bool{
	envelope.CodePlanned:   true,
	envelope.CodeMalformed: true, envelope.CodeTruncated: true, envelope.CodeLineTooLong: true, envelope.CodeField: true,
}

// doubtful has the warnings that put the run in doubt. They are errors under `strict`.
var doubtful = map[string]bool{
	envelope.CodeSameInput: true, envelope.CodeDuplicate: true, envelope.CodeConflict: true, envelope.CodeReplaced: true,
	envelope.CodeHeaders: true, envelope.CodeGaps: true, envelope.CodeSameRun: true, envelope.CodeCached: true,
	envelope.CodeClock: true, envelope.CodeUnused: true,
}

// Of returns the gate of a judged run, with its exit code. A changed journal wins over a failure, a failure over unusable
// input, and that over inconclusive. cannotPass says why no test could pass, undecided how many tests a limit left
// undecided; both may be "". ruled reports whether an override names the rule of a test, by its place.
func Of(env *envelope.Envelope, cannotPass, undecided string, ruled func(test int) bool) envelope.Gate {
	g := envelope.Gate{Status: envelope.Pass, Reasons: []string{}, Notices: notices(env, cannotPass, undecided)}
	s, ignored := counting(env, ruled)
	broken := Broken(env.Problems, env.Policy.Policy)
	inconclusive := words.Plural(s.Inconclusive, "test is", "tests are") + " undecided"
	raise := func(applies bool, status envelope.Status, code int, reason string) {
		if !applies {
			return
		}
		g.Reasons = append(g.Reasons, reason)
		if g.ExitCode == ExitOK {
			g.Status, g.ExitCode = status, code
		}
	}
	changed := slices.ContainsFunc(env.Problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeJournal })
	raise(changed, envelope.Error, ExitUnusable, "the journal of the run was changed by another program")
	asFail, asExit3 := env.Policy.TreatAs == policy.TreatFail, env.Policy.TreatAs == policy.TreatExit3
	run, judged := whole(env)
	if judged {
		run.Saw += words.If(ignored > 0, envelope.OnlyRunJudged+": --rule all would also fail "+words.Plural(ignored, "test", "tests"))
		g.Gates = append(g.Gates, run)
		raise(run.Status == envelope.Fail, envelope.Fail, ExitFailed, run.Unheld())
		raise(run.Status == envelope.Inconclusive && asFail, envelope.Fail, ExitFailed, "the run is undecided"+envelope.TreatedAsFailed)
	}
	raise(s.Fail > 0, envelope.Fail, ExitFailed, words.Plural(s.Fail, "test", "tests")+" failed")
	notRun := env.Summary.NotRun
	raise(s.Error > notRun, envelope.Fail, ExitFailed, words.Plural(s.Error-notRun, "test", "tests")+" errored")
	raise(notRun > 0, envelope.Fail, ExitFailed, words.Plural(notRun, "test was", "tests were")+" not run")
	raise(s.Inconclusive > 0 && asFail, envelope.Fail, ExitFailed, inconclusive+envelope.TreatedAsFailed)
	own := evaluate(env)
	g.Gates = append(g.Gates, own...)
	for _, result := range own {
		raise(result.Status == envelope.Fail, envelope.Fail, ExitFailed, result.Unheld())
		raise(result.Status == envelope.Inconclusive && asFail, envelope.Fail, ExitFailed, result.Undecided()+envelope.TreatedAsFailed)
	}
	g.InputErrors = broken
	raise(broken > 0, envelope.Error, ExitUnusable, why.Unusable(broken, env.Problems))
	for _, n := range g.Notices {
		raise(env.Policy.Strict.V && doubtfulNotices[n.Says], envelope.Error, ExitUnusable, n.String())
	}
	raise(judged && run.Status == envelope.Inconclusive && asExit3, envelope.Inconclusive, ExitInconclusive,
		"the run is undecided: "+run.Saw)
	for _, result := range own {
		raise(result.Status == envelope.Inconclusive && asExit3, envelope.Inconclusive, ExitInconclusive, result.Undecided())
	}
	raise(s.Inconclusive > 0 && asExit3, envelope.Inconclusive, ExitInconclusive, inconclusive)
	return g
}

// counting returns the counts of tests without excused ones. If only the run is judged, it
// also ignores failed tests without a rule of their own, and returns how many. It never
// ignores errors, because the rate of the run does not include them.
func counting(env *envelope.Envelope, ruled func(test int) bool) (c envelope.Counts, ignored int) {
	c = env.Summary.Counts
	alone := env.Policy.RunJudgedAlone()
	for i := range env.Tests {
		t := &env.Tests[i]
		switch excused := t.Excused(); {
		case t.Status == envelope.Fail && excused:
			c.Fail--
		case t.Status == envelope.Inconclusive && excused:
			c.Inconclusive--
		case t.Status == envelope.Fail && alone && !ruled(i):
			c.Fail--
			ignored++
		}
	}
	return c, ignored
}

// Broken counts the errors of the input that the policy does not accept. Any makes the exit code ExitUnusable, unless a test failed.
func Broken(problems []envelope.Problem, policy envelope.Policy) int {
	n := 0
	for _, p := range problems {
		if Breaks(p, policy) {
			n += max(1, p.Count)
		}
	}
	return n
}

// Breaks reports whether a problem is an error that the policy does not accept.
func Breaks(p envelope.Problem, policy envelope.Policy) bool {
	counts := p.Severity == envelope.SeverityError || policy.Strict.V && doubtful[p.Code]
	return counts && !(policy.Lenient.V && lenient[p.Code])
}
