package gotest

import (
	"io"
	"slices"
	"time"

	"tribunal/envelope"
	"tribunal/read/jsonlines"
)

// actions are what an event may be about. Others are passed over, as Go asks.
var actions = []string{"start", "run", "pause", "cont", "pass", "bench", "fail", "output", "skip", "attr", "artifacts", "build-output", "build-fail"}

// Sniff reports whether the first object in head is an event.
func Sniff(head []byte) bool {
	keys := jsonlines.First(head)
	if !slices.Contains(actions, keys["Action"]) {
		return false
	}
	for _, name := range []string{"Package", "ImportPath", "Test", "Time"} {
		if _, ok := keys[name]; ok {
			return true
		}
	}
	return false
}

// Read reads a stream of events. What is wrong with it is a problem in the
// sink; the error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, event: &event{}, packages: map[string]*pack{}, builds: map[string]*build{}, attempts: map[envelope.Key]int32{}}
	f := &feeder{r: r, full: make(chan *batch, batches), empty: make(chan *batch, batches)}
	for range batches {
		f.empty <- &batch{}
	}
	ended := make(chan error, 1)
	go func() { ended <- f.feed() }()
	for b := range f.full {
		rd.follow(b)
		f.empty <- b
	}
	rd.finish()
	return <-ended
}

// follow takes the events and problems of a batch in order.
func (rd *reader) follow(b *batch) {
	found := b.found
	for i := range b.events {
		for ; len(found) > 0 && found[0].before <= i; found = found[1:] {
			rd.to.Problem(found[0].problem)
		}
		rd.line, rd.event = b.lines[i], &b.events[i]
		rd.one()
	}
	for _, f := range found {
		rd.to.Problem(f.problem)
	}
}

// reader reads one stream.
type reader struct {
	to       envelope.Sink
	event    *event
	line     int // of the event
	packages map[string]*pack
	order    []*pack // in order of appearance
	last     *pack   // of the event before
	builds   map[string]*build
	broken   []string // import paths of failed builds, in order
	attempts map[envelope.Key]int32
	ran      bool   // some test ran
	idle     []idle // packages without a test, while none ran
	cached   envelope.Problem
	begun    bool
	memory   memory
	passed   envelope.Trial // of the last test that passed
}

// build is what a compiler said of a package.
type build struct {
	output capture
	told   bool // a package failed for it
}

// one follows an event.
func (rd *reader) one() {
	e := rd.event
	rd.begin()
	switch string(e.action) {
	case "build-output":
		rd.build().output.add(e.output)
	case "build-fail":
		rd.build()
		rd.broken = append(rd.broken, string(e.importPath))
	default:
		p := rd.pack()
		if len(e.test) > 0 {
			rd.testEvent(p)
		} else {
			rd.packageEvent(p)
		}
	}
}

// begin tells when the run began: at its first event.
func (rd *reader) begin() {
	if !rd.begun && len(rd.event.time) > 0 {
		rd.begun = true
		rd.to.Header(envelope.Header{StartedAt: string(rd.event.time)}, nil)
	}
}

func (rd *reader) build() *build {
	b := rd.builds[string(rd.event.importPath)]
	if b == nil {
		b = &build{}
		rd.builds[string(rd.event.importPath)] = b
	}
	return b
}

// pack is the package of the event.
func (rd *reader) pack() *pack {
	if rd.last != nil && string(rd.event.pkg) == rd.last.name {
		return rd.last
	}
	p := rd.packages[string(rd.event.pkg)]
	if p == nil {
		p = newPack(string(rd.event.pkg))
		rd.packages[p.name] = p
		rd.order = append(rd.order, p)
	}
	rd.last = p
	return p
}

// at is the time of the event, zero when it has none.
func (e *event) at() time.Time {
	t := time.Time{}
	if t.UnmarshalText(e.time) != nil {
		return time.Time{}
	}
	return t
}

// finish ends what the stream left open.
func (rd *reader) finish() {
	for _, p := range rd.order {
		if p.active {
			rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeTruncated, Line: max(rd.line, 1), Column: 1,
				Message: "the stream ends before package " + short(p.name) + " does: tests that had not ended count as errors, later ones are missing"})
			rd.died(p, "the stream ends before the test does")
			rd.closeBlock(p)
		}
	}
	rd.brokenBuilds()
	rd.idlePackages()
	if rd.cached.Count > 0 {
		rd.to.Problem(rd.cached)
	}
}

// brokenBuilds reports builds that failed without a package that says so.
func (rd *reader) brokenBuilds() {
	for _, path := range rd.broken {
		if b := rd.builds[path]; !b.told {
			b.told = true
			rd.ran = true
			p := newPack(importedAs(path))
			rd.deliver(p, rd.buildFailed(b))
		}
	}
}

// short is a name as a message shows it.
func short(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return name[:most] + "…"
}
