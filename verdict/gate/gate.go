package gate

import (
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
)

// The exit codes.
const (
	ExitOK           = 0 // nothing failed
	ExitFailed       = 1 // a test failed or errored, or a gate did not hold
	ExitUnusable     = 2 // usage, unreadable input, malformed records, an output that could not be written
	ExitInconclusive = 3 // nothing failed, something is inconclusive, and treat_as is exit3
	ExitNothing      = 4 // of tribunal next: nothing is left that may be run
)

// lenient lists the problems that `lenient` forgives: records that could not be
// read whole, and those that never came.
var lenient = map[string]bool{
	envelope.CodePlanned:   true,
	envelope.CodeMalformed: true, envelope.CodeTruncated: true, envelope.CodeLineTooLong: true, envelope.CodeField: true,
}

// doubtful lists the problems that put the run itself in doubt. They are
// warnings, and errors under a strict policy.
var doubtful = map[string]bool{
	envelope.CodeSameInput: true, envelope.CodeDuplicate: true, envelope.CodeConflict: true, envelope.CodeReplaced: true, envelope.CodeHeaders: true,
	envelope.CodeGaps: true, envelope.CodeSameRun: true, envelope.CodeCached: true, envelope.CodeClock: true,
	envelope.CodeUnused: true,
}

// Of turns verdicts and problems into the exit code: a failure wins over unusable
// input, that over inconclusive. A run whose journal was changed is unusable. cannotPass says why no test at all could have
// passed, however its trials had turned out; undecided, how many tests a limit left
// without a certain verdict; both are empty where there are none. ruled reports a test, by its place, for which an override names a rule.
func Of(env *envelope.Envelope, cannotPass, undecided string, ruled func(test int) bool) envelope.Gate {
	g := envelope.Gate{Status: envelope.Pass, Reasons: []string{}, Notices: notices(env, cannotPass, undecided)}
	s, ignored := counting(env, ruled)
	broken := Broken(env.Problems, env.Policy.Policy)
	inconclusive := words.Plural(s.Inconclusive, "test is", "tests are") + " inconclusive"
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
	run, judged := whole(env)
	if judged {
		if ignored > 0 {
			run.Saw += "; only the run is judged, not its " + words.Plural(ignored, "failed test", "failed tests") + ": add --rule to judge both"
		}
		g.Gates = append(g.Gates, run)
		raise(run.Status == envelope.Fail, envelope.Fail, ExitFailed, run.Unheld())
		raise(run.Status == envelope.Inconclusive && env.Policy.TreatAs == policy.TreatFail, envelope.Fail, ExitFailed, "the run is inconclusive: "+run.Saw+envelope.TreatedAsFailed)
	}
	raise(s.Fail > 0, envelope.Fail, ExitFailed, words.Plural(s.Fail, "test", "tests")+" failed")
	raise(s.Error > 0, envelope.Fail, ExitFailed, words.Plural(s.Error, "test", "tests")+" errored")
	raise(s.Inconclusive > 0 && env.Policy.TreatAs == policy.TreatFail, envelope.Fail, ExitFailed, inconclusive+envelope.TreatedAsFailed)
	own := evaluate(env)
	g.Gates = append(g.Gates, own...)
	for _, result := range own {
		raise(result.Status == envelope.Fail, envelope.Fail, ExitFailed, result.Unheld())
		raise(result.Status == envelope.Inconclusive && env.Policy.TreatAs == policy.TreatFail, envelope.Fail, ExitFailed, result.Undecided()+envelope.TreatedAsFailed)
	}
	g.InputErrors = broken
	raise(broken > 0, envelope.Error, ExitUnusable, words.Plural(broken, "error", "errors")+" in the input")
	for _, n := range g.Notices {
		raise(env.Policy.Strict.V && doubtfulNotices[n.Says], envelope.Error, ExitUnusable, n.String())
	}
	raise(judged && run.Status == envelope.Inconclusive && env.Policy.TreatAs == policy.TreatExit3, envelope.Inconclusive, ExitInconclusive, "the run is inconclusive: "+run.Saw)
	for _, result := range own {
		raise(result.Status == envelope.Inconclusive && env.Policy.TreatAs == policy.TreatExit3, envelope.Inconclusive, ExitInconclusive, result.Undecided())
	}
	raise(s.Inconclusive > 0 && env.Policy.TreatAs == policy.TreatExit3, envelope.Inconclusive, ExitInconclusive, inconclusive)
	return g
}

// counting is the numbers of tests without those that are excused and the failed ones
// that are ignored, as the run alone is judged and nobody named a rule for them. A test
// that errored is not ignored: it is not, or not wholly, in the rate of the run.
func counting(env *envelope.Envelope, ruled func(test int) bool) (c envelope.Counts, ignored int) {
	c = env.Summary.Counts
	alone := env.RunJudgedAlone()
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

// Broken counts the errors of the input that a policy, or a layer of one, does not
// forgive: any makes the exit code ExitUnusable, unless something failed.
func Broken(problems []envelope.Problem, policy envelope.Policy) int {
	n := 0
	for _, p := range problems {
		if Breaks(p, policy) {
			n += max(1, p.Count)
		}
	}
	return n
}

// Breaks reports whether a problem is an error that a policy does not forgive.
func Breaks(p envelope.Problem, policy envelope.Policy) bool {
	counts := p.Severity == envelope.SeverityError || policy.Strict.V && doubtful[p.Code]
	return counts && !(policy.Lenient.V && lenient[p.Code])
}
