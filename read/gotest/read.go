package gotest

import (
	"io"
	"slices"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/lineblocks"
)

// Sniff reports whether the first object in head is an event.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	return slices.Contains(actions[start:], keys["Action"]) && keys.HasAny("Package", "ImportPath", "Test", "Time")
}

// Read reads a stream of events. What is wrong with it is a problem in the
// sink; the error is that of r as a *position.Error.
func Read(r io.Reader, to envelope.Sink) error {
	return readSideBySide(r, to, lineblocks.Workers(), lineblocks.Size, lineblocks.MaxLine)
}

// readSideBySide reads the input in blocks with at most so many workers.
func readSideBySide(r io.Reader, to envelope.Sink, workers, size, limit int) error {
	return newReader(to).read(lineblocks.Cut(r, size, limit), workers, func() func(lineblocks.Block, *found) { return newWorker(limit).read })
}

func newReader(to envelope.Sink) *reader {
	return &reader{to: to, event: &event{}, packages: map[string]*pack{}, builds: map[string]*build{}, variants: map[envelope.Key]*int32{}}
}

// read has workers find the events, and follows them in order.
func (rd *reader) read(input *lineblocks.Cutter, workers int, worker func() func(lineblocks.Block, *found)) error {
	err := lineblocks.SideBySide(input, workers, lineblocks.Work[*found]{Empty: func() *found { return &found{} }, Worker: worker, Deliver: rd.follow})
	rd.noise.Report(rd.to)
	rd.finish()
	return err
}

// follow takes the events and problems of a block in order.
func (rd *reader) follow(f *found, before int) (lines int) {
	rd.text = f.text
	problems := f.problems
	for i := range f.events {
		for ; len(problems) > 0 && problems[0].before <= i; problems = problems[1:] {
			rd.problem(problems[0], before)
		}
		rd.event = &f.events[i]
		rd.line = before + rd.event.line
		rd.one()
	}
	for _, p := range problems {
		rd.problem(p, before)
	}
	rd.past = event{action: rd.event.action}
	rd.event = &rd.past // what follows the end asks how it came to that
	rd.noise.Follow(f.noise, before)
	lines = f.lines
	f.reset()
	return lines
}

func (rd *reader) problem(p problem, before int) {
	p.Line += before
	rd.to.Problem(p.Problem)
}

// reader reads one stream.
type reader struct {
	to       envelope.Sink
	event    *event
	past     event  // the last one of the block before
	text     []byte // of what was found in the block
	line     int    // of the event
	packages map[string]*pack
	order    []*pack // in order of appearance
	last     *pack   // of the event before
	builds   map[string]*build
	broken   []string                // import paths of failed builds, in order
	variants map[envelope.Key]*int32 // trials of tests that have any
	cached   envelope.Problem
	idles    envelope.Problem // packages in which no test ran
	noise    jsonwalk.Noise
	begun    bool
	memory   memory
	ending   envelope.Trial // of the test that ended last
}

// build is what a compiler said of a package.
type build struct {
	output capture
	untold bool // it failed, and no package failed for it yet
}

// one follows an event.
func (rd *reader) one() {
	e := rd.event
	rd.begin()
	switch e.action {
	case buildOutput:
		rd.build().output.add(e.decoded)
	case buildFail:
		rd.build().untold = true
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

// keep keeps the output of the event.
func (rd *reader) keep(c *capture) {
	if e := rd.event; e.decoded != nil {
		c.add(e.decoded)
	} else {
		c.keep(rd.text[e.from:e.to])
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
	if rd.last == nil || rd.last.name != string(rd.event.pkg) {
		rd.last = rd.named(rd.event.pkg)
	}
	return rd.last
}

// named finds or makes a package.
func (rd *reader) named(name []byte) *pack {
	p := rd.packages[string(name)]
	if p == nil {
		p = newPack(string(name))
		rd.packages[p.name] = p
		rd.order = append(rd.order, p)
	}
	return p
}

// at is the time of the event, zero when it has none.
func (e *event) at() time.Time {
	t := time.Time{}
	if len(e.time) == 0 || t.UnmarshalText(e.time) != nil {
		return time.Time{}
	}
	return t
}

// finish ends what the stream left open.
func (rd *reader) finish() {
	for _, p := range rd.order {
		if p.active {
			rd.breakOff(p)
		}
	}
	rd.brokenBuilds()
	for _, p := range []envelope.Problem{rd.cached, rd.idles} {
		if p.Count > 0 {
			rd.to.Problem(p)
		}
	}
}

// brokenBuilds reports builds that failed without a package that says so.
func (rd *reader) brokenBuilds() {
	for _, path := range rd.broken {
		if b := rd.builds[path]; b.untold {
			b.untold = false
			rd.send(rd.named([]byte(importedAs(path))), rd.buildFailed(b), false)
		}
	}
}

// short is a name as a message shows it.
func short(name string) string {
	return words.Head(name, 200)
}
