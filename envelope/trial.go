package envelope

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Key is the identity of a test everywhere: in files, when merging, when
// comparing, in fingerprints. Variant is the model, provider, prompt or browser
// project, so that trials of two models are never pooled.
type Key struct {
	Suite   string `json:"suite,omitempty"`
	Test    string `json:"test"`
	Variant string `json:"variant,omitempty"`
}

// Compare orders keys by suite, test and variant, as [CompareNames] does.
func (k Key) Compare(o Key) int {
	if c := CompareNames(k.Suite, o.Suite); c != 0 {
		return c
	}
	if c := CompareNames(k.Test, o.Test); c != 0 {
		return c
	}
	return CompareNames(k.Variant, o.Variant)
}

// String is the key as people read it: suite/test [variant].
func (k Key) String() string {
	s := k.Test
	if k.Suite != "" {
		s = k.Suite + "/" + s
	}
	if k.Variant != "" {
		s += " [" + k.Variant + "]"
	}
	return s
}

// VariantLabel is the name under which trials are dealt by the variant of a test.
const VariantLabel = "variant"

// Status is the status of a trial (pass, fail, error, skip) or of a test (the
// same and inconclusive).
type Status string

// The statuses. Inconclusive is the status of a test only.
const (
	Pass         Status = "pass"
	Fail         Status = "fail"
	Inconclusive Status = "inconclusive"
	Error        Status = "error"
	Skip         Status = "skip"
)

// Statuses lists the statuses of a test in the order people read them.
var Statuses = []Status{Pass, Fail, Inconclusive, Error, Skip}

// The error classes that decide how a trial counts. Any other word is the
// user's own and counts as an ordinary non-pass.
const (
	ClassTimeout        = "timeout"
	ClassInfrastructure = "infrastructure"
	ClassPreValidation  = "pre-validation"
	ClassEmptyRun       = "empty-run"
	// ClassCrash is a test whose process died in it. It counts: to end the process is a
	// thing that a test can do.
	ClassCrash = "crash"
	// ClassErrorRate is a trial of a test that was given up, because more commands of its
	// suite failed than max_error_rate allows: the test is an error.
	ClassErrorRate = "max-error-rate"
	// ClassIdleTimeout is how an excluded timeout without any tool call is shown.
	ClassIdleTimeout = "idle-timeout"
	// ClassCostLimit is how a trial after a cost limit was reached is shown.
	ClassCostLimit = "cost-limit"
)

// synonyms maps the words runners use to the four statuses of a trial.
// Borderline counts as not passed.
var synonyms = map[string]Status{
	"pass": Pass, "passed": Pass, "passing": Pass, "ok": Pass, "success": Pass, "successful": Pass, "succeeded": Pass, "true": Pass,
	"correct": Pass,
	"fail":    Fail, "failed": Fail, "failing": Fail, "failure": Fail, "not ok": Fail, "ko": Fail, "nok": Fail, "false": Fail,
	"incorrect": Fail, "wrong": Fail,
	"borderline": Fail, "border": Fail,
	"error": Error, "errored": Error, "broken": Error, "crashed": Error, "exception": Error,
	"skip": Skip, "skipped": Skip, "pending": Skip, "ignored": Skip, "disabled": Skip, "todo": Skip,
}

// ParseStatus maps a runner's word to the status of a trial. The word is to be
// kept as raw_status when it is not one of the four itself.
func ParseStatus(word string) (Status, bool) {
	if s, ok := synonyms[word]; ok {
		return s, true
	}
	s, ok := synonyms[strings.ToLower(strings.TrimSpace(word))]
	return s, ok
}

// Label is one key and value that a trial or a run carries.
type Label struct{ Name, Value string }

