package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/policy"
)

// How many tests are listed: all that changed up to a bound that nobody reads, and of
// those that only might have changed the nearest ones.
const mostChanged, mostMaybe = 500, 15

// Document is the comparison as titles, facts and tables: of each candidate the tests
// with what matters first, and the run as a whole.
func (c *Comparison) Document() *block.Document {
	d := &block.Document{Named: true, Problems: c.Problems, Gate: &block.Gate{Status: c.Gate.Status, Exit: c.Gate.ExitCode,
		Reasons: c.Answers()}}
	var names []string
	var plan string
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		names = append(names, cmp.Or(x.Candidate.Name, "candidate"))
		part := block.Part{Title: c.Title(names[i]), About: []block.Fact{c.Base.fact("base", x.ByScore()),
			x.Candidate.fact("candidate", x.ByScore()), {Words: c.Settings.words(x.Summary.Tests > 0, len(c.Contrasts) > 1)}}}
		shown, hidden := x.Shown(mostChanged, mostMaybe)
		part.Blocks = x.blocks(c, shown, hidden)
		part.Summary = x.facts()
		d.Parts = append(d.Parts, part)
		d.Next, plan = cmp.Or(d.Next, c.next(x, shown)), cmp.Or(plan, c.plan(x, shown))
	}
	d.Next = cmp.Or(d.Next, plan)
	d.Title = c.Title(words.First(names, 5, strings.Clone))
	return d
}

// next is the command for what a candidate shows first: a test that is worse, or the run as a whole.
func (c *Comparison) next(x *Contrast, shown []*Test) string {
	first := Equivalent
	if len(shown) > 0 {
		first = shown[0].Group()
	}
	switch {
	case x.Summary.Tests == 0 && c.Look != "" && c.By == "" && x.variantsDiffer():
		return "tribunal compare " + c.Look + " --by variant"
	case slices.Contains([]State{Regressed, NewFails, NotTried}, first):
		key := shown[0].Key
		key.Variant = words.Join(" ", words.If(c.By == envelope.VariantLabel, x.Candidate.Name), key.Variant)
		return words.Around("tribunal report ", x.Look, " --explain "+words.Shell(key.RunnerName()))
	case first == NewlyBroken && !c.Settings.Sequential:
		return words.Around(fmt.Sprintf("on both sides: tribunal run -n %d --only-failed ", x.enoughTrials(c.Settings)), x.Failed, " -- COMMAND")
	case x.Summary.Tests == 0 || x.Run.State == Regressed:
		return words.Around("tribunal report ", x.Look)
	}
	return ""
}

// plan is the command that says how many trials would show what the first test may have changed by.
func (c *Comparison) plan(x *Contrast, shown []*Test) string {
	if len(shown) == 0 || shown[0].Group() != Unresolved || shown[0].Difference == nil || x.Run.State != Unresolved ||
		c.Settings.Sequential || x.ByScore() {
		return ""
	}
	rate := func(t Trials) string { // no number of trials is for 0 or 1
		return fmt.Sprintf("%.2f", min(max(float64(t.Passed)/float64(t.N), 0.01), 0.99))
	}
	base, now := rate(shown[0].Base.Trials), rate(shown[0].Candidate.Trials)
	return words.If(base != now, "tribunal plan --detect "+base+":"+now+words.If(c.Settings.Confidence != Defaults().Confidence,
		" --confidence "+words.Number(100*c.Settings.Confidence)))
}

// Title is the heading of a comparison with candidates.
func (c *Comparison) Title(candidates string) string {
	return strings.TrimPrefix(c.By+" "+candidates+" against "+cmp.Or(c.Base.Name, "base"), " ")
}

// fact is a run in numbers; what passed of scores depends on where they are cut.
func (s *Side) fact(word string, byScore bool) block.Fact {
	numbers := words.Plural(s.Tests, "test", "tests") + ", " + words.Plural(s.Trials.Counted, "counted trial", "counted trials")
	if rate := s.Rate.PerProtocol; rate != nil && !byScore {
		numbers += ", " + words.Percent(rate.Value) + " % passed"
	}
	commit := words.Around("commit ", words.Commit(s.Run.Commit))
	return block.Fact{Label: word, Names: []string{cmp.Or(s.Run.Name, s.Run.ID), commit}, Words: numbers}
}

