// Package gotest reads the events of go test -json, also as gotestsum collects them with --jsonfile.
//
// Every test the stream names is a test, one with subtests as well: go test counts it, and it can fail by itself. Where
// it failed through a subtest its message says so. What a package says of itself alone (a failed build, a panic after
// the last test) is a trial of a test named [package]. A test that the stream does not end, of a package that failed,
// is one in which the process died: an error of class crash, which counts, and so are the tests that waited for it.
// Where the package passed its end was lost, and where the stream ends first nobody knows: these are infrastructure
// errors.
//
// It leaves out the frames of the output (=== RUN, --- FAIL) and results of benchmarks, which are no verdicts.
package gotest

import (
	"io"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
)

// Sniff reports whether the first object in head is an event.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	return slices.Contains(actions, keys["Action"]) && keys.HasAny("Package", "ImportPath", "Test", "Time")
}

// Read reads a stream of events. What is wrong with it is a problem in the
// sink; the error is that of r as a *position.Error.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, packages: map[string]*pack{}, builds: map[string]*build{}, variants: map[envelope.Key]*int32{}}
	err := jsonwalk.AllLines(r, to, rd.record, rd.printed, "Action")
	rd.finish()
	return err
}

type reader struct {
	to       envelope.Sink
	event    event // the last one
	next     event // room for it
	packages map[string]*pack
	order    []*pack // in order of appearance
	last     *pack   // of the event before
	builds   map[string]*build
	broken   []string                // import paths of failed builds, in order
	variants map[envelope.Key]*int32 // trials of tests that have any
	cached   envelope.Problem
	idles    envelope.Problem // packages in which no test ran
	begun    bool
	memory   memory
	ending   envelope.Trial // of the test that ended last
}

// build is what a compiler said of a package.
type build struct {
	output capture
	untold bool // it failed, and no package failed for it yet
}

func (rd *reader) record(l *jsonwalk.Line) {
	switch rd.next = (event{}); {
	case !l.Decode(&rd.next):
	case rd.next.Action == "":
		l.Malformed(0, "it has no Action")
	default:
		rd.next.line = l.Number
		rd.follow(rd.next)
	}
}

// notBuilt is what Go before 1.24 prints of a package that has no events, for it was not built.
var notBuilt = regex.Of(`^FAIL\t(\S+) \[(?:build|setup) failed\]\s*$`)

func (rd *reader) printed(line int, text []byte) {
	if name := notBuilt().FindSubmatch(text); name != nil {
		rd.follow(event{Action: "output", Package: string(name[1]), Output: string(text), line: line})
		rd.follow(event{Action: "fail", Package: string(name[1]), line: line})
	}
}

func (rd *reader) follow(e event) {
	if rd.event = e; !rd.begun && e.Time != "" { // the run began at its first event
		rd.begun = true
		rd.to.Header(envelope.Header{StartedAt: strings.Clone(e.Time)}, nil)
	}
	switch e.Action {
	case "build-output":
		rd.build().output.add(e.Output)
	case "build-fail":
		rd.build().untold = true
		rd.broken = append(rd.broken, strings.Clone(e.ImportPath))
	default:
		p := rd.pack()
		if e.Test != "" {
			rd.testEvent(p)
		} else {
			rd.packageEvent(p)
		}
	}
}

func (rd *reader) build() *build {
	b := rd.builds[rd.event.ImportPath]
	if b == nil {
		b = &build{}
		rd.builds[strings.Clone(rd.event.ImportPath)] = b
	}
	return b
}

func (rd *reader) pack() *pack {
	if rd.last == nil || rd.last.name != rd.event.Package {
		rd.last = rd.named(rd.event.Package)
	}
	return rd.last
}

func (rd *reader) named(name string) *pack {
	p := rd.packages[name]
	if p == nil {
		p = &pack{name: strings.Clone(name), tests: map[string]*test{}}
		rd.packages[p.name] = p
		rd.order = append(rd.order, p)
	}
	return p
}

func (e *event) at() time.Time {
	t := time.Time{}
	if e.Time == "" || t.UnmarshalText([]byte(e.Time)) != nil {
		return time.Time{}
	}
	return t
}

func (rd *reader) finish() {
	for _, p := range rd.order {
		if p.active {
			rd.breakOff(p)
		}
	}
	for _, path := range rd.broken { // builds that failed without a package that says so
		if b := rd.builds[path]; b.untold {
			b.untold = false
			name, _, _ := strings.Cut(path, " [") // p of "p [p.test]"
			rd.send(rd.named(name), rd.buildFailed(b), false)
		}
	}
	for _, p := range []envelope.Problem{rd.cached, rd.idles} {
		if p.Count > 0 {
			p.Message = words.Plural(p.Count, "package ", "packages ") + p.Message
			rd.to.Problem(p)
		}
	}
}

func short(name string) string { return words.Head(name, 200) }

type event struct {
	Time, Action, Package, Test, Output string
	ImportPath, FailedBuild, Key, Value string
	Elapsed                             *float64
	line                                int
}

// actions are those of events, but for "artifacts" and what Go may add, which are skipped.
var actions = []string{"start", "run", "pause", "cont", "pass", "bench", "fail", "output", "skip", "attr", "build-output", "build-fail",
	"artifacts"}

// memory lends tests the memory of those that ended: most pass, and what they printed is read by nobody.
type memory struct{ free []*running }

// test is a test of which nothing is known, with memory to begin with.
func (m *memory) test() *running {
	last := len(m.free) - 1
	if last < 0 {
		return &running{}
	}
	t := m.free[last]
	m.free = m.free[:last]
	return t
}

// take takes the memory of a test back, unless tests below it may still ask for it. Nothing else may use it anymore.
func (m *memory) take(t *running) {
	c := &t.output
	spare := capture{head: c.head[:0], tail: c.tail[:0]}
	const shelf = 64 // how many tests' memory is kept for the next ones, unless one huge line made it huge
	switch {
	case len(m.free) == shelf || cap(c.head)+cap(c.tail) > 8*kept:
	case t.above:
		m.free = append(m.free, &running{output: spare})
		*c = capture{}
	default:
		*t = running{output: spare}
		m.free = append(m.free, t)
	}
}
