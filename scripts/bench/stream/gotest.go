package stream

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// GoTest writes a stream of go test -json: packages in parallel, one run of each test, every fourth
// test with the three after it as its subtests. Options.Trials is the number of tests and subtests,
// Options.Suites that of packages; Tests, Labels and Problems mean nothing here.
func GoTest(w io.Writer, o Options) error {
	o.Tests = 0
	o, err := o.settle()
	if err != nil {
		return err
	}
	g := gotest{Options: o, sheet: sheet{w: w}, source: newSource(o.Seed, 2), clock: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	g.said = g.lines()
	for first := 0; first < o.Suites; first += parallel {
		g.round(first, min(first+parallel, o.Suites))
	}
	g.flush()
	return g.err
}

// parallel is how many packages run at the same time.
const parallel = 4

type gotest struct {
	Options
	sheet
	source
	said  []string // lines of output
	clock time.Time
}

// goPackage is a package while its tests run.
type goPackage struct {
	name    string
	tests   int    // begun so far
	all     int    // that it has
	parent  string // the open test, "" for none
	failed  bool   // a test failed
	failing bool   // a test below the parent failed
}

// round runs some packages side by side.
func (g *gotest) round(first, last int) {
	var running []*goPackage
	for n := first; n < last; n++ {
		p := &goPackage{name: fmt.Sprintf("example.test/agents/p%04d", n), all: g.Trials*(n+1)/g.Suites - g.Trials*n/g.Suites}
		running = append(running, p)
		g.event("start", p, "", "")
	}
	for busy := true; busy; {
		busy = false
		for _, p := range running {
			if p.tests < p.all {
				g.next(p)
				busy = true
			}
		}
	}
	for _, p := range running {
		g.endPackage(p)
	}
}

// next runs the next test of a package.
func (g *gotest) next(p *goPackage) {
	n := p.tests
	p.tests++
	if n%4 == 0 {
		p.parent = fmt.Sprintf("TestAnswer%05d", n)
		g.begin(p, p.parent)
	} else {
		name := fmt.Sprintf("%s/asks_for_%d", p.parent, n)
		g.begin(p, name)
		g.end(p, name, false)
	}
	if n%4 == 3 || p.tests == p.all {
		g.end(p, p.parent, p.failing)
		p.failing = false
	}
	g.ended()
}

func (g *gotest) begin(p *goPackage, name string) {
	g.event("run", p, name, "")
	g.event("output", p, name, `=== RUN   `+name+`\n`)
	if g.Output == 0 {
		return
	}
	for left := g.Output * spread[g.below(len(spread))] / 100; left > 0; {
		line := g.said[g.below(len(g.said))]
		g.event("output", p, name, logged(g.below(400), line))
		left -= len(line)
	}
}

func logged(line int, text string) string {
	return `    answers_test.go:` + strconv.Itoa(10+line) + `: ` + text
}

// end writes how a test ended: one in thirteen failed, one in twenty-five was skipped.
func (g *gotest) end(p *goPackage, name string, failed bool) {
	what := "pass"
	switch luck := g.below(25); {
	case failed || luck < 2:
		what = "fail"
		g.event("output", p, name, logged(g.below(400), reasons[g.below(len(reasons))]+`\n`))
	case luck == 2:
		what = "skip"
	}
	p.failed = p.failed || what == "fail"
	p.failing = p.failing || what == "fail"
	seconds := float64(g.below(500)) / 100
	pad := strings.Repeat("    ", strings.Count(name, "/"))
	g.event("output", p, name, fmt.Sprintf(`%s--- %s: %s (%.2fs)\n`, pad, strings.ToUpper(what), name, seconds))
	g.closing(what, p, name, seconds)
}

func (g *gotest) endPackage(p *goPackage) {
	what, word := "pass", "ok  "
	if p.failed {
		what, word = "fail", "FAIL"
	}
	seconds := float64(g.below(6000)) / 100
	g.event("output", p, "", word+`\n`)
	g.event("output", p, "", fmt.Sprintf(`%s\t%s\t%.3fs\n`, word, p.name, seconds))
	g.closing(what, p, "", seconds)
	g.ended()
}

// head appends what all events have.
func (g *gotest) head(action string, p *goPackage, test string) {
	g.clock = g.clock.Add(time.Duration(1000 + g.below(900000)))
	b := g.clock.AppendFormat(append(g.text, `{"Time":"`...), time.RFC3339Nano)
	b = append(append(b, `","Action":"`...), action...)
	b = append(append(append(b, `","Package":"`...), p.name...), '"')
	if test != "" {
		b = append(append(append(b, `,"Test":"`...), test...), '"')
	}
	g.text = b
}

func (g *gotest) event(action string, p *goPackage, test, output string) {
	g.head(action, p, test)
	if output != "" {
		g.text = append(append(append(g.text, `,"Output":"`...), output...), '"')
	}
	g.text = append(g.text, "}\n"...)
}

// closing appends an event that ends something.
func (g *gotest) closing(action string, p *goPackage, test string, seconds float64) {
	g.head(action, p, test)
	g.text = strconv.AppendFloat(append(g.text, `,"Elapsed":`...), seconds, 'f', -1, 64)
	g.text = append(g.text, "}\n"...)
}
