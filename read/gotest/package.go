package gotest

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// packageTest is the test that stands for what a package says of itself.
const packageTest = "[package]"

// codeNoTests marks packages in which no test ran.
const codeNoTests = "no-tests"

// pack is one package. Its life is blocks: one run of its test binary each.
type pack struct {
	name   string
	tests  map[string]*test
	spare  []test     // for tests to come
	recent *test      // of the event before, nil when that had none
	open   []*running // in no order
	born   int        // tests begun so far, for their order
	output capture
	crash  *capture // output of a test that ended, with the text of a panic: its process may have died of it
	known  bool     // it has: the test failed, with the stacks of what ran
	block  int      // blocks that ended
	active bool     // the block has events
	failed bool     // the block has a trial that accounts for its failure
	any    bool     // the block has a test
	// Go before 1.11 puts the end of a package whose process died into the output
	// of the last test, and has no event for it.
	toldFailed bool

	// A block after the first is a rerun of failed tests or a repeat of the whole
	// package. It is a rerun as long as every test in it had failed the last time;
	// its trials wait until that is clear.
	undecided bool
	waiting   []envelope.Trial
}

func (rd *reader) packageEvent(p *pack) {
	switch rd.event.Action {
	case "start":
		if p.active {
			rd.breakOff(p)
		}
		p.active = true
	case "output":
		p.active = true
		p.output.add(rd.event.Output)
	case "pass", "fail", "skip":
		rd.endPackage(p)
	}
}

func (rd *reader) endPackage(p *pack) {
	if rd.event.Action == "fail" {
		rd.died(p, crashed)
		if !p.failed {
			rd.deliver(p, rd.packageFailed(p))
		}
	} else {
		rd.died(p, lost)
		if !p.any {
			rd.note(&rd.idles, envelope.SeverityInfo, codeNoTests,
				"packages have no tests, or none that you selected: the first is "+short(p.name)) // usual beside others, and no test of anybody's
		}
	}
	if p.output.has("\t(cached)") {
		rd.note(&rd.cached, envelope.SeverityWarning, envelope.CodeCachedResults,
			"results of packages come from the cache of go test and are those of an earlier run: run with -count=1 or more")
	}
	rd.closeBlock(p)
}

// breakOff ends a block of a package that does not say how it ended.
func (rd *reader) breakOff(p *pack) {
	if p.toldFailed {
		rd.died(p, crashed)
	} else {
		runfailure.Truncated(rd.to, rd.event.line,
			"the stream ends before package "+short(p.name)+" does: tests that had not ended count as errors, later ones are missing")
		rd.died(p, cutOff)
	}
	rd.closeBlock(p)
}

// closeBlock makes the package ready for its next block.
func (rd *reader) closeBlock(p *pack) {
	rd.release(p, p.undecided)
	p.output, p.crash = capture{}, nil
	p.active, p.failed, p.any, p.toldFailed, p.known = false, false, false, false, false
	p.block++
	p.undecided = true
}

// note counts what is told once, at the first package of which it is true.
func (rd *reader) note(of *envelope.Problem, severity envelope.Severity, code, message string) {
	if of.Count++; of.Count == 1 {
		*of = envelope.Problem{Severity: severity, Code: code, Line: rd.event.line, Column: 1, Count: 1, Message: message}
	}
}

// packageFailed is the trial of a package that failed without a failed test.
func (rd *reader) packageFailed(p *pack) *envelope.Trial {
	e := rd.event
	if b := rd.failedBuild(p); b != nil {
		return rd.buildFailed(b)
	}
	from := &p.output
	if p.crash != nil {
		from = p.crash
	}
	t := &envelope.Trial{Key: envelope.Key{Test: packageTest}, Status: envelope.Error, Output: from.text(), RawStatus: "fail"}
	t.Message = cmp.Or(from.reason(t.Output).text, "the package failed and does not say why")
	t.DurationMS = trialfields.Elapsed(e.Elapsed, 1000)
	switch {
	case from.timedOut:
		t.ErrorClass = envelope.ClassTimeout
	case e.FailedBuild != "" || p.output.has("[build failed]") || p.output.has("[setup failed]"):
		t.ErrorClass = envelope.ClassPreValidation
	}
	return t
}

// failedBuild is the build that kept a package from running, nil when none did.
// Where several failed, go test -bench names one of them for all packages, so
// that of the package itself comes first.
func (rd *reader) failedBuild(p *pack) *build {
	var found *build
	tests := " [" + p.name + ".test]"
	for _, path := range []string{p.name + tests, p.name, p.name + "_test" + tests} {
		if b := rd.builds[path]; b != nil && b.untold {
			b.untold = false
			found = cmp.Or(found, b)
		}
	}
	if b := rd.builds[rd.event.FailedBuild]; found == nil && b != nil {
		b.untold = false
		found = b
	}
	return found
}

func (rd *reader) buildFailed(b *build) *envelope.Trial {
	t := &envelope.Trial{Key: envelope.Key{Test: packageTest}, Status: envelope.Error, ErrorClass: envelope.ClassPreValidation,
		Output: b.output.text(), RawStatus: "build-fail"}
	for line := range strings.Lines(t.Output) { // the first line that is no title
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			t.Message = line
			break
		}
	}
	t.Message = cmp.Or(t.Message, "the build failed")
	return t
}

// importedAs is the package of a build: p of "p [p.test]".
func importedAs(path string) string {
	name, _, _ := strings.Cut(path, " [")
	return name
}

var (
	crashed = runfailure.Crashed("test")
	lost    = runfailure.Lost("test")
	cutOff  = runfailure.CutOff("test")
	anew    = runfailure.Unended{Why: "the test began anew before it ended", Class: envelope.ClassInfrastructure}
)

// died ends the tests that are still open when their process is gone.
func (rd *reader) died(p *pack, how runfailure.Unended) {
	open := slices.SortedFunc(slices.Values(p.open), func(a, b *running) int { return a.born - b.born })
	last := p.lastWords(open)
	for _, t := range open {
		if t.parent != nil {
			t.parent.childFailed = true
		}
	}
	for _, t := range slices.Backward(open) { // children before their parents
		rd.diedOf(p, t, how, last)
	}
}

// lastWords is the output of the package, or of one of its tests, with which the
// process died; nil when there is none.
func (p *pack) lastWords(open []*running) *capture {
	for _, t := range open {
		if t.output.panicked != "" {
			return &t.output
		}
	}
	if p.output.panicked != "" {
		return &p.output
	}
	return p.crash
}

// diedOf ends a test that has no end of its own.
func (rd *reader) diedOf(p *pack, t *running, how runfailure.Unended, last *capture) {
	p.close(t)
	if strings.HasPrefix(t.name, "Benchmark") && rd.event.Action == "pass" {
		return // a benchmark that logs nothing does not end
	}
	if t.parent != nil && t.parent.passed {
		how = lost // Go waits for subtests, so that this one ended too
	}
	trial := rd.trial(t, envelope.Error)
	trial.ErrorClass, trial.Unended = how.Class, how.Far
	if how.Far == envelope.Running && (t.paused || p.known) {
		trial.Unended = envelope.Waiting
	}
	if last != nil && last.timedOut && !t.paused && how != lost {
		trial.ErrorClass = envelope.ClassTimeout
	}
	if t.output.panicked == "" {
		said := trial.Message
		if said == "" && last != nil && how == crashed {
			said = last.panicked
		}
		trial.Message = strings.TrimSuffix(how.Why+": "+said, ": ")
	}
	p.failed = p.failed || trial.ErrorClass != envelope.ClassInfrastructure
	rd.ended(p, t, trial)
}
