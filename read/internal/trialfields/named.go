// Package trialfields fills fields of a trial the same way for every format: what a test reports of itself by name and
// value, labels, attempts that are not numbered, durations.
//
// It exists because several runners have a channel for such reports (Attr in Go, record_property in pytest) and tests
// of agents use it for their cost and score: the same name should mean the same everywhere. A value that does not fit
// its field is kept as a label, so that nothing is lost and nothing is 0 that was never said. It leaves out how a trial
// ended: package failure has what runners say of that.
package trialfields

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/index"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
)

// Set puts the value into the field of that name, or into the labels. Given twice, the last value counts.
func Set(t *envelope.Trial, name, value string) {
	if name == "" || field(t, name, strings.TrimSpace(value)) {
		return
	}
	for i := range t.Labels {
		if t.Labels[i].Name == name {
			t.Labels[i].Value = value
			return
		}
	}
	addLabel(t, name, value, maxReported)
}

// AddLabel gives the trial a label from a member of a record whose name is free.
func AddLabel(t *envelope.Trial, name, value string) { addLabel(t, name, value, maxMembers) }

// Label is AddLabel where there is a value.
func Label(t *envelope.Trial, name, value string) {
	if value != "" {
		AddLabel(t, name, value)
	}
}

func addLabel(t *envelope.Trial, name, value string, most int) {
	if len(t.Labels) < most {
		t.Labels = append(t.Labels, envelope.Label{Name: name, Value: value})
	}
}

// How many labels a trial may have. Further ones are dropped: no test has them.
const (
	maxReported = 1000 // each costs a look at all before it
	maxMembers  = 64
)

func field(t *envelope.Trial, name, value string) bool {
	switch name {
	case "score":
		return parseAtLeast(&t.Score, value, math.Inf(-1))
	case "cost_usd", "setup_cost_usd", "setup_ms":
		to := map[string]*envelope.Opt[float64]{"cost_usd": &t.CostUSD, "setup_cost_usd": &t.SetupCostUSD, "setup_ms": &t.SetupMS}
		return parseAtLeast(to[name], value, 0)
	case "tokens":
		return count(&t.Tokens, value)
	case "tool_calls":
		return count(&t.ToolCalls, value)
	case "category":
		return count(&t.Category, value)
	case "truth":
		truth, ok := envelope.ParseTruth(value)
		if ok {
			t.Truth = truth
		}
		return ok
	case "variant":
		t.Variant = value
		return value != ""
	case "error_class":
		t.ErrorClass = value
		return value != ""
	}
	return false
}

// Finite is a number that a text is; absent where it is none.
func Finite(text string) (f envelope.Opt[float64]) {
	parseAtLeast(&f, text, math.Inf(-1))
	return f
}

func parseAtLeast(to *envelope.Opt[float64], value string, least float64) bool {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < least {
		return false
	}
	*to = envelope.Some(f)
	return true
}

func count[T int32 | int64](to *envelope.Opt[T], value string) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || int64(T(n)) != n {
		return false
	}
	*to = envelope.Some(T(n))
	return true
}

// Sum adds up those of two counts that are known.
func Sum(a, b envelope.Opt[int64]) envelope.Opt[int64] {
	return envelope.Opt[int64]{V: a.V + b.V, OK: a.OK || b.OK}
}

// Elapsed is Milliseconds of an amount that may be missing.
func Elapsed(amount *float64, unit float64) envelope.Opt[float64] {
	if amount == nil {
		return envelope.Opt[float64]{}
	}
	return Milliseconds(*amount, unit)
}

// Lasted is the Milliseconds that a text says, absent where it is no number.
func Lasted(text string, unit float64) envelope.Opt[float64] {
	if text == "" { // as mostly where there is none: an error costs memory
		return envelope.Opt[float64]{}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return envelope.Opt[float64]{}
	}
	return Milliseconds(n, unit)
}

// Duration is how long that is in milliseconds, absent below 0.
func Duration(d time.Duration) envelope.Opt[float64] {
	return Milliseconds(float64(d)/float64(time.Millisecond), 1)
}

// Time is what a text says in a layout, in UTC; the zero time where it does not.
func Time(layout, text string) time.Time {
	at, _ := time.Parse(layout, text)
	return at.UTC()
}

// Tags keeps the tags of a test, if it has any.
func Tags(t *envelope.Trial, tags []string) {
	if len(tags) > 0 {
		Set(t, "tags", strings.Join(tags, ","))
	}
}

// Milliseconds is an amount of a unit of so many milliseconds, absent when it is negative or no finite number.
func Milliseconds(amount, unit float64) envelope.Opt[float64] {
	if ms := amount * unit; ms >= 0 && !math.IsInf(ms, 0) {
		return envelope.Some(ms)
	}
	return envelope.Opt[float64]{}
}

