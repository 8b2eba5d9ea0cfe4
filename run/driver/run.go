// Package driver runs trials: it starts the commands that package runner asks for,
// reads what they say as trials, and writes the journal before anything depends on
// it.
//
// It exists between three rooms that know nothing of each other: the scheduler,
// which decides and does nothing ([tribunal/runner]), the processes, which mean
// nothing ([tribunal/process]), and the journal ([tribunal/journal]). What is its
// own is what a command is (placeholders, environment, what runs around a trial)
// and what its end means (exit codes, formats, tests that were asked for and not
// reported).
//
// One goroutine holds the scheduler and writes the journal; each start has one
// that waits for its processes. A [Run] says what is run, [Drive] runs it, and a
// [Watch] sees it. Counting, verdicts and reports are made from the journal, by
// whoever reads one.
package driver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"tribunal/envelope"
	"tribunal/read"
	"tribunal/run/journal"
	"tribunal/run/preset"
	"tribunal/run/runner"
)

// Run is what is run, and how.
type Run struct {
	Plan   runner.Plan // its Form is set by Settle
	Header envelope.Header
	// Part tells several journals of one run apart, which may go on at once on one
	// machine: it stands in the name of each start.
	Part string
	Seed int64
	// Elsewhere are the tests of the run that other shards of it run. Sharded tells
	// that there are such, even if all are here.
	Elsewhere []runner.Test
	Sharded   bool

	Command *Template
	// Setup and Teardown are run once, Check once a test, Before and After around each
	// trial; nil are none.
	Setup, Teardown, Check, Before, After *Template

	// As is the format in which a start tells its trials. With Auto, that is found by
	// the content where it is needed; else, where it is nil, the exit code tells.
	As      *read.Format
	Auto    bool
	Reading read.Options // roots and scorer
	untold  bool         // nobody said how to read, and the exit code tells
	// Recipe is what a preset says of the command; the zero value says nothing.
	Recipe preset.Recipe

	// Judge, where it is not nil, says what an end of the command means for each test of
	// a start, in the place of a format: a start is a trial of the open tests of a suite.
	// What ran out of its time, or wrote too much, is judged as everywhere.
	Judge func(tests []envelope.Key, e Ended) []envelope.Trial
	// MaxErrorRates are the shares of starts that may end with another exit code than
	// 0, by suite. Above it the open tests of the suite are given up.
	MaxErrorRates map[string]float64
	// Terms are what else decides what a trial is.
	Terms []string

	// ExitCodes mean something else than usual: words of settings.Meanings.
	ExitCodes      map[int]string
	Infrastructure []*regexp.Regexp

	// Timeout is that of a trial, 0 none; Timeouts are those of some tests.
	Timeout  time.Duration
	Timeouts map[envelope.Key]time.Duration
	Grace    time.Duration
	MaxTime  time.Duration
	Rate     rate.Limit // starts in a second, 0 is no limit

	Environment Environment
	// LeaveBehind spares what trials leave running.
	LeaveBehind bool
	// Only, where it is not nil, are the tests of a sweep that are meant, which its
	// first output tells.
	Only func(envelope.Key) bool
	// Redact takes secrets out of what is written.
	Redact func(string) string
}

