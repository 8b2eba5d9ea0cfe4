package gotest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// packageTest is the test that stands for what a package says of itself.
const packageTest = "[package]"

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

	// A block after the first is a rerun of failed tests or a repeat of the whole package. It is a rerun as long as
	// every test in it had failed the last time; its trials wait until that is clear.
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
			rd.emitOrHold(p, rd.packageFailed(p))
		}
	} else {
		rd.died(p, lost)
		if !p.any {
			const codeNoTests = "no-tests" // marks packages in which no test ran
			rd.note(&rd.idles, envelope.SeverityInfo, codeNoTests,
				"without tests, or with none that you selected; the first is "+short(p.name)) // usual beside others, and not a test
		}
	}
	if p.output.has("\t(cached)") {
		rd.note(&rd.cached, envelope.SeverityWarning, envelope.CodeCachedResults,
			"with results of an earlier run, from the cache of go test; run it with -count=1 or more")
	}
	rd.closeBlock(p)
}

// breakOff ends a block of a package that does not say how it ended.
func (rd *reader) breakOff(p *pack) {
	if p.toldFailed {
		rd.died(p, crashed)
	} else {
		runfailure.Truncated(rd.to, rd.event.line,
			"the stream ends before package "+short(p.name)+" does: tests that had not ended are excluded (infrastructure), later ones are missing")
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

// note reports a problem once, at the first package that has it, and counts the others.
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

// failedBuild is the build that kept a package from running, nil when none did. Where several failed, go test -bench
// names one of them for all packages, so that of the package itself comes first.
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

var (
	crashed = runfailure.Crashed("test")
	lost    = runfailure.Lost("test")
	cutOff  = runfailure.CutOff("test")
	again   = runfailure.Unended{Why: "the test started again before it ended", Class: envelope.ClassInfrastructure}
)

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

// lastWords is the output of the package, or of one of its tests, with which the process died; nil when there is none.
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

// kept is how much of the head and of the tail of an output is kept.
const kept = 32 << 10

// capture is what a test printed, without frames: the head and the tail.
type capture struct {
	head, tail []byte
	dropped    int
	panicked   string // the first line of a panic
	timedOut   bool
}

// frames begin lines that test2json writes for what the events say.
var frames = [...]string{
	"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "=== ATTR ",
	"--- PASS: ", "--- FAIL: ", "--- SKIP: ", "--- BENCH: ",
}

func isFrame(text string) bool {
	text = strings.TrimLeft(text, " ")
	if len(text) < len("=== RUN ") || text[0] != '=' && text[0] != '-' {
		return false
	}
	return slices.ContainsFunc(frames[:], func(frame string) bool { return strings.HasPrefix(text, frame) })
}

func (c *capture) add(text string) {
	if isFrame(text) {
		return
	}
	if c.panicked == "" && (strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")) { // the process dies with it
		c.panicked = failure.Reason(text[:min(len(text), kept)], 1)
		c.timedOut = strings.HasPrefix(c.panicked, "panic: test timed out after ")
	}
	if len(c.head) < kept {
		c.head = append(c.head, text...)
	} else {
		c.tail = append(c.tail, text...)
	}
	c.part()
}

// part moves to the tail what is too much for the head, and drops what is too much for both.
func (c *capture) part() {
	if len(c.head) > kept {
		c.tail = append(c.tail, c.head[kept:]...)
		c.head = c.head[:kept]
	}
	if extra := len(c.tail) - kept; extra > kept {
		c.dropped += extra
		c.tail = append(c.tail[:0], c.tail[extra:]...)
	}
}

func (c *capture) has(word string) bool { return bytes.Contains(c.head, []byte(word)) }

// text is the whole output as far as it was kept. It changes when the capture does.
func (c *capture) text() string {
	text := jsontext.InPlace(c.head)
	if len(c.tail) == 0 {
		return text // as it was said, in whole characters
	}
	text += words.If(c.dropped > 0, fmt.Sprintf("\n… %d bytes left out …\n", c.dropped))
	return strings.ToValidUTF8(text+string(c.tail), "\uFFFD")
}

// reason is the short reason in the output of a test that did not pass, and the place it names.
type reason struct {
	text, file string
	line       int
}

// lines are how many lines make a reason.
const lines = 3

// reason finds why a test did not pass in its text: a panic, or else what it logged, from
// the first line on that names a place. A panic names one in its stack.
func (c *capture) reason(text string) reason {
	r := reason{}
	var logged []string
	for line := range strings.Lines(text) {
		if file, at, rest, ok := place(line); ok {
			if r.file == "" {
				r.file, r.line = file, at
			}
			line = rest
		}
		if line = strings.TrimSpace(line); r.file == "" || line == "" || strings.HasPrefix(line, "Error Trace:") {
			continue
		}
		if logged = append(logged, line); len(logged) == lines {
			break
		}
	}
	switch {
	case c.panicked != "":
		r.text = c.panicked
		if r.file == "" && !c.timedOut { // at a timeout the stacks are those of all that runs
			r.file, r.line = stackPlace(text)
		}
	case logged != nil:
		r.text = failure.Reason(strings.Join(logged, "\n"), lines)
	default:
		r.text = failure.Reason(text, lines)
	}
	return r
}

// place splits a line like "    x_test.go:51: text"; Go 1.14 wrote the name of the test before it.
func place(line string) (file string, number int, rest string, ok bool) {
	trimmed := strings.TrimLeft(line, " ")
	before, after, ok := strings.Cut(trimmed, ".go:")
	name := strings.LastIndexByte(before, ' ') + 1
	if !ok || len(trimmed) == len(line) || name == len(before) {
		return "", 0, "", false
	}
	digits, rest, ok := strings.Cut(after, ": ")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || number < 1 {
		return "", 0, "", false
	}
	return trimmed[name : len(before)+len(".go")], number, rest, true
}

// stackPlace is the place that the stack of a panic names: the first frame in a file of
// tests, without its folder, as what is logged names it.
func stackPlace(text string) (file string, line int) {
	for text := range strings.Lines(text) {
		at, isFrame := strings.CutPrefix(text, "\t")
		before, after, isTest := strings.Cut(at, "_test.go:")
		if !isFrame || !isTest {
			continue
		}
		digits, _, _ := strings.Cut(strings.TrimSpace(after), " ")
		if line, err := strconv.Atoi(digits); err == nil && line > 0 {
			return before[strings.LastIndexAny(before, `/\`)+1:] + "_test.go", line
		}
	}
	return "", 0
}
