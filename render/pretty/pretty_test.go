package pretty

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/internal/history/trend"
	"tribunal/internal/words"
	"tribunal/render/internal/rendertest"
)

func render(t testing.TB, e *envelope.Envelope, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, e, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// goldens are looked at by a person whenever they change; what must hold for all of them is in the other tests.
var goldens = []struct {
	name, reason string
	e            *envelope.Envelope
	o            Options
}{
	{"agents-pipe", "into a file: nothing wrapped", agents(), Options{}},
	{"agents-140", "a wide terminal shows all columns", agents(), Options{Width: 140}},
	{"agents-kept", "a file has 120 columns and names that are not cut", agents(), Options{Width: 120, Kept: true}},
	{"agents-100", "the reasons go under their tests", agents(), Options{Width: 100}},
	{"agents-80", "a classic terminal", agents(), Options{Width: 80}},
	{"agents-60", "half a screen", agents(), Options{Width: 60}},
	{"agents-40", "a phone", agents(), Options{Width: 40}},
	{"agents-color", "every ink", agents(), Options{Width: 140, Color: true}},
	{"agents-ascii", "no character beyond ASCII", agents(), Options{Width: 100, ASCII: true}},
	{"detailed-140", "with statistics: a wide terminal shows all columns", agents(), Options{Detailed: true, Width: 140}},
	{"detailed-80", "with statistics: a classic terminal", agents(), Options{Detailed: true, Width: 80}},
	{"detailed-color", "with statistics: every ink", agents(), Options{Detailed: true, Width: 140, Color: true}},
	{"detailed-many", "with statistics: a long run lists what did not pass", many(5000), Options{Detailed: true, Width: 100}},
	{"all-pass", "the plainest run", allPass(), Options{Width: 80}},
	{"empty", "an envelope that knows nothing", &envelope.Envelope{}, Options{Width: 80}},
	{"wide", "scripts and emoji of double width line up", wide(), Options{Width: 100}},
	{"many", "a long run lists what did not pass and counts the rest", many(5000), Options{Width: 100}},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			rendertest.Golden(t, g.name+".golden", render(t, g.e, g.o))
		})
	}
}

func TestSameBytesTwice(t *testing.T) {
	for _, g := range goldens {
		if a, b := render(t, g.e, g.o), render(t, g.e, g.o); a != b {
			t.Errorf("%s: two runs differ:\n%s", g.name, cmp.Diff(a, b))
		}
	}
}

// stingy takes n bytes and then fails, or says it took less than it was given.
type stingy struct {
	n    int
	fail error
}

func (s *stingy) Write(p []byte) (int, error) {
	if s.n -= len(p); s.n < 0 {
		return len(p) / 2, s.fail
	}
	return len(p), nil
}

