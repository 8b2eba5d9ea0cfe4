package compare

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
)

// The codes of problems that show only when runs are compared.
const (
	CodeNothingShared = "nothing-shared" // no test is on both sides
	CodeRetries       = "retries-left-out"
	CodeExcluded      = "excluded-trials"
	CodeBetween       = "between-runs" // whose variance could not be estimated
	CodeScores        = "scores"       // that were not compared
	CodeLate          = "late-tests"   // of a sequential comparison
)

// findOwn finds the problems of the comparison itself.
func (c *Comparison) findOwn(base Input, candidates []Input) {
	for i, candidate := range candidates {
		c.own = append(c.own, policies(base.Envelope.Policy, candidate.Envelope.Policy)...)
		c.own = append(c.own, c.Contrasts[i].odd()...)
		c.own = append(c.own, c.Contrasts[i].ofRuns(base, candidate)...)
		c.own = append(c.own, c.Contrasts[i].ofScores()...)
		if x := c.Contrasts[i]; x.Summary.Tests == 0 && c.Base.Tests > 0 && x.Candidate.Tests > 0 {
			c.own = append(c.own, c.nothingShared(&x))
		}
	}
}

// allProblems are those of both sides and of the comparison itself.
func (c *Comparison) allProblems(base Input, candidates []Input) []envelope.Problem {
	out := append(slices.Clone(c.own), ProblemsOf("base", base)...)
	for _, candidate := range candidates {
		word := "candidate"
		if c.By != "" {
			word = candidate.Name
		}
		out = append(out, ProblemsOf(word, candidate)...)
	}
	return envelope.SortProblems(append([]envelope.Problem{}, out...))
}

// ProblemsOf are those of one run that concern a comparison: not advice on its rule. One
// that names no input says whose it is.
func ProblemsOf(word string, in Input) []envelope.Problem {
	out := slices.DeleteFunc(slices.Clone(in.Envelope.Problems), func(p envelope.Problem) bool { return p.Code == envelope.CodeAdvice })
	for i := range out {
		if out[i].Input == "" {
			out[i].Message = word + ": " + out[i].Message
		}
	}
	return out
}

// odd is what makes the comparison say less than it seems to.
func (c *Contrast) odd() []envelope.Problem {
	var out []envelope.Problem
	say := func(severity envelope.Severity, code, format string, args ...any) {
		out = append(out, envelope.Problem{Severity: severity, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	base, candidate := c.trials()
	if base.Retries+candidate.Retries > 0 {
		say(envelope.SeverityInfo, CodeRetries, "retries are left out of the comparison, because they ran only after a failure: %d of base, %d of %s",
			base.Retries, candidate.Retries, c.Candidate.Name)
	}
	if base.Excluded+candidate.Excluded > 0 {
		say(envelope.SeverityInfo, CodeExcluded, "excluded trials are left out of the comparison: %d (%d count) of base, %d (%d count) of %s",
			base.Excluded, base.N, candidate.Excluded, candidate.N, c.Candidate.Name)
	}
	switch {
	case c.joined:
		say(envelope.SeverityError, CodeLate, "%s came late, so no change of it is reported; start all candidates together, list their tests before the first trial ({\"type\":\"tests\",…}), or compare it on its own",
			c.Candidate.Name)
	case c.late > 0:
		say(envelope.SeverityError, CodeLate, "%s late, so no change of theirs is reported; list all tests of the base before its first trial ({\"type\":\"tests\",…}), or compare once, at the end, without --sequential",
			words.Plural(c.late, "test joined the base", "tests joined the base"))
	}
	return out
}

// ofRuns says that the variance between runs was to be accounted for, and could not be.
func (c *Contrast) ofRuns(base, candidate Input) []envelope.Problem {
	if c.Run.Between != nil || len(base.Runs)+len(candidate.Runs)+len(base.Past) == 0 {
		return nil
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: CodeBetween,
		Message: "the variance between runs could not be estimated and is left out; it needs tests with several trials in two runs of a side, or of the history"}}
}

// ofScores says which tests are not compared by what they are judged by.
func (c *Contrast) ofScores() (out []envelope.Problem) {
	for _, u := range []struct {
		n    int
		what string
	}{
		{c.cut, "judged by scores, and --sequential compares passes alone: trials pass from score_threshold on, and no such test is EQUIVALENT; leave out --sequential to compare mean scores"},
		{c.unscored, "not compared by scores and left out of the run: scores of other tests go beyond 0 to 1, where a pass is no score of 1"},
	} {
		if u.n > 0 {
			out = append(out, envelope.Problem{Severity: envelope.SeverityWarning, Code: CodeScores, Count: u.n,
				Message: words.Plural(u.n, "test is ", "tests are ") + u.what})
		}
	}
	return out
}

// trials are those of all tests on both sides, also of tests that have none to
// compare and so no part in the run as a whole.
func (c *Contrast) trials() (base, candidate Trials) {
	for i := range c.Tests {
		base.Add(c.Tests[i].Base.Trials)
		candidate.Add(c.Tests[i].Candidate.Trials)
	}
	return base, candidate
}

// nothingShared says why there is nothing to compare: an error, unless another
// candidate can be compared. A side without any test has said so itself.
func (c *Comparison) nothingShared(x *Contrast) envelope.Problem {
	severity := envelope.SeverityError
	if slices.ContainsFunc(c.Contrasts, func(other Contrast) bool { return other.Summary.Tests > 0 }) {
		severity = envelope.SeverityWarning
	}
	return envelope.Problem{Severity: severity, Code: CodeNothingShared,
		Message: fmt.Sprintf("no test is on both sides (%d only in base, %d only in %s): tests are matched by suite, name and variant%s",
			len(x.Gone), len(x.New), x.Candidate.Name, x.hint(c.By))}
}

// hint says how to compare tests that differ in nothing but their variant.
func (c *Contrast) hint(by string) string {
	type name struct{ suite, test string }
	gone := map[name]bool{}
	for i := range c.Gone {
		gone[name{c.Gone[i].Suite, c.Gone[i].Test}] = true
	}
	for i := range c.New {
		if by != envelope.VariantLabel && gone[name{c.New[i].Suite, c.New[i].Test}] {
			return "; they differ in their variants alone: compare these with --by variant"
		}
	}
	if by != "" {
		return "; run the same tests with both values of " + by + ", or compare another value (--base-value) or label (--by)"
	}
	return "; check that both are runs of the same tests"
}

// policies reports what the two runs were judged by when that differs.
func policies(a, b envelope.Effective) []envelope.Problem {
	names := policy.Differing(a, b)
	if len(names) == 0 {
		return nil
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodePolicies,
		Message: "the two sides were judged under different policies (" + strings.Join(names, ", ") + "): they are compared on the counts of their trials, and their verdicts are not comparable"}}
}