func (c *Contrast) blocks(of *Comparison, shown []*Test, hidden map[State]int) (all []block.Block) {
	if len(shown) > 0 {
		all = append(all, changeTable(of.Settings, shown))
	}
	inside := &block.List{Title: "Inside their trials", Noun: block.Noun{One: "test from inside", Many: "tests from inside"}}
	for _, t := range shown {
		if lines := t.InsideWords(); len(lines) > 0 {
			inside.Items = append(inside.Items, block.Text{Name: t.Key.RunnerName(), Under: lines})
		}
	}
	rest := words.Some(Groups, func(state State) string {
		return words.If(hidden[state] > 0, fmt.Sprintf("%d %s", hidden[state], strings.ToLower(state.Title())))
	})
	stands, numbers := c.StandsWords()
	for _, t := range []block.Text{{Words: stands}, {Words: numbers, Detail: true}, {Words: words.Around("Not listed: ", rest)}} {
		if t.Aside = true; t.Words != "" {
			all = append(all, t)
		}
	}
	passing := each.Where(c.New, func(s Single) bool {
		return !slices.ContainsFunc(c.failing, func(t Test) bool { return t.Key == s.Key })
	})
	return append(all, inside, singles("New", passing), singles("Gone", c.Gone))
}

func singles(title string, tests []Single) *block.List {
	noun := strings.ToLower(title) + " test"
	l := &block.List{Title: title, Noun: block.Noun{One: noun, Many: noun + "s"}}
	for _, t := range tests {
		l.Items = append(l.Items, block.Text{Mark: t.Status, Words: words.Count(t.Passed) + "/" + words.Count(t.N),
			Others: []string{cmp.Or(t.Key.RunnerName(), "(no name)")}})
	}
	return l
}

var tones = map[State]block.Tone{Regressed: block.Bad, NewlyBroken: block.Bad, NewFails: block.Bad, NotTried: block.Bad,
	Improved: block.Good, Unresolved: block.Open}

func changeTable(s Settings, tests []*Test) *block.Table {
	outside := !s.Sequential && slices.ContainsFunc(tests, func(t *Test) bool { return t.PValue.OK && !t.PAdjusted.OK }) // as in DecidingP
	apart := slices.ContainsFunc(tests, func(t *Test) bool {
		return t.Difference != nil && t.PValue.OK && (t.Difference.above(0) || t.Difference.below(0)) == (t.State == Unresolved)
	})
	t := &block.Table{Title: "Tests", Noun: block.Noun{One: "test", Many: "tests"}, Legend: strings.Join(legend(tests), " · "),
		Columns: []block.Column{{Title: "State", Left: true}, {Title: "Test", Left: true, Name: true},
			{Title: "Why", Left: true, Name: true, Below: true}, {Title: "Base", Keep: 7}, {Title: "Cand", Keep: 8},
			{Title: "Points", Keep: 6}, {Title: words.Level(s.Confidence) + " interval", Left: true, Keep: 4,
				Legend: words.If(apart, "p decides, not the interval, which is "+words.If(!s.Sequential, "approximate and ")+"not adjusted.")},
			{Title: "p", Keep: 5, Legend: words.If(outside, fmt.Sprintf("(p): so few trials differ that p cannot go below %.3g.", s.Alpha))},
			{Title: "Newly", Left: true, Keep: 3}, {Title: "Score", Keep: 2}, {Title: "Time", Keep: 2}, {Title: "Cost", Keep: 1}}}
	for _, of := range tests {
		t.Keys, t.Tones = append(t.Keys, of.Key), append(t.Tones, tones[of.Group()])
		t.Rows = append(t.Rows, []string{of.Group().Word(), of.Key.RunnerName(), of.FailureWords(), of.Compared(&of.Base),
			of.Compared(&of.Candidate), of.Points(), of.Difference.Interval(), of.DecidingP(), of.Newly, of.ScorePoints(),
			of.DurationMS.Relative(), of.CostUSD.Relative()})
	}
	return t
}

func (c *Contrast) facts() []block.Fact {
	run := &c.Run
	if c.Summary.Tests == 0 {
		return nil // a problem says so
	}
	all := []block.Fact{{Words: words.Plural(c.Summary.Tests, "test", "tests") + ": " + c.Summary.Tally()}}
	if run.Difference == nil {
		return append(all, block.Fact{Label: "Run", Words: run.Reason})
	}
	all = append(all, block.Fact{Label: "Run", Tone: tones[run.State], Mark: strings.ToUpper(string(run.State)), Words: run.Sentence()},
		block.Fact{Label: "Score", Words: c.ScoreWords()},
		block.Fact{Label: "Time", Words: run.DurationMS.Typical(c.SureWords(Took), words.Duration)},
		block.Fact{Label: "Cost", Words: run.CostUSD.Typical(c.SureWords(Paid), words.Dollars)})
	return append(all, each.Of(c.InsideWords(), func(line string) block.Fact { return block.Fact{Label: "Inside", Words: line} })...)
}