func TestWriterErrorIsReturned(t *testing.T) {
	full := errors.New("disk full")
	for _, n := range []int{0, 10, 1000} {
		if err := Write(&stingy{n, full}, agents(), Options{}); !errors.Is(err, full) {
			t.Errorf("after %d bytes: %v", n, err)
		}
		if err := Write(&stingy{n, nil}, agents(), Options{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("short write after %d bytes: %v", n, err)
		}
	}
}

func BenchmarkManyTests(b *testing.B) {
	e := many(100_000)
	for b.Loop() {
		if err := Write(io.Discard, e, Options{Width: 100, Color: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		rows   [][]string
		want   string
		reason string
	}{
		{nil, "", "nothing"},
		{[][]string{{"ID", "RUN", "TESTS"}, {"1", "検索", "2"}, {"2", "e\u0301tat", "10"}},
			"ID  RUN   TESTS\n1   検索  2\n2   e\u0301tat  10\n", "wide characters take two columns, combining ones none"},
		{[][]string{{"a", ""}, {"", "b"}}, "a\n   b\n", "no blanks at the end of a line"},
		{[][]string{{"a", "long"}, {"alone"}, {"b", "c", "d"}}, "a      long\nalone\nb      c     d\n", "rows of any length"},
	} {
		var b strings.Builder
		if err := Columns(&b, c.rows); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", c.reason, err, b.String(), c.want)
		}
	}
}

// The envelopes of these tests are made by hand, with numbers worked out by
// hand or taken from the table of Wilson intervals at 95 % in the comment of
// wilson95, so that no other package has a say in what is expected here.

// wilson95 are Wilson score intervals at 95 % (z = 1.96) by passed and counted,
// from the formula (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).
var wilson95 = map[[2]int][2]float64{
	{0, 2}: {0, 0.6576}, {5, 5}: {0.5655, 1}, {10, 10}: {0.7225, 1}, {6, 10}: {0.3127, 0.8318}, {9, 10}: {0.5958, 0.9821},
	{0, 5}: {0, 0.4345}, {4, 5}: {0.3755, 0.9638}, {2, 3}: {0.2077, 0.9385}, {180, 200}: {0.8506, 0.9343}, {3, 3}: {0.4385, 1},
	{4, 4}: {0.5101, 1}, {7, 10}: {0.3968, 0.8922}, {1, 1}: {0.2065, 1}, {1, 2}: {0.0945, 0.9055},
}

func rate(passed, counted int) *envelope.Rate {
	w, ok := wilson95[[2]int{passed, counted}]
	if !ok {
		panic("add the interval to the table")
	}
	return &envelope.Rate{Value: float64(passed) / float64(counted), Lo: w[0], Hi: w[1], Method: "wilson", Confidence: 0.95}
}

// test is a judged test with the outcomes of its trials as letters.
func test(suite, name string, status envelope.Status, outcomes string) envelope.Test {
	t := envelope.Test{Key: envelope.Key{Suite: suite, Test: name}, Status: status, Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}
	for i := range len(outcomes) {
		o := envelope.Outcome(outcomes[i])
		t.Rows.Outcome = append(t.Rows.Outcome, o)
		t.Rows.Given = append(t.Rows.Given, envelope.Given(o))
		if o.Counted() {
			t.Trials.Counted++
		}
	}
	t.Trials.Total, t.Trials.Passed = len(outcomes), strings.Count(outcomes, "P")
	t.Flaky = t.Trials.Passed > 0 && t.Trials.Passed < t.Trials.Counted
	if t.Trials.Counted > 0 {
		t.Rate.PerProtocol = rate(t.Trials.Passed, t.Trials.Counted)
	}
	return t
}

func because(t envelope.Test, reason string, details ...envelope.Detail) envelope.Test {
	t.Verdict, t.Details = &envelope.Verdict{Reason: reason}, details
	return t
}

func took(t envelope.Test, p50 float64, cost envelope.Opt[float64]) envelope.Test {
	t.DurationMS, t.CostUSD = &envelope.Spread{P50: envelope.Some(p50), Total: p50 * float64(t.Trials.Total)}, cost
	return t
}

// agents is a run that has one of everything.
func agents() *envelope.Envelope {
	none, some := envelope.Opt[float64]{}, envelope.Some[float64]
	refund := took(because(test("checkout", "refund is idempotent", envelope.Fail, "PPFPEPFFPP"),
		"6 of 10 trials passed: the 95 % wilson interval 0.313 to 0.832 is below the threshold 0.90",
		envelope.Detail{Trial: 2, Run: "shard-1", Message: "expected status 200, got 409 Conflict: the refund was booked twice\nwanted balance 120.00\ngot balance 80.00",
			Output: "POST /refunds\n  -> 201 Created\nPOST /refunds\n  -> 409 Conflict\nassertion failed at step 4\n"},
		envelope.Detail{Trial: 4, Run: "shard-1", ErrorClass: "timeout", Message: "agent gave no answer within 60 s"},
		envelope.Detail{Trial: 6, Run: "shard-2", Message: "expected status 200, got 500"},
		envelope.Detail{Trial: 7, Run: "shard-2", Message: "expected status 200, got 500"}), 1234, some(0.1234))
	refund.File, refund.Line = "evals/checkout_test.py", 112
	quarantined := took(because(test("search", "finds synonyms of rare words", envelope.Fail, "FFFFF"), "none of 5 trials passed",
		envelope.Detail{Trial: 0, Message: "no hit for 'couch'"}), 88, some(0.0042))
	quarantined.Quarantined = true
	quarantined.Verdict.PValue, quarantined.Verdict.PAdjusted = some(0.0107), some(0.0535)
	broken := because(test("search", "indexes a new document", envelope.Error, "XXX"), "no trial counted: 3 infrastructure",
		envelope.Detail{Trial: 0, ErrorClass: "infrastructure", Message: "connection refused"},
		envelope.Detail{Trial: 1, ErrorClass: "infrastructure", Message: "connection refused"})
	broken.Variant = "gpt-4o"
	limited := took(because(test("search", "summarises results", envelope.Pass, "PPPPP"), "all 5 trials passed"), 61_200, some(12.5))
	limited.CostLimited = true
	e := &envelope.Envelope{
		Tests: []envelope.Test{
			took(because(test("checkout", "pays by card", envelope.Pass, "PPPPPPPPPP"), "10 of 10 trials passed"), 940, some(0.1)),
			refund,
			took(because(test("checkout", "keeps the basket after login", envelope.Inconclusive, "PPFS"),
				"3 trials counted, 5 are needed for a decision",
				envelope.Detail{Trial: 2, Message: "basket empty"}), 2050, none),
			broken, quarantined,
			took(because(test("search", "answers in the language of the question", envelope.Pass, "PPPFP"), "4 of 5 trials passed; one is enough",
				envelope.Detail{Trial: 3, Message: "answered in English"}), 1810, some(0.05)),
			because(test("search", "voice input", envelope.Skip, "SS"), "all trials were skipped"),
			limited,
		},
	}
	e.Run.Name, e.Run.Commit = "nightly agent evals", "3f2a9c1d0b7e4455aa0c1d2e3f40516273849506"
	e.Policy.Policy = envelope.Policy{Rule: "wilson", RetryRule: "any", Threshold: some(0.9), Confidence: some(0.95), MinTrials: envelope.Some(5), TreatAs: "neutral", Adjust: "bonferroni", Family: "run"}
	e.Summary = envelope.Summary{
		Counts: envelope.Counts{Tests: 8, Pass: 3, Fail: 2, Inconclusive: 1, Error: 1, Skip: 1}, Flaky: 3,
		Trials: envelope.TrialCounts{Planned: envelope.Some(int64(50)), Total: 44, Counted: 38, Passed: 27,
			Excluded: map[string]int{"infrastructure": 3, "skip": 3}},
		Rate: envelope.Rates{PerProtocol: &envelope.Rate{Value: 27. / 38, Lo: 0.5524, Hi: 0.8300, Method: "wilson", Confidence: 0.95},
			IntentToTreat: &envelope.Rate{Value: 27. / 41, Lo: 0.5055, Hi: 0.7844, Method: "wilson", Confidence: 0.95},
			Bracket:       &envelope.Bracket{Lo: 27. / 41, Hi: 30. / 41}},
		DurationMS: some(3_725_000), CostUSD: some(12.78), Tokens: envelope.Some(int64(1_234_567)), ToolCalls: envelope.Some(int64(4_321)),
		CostPerSuccess: some(12.78 / 27), CostToVerdict: some(11.5),
		Clusters: &envelope.Clusters{By: "suite", Count: 2, ICC: some(0.124), DesignEffect: some(3.31), EffectiveN: some(11.48),
			Rate: &envelope.Rate{Value: 27. / 38, Lo: 0.4191, Hi: 0.8944, Method: "cluster-robust score", Confidence: 0.95}},
	}
	e.Metrics = []envelope.Metric{
		{Name: "pass_at_k", Params: map[string]any{"k": 4}, Value: some(0.91666), Mu: some(0.885), Lo: some(0.8), Hi: some(0.97), TestsUsed: 6, TestsTotal: 8},
		{Name: "bayes", Params: map[string]any{"weights": []any{0.0, 0.5, 1.0}, "k": 2.0}, Value: some(1.25), TestsUsed: 8, TestsTotal: 8, Variant: "gpt-4o"},
		{Name: "maj_at_k", Params: map[string]any{"k": 16}, TestsUsed: 0, TestsTotal: 8, Note: "no test has 16 trials"},
	}
	e.Problems = []envelope.Problem{
		{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Message: "unexpected end of JSON input", Input: "shard-1.ndjson", Line: 12, Column: 5},
		{Severity: envelope.SeverityWarning, Code: envelope.CodeNoise, Message: "lines that are no records were skipped", Input: "shard-2.ndjson", Line: 3, Count: 14},
		{Severity: envelope.SeverityInfo, Code: envelope.CodeUnknown, Message: "unknown field foo", Input: "shard-1.ndjson", Count: 1200},
		{Severity: envelope.SeverityInfo, Code: envelope.CodeUnknown, Message: "unknown field foo", Input: "shard-2.ndjson", Count: 34},
	}
	e.Gate = envelope.Gate{Status: envelope.Fail, ExitCode: 1, Reasons: []string{"2 tests failed", "1 test errored", "1 record was malformed"},
		Gates: []envelope.GateResult{{Name: "reliable", Expr: "reliability.passhat_k >= 80", Status: envelope.Fail, Saw: "31 for checkout/refund is idempotent"},
			{Name: "summary.fail == 0", Expr: "summary.fail == 0", Status: envelope.Pass, Saw: "0"}}}
	return e
}

// allPass is the plainest run: the default policy and nothing wrong.
func allPass() *envelope.Envelope {
	e := &envelope.Envelope{Tests: []envelope.Test{test("", "adds", envelope.Pass, "PPPP"), test("", "subtracts", envelope.Pass, "PPPP")}}
	e.Policy.Policy = envelope.Policy{Rule: "all", RetryRule: "any", Confidence: envelope.Some(0.95), TreatAs: "neutral"}
	e.Summary.Counts = envelope.Counts{Tests: 2, Pass: 2}
	e.Summary.Trials = envelope.TrialCounts{Total: 8, Counted: 8, Passed: 8}
	e.Summary.Rate.PerProtocol = &envelope.Rate{Value: 1, Lo: 0.6756, Hi: 1, Method: "wilson", Confidence: 0.95}
	e.Summary.Rate.IntentToTreat = e.Summary.Rate.PerProtocol
	e.Summary.Rate.Bracket = &envelope.Bracket{Lo: 1, Hi: 1}
	e.Gate.Status = envelope.Pass
	return e
}

// wide has names in many scripts, and strips longer than any column.
func wide() *envelope.Envelope {
	e := &envelope.Envelope{Tests: []envelope.Test{
		because(test("検索", "類義語を見つける", envelope.Fail, "PPPFPPFPFP"), "10 件中 7 件", envelope.Detail{Trial: 3, Message: "「ソファ」が見つかりません"}),
		because(test("検索", "👩‍👩‍👧‍👦 family and ❤️ heart", envelope.Pass, "PPPPP"), ""),
		because(test("поиск", "находит синонимы", envelope.Pass, "PPPFP"), "", envelope.Detail{Trial: 3, Message: "не найдено"}),
		because(test("بحث", "يجد المرادفات", envelope.Pass, "PPPPP"), ""),
		because(test("long", "two hundred trials of one test", envelope.Pass, strings.Repeat("PPPPPPPPPF", 18)+strings.Repeat("P", 18)+"FF"), ""),
	}}
	e.Summary.Counts = envelope.Counts{Tests: 5, Pass: 4, Fail: 1}
	e.Gate = envelope.Gate{Status: envelope.Fail, ExitCode: 1, Reasons: []string{"1 test failed"}}
	return e
}

// many is a run of n tests of which a few did not pass.
func many(n int) *envelope.Envelope {
	e := &envelope.Envelope{}
	for i := range n {
		t := test("suite", "case "+strings.Repeat("0", 6-len(words.Count(i)))+words.Count(i), envelope.Pass, "PPP")
		if i%(n/5) == 7 {
			t = because(test("suite", "case "+words.Count(i)+" fails", envelope.Fail, "FF"), "none of 2 trials passed",
				envelope.Detail{Trial: 0, Message: "wrong answer"})
		}
		e.Tests = append(e.Tests, t)
		e.Summary.Add(t.Status)
	}
	e.Gate = envelope.Gate{Status: envelope.Fail, ExitCode: 1}
	return e
}

// spending is a trend of runs that cost 1, 2, 3, … dollars, of which the last do
// not say; its one test failed in the first run and passed since.
func spending(runs, silent int) *trend.Trend {
	t := &trend.Trend{Stored: runs, Confidence: 0.95}
	test := trend.Test{Key: envelope.Key{Suite: "s", Test: "t"}, State: trend.Flaky, Strip: "F" + strings.Repeat("P", runs-1), Runs: runs, Counted: runs, Passed: runs - 1}
	for i := range runs {
		r := trend.Run{ID: strconv.Itoa(i), Counted: 1, Passed: 1}
		if i < runs-silent {
			r.CostUSD = envelope.Some(float64(i + 1))
		}
		t.Runs = append(t.Runs, r)
		test.Points = append(test.Points, trend.Point{Run: int32(i), Counted: 1, Passed: int32(min(i, 1))})
	}
	t.Tests = []trend.Test{test}
	return t
}

// TestTrendSaysNothingOfAPartAsOfAll: how many runs fit is no matter of numbers.
func TestTrendSaysNothingOfAPartAsOfAll(t *testing.T) {
	for _, c := range []struct {
		runs, silent, width int
		want, not           string
		reason              string
	}{
		{40, 0, 0, "$40.00 in the last run, median $20.50", "the latest", "all runs fit; the middle of an even number of values"},
		{40, 0, 60, "$40.00 in the last run, median", "", "few fit: the median is still that of all"},
		{40, 0, 60, "Runs: the latest ", "", "and the row of signs says that it is not all"},
		{41, 1, 0, "none in the last run, median $20.50", "$40.00 in the last run", "the last run does not say what it cost"},
	} {
		var b strings.Builder
		if err := WriteTrend(&b, spending(c.runs, c.silent), Options{Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: no %q, or %q, in\n%s", c.reason, c.want, c.not, got)
		}
	}
}