// Trial is one trial as a reader saw it: the only thing readers yield. Its zero
// value knows nothing; what a runner does not say stays absent.
//
// Readers may reuse a Trial and the memory behind its strings after the call
// that delivers it. Copy the strings that you keep.
type Trial struct {
	Key
	Run        string       `json:"run,omitempty"`    // process or shard that made it
	Attempt    Opt[int32]   `json:"attempt,omitzero"` // position of the trial, 0-based
	Status     Status       `json:"status,omitempty"` // pass, fail, error, skip; "" when only a score or category is known
	Score      Opt[float64] `json:"score,omitzero"`
	Category   Opt[int32]   `json:"category,omitzero"` // categorical outcome for weighted metrics
	DurationMS Opt[float64] `json:"duration_ms,omitzero"`
	SetupMS    Opt[float64] `json:"setup_ms,omitzero"`
	// Truth is pass, fail or a category from 2 to 9, as a person labels the trial; "" when nobody did.
	Truth        Status       `json:"truth,omitempty"`
	CostUSD      Opt[float64] `json:"cost_usd,omitzero"`
	SetupCostUSD Opt[float64] `json:"setup_cost_usd,omitzero"`
	Tokens       Opt[int64]   `json:"tokens,omitzero"`
	ToolCalls    Opt[int32]   `json:"tool_calls,omitzero"`
	ErrorClass   string       `json:"error_class,omitempty"`
	// Unended is said of a trial that began and of which the input has no end. The status
	// and class are what it counts as where nobody knows more: who started the runner does.
	Unended Unended `json:"-"`
	Retry   bool    `json:"retry,omitempty"` // ran only because the trial before it failed
	// Adaptive says that outcomes of earlier trials decided whether this one was run; false,
	// that the number of trials was fixed beforehand.
	Adaptive  Opt[bool] `json:"adaptive,omitzero"`
	RawStatus string    `json:"raw_status,omitempty"` // the runner's own word when it is not one of the four
	Message   string    `json:"message,omitempty"`
	Output    string    `json:"output,omitempty"`
	Reasons   []string  `json:"-"`              // what went wrong, as the reader names it, sorted; of passing trials, too
	File      string    `json:"file,omitempty"` // where the test is defined, relative to the repository root
	Line      int       `json:"line,omitempty"` // 1-based; 0 is unknown
	StartedAt time.Time `json:"started_at,omitzero"`

	Labels      []Label      `json:"-"`
	Checks      []Check      `json:"-"`
	Transcript  []Turn       `json:"-"` // nil when no conversation is known
	Attachments []Attachment `json:"-"`
	// TranscriptFile is where the transcript came from, when that was a file of its own.
	TranscriptFile string `json:"-"`
}

// Unended is how far a trial came that began and of which an input has no end.
type Unended uint8

// How far such a trial came. Its zero value is a trial that ended.
const (
	Running Unended = iota + 1 // it may be what ended its process
	Waiting                    // it waited for its turn, or its process died of another test
)

// Check is one assertion, criterion, scorer or metric of a trial: a status, a
// score, or both. Checks never decide a trial that says itself how it ended.
type Check struct {
	Name   string       `json:"name"`
	Status Status       `json:"status,omitempty"` // pass, fail, error, skip; "" when only a score is known
	Score  Opt[float64] `json:"score,omitzero"`
	Reason string       `json:"reason,omitempty"`
	// Vote numbers repeated judgements of one check, which have one name.
	Vote Opt[int32] `json:"vote,omitzero"`
}

// Header is what a process says of the whole run.
type Header struct {
	Name          string     `json:"name,omitempty"`
	ID            string     `json:"id,omitempty"`
	Commit        string     `json:"commit,omitempty"`
	StartedAt     string     `json:"started_at,omitempty"` // RFC 3339, UTC
	PlannedTrials Opt[int64] `json:"planned_trials,omitzero"`
	// SetupMS and SetupCostUSD are those of setting up the whole run, which no trial has.
	SetupMS      Opt[float64]      `json:"setup_ms,omitzero"`
	SetupCostUSD Opt[float64]      `json:"setup_cost_usd,omitzero"`
	Labels       map[string]string `json:"labels,omitempty"`
}

// RunnerName is the name of the test as its runner prints and accepts it, where the key
// tells the runner for sure: tests/test_shop.py::TestCart::test_sync of pytest,
// example.com/shop.TestCart/sync of go test, and cart.spec.ts › sync of runners of
// JavaScript. It is that of String for all others.
func (k Key) RunnerName() string {
	suite, between := k.RunnerSuite()
	if name := k.String(); k.Suite != "" {
		return suite + between + name[len(k.Suite)+len("/"):]
	}
	return k.String()
}

// RunnerSuite is the suite in that name, and the separator before the test.
func (k Key) RunnerSuite() (suite, between string) {
	switch {
	case isPytest(k):
		return nodeOf(k.Suite), "::"
	case isGo(k):
		return k.Suite, "."
	case isScript(k.Suite):
		return k.Suite, " › "
	}
	return k.Suite, "/"
}

// Named is the key of a test of go that is named as RunnerName does, and for any other
// name a test without a suite.
func Named(name string) Key {
	for at, c := range name {
		if c != '.' {
			continue
		}
		if k := (Key{Suite: name[:at], Test: name[at+1:]}); isGo(k) {
			return k
		}
	}
	return Key{Test: name}
}

