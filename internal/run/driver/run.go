// Package driver runs trials. It starts the commands that package runner asks for, reads
// their output as trials, and writes the journal before anything depends on it.
//
// It connects three packages that do not know each other: runner decides what to start, process
// starts and ends commands, and journal records. The driver itself knows what a command is
// (placeholders, environment, setup) and what its end means (exit codes, formats, missing results).
//
// One goroutine owns the scheduler and the journal; each start has another that waits for
// its processes. [Drive] runs a [Run], and a [Watch] follows it. Verdicts and reports are
// made later, from the journal.
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
	"tribunal/internal/each"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/preset"
	"tribunal/internal/run/runner"
	"tribunal/read"
)

// Run describes a run.
type Run struct {
	Plan   runner.Plan // its Form is set by Settle
	Header envelope.Header
	// Part distinguishes journals of one run that are written at once. It is part of the
	// name of each start.
	Part string
	Seed int64
	// Elsewhere are the tests that other shards run. Sharded is true even if all are here.
	Elsewhere []runner.Test
	Sharded   bool

	Command *Template
	// Setup and Teardown run once, Check once per test, Before and After around each
	// trial. Each may be nil.
	Setup, Teardown, Check, Before, After *Template

	// As is the format of the output. If it is nil, Auto detects the format by content;
	// without Auto, the exit code decides.
	As      *read.Format
	Auto    bool
	Reading read.Options // roots and scorer
	untold  bool         // no format was given, and the exit code decides
	// Recipe comes from a preset.
	Recipe preset.Recipe

	// Judge, if set, replaces a format: it returns the trials of a start from how its
	// command ended. It is not asked after a timeout or too much output.
	Judge func(tests []envelope.Key, e Ended) []envelope.Trial
	// MaxErrorRates are the shares of starts that may exit with a code other than 0, by
	// suite. Above that, the open tests of the suite are given up.
	MaxErrorRates map[string]float64
	// Terms are further settings that a resumed run must share; see Identity.
	Terms []string

	// ExitCodes override the usual meaning of exit codes, by words of settings.Meanings.
	ExitCodes      map[int]string
	Infrastructure []*regexp.Regexp

	// Timeout limits a trial, 0 for no limit. Timeouts override it for single tests.
	Timeout  time.Duration
	Timeouts map[envelope.Key]time.Duration
	Grace    time.Duration
	MaxTime  time.Duration
	Rate     rate.Limit // starts in a second, 0 is no limit

	Environment Environment
	// LeaveBehind keeps processes that trials leave running.
	LeaveBehind bool
	// Only, if set, selects tests of a sweep after its first output.
	Only func(envelope.Key) bool
	// Chosen tells that the tests were selected from more, so that others may fail.
	Chosen bool
	// Unmatched, if set, names the value of --only that matched no test of a sweep, or is "".
	Unmatched func() string
	// Redact removes secrets from everything that is written.
	Redact func(string) string
}

// Settle finds the form of the starts. The error lists everything that cannot work.
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
			fail("one start of {tests} tries several tests, so an exit code is not enough; name the format of its output, as in --from native")
		}
	case r.Command.Uses(nameTest, nameTestRegex), listed == 1, several && r.As == nil:
		r.Plan.Form = runner.Each
		r.untold = r.Auto && r.Command.Uses(nameTest, nameTestRegex) && !r.Command.Uses(nameOut)
		r.Auto = r.Auto && !r.untold // else the exit code tells
	default:
		r.Plan.Form = runner.Sweep
	}
	if r.Plan.Form == runner.Each && !r.Command.Uses(nameTest, nameTestRegex) && several && r.Environment.Hide {
		fail("env.hide hides TRIBUNAL_TEST, so the command cannot know which test to run; add {test} to the command")
	}
	if r.Plan.Form == runner.Sweep {
		if r.Sharded {
			fail("--shard needs {test} or {tests} in the command, and tests named by --test, --list or run.tests; otherwise a start runs all tests")
		}
		if r.Check != nil && len(r.Plan.Tests) == 0 {
			fail("run.check runs once for each test, so it needs their names; use --test, --list or run.tests")
		}
	}
	if listed == 0 && r.Plan.Form != runner.Sweep {
		fail("no test is known; name them by --test NAME, by --list COMMAND (prints one name per line), or by run.tests in tribunal.yaml")
	}
	errs = append(errs, r.misplaced()...)
	errs = append(errs, r.Environment.check())
	return errors.Join(errs...)
}

// misplaced reports placeholders without a value: that of a test in a command that does
// not run for one test, or of a label that a test does not have.
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
	several := map[runner.Form]string{runner.Batch: "several tests", runner.Sweep: "all tests"}[r.Plan.Form]
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
				fail("one start runs %s, so {%s} in %s has no value; remove it, or run each test alone ("+
					"{test} in the command, or a preset with --isolate)", several, name, c.name)
			case is && unlabelled >= 0:
				fail("%s uses {label.%s}, but test %s has no label of this name; add it in run.tests or in the records of --list", c.name, label,
					r.Plan.Tests[unlabelled].Key)
			}
		}
	}
	return errs
}

// Identity is what defines a trial. A run can only resume with the same identity.
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

// Again is the plan that the journal would begin with now, to compare with the one of a
// resumed run. It includes the tests that a sweep has found since.
func (r *Run) Again(was journal.Plan) (journal.Plan, error) {
	plan := r.Plan
	if r.Plan.Form == runner.Sweep && len(plan.Tests) == 0 {
		plan.Tests = each.Of(was.Tests, func(t journal.Test) runner.Test { return runner.Test{Key: t.Key, Labels: t.Labels} })
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

// ReadsExitCodes reports whether only the exit code of a start is read.
func (r *Run) ReadsExitCodes() bool { return r.Judge == nil && r.As == nil && !r.Auto }

// ReadAs describes how a start is read.
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

// ParseList reads a list of tests: one name per line, or JSON records with suite, test,
// variant and labels. It skips blank lines.
func ParseList(r io.Reader) ([]runner.Test, error) {
	lines := bufio.NewScanner(r)
	const longestLine = 1 << 20
	lines.Buffer(nil, longestLine)
	var tests []runner.Test
	at := map[envelope.Key]int{}
	number := 1
	for ; lines.Scan(); number++ {
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
	if lines.Err() != nil {
		return nil, fmt.Errorf("line %d is longer than 1 MiB", number)
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
		reason := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "json: "), "unexpected EOF", "the JSON is cut off")
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			reason = strings.ToLower(wrong.Field) + ": a JSON " + wrong.Value + " does not fit here"
		}
		return runner.Test{}, fmt.Errorf(`%s; print a record such as {"suite":"s","test":"t","variant":"v","labels":{"name":"value"}}`, reason)
	}
	if record.Test == "" {
		return runner.Test{}, errors.New(`the record has no "test"`)
	}
	return runner.Test{Key: envelope.Key{Suite: record.Suite, Test: record.Test, Variant: record.Variant}, Labels: record.Labels}, nil
}
