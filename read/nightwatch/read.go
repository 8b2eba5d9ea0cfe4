// Package nightwatch reads the JSON reports of Nightwatch, one of each module in tests_output.
//
// It exists because they say what the JUnit files of the same run do not: that a test was
// tried again, when it began, and the assertions that held. A module is the suite, by the
// name that it has in JUnit, a test a test, its assertions are its checks. What failed
// around the tests, as a browser that did not start, is an error of the run. The package leaves out
// commands, what was sent to the browser, and minimal_report.json, which has no tests.
package nightwatch

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts the report of a module.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return keys.Has("report") && bytes.Contains(head, []byte(`"assertionsCount"`)) && bytes.Contains(head, []byte(`"reportPrefix"`))
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	m := module{}
	return jsonwalk.Strict(r, to, func(d *jsonwalk.Text) error {
		err := d.Members(jsonwalk.Members{"name": &m.name, "report": m.members()})
		m.emitModule(&runfailure.Watch{Sink: to}, err == nil)
		return err
	})
}

// module is what is read of a module (lib/reporter/results.js).
type module struct {
	name, group, path, env string
	failures, errors       int
	lastError              fault
	errmessages            []string
	skipped                []string
	tests                  []test
	sections               map[string]int // how many tries before the last are kept of a test
}

type test struct {
	name string
	of   result
}

// result is how a test ended. One that Nightwatch 1 wrote has no status.
type result struct {
	Status         string
	Failed         *int
	Errors         int
	Retries        int // how often it was tried again
	TimeMs         *float64
	Time           seconds // where there is no TimeMs
	StartTimestamp jsonwalk.Moment
	Assertions     []assertion
	LastError      fault
	StackTrace     string
}

type assertion struct {
	Message, StackTrace string
	Failure             verdict
}

type fault struct{ Message, Stack string }

func (m *module) members() jsonwalk.Members {
	return jsonwalk.Members{"group": &m.group, "modulePath": &m.path, "testEnv": &m.env, "failures": &m.failures, "errors": &m.errors,
		"lastError": &m.lastError, "errmessages": &m.errmessages, "skipped": &m.skipped,
		"completed": func(d *jsonwalk.Text) error {
			return d.Object(func(name string) error {
				t := test{name: cmp.Or(name, "(unnamed)")}
				err := d.Decode(&t.of)
				if err == nil {
					m.tests = append(m.tests, t)
				}
				return err
			})
		},
		"completedSections": func(d *jsonwalk.Text) error {
			return d.Object(func(name string) error { return m.section(d, name) })
		}}
}

// section takes how many tries before the last are kept of a test, which some versions
// do not count.
func (m *module) section(d *jsonwalk.Text, name string) error {
	s := struct{ RetryTestData []struct{} }{}
	err := d.Decode(&s)
	if len(s.RetryTestData) > 0 {
		each.Put(&m.sections, name, len(s.RetryTestData))
	}
	return err
}

// emitModule delivers the tests of a module, and what failed beside them if all was read.
func (m *module) emitModule(to *runfailure.Watch, whole bool) {
	for i := range m.tests {
		m.tried(&m.tests[i], to)
	}
	for _, name := range m.skipped {
		if !slices.ContainsFunc(m.tests, func(t test) bool { return t.name == name }) { // in some versions it is in both
			t := m.trial(name)
			t.Status, t.Message = envelope.Skip, "was not run"
			to.Send(&t)
		}
	}
	errors := m.errors
	for _, t := range m.tests {
		errors -= t.of.Errors
	}
	switch {
	case whole && errors > 0 && len(m.errmessages) > 0: // of a hook
		to.Fail(envelope.ClassInfrastructure, strings.Join(m.errmessages, "\n"))
	case whole && m.failures+m.errors > 0:
		to.Explain(cmp.Or(strings.Join(m.errmessages, "\n"), m.lastError.Message,
			"the report counts "+words.Plural(m.failures+m.errors, "failure or error", "failures and errors")+", and none of its tests has one"))
	}
}

// trial is a trial of a test, with what all trials of the module have.
func (m *module) trial(name string) envelope.Trial {
	suite := m.name
	if m.group != "" {
		suite = strings.NewReplacer("/", ".", `\`, ".").Replace(m.group) + "." + m.name
	}
	t := envelope.Trial{Key: envelope.Key{Suite: suite, Test: name}, File: strings.ReplaceAll(m.path, `\`, "/")}
	if m.env != "default" {
		t.Variant = m.env
	}
	return t
}

// tried delivers the tries of a test that failed, and then the one that is in the report. The
// module does not count the former, so that they explain none of its failures.
func (m *module) tried(t *test, to *runfailure.Watch) {
	trial := m.trial(t.name)
	trial.Retry = to.Attempts.Tries(trial, max(t.of.Retries, m.sections[t.name]), to.Sink) > 0
	t.of.fill(&trial)
	to.Send(&trial)
}

func (r *result) fill(t *envelope.Trial) {
	t.RawStatus, t.StartedAt, t.DurationMS = r.Status, r.StartTimestamp.Time, envelope.Opt[float64](r.Time)
	if r.TimeMs != nil {
		t.DurationMS = trialfields.Milliseconds(*r.TimeMs, 1)
	}
	var failed *assertion
	for i := range r.Assertions {
		a := &r.Assertions[i]
		c := envelope.Check{Name: lasted().ReplaceAllString(a.Message, ""), Status: envelope.Pass}
		if a.Failure != "" {
			c.Status, c.Reason = envelope.Fail, string(a.Failure)
			failed = cmp.Or(failed, a)
		}
		trialfields.AddCheck(t, c, "assertion")
	}
	switch status, known := envelope.ParseStatus(r.Status); {
	case r.Errors > 0:
		t.Status = envelope.Error
	case r.Failed != nil && *r.Failed > 0 || failed != nil:
		t.Status = envelope.Fail
	case r.Failed != nil && r.Status == "":
		t.Status = envelope.Pass
	case known:
		t.Status = status
	default:
		t.Status = envelope.Error
	}
	if t.Status == envelope.Fail || t.Status == envelope.Error {
		r.explain(t, failed)
	}
}

// explain says why it failed: the first assertion that did, or what was thrown.
func (r *result) explain(t *envelope.Trial, failed *assertion) {
	text, stack := r.LastError.Message, cmp.Or(r.StackTrace, r.LastError.Stack)
	if failed != nil {
		text, stack = failed.Message, cmp.Or(failed.StackTrace, stack)
	}
	t.Message = cmp.Or(failure.Reason(text, 3), failure.Reason(stack, 1), "failed without a message")
	t.Output = failure.Ends(failure.Together(text, stack))
}

// lasted is what Nightwatch says in an assertion of how long it took, which differs each time.
var lasted = regex.Of(`( \(\d+ms\)| after \d+ milliseconds\.?)$`)

type seconds envelope.Opt[float64]

func (s *seconds) Take(v jsonwalk.Value) {
	*s = seconds{}
	if n, err := strconv.ParseFloat(v.Text(), 64); err == nil && n > 0 {
		*s = seconds(trialfields.Milliseconds(n, 1000))
	}
}

func (s *seconds) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, s) }

// verdict is false of an assertion that held, and what is wrong of another.
type verdict string

func (f *verdict) Take(v jsonwalk.Value) {
	switch *f = ""; {
	case v.IsText():
		*f = verdict(v.Text())
	case v.IsBool() && v.Bool().V:
		*f = "failed"
	}
}

func (f *verdict) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, f) }
