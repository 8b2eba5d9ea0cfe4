package stream

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
)

// Report is a format of runners in which the same made-up trials can be written.
type Report struct {
	Name   string // that of the format, as the program knows it
	File   string // how its files end
	Shape  string // the file in shapes that says how it looks, "" where a function writes it
	evals  bool   // of evals, which skip nothing
	Trials int    // that make a file of some 200 MB, with 800 bytes of output each
	calls  int    // mean tool calls of the conversation of a trial
	zipped bool   // every trial is a file in an archive
	encode func(json string) string
}

// Reports are the formats. Each has its shape, a file made after real ones.
var Reports = []Report{
	{Name: "junit", Trials: 100_000, File: "xml", Shape: "junit", encode: inXML},
	{Name: "tap", Trials: 100_000, File: "tap", Shape: "tap", encode: inBlock},
	{Name: "ctrf", Trials: 100_000, File: "json", Shape: "ctrf"},
	{Name: "playwright", Trials: 60_000, File: "json", Shape: "playwright"},
	{Name: "cucumber", Trials: 80_000, File: "ndjson", Shape: "cucumber-messages"},
	{Name: "cucumber-json", Trials: 80_000, File: "json", Shape: "cucumber-json"},
	{Name: "jest", Trials: 250_000, File: "json", Shape: "jest"},
	{Name: "pytest-reportlog", Trials: 80_000, File: "jsonl", Shape: "pytest-reportlog"},
	{Name: "pytest-json-report", Trials: 100_000, File: "json", Shape: "pytest-json-report"},
	{Name: "allure", Trials: 100_000, File: "json-seq", Shape: "allure"},
	{Name: "otlp", Trials: 100_000, File: "jsonl", Shape: "otlp"},
	{Name: "promptfoo", Trials: 60_000, File: "json", Shape: "promptfoo", evals: true},
	{Name: "tau-bench", Trials: 12_000, File: "json", Shape: "tau-bench", evals: true, calls: 6},
	{Name: "inspect", Trials: 12_000, File: "json", Shape: "inspect", evals: true, calls: 6},
	{Name: "inspect", Trials: 12_000, File: "eval", Shape: "inspect", evals: true, calls: 6, zipped: true},
}

// String tells the report from all others.
func (r Report) String() string {
	if r.zipped {
		return r.Name + "." + r.File
	}
	return r.Name
}

// Tally is what everybody must count in a report.
type Tally struct{ Tests, Trials, Passed, Skipped int }

// Tally counts the trials of a report: its tests are as many as its trials need.
func (r Report) Tally(o Options) Tally {
	n := Tally{}
	for _, tries := range r.plan(o) {
		n.Tests++
		n.Trials += len(tries)
		n.Passed += strings.Count(tries, "P")
		n.Skipped += strings.Count(tries, "S")
	}
	return n
}

// plan is the tries of each test, a letter each: as runners do it, a test that fails is
// tried again until it passes or has failed four times.
func (r Report) plan(o Options) []string {
	var all []string
	s := newSource(o.Seed, 4)
	for left := o.Trials; left > 0; {
		tries := "P"
		switch luck := s.below(100); {
		case luck < 70:
		case luck < 74 && !r.evals:
			tries = "S"
		case luck < 92:
			tries = "FFFP"[s.below(3):]
		default:
			tries = "FFFF"
		}
		tries = tries[:min(left, len(tries))]
		all, left = append(all, tries), left-len(tries)
	}
	return all
}

// Write writes a report of Options.Trials trials with Options.Output bytes of output
// each in the mean. Its tests follow from its trials, a hundred make a suite.
func (r Report) Write(w io.Writer, o Options) error {
	if _, err := o.settle(); err != nil {
		return err
	}
	o.Calls = r.calls
	p := &report{Report: r, o: o, sheet: sheet{w: w}, shape: shaped(r.Shape), source: newSource(o.Seed, 5), all: r.plan(o)}
	p.prepare()
	if r.zipped {
		return p.archive()
	}
	p.put(p.shape.head)
	for first := 0; first < len(p.all); first += inSuite {
		p.suite(first, min(first+inSuite, len(p.all)))
	}
	p.put(p.shape.tail)
	p.flush()
	return p.err
}