// Typical is what a trial took before and now; ~ where chance explains it.
func (m *Measurement) Typical(single string, unit func(float64) string) string {
	if m == nil {
		return ""
	}
	p := "?"
	if m.PValue.OK {
		p = words.Probability(m.PValue.V)
	}
	between := func(lo, hi envelope.Opt[float64]) string {
		return words.If(lo.OK && hi.OK, " ["+unit(lo.V)+" to "+unit(hi.V)+"]")
	}
	return fmt.Sprintf("typically %s%s before, %s%s now: %s (p %s)%s", unit(m.Base), between(m.BaseLo, m.BaseHi), unit(m.Candidate),
		between(m.CandidateLo, m.CandidateHi), m.Relative(), p, m.ApartFrom()+single)
}

// The codes of problems that show only when runs are compared.
const (
	CodeNothingShared = "nothing-shared" // no test is on both sides
	CodeRetries       = "retries-left-out"
	CodeUnpaired      = "unpaired-trials" // left out beside pairs
	CodeExcluded      = "excluded-trials"
	CodeBetween       = "between-runs" // whose variance could not be estimated
	CodeScores        = "scores"       // that were not compared
	CodeLate          = "late-tests"   // of a sequential comparison
)

func (c *Comparison) findOwn(base Input, candidates []Input) {
	for i, candidate := range candidates {
		c.own = append(c.own, policies(base.Envelope.Policy, candidate.Envelope.Policy)...)
		c.own = append(c.own, c.Contrasts[i].odd(map[bool]string{true: "the candidate", false: candidate.Name}[len(candidates) == 1])...)
		c.own = append(c.own, c.Contrasts[i].ofRuns(base, candidate)...)
		c.own = append(c.own, c.Contrasts[i].ofScores()...)
		if x := c.Contrasts[i]; c.incomparable(x) && c.Base.Tests > 0 && x.Candidate.Tests > 0 {
			c.own = append(c.own, c.nothingShared(&x))
		}
	}
}

func (c *Comparison) allProblems(base Input, candidates []Input) []envelope.Problem {
	out := slices.Clone(c.own)
	for i, in := range append([]Input{base}, candidates...) {
		word := []string{"base", "candidate"}[min(i, 1)]
		if c.By != "" {
			word = in.Name
		}
		for _, p := range ProblemsOf(word, in, i > 0 && len(c.Contrasts[i-1].New) > 0) {
			_, says, _ := strings.Cut(p.Message, ": ")
			same := func(o envelope.Problem) bool { return o.Code == p.Code && strings.HasSuffix(o.Message, ": "+says) }
			if at := slices.IndexFunc(out, same); at >= 0 && p.Input == "" && p.Severity == envelope.SeverityInfo {
				out[at].Message = strings.TrimSuffix(out[at].Message, ": "+says) + " and " + p.Message
				continue
			}
			out = append(out, p)
		}
	}
	return envelope.SortProblems(append([]envelope.Problem{}, out...))
}

// ProblemsOf are those of one run that concern a comparison: not advice on its rule, nor what a
// test takes to pass, unless some are judged. One that names no input says whose it is.
func ProblemsOf(word string, in Input, judged bool) []envelope.Problem {
	out := slices.DeleteFunc(slices.Clone(in.Envelope.Problems), func(p envelope.Problem) bool {
		return p.Code == envelope.CodeAdvice || p.Code == envelope.CodeTooFew && !judged
	})
	for i := range out {
		if out[i].Input == "" {
			out[i].Message = word + ": " + out[i].Message
		}
	}
	return out
}