// isPytest reports a test in a module that pytest finds by its name, as a path or, in
// JUnit, with dots and its classes.
func isPytest(k Key) bool {
	path, _, _ := strings.Cut(k.Test, "[") // parameters hold anything
	test := path[strings.LastIndexByte(path, ':')+1:]
	return strings.HasPrefix(test, "test") && !strings.ContainsAny(path, " /.") && nodeOf(k.Suite) != ""
}

// nodeOf is the node id of a module of tests and its classes, "" for any other text.
func nodeOf(suite string) string {
	if strings.HasSuffix(suite, ".py") {
		return suite
	}
	parts := strings.Split(suite, ".")
	module := len(parts) - 1
	for module >= 0 && parts[module] != "" && 'A' <= parts[module][0] && parts[module][0] <= 'Z' {
		module--
	}
	if module < 0 || !strings.HasPrefix(parts[module], "test_") && !strings.HasSuffix(parts[module], "_test") ||
		strings.ContainsAny(suite, " /\\:") {
		return ""
	}
	return strings.Join(append([]string{strings.Join(parts[:module+1], "/") + ".py"}, parts[module+1:]...), "::")
}

// isGo reports a test of a package of go, whose path begins with a host.
func isGo(k Key) bool {
	host, below, found := strings.Cut(k.Suite, "/")
	if !found || below == "" || !strings.Contains(host, ".") || strings.ContainsAny(k.Suite, " :\\") ||
		strings.Contains(below[strings.LastIndexByte(below, '/')+1:], ".") {
		return false
	}
	return slices.ContainsFunc([]string{"Test", "Example", "Fuzz", "Benchmark"}, func(kind string) bool {
		rest, is := strings.CutPrefix(k.Test, kind)
		return is && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
	})
}

// isScript reports a file of tests as Jest, Vitest, Playwright and Cypress find them.
func isScript(suite string) bool {
	for _, kind := range []string{".spec.", ".test.", ".cy."} {
		if at := strings.LastIndex(suite, kind); at > 0 {
			switch suite[at+len(kind):] {
			case "js", "jsx", "ts", "tsx", "mjs", "mts", "cjs", "cts":
				return true
			}
		}
	}
	return false
}

// Outcome is what a trial counts as, one letter a trial.
type Outcome byte

// The outcomes. An excluded trial did not pass and is left out of the verdict
// because its error class says that the test was not really tried.
const (
	Passed   Outcome = 'P'
	Failed   Outcome = 'F'
	Errored  Outcome = 'E'
	Excluded Outcome = 'X'
	Skipped  Outcome = 'S'
)

// Counted reports whether the trial takes part in the verdict.
func (o Outcome) Counted() bool { return o == Passed || o == Failed || o == Errored }

// Status is the status of the outcome, "" of an excluded one.
func (o Outcome) Status() Status {
	switch o {
	case Passed:
		return Pass
	case Failed:
		return Fail
	case Errored:
		return Error
	case Skipped:
		return Skip
	}
	return ""
}

// Outcomes is the strip of a test: the outcomes of its trials in order.
type Outcomes []Outcome

// String is the strip, for instance PPFXE.
func (o Outcomes) String() string { return string(o.Append(make([]byte, 0, len(o)))) }

// Append appends the strip.
func (o Outcomes) Append(b []byte) []byte {
	for _, c := range o {
		b = append(b, byte(c))
	}
	return b
}

// Given is the status a trial came with, before anything was decided: the
// letters of Passed, Failed, Errored and Skipped, or Undecided.
type Given byte

// Undecided marks a trial that came with a score or a category and no status.
const Undecided Given = '?'

// GivenOf is the letter of the status a trial came with.
func GivenOf(s Status) Given {
	switch s {
	case Pass:
		return Given(Passed)
	case Fail:
		return Given(Failed)
	case Error:
		return Given(Errored)
	case Skip:
		return Given(Skipped)
	}
	return Undecided
}

// Status is the status in words, "" when undecided.
func (g Given) Status() Status { return Outcome(g).Status() }

// CompareNames orders names as people count: digits are a number, so that 2 stands before 10 and
// pipeline-9 before pipeline-10; all else goes byte by byte. Names that differ in zeros before a
// number alone (7, 007) are ordered by their bytes, so that only equal names are equal here.
func CompareNames(a, b string) int {
	if a == b {
		return 0
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && isDigit(a[n-1]) { // a number that both begin alike
		n--
	}
	x, y := a[n:], b[n:]
	for x != "" && y != "" {
		if isDigit(x[0]) && isDigit(y[0]) {
			var m, n string
			m, x = cutNumber(x)
			n, y = cutNumber(y)
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cutNumber cuts the digits off with which a text begins, without zeros before them.
func cutNumber(s string) (number, rest string) {
	end := 0
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return strings.TrimLeft(s[:end], "0"), s[end:]
}