// inSuite is how many tests a suite has.
const inSuite = 100

// report is a report while it is written.
type report struct {
	Report
	o Options
	sheet
	source
	shape   shape
	all     []string // tries of each test
	said    []string // lines of output
	frames  []string // of stack traces
	why     []string // messages
	about   []string // what tests are about
	newline string   // in a text
	inside  inside
	now     now
}

// now is where a report has come to.
type now struct {
	first, last int // tests of the suite
	test        int
	tries       string
	try         int
	trial       int // number of the trial in the report,
	inSuite     int // and in the suite
	ms          int
	message     string
	frame, line int // first of the trace and of the output
	output      int // bytes
}

// prepare writes all texts as the format has them.
func (p *report) prepare() {
	encode := p.encode
	if encode == nil {
		encode = func(json string) string { return json }
	}
	p.said, p.newline = p.lines(), encode(`\n`)
	for range 200 {
		p.frames = append(p.frames, fmt.Sprintf(`    at callAgent%d (/home/dev/shop/node_modules/agent-runner/build/run.js:%d:%d)\n`,
			p.below(30), p.below(900), p.below(90)))
	}
	p.why, p.about = append(p.why, reasons...), append(p.about, subjects...)
	for _, texts := range [][]string{p.said, p.frames, p.why, p.about} {
		for i := range texts {
			texts[i] = encode(texts[i])
		}
	}
	if p.calls > 0 {
		p.o.Tests = 500
		p.inside = newInside(p.o)
	}
}

// suite writes the suite of some tests, stage by stage.
func (p *report) suite(first, last int) {
	before := p.now.trial
	for _, s := range p.shape.stages {
		p.now = now{first: first, last: last, test: first, trial: before}
		p.put(s["suite"])
		for ; p.now.test < last; p.now.test++ {
			p.test(s)
		}
	}
	p.now.test = last - 1
	for p.now.trial = before; first < last; first++ {
		p.now.trial += len(p.all[first])
	}
}

func (p *report) test(s stage) {
	p.now.tries = p.all[p.now.test]
	last := len(p.now.tries) - 1
	p.begin(last)
	p.put(s.of("test", p.now.tries[last]))
	p.put(s["between"])
	start := p.now.trial
	for i := range p.now.tries {
		p.begin(i)
		p.put(s.of("trial", p.now.tries[i]))
		if i < last {
			p.put(s.of("earlier", p.now.tries[last]))
		}
		p.now.trial, p.now.inSuite = p.now.trial+1, p.now.inSuite+1
	}
	p.now.trial = start
	p.begin(last)
	p.put(s.of("end", p.now.tries[last]))
	p.now.trial = start + len(p.now.tries)
	p.ended()
}

// begin makes up a try of the test. It is the same in every format.
func (p *report) begin(try int) {
	p.now.try = try
	p.pcg.Seed(p.o.Seed, uint64(p.now.test*4+try)<<8|6)
	p.now.ms, p.now.message = 1+p.below(30_000), p.why[p.below(len(p.why))]
	p.now.frame, p.now.line = p.below(len(p.frames)), p.below(len(p.said))
	p.now.output = p.o.Output * spread[p.below(len(spread))] / 100
}

// archive writes a log of Inspect as the archive of its samples.
func (p *report) archive() error {
	z := zip.NewWriter(p.w)
	for p.now.test = range p.all {
		for i := range p.all[p.now.test] {
			p.now.tries = p.all[p.now.test]
			p.begin(i)
			p.put(p.shape.stages[0].of("trial", p.now.tries[i]))
			if err := p.entry(z, fmt.Sprintf("samples/%d_epoch_%d.json", p.now.test, i+1)); err != nil {
				return err
			}
			p.now.trial++
		}
	}
	p.put(p.shape.head)
	if err := p.entry(z, "header.json"); err != nil {
		return err
	}
	return z.Close()
}

// entry puts what was written into an archive.
func (p *report) entry(z *zip.Writer, name string) error {
	f, err := z.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(p.sheet.text)
	p.sheet.text = p.sheet.text[:0]
	return err
}
