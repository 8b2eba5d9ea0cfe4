package gotest

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/property"
)

// packageTest is the test that stands for what a package says of itself.
const packageTest = "[package]"

// CodeCached marks results that go test took from its cache: their durations
// and outcomes are those of an earlier run.
const CodeCached = "cached-results"

// pack is one package. Its life is blocks: one run of its test binary each.
type pack struct {
	name   string
	tests  map[string]*test
	spare  []test     // for tests to come
	recent *test      // of the event before, nil when that had none
	open   []*running // in no order
	born   int        // tests begun so far, for their order
	output capture
	crash  *capture // output of a test that passed before its process died
	block  int      // blocks that ended
	active bool     // the block has events
	failed bool     // the block has a failed trial
	any    bool     // the block has a test

	// A block after the first is a rerun of failed tests or a repeat of the whole
	// package. It is a rerun as long as every test in it had failed the last time;
	// its trials wait until that is clear.
	undecided bool
	waiting   []envelope.Trial
}

func newPack(name string) *pack { return &pack{name: name, tests: map[string]*test{}} }

// idle is a package in which nothing ran.
type idle struct {
	p    *pack
	what string
}

func (rd *reader) packageEvent(p *pack) {
	e := rd.event
	switch e.action {
	case start:
		if p.active {
			rd.died(p, "the package began anew before the test ended")
			rd.closeBlock(p)
		}
		p.active = true
	case output:
		p.active = true
		rd.keep(&p.output)
	case pass, fail, skip:
		rd.endPackage(p)
	}
}

func (rd *reader) endPackage(p *pack) {
	failed := rd.event.action == fail
	rd.died(p, "the test never ended: its process died")
	rd.noteCached(p)
	switch {
	case failed && !p.failed:
		rd.ran = true
		rd.deliver(p, rd.packageFailed(p))
	case failed:
	case rd.event.action == skip || p.output.has("[no test files]"):
		rd.idle = append(rd.idle, idle{p, "no test files"})
	case !p.any && p.output.has("no tests to run"):
		rd.idle = append(rd.idle, idle{p, "no tests to run"})
	}
	if rd.ran {
		rd.idlePackages()
	}
	rd.closeBlock(p)
}

// closeBlock makes the package ready for its next block.
func (rd *reader) closeBlock(p *pack) {
	rd.release(p, p.undecided)
	p.output, p.crash = capture{}, nil
	p.active, p.failed, p.any = false, false, false
	p.block++
	p.undecided = true
}

func (rd *reader) noteCached(p *pack) {
	if !p.output.has("\t(cached)") {
		return
	}
	if rd.cached.Count++; rd.cached.Count == 1 {
		rd.cached = envelope.Problem{Severity: envelope.SeverityWarning, Code: CodeCached, Line: rd.line, Column: 1, Count: 1,
			Message: "results of packages come from the cache of go test and are those of an earlier run: run with -count=1 or more"}
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
	t.Message = from.reason(t.Output).text
	if t.Message == "" {
		t.Message = "the package failed and does not say why"
	}
	if e.timed {
		t.DurationMS = property.Milliseconds(e.elapsed, 1000)
	}
	switch {
	case from.timedOut:
		t.ErrorClass = envelope.ClassTimeout
	case len(e.failedBuild) > 0 || p.output.has("[build failed]") || p.output.has("[setup failed]"):
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
	if b := rd.builds[string(rd.event.failedBuild)]; found == nil && b != nil {
		b.untold = false
		found = b
	}
	return found
}

func (rd *reader) buildFailed(b *build) *envelope.Trial {
	t := &envelope.Trial{Key: envelope.Key{Test: packageTest}, Status: envelope.Error, ErrorClass: envelope.ClassPreValidation, Output: b.output.text(), RawStatus: "build-fail"}
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

// idlePackages reports packages in which nothing ran. Next to others that is
// usual and no more than a skip; where nothing ran at all it is an error.
func (rd *reader) idlePackages() {
	for _, i := range rd.idle {
		t := &envelope.Trial{Key: envelope.Key{Test: packageTest}, Status: envelope.Skip, ErrorClass: envelope.ClassEmptyRun, Message: i.what}
		if !rd.ran {
			t.Status = envelope.Error
		}
		rd.send(i.p, t, false)
	}
	rd.idle = nil
}

// died ends the tests that are still open when their process is gone.
func (rd *reader) died(p *pack, why string) {
	open := slices.SortedFunc(slices.Values(p.open), func(a, b *running) int { return a.born - b.born })
	timedOut := p.output.timedOut
	for _, t := range open {
		timedOut = timedOut || t.output.timedOut
		if t.parent != nil {
			t.parent.childFailed = true
		}
	}
	for _, t := range slices.Backward(open) { // children before their parents
		rd.diedOf(p, t, why, timedOut)
	}
}

func (rd *reader) diedOf(p *pack, t *running, why string, timedOut bool) {
	p.close(t)
	if isBenchmark(t.name) && rd.event.action == pass {
		return // a benchmark that logs nothing does not end
	}
	trial := rd.trial(t, envelope.Error)
	trial.ErrorClass = envelope.ClassInfrastructure
	if timedOut && !t.paused {
		trial.ErrorClass = envelope.ClassTimeout
	}
	if trial.Message == "" {
		trial.Message = why
	}
	rd.ended(p, t, trial)
}

func isBenchmark(name string) bool { return strings.HasPrefix(name, "Benchmark") }