// Settle finds the form of the starts, and says what of the run cannot be.
func (r *Run) Settle() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	listed := len(r.Plan.Tests) + len(r.Elsewhere) // what a start is does not depend on how the tests are dealt
	several := listed > 1
	switch {
	case r.Judge != nil:
		r.Plan.Form = runner.Batch
	case r.Command.Uses(nameTests, nameAllRegex):
		r.Plan.Form = runner.Batch
		if r.As == nil && !r.Auto {
			fail("one start of {tests} tries several tests, so its exit code is not enough; name the format of its output with --from")
		}
	case r.Command.Uses(nameTest, nameTestRegex), listed == 1, several && r.As == nil:
		r.Plan.Form = runner.Each
		r.untold = r.Auto && r.Command.Uses(nameTest, nameTestRegex) && !r.Command.Uses(nameOut)
		r.Auto = r.Auto && !r.untold // else the exit code tells
	default:
		r.Plan.Form = runner.Sweep
	}
	if r.Plan.Form == runner.Each && !r.Command.Uses(nameTest, nameTestRegex) && several && r.Environment.Hide {
		fail("the command has no {test}, and env.hide leaves out TRIBUNAL_TEST: it cannot know which test to run")
	}
	if r.Plan.Form == runner.Sweep {
		if r.Sharded {
			fail("--shard needs {test} or {tests} in the command, and the tests by --test, --list or run.tests; a start now tries all tests")
		}
		if r.Check != nil && len(r.Plan.Tests) == 0 {
			fail("check runs once for each test before the first start; list the tests by --test, --list or run.tests")
		}
	}
	if listed == 0 && r.Plan.Form != runner.Sweep {
		fail("no test is known; name them by --test NAME, by --list PROGRAM, which prints a name a line, or by run.tests in tribunal.yaml")
	}
	errs = append(errs, r.misplaced()...)
	if strings.ContainsAny(r.Recipe.OutName, `/\`) {
		fail("the name after {out}, %q, must be a file name without a path", r.Recipe.OutName)
	}
	errs = append(errs, r.Environment.check())
	return errors.Join(errs...)
}

// misplaced are the placeholders that stand for nothing where they are: of a test in
// a command that is not run for one, or of a label that a test has not.
func (r *Run) misplaced() (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, c := range []struct {
		name string
		*Template
	}{{"setup", r.Setup}, {"teardown", r.Teardown}} {
		for _, name := range c.names() {
			if name != nameID && name != nameSeed && name != nameRun {
				fail("%s runs once, not for a trial; it has {id}, {run} and {seed}, but not {%s}", c.name, name)
			}
		}
	}
	ofOne := []string{nameTest, nameTestRegex}
	several := map[runner.Form]string{runner.Batch: "all tests of a suite that are due", runner.Sweep: "all tests"}[r.Plan.Form]
	if r.Plan.Form == runner.Sweep {
		ofOne = append(ofOne, nameSuite)
	}
	for _, c := range []struct {
		name string
		*Template
		one bool // test, whatever a start is
	}{{"the command", r.Command, false}, {"check", r.Check, true}, {"before", r.Before, false}, {"after", r.After, false}} {
		one := c.one || r.Plan.Form == runner.Each
		for _, name := range c.names() {
			label, is := strings.CutPrefix(name, labelPrefix)
			unlabelled := slices.IndexFunc(r.Plan.Tests, func(t runner.Test) bool { _, ok := t.Labels[label]; return !ok })
			switch {
			case !one && (is || slices.Contains(ofOne, name)):
				fail("a start of the command is a trial of %s, so {%s} in %s has no value; add {test} to the command for a start of each test",
					several, name, c.name)
			case is && unlabelled >= 0:
				fail("%s has {label.%s}, and %s has no such label", c.name, label, r.Plan.Tests[unlabelled].Key)
			}
		}
	}
	return errs
}

// Identity is what decides what a trial is: a run goes on with the same alone.
func (r *Run) Identity() []string {
	id := []string{"command"}
	for _, t := range []*Template{r.Command, r.Setup, r.Check, r.Before, r.After} {
		id = append(append(id, fmt.Sprint(len(t.Text()))), t.Text()...)
	}
	format := "exit"
	switch {
	case r.Auto:
		format = "auto"
	case r.As != nil:
		format = r.As.Name
	}
	return append(append(id, format, r.Recipe.OutName, fmt.Sprint(r.ExitCodes), fmt.Sprint(r.Infrastructure)), r.Terms...)
}

// Again is what the journal of the run would begin with now that it is gone on
// with. A sweep lists the tests that it has learned since it began, so that they
// too are held to their number of trials.
func (r *Run) Again(was journal.Plan) (journal.Plan, error) {
	plan := r.Plan
	if r.Plan.Form == runner.Sweep && len(plan.Tests) == 0 {
		for _, t := range was.Tests {
			plan.Tests = append(plan.Tests, runner.Test{Key: t.Key, Labels: t.Labels})
		}
	}
	s, err := runner.New(plan)
	if err != nil {
		return journal.Plan{}, err
	}
	return r.Journal(s, plan.Tests)
}

// Journal is what the journal of the run, of these tests, begins with.
func (r *Run) Journal(s *runner.Scheduler, tests []runner.Test) (journal.Plan, error) {
	p := journal.Plan{Command: r.Identity(), Policy: r.Plan.Policy, Seed: r.Seed}
	for id, t := range tests {
		p.Tests = append(p.Tests, listed(s, id, t))
	}
	if len(r.Elsewhere) == 0 {
		return p, nil
	}
	others := r.Plan
	others.Tests = r.Elsewhere
	there, err := runner.New(others)
	if err != nil {
		return p, err
	}
	for id, t := range r.Elsewhere {
		line := listed(there, id, t)
		line.Elsewhere = true
		p.Tests = append(p.Tests, line)
	}
	return p, nil
}

func listed(s *runner.Scheduler, id int, t runner.Test) journal.Test {
	return journal.Test{Key: t.Key, Labels: t.Labels, Trials: s.Progress(id).Trials, Sequential: s.Sequential(id)}
}

func (r *Run) timeoutOf(key envelope.Key) time.Duration {
	if d, ok := r.Timeouts[key]; ok {
		return d
	}
	return r.Timeout
}

// ReadsExitCodes reports that the exit code of a start is all that is read of it.
func (r *Run) ReadsExitCodes() bool { return r.Judge == nil && r.As == nil && !r.Auto }

// ReadAs is how a start is read, in words.
func (r *Run) ReadAs() string {
	switch {
	case r.Judge != nil:
		return "contracts, each by its assert"
	case r.As != nil:
		return r.As.Name
	case r.Auto:
		return "its format, found by the content; else by its exit code"
	}
	return "its exit code"
}

// longestLine bounds a line of a list of tests.
const longestLine = 1 << 20

// ParseList reads a list of tests: a name in each line, or records of a trial
// stream with suite, test, variant and labels alone. Blank lines are passed over.
func ParseList(r io.Reader) ([]runner.Test, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	var tests []runner.Test
	at := map[envelope.Key]int{}
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		test := runner.Test{Key: envelope.Key{Test: line}}
		if strings.HasPrefix(line, "{") {
			var err error
			if test, err = listedAs(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
		if first, twice := at[test.Key]; twice {
			return nil, fmt.Errorf("line %d: %s is listed in line %d already", number, test.Key, first)
		}
		at[test.Key] = number
		tests = append(tests, test)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", len(tests), err)
	}
	return tests, nil
}

func listedAs(line string) (runner.Test, error) {
	var record struct {
		Suite, Test, Variant string
		Labels               map[string]string
	}
	in := json.NewDecoder(strings.NewReader(line))
	in.DisallowUnknownFields()
	if err := in.Decode(&record); err != nil {
		return runner.Test{}, fmt.Errorf("a record of suite, test, variant and labels is expected: %w", err)
	}
	if record.Test == "" {
		return runner.Test{}, errors.New("the record has no test")
	}
	return runner.Test{Key: envelope.Key{Suite: record.Suite, Test: record.Test, Variant: record.Variant}, Labels: record.Labels}, nil
}