// odd is what makes the comparison say less than it seems to.
func (c *Contrast) odd(who string) []envelope.Problem {
	var out []envelope.Problem
	say := func(severity envelope.Severity, code, format string, args ...any) {
		out = append(out, envelope.Problem{Severity: severity, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	var base, candidate Trials // also of tests that have none to compare on one side
	var ofBase, ofCandidate int
	for i := range c.Tests {
		t := &c.Tests[i]
		base.Add(t.Base.Trials)
		candidate.Add(t.Candidate.Trials)
		if t.Pairs != nil && !slices.Contains([]string{MethodFisher, MethodBetting, MethodGSPRT}, t.Method) {
			ofBase, ofCandidate = ofBase+t.Base.N-t.Pairs.N(), ofCandidate+t.Candidate.N-t.Pairs.N()
		}
	}
	if base.Retries+candidate.Retries > 0 {
		say(envelope.SeverityInfo, CodeRetries, "retries are left out of the comparison, because they ran only after a failure: %d of the base, "+
			"%d of %s", base.Retries, candidate.Retries, who)
	}
	if base.Excluded+candidate.Excluded > 0 {
		say(envelope.SeverityInfo, CodeExcluded, "excluded trials are not compared: %d in the base, %d in %s (shared tests only)",
			base.Excluded, candidate.Excluded, who)
	}
	if ofBase+ofCandidate > 0 {
		say(envelope.SeverityWarning, CodeUnpaired, "trials without a partner of the same attempt number are left out: %d of the base, "+
			"%d of %s; --pairing none compares all", ofBase, ofCandidate, who)
	}
	switch {
	case c.joined:
		say(envelope.SeverityError, CodeLate, "%s first appears after trials were compared: it gets no result. Start all candidates together, "+
			"or compare it on its own. Or list its tests before the first trial, with variant or label: "+
			"{\"type\":\"tests\",\"tests\":[{\"test\":\"a\",\"variant\":%q,\"trials\":30}]}", c.Candidate.Name, c.Candidate.Name)
	case c.late > 0:
		say(envelope.SeverityError, CodeLate, "%s no result. List all tests of the base before its first trial "+
			"({\"type\":\"tests\",…}), or compare once, at the end, without --sequential",
			words.Plural(c.late, "test joined the base after trials were compared: it gets",
				"tests joined the base after trials were compared: they get"))
	}
	return out
}

// ofRuns says that the variance between runs was to be accounted for, and could not be.
func (c *Contrast) ofRuns(base, candidate Input) []envelope.Problem {
	if c.Run.Between != nil || len(base.Runs)+len(candidate.Runs)+len(base.Past) == 0 {
		return nil
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: CodeBetween,
		Message: "the variance between runs is left out: it needs two runs of a side, or of the history, that try each test several times; " +
			"repeat the tests in each run"}}
}

// ofScores says which tests are not compared by what they are judged by.
func (c *Contrast) ofScores() (out []envelope.Problem) {
	warn := func(n int, what string) {
		if n > 0 {
			out = append(out, envelope.Problem{Severity: envelope.SeverityWarning, Code: CodeScores, Count: n,
				Message: words.Plural(n, "test is ", "tests are ") + what})
		}
	}
	warn(c.cut, "judged by scores, and --sequential compares passes alone: trials pass from score_threshold on, and no such test is "+
		"EQUIVALENT; leave out --sequential to compare mean scores")
	warn(c.unscored, "not compared by scores and left out of the run; scores of other tests go beyond 0 to 1, where a pass is no score of 1")
	return out
}

// incomparable reports that no test has counted trials on both sides, and that none is waited for.
func (c *Comparison) incomparable(x Contrast) bool {
	return x.Summary.Tests == 0 || x.Run.Tests == 0 && !c.Settings.Sequential
}

// nothingShared says why there is nothing to compare: an error, unless another
// candidate can be compared. A side without any test has said so itself.
func (c *Comparison) nothingShared(x *Contrast) envelope.Problem {
	severity := envelope.SeverityError
	if slices.ContainsFunc(c.Contrasts, func(other Contrast) bool { return !c.incomparable(other) }) {
		severity = envelope.SeverityWarning
	}
	if x.Summary.Tests > 0 {
		return envelope.Problem{Severity: severity, Code: CodeNothingShared,
			Message: x.Run.Reason + "; 'tribunal report' shows which trials of " + c.Base.Name + " and " + x.Candidate.Name + " do not count"}
	}
	return envelope.Problem{Severity: severity, Code: CodeNothingShared,
		Message: fmt.Sprintf("no test is on both sides: base has %s; candidate %q has %s; %s%s", firstOf(x.Gone), x.Candidate.Name, firstOf(x.New),
			MatchedBy(c.By, x.variantsDiffer()), x.hint(c.By))}
}

func firstOf(tests []Single) string {
	return words.First(tests, 1, func(s Single) string { return s.Key.RunnerName() })
}

// hint says how to get tests that both sides have.
func (c *Contrast) hint(by string) string {
	switch {
	case c.variantsDiffer():
		return ""
	case by != "":
		return "; run the same tests with both values of " + by + ", or compare another value (--base-value) or label (--by)"
	}
	return "; check that both are runs of the same tests"
}

func (c *Contrast) variantsDiffer() bool {
	name := func(s Single) [2]string { return [2]string{s.Suite, s.Test} }
	gone := each.Set(c.Gone, name)
	return slices.ContainsFunc(c.New, func(s Single) bool { return gone[name(s)] })
}

func policies(a, b envelope.Effective) []envelope.Problem {
	names := policy.Differing(a, b)
	if len(names) == 0 {
		return nil
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodePolicies,
		Message: "the two sides were judged under different policies (" + strings.Join(names, ", ") +
			"): only their trials are compared, not their verdicts"}}
}

// MatchedBy tells in a message which fields identify a test when sides differ in a label. Inputs with
// names are sides whose tests keep their variants.
func MatchedBy(label string, variantsDiffer bool) string {
	switch {
	case label == envelope.VariantLabel && !variantsDiffer:
		return "tests are matched by suite and name"
	case label == envelope.VariantLabel:
		return "tests are matched by suite, name and variant, and only variants differ: use --by variant, and inputs without NAME="
	}
	return "tests are matched by suite, name and variant" + words.If(variantsDiffer, ", and only variants differ: use --by variant")
}