// How much is taken of what is inside a trial, more than reports show: a stream may go on with one trial forever.
const maxChecks, maxAttachments = 1000, 100

// AddCheck gives the trial a check. One that says neither how it ended nor a score
// is none; one without a name is called by what its format calls such things.
func AddCheck(t *envelope.Trial, c envelope.Check, unnamed string) {
	if c.Status == "" && !c.Score.OK || len(t.Checks) == maxChecks {
		return
	}
	c.Name = cmp.Or(CheckName(c.Name), unnamed)
	c.Reason = failure.Ends(strings.TrimSpace(c.Reason))
	t.Checks = append(t.Checks, c)
}

// Attach gives the trial an attachment, unless it says nothing.
func Attach(t *envelope.Trial, a envelope.Attachment) {
	if len(t.Attachments) < maxAttachments && a != (envelope.Attachment{}) {
		t.Attachments = append(t.Attachments, a)
	}
}

// CheckName is the name of a check that is called by a text, such as a criterion or a path of steps.
func CheckName(text string) string {
	const checkName = 160 // how many bytes the name of a check may have about: it heads a column, and criteria are whole paragraphs
	return words.Head(failure.FirstLine(text), checkName)
}

// PassFail is the status of a truth, "" where nobody said it.
func PassFail(passed envelope.Opt[bool]) envelope.Status {
	switch {
	case !passed.OK:
		return ""
	case passed.V:
		return envelope.Pass
	}
	return envelope.Fail
}

// Spread reports whether trial i of n is one of those that passed, where only their number is
// known: they are spread evenly, and the last is a pass where there is one.
func Spread(i, passed, n int64) bool { return (i+1)*passed/n > i*passed/n }

// Attempts numbers the trials of each test by their order of occurrence, for formats without a number of their own.
// With a map of keys, reading 200,000 tests of JUnit XML takes half as long again.
type Attempts struct {
	index index.Index
	tests [][]numbered // in pieces, of which only the first grows
	count int
	suite string // of the test that was added last
}

type numbered struct {
	key  envelope.Key
	next int32
}

const piece = 1 << 10

// Next is the number of the next trial of the test.
func (a *Attempts) Next(test envelope.Key) envelope.Opt[int32] {
	next := a.Of(test)
	*next++
	return envelope.Some(*next - 1)
}

// Send numbers a trial and hands it on.
func (a *Attempts) Send(t *envelope.Trial, to envelope.Sink) {
	t.Attempt = a.Next(t.Key)
	to.Trial(t)
}

// Tries sends the tries of a test that failed before the one that is in the report, and
// returns how many of them are believed. Of the first ones there may be reasons.
func (a *Attempts) Tries(of envelope.Trial, n int, to envelope.Sink, reasons ...string) int {
	const mostTries = 1000 // bounds how many tries are believed that left nothing else behind
	n = min(max(n, 0), mostTries)
	for i := range n {
		t := of
		t.Status, t.Retry, t.Message = envelope.Fail, i > 0, "failed, and was tried again; its reason is not in the report"
		if i < len(reasons) {
			t.Message = failure.Reason(reasons[i], 3)
			t.Output = failure.Ends(failure.Longer(reasons[i], t.Message))
		}
		a.Send(&t, to)
	}
	return n
}

// Of is the number that the next trial of the test has.
func (a *Attempts) Of(test envelope.Key) *int32 {
	hash := a.index.Hash(test.Test, test.Suite, test.Variant)
	n, ok := a.index.Find(hash, func(n uint32) bool { return a.tests[n/piece][n%piece].key == test })
	if !ok {
		n = a.add(hash, test)
	}
	return &a.tests[n/piece][n%piece].next
}

// Len is the number of tests.
func (a *Attempts) Len() int { return a.count }

func (a *Attempts) add(hash uint32, test envelope.Key) uint32 {
	n := uint32(a.count)
	switch {
	case n == 0:
		a.tests = append(a.tests, nil)
	case n%piece == 0:
		a.tests = append(a.tests, make([]numbered, 0, piece))
	}
	last := &a.tests[n/piece]
	*last = append(*last, numbered{key: a.own(test)})
	a.index.Add(hash, n)
	a.count++
	return n
}

// own is the key in memory of its own: that of a record would stay with it, or is used again.
func (a *Attempts) own(test envelope.Key) envelope.Key {
	if test.Suite != a.suite {
		a.suite = strings.Clone(test.Suite)
	}
	return envelope.Key{Suite: a.suite, Test: strings.Clone(test.Test), Variant: strings.Clone(test.Variant)}
}
