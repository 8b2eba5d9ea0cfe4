package verdict

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
)

// TestPercentilesOfWhatCounts: the expected percentiles are those of R 4.2.2,
// quantile(c(100, 200, 400, 1000), c(.5, .95)), whatever was skipped or excluded beside.
func TestPercentilesOfWhatCounts(t *testing.T) {
	for _, c := range []struct {
		reason, strip string
		ms            []float64
		total         float64
		p50, p95      envelope.Opt[float64]
	}{
		{"all count", "PFEP", []float64{400, 1000, 100, 200}, 1700, envelope.Some(300.0), envelope.Some(910.0)},
		{"skipped ones took no time", "SPSFSEPS", []float64{0, 400, 0, 1000, 0, 100, 200, 0}, 1700, envelope.Some(300.0), envelope.Some(910.0)},
		{"an outage took an hour", "PxFEP", []float64{400, 3.6e6, 1000, 100, 200}, 3601700, envelope.Some(300.0), envelope.Some(910.0)},
		{"none counts", "Sx", []float64{0, 60000}, 60000, envelope.Opt[float64]{}, envelope.Opt[float64]{}},
	} {
		var trials []envelope.Trial
		for i, letter := range c.strip {
			tr := envelope.Trial{Key: envelope.Key{Test: "t"}, DurationMS: envelope.Some(c.ms[i])}
			switch letter {
			case 'x':
				tr.Status, tr.ErrorClass = envelope.Error, envelope.ClassInfrastructure
			default:
				tr.Status = envelope.Outcome(letter).Status()
			}
			trials = append(trials, tr)
		}
		got := sealRun(t, envelope.Policy{}, trials...).Tests[0].DurationMS
		if got.Total != c.total || !alike(got.P50, c.p50) || !alike(got.P95, c.p95) {
			t.Errorf("%s: %+v, want %v, %v, %v", c.reason, *got, c.total, c.p50, c.p95)
		}
	}
}

// TestIntervalOfTheMedian: of ten values the 2nd and the 9th in order at 0.95 (Conover's
// table A3), of five none; at 0.9 the 1st and the 5th, as 1 - 2/2^5 is 0.9375.
func TestIntervalOfTheMedian(t *testing.T) {
	for _, c := range []struct {
		confidence float64
		ms         []float64
		lo, hi     envelope.Opt[float64]
	}{
		{0.95, []float64{70, 20, 100, 10, 50, 90, 30, 80, 40, 60}, envelope.Some(20.0), envelope.Some(90.0)},
		{0.95, []float64{5, 1, 4, 2, 3}, envelope.Opt[float64]{}, envelope.Opt[float64]{}},
		{0.9, []float64{5, 1, 4, 2, 3}, envelope.Some(1.0), envelope.Some(5.0)},
	} {
		var trials []envelope.Trial
		for _, ms := range c.ms {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, DurationMS: envelope.Some(ms)})
		}
		got := sealRun(t, envelope.Policy{Confidence: envelope.Some(c.confidence)}, trials...).Tests[0].DurationMS
		if !alike(got.P50Lo, c.lo) || !alike(got.P50Hi, c.hi) {
			t.Errorf("%v at %g: %+v, want %v to %v", c.ms, c.confidence, *got, c.lo, c.hi)
		}
	}
}

func alike(got, want envelope.Opt[float64]) bool {
	return got.OK == want.OK && math.Abs(got.V-want.V) < 1e-9
}

func TestSums(t *testing.T) {
	ten := make([]float64, 10)
	for i := range ten {
		ten[i] = 0.1
	}
	for _, c := range []struct {
		reason string
		values []float64
		want   float64
		ok     bool
	}{
		{"ten times 0.1 is 1", ten, 1, true},
		{"what is rounded away comes back", []float64{1e100, 1, -1e100}, 1, true},
		{"nothing known is absent, not 0", nil, 0, false},
		{"a known 0 is 0", []float64{0}, 0, true},
		{"too large to be a number is absent", []float64{math.MaxFloat64, math.MaxFloat64}, 0, false},
	} {
		if got := sum(c.values); got.V != c.want || got.OK != c.ok {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
	if got := sumWhole([]int64{math.MaxInt64, 1}); got.OK {
		t.Errorf("an overflow became %v", got)
	}
}

// TestExtremeNumbersStillMakeAReport: no finite input makes a number that JSON cannot write, under any rule.
func TestExtremeNumbersStillMakeAReport(t *testing.T) {
	for _, rule := range rule.Table {
		policy := resolved(t, envelope.Policy{Rule: rule.Name, Threshold: envelope.Some(0.5), Metrics: policy.MetricsAll, ClusterBy: "test"})
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		for i := range 6 {
			big := math.MaxFloat64
			if i%2 == 1 {
				big = 5e-324
			}
			score := big
			if i%3 == 1 {
				score = -big
			}
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Score: envelope.Some(score), CostUSD: envelope.Some(big), DurationMS: envelope.Some(big),
				SetupMS: envelope.Some(big), SetupCostUSD: envelope.Some(big), Tokens: envelope.Some(int64(math.MaxInt64)), ToolCalls: envelope.Some(int32(math.MaxInt32))})
		}
		env, err := Seal(b.Run(policy.OnConflict, 5), policy)
		if err != nil {
			t.Errorf("%s: %v", rule.Name, err)
			continue
		}
		if err := wire.EncodeJSON(&bytes.Buffer{}, env); err != nil {
			t.Errorf("%s: %v", rule.Name, err)
		}
	}
}

// TestQuantile holds the quantiles against those of sorted values.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	orders := []struct {
		reason string
		value  func(i, n int) float64
	}{
		{"random", func(int, int) float64 { return r.Float64() }},
		{"many equal ones", func(int, int) float64 { return float64(r.IntN(3)) }},
		{"all equal", func(int, int) float64 { return 7 }},
		{"ascending", func(i, _ int) float64 { return float64(i) }},
		{"descending", func(i, n int) float64 { return float64(n - i) }},
		{"up and down", func(i, n int) float64 { return float64(min(i, n-i)) }},
		{"two runs put together", func(i, n int) float64 { return float64(2 * i % n) }},
	}
	for _, o := range orders {
		for n := 1; n < 200; n += 1 + n/20 {
			values := make([]float64, n)
			for i := range values {
				values[i] = o.value(i, n)
			}
			sorted := slices.Sorted(slices.Values(values))
			for _, q := range []float64{0, 0.5, 0.95, 1} {
				at := q * float64(n-1)
				want := sorted[int(at)]
				if int(at)+1 < n {
					want += (at - float64(int(at))) * (sorted[int(at)+1] - want)
				}
				if got := quantileFrom(values, 0, q); got != want {
					t.Errorf("%s, %d values: the quantile %v is %v, want %v", o.reason, n, q, got, want)
				}
			}
			if slices.Sort(values); !slices.Equal(values, sorted) {
				t.Errorf("%s, %d values: other values than before", o.reason, n)
			}
		}
	}
}

// TestQuantileOfMany: so many values are parted often.
func TestQuantileOfMany(t *testing.T) {
	const n = 1 << 20
	values := make([]float64, n)
	for i := range values {
		values[i] = float64((i * 2) % (n + 1))
	}
	sorted := slices.Sorted(slices.Values(values))
	if got := quantileFrom(values, 0, 0.5); got != sorted[n/2-1]+0.5*(sorted[n/2]-sorted[n/2-1]) {
		t.Errorf("the median is %v", got)
	}
}

// TestEachEnvelopeKeepsItsOutcomes: a run that is sealed under another policy leaves the envelope made of it before as it was.
func TestEachEnvelopeKeepsItsOutcomes(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("x", "native")
	for _, score := range []float64{0.3, 0.6, 0.9} {
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Score: envelope.Some(score)})
	}
	in.Close()
	run := b.Run(envelope.ConflictExtend, 5)
	sealed := func(threshold float64) *envelope.Envelope {
		e, err := Seal(run, resolved(t, envelope.Policy{Rule: "any", ScoreThreshold: envelope.Some(threshold)}))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	low, high, last := sealed(0.5), sealed(0.8), sealed(0.1)
	for want, e := range map[string]*envelope.Envelope{"FPP": low, "FFP": high, "PPP": last} {
		if got := e.Tests[0].Rows.Outcome.String(); got != want {
			t.Errorf("the outcomes are %s, want %s", got, want)
		}
	}
}

func TestSealOfWhatNobodyCounted(t *testing.T) {
	if _, err := Seal(nil, resolved(t, envelope.Policy{})); err == nil || !strings.Contains(err.Error(), "no run") {
		t.Errorf("no run: %v", err)
	}
	rowless := &envelope.Run{Tests: []envelope.Test{{Key: envelope.Key{Test: "t"}}}}
	e, err := Seal(rowless, resolved(t, envelope.Policy{}))
	if err != nil || e.Tests[0].Trials.Total != 0 || rowless.Tests[0].Rows != nil {
		t.Errorf("a test without rows: %+v, %v", e, err)
	}
}

// TestTotalsTooLarge: where a total cannot be computed, no total that has it in
// it shows the rest as if that were all, and a problem says why.
func TestTotalsTooLarge(t *testing.T) {
	const most = math.MaxInt64 / 4 * 3
	for _, c := range []struct {
		reason string
		trials map[string]envelope.Trial // each twice
		want   string
	}{
		{"a cost over the largest number", map[string]envelope.Trial{"a": {CostUSD: envelope.Some(1e308)}, "b": {CostUSD: envelope.Some(2.0)}}, "total cost of 1 test is too large for a number, first in \"s/a\""},
		{"tokens over the largest number", map[string]envelope.Trial{"a": {Tokens: envelope.Some[int64](most)}, "b": {Tokens: envelope.Some[int64](2)}}, "total number of tokens of 1 test is"},
		{"the run's alone", map[string]envelope.Trial{"a": {DurationMS: envelope.Some(8e307)}, "b": {DurationMS: envelope.Some(8e307)}}, "total duration of the run is"},
		{"a sum that fits", map[string]envelope.Trial{"a": {CostUSD: envelope.Some(1e307), Tokens: envelope.Some[int64](5)}, "b": {}}, ""},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("trials", "native")
		for test, one := range c.trials {
			for attempt := range int32(2) {
				one.Key, one.Attempt, one.Status = envelope.Key{Suite: "s", Test: test}, envelope.Some(attempt), envelope.Pass
				in.Trial(&one)
			}
		}
		in.Close()
		e := sealBuilt(t, b, envelope.Policy{})
		said := ""
		for _, p := range e.Problems {
			said += p.Message + "\n"
		}
		s := e.Summary
		if known := s.CostUSD.OK || s.CostPerSuccess.OK || s.Tokens.OK || s.DurationMS.OK || e.Suites[0].CostUSD.OK; known != (c.want == "") {
			t.Errorf("%s: a total is shown: %t", c.reason, known)
		}
		if !strings.Contains(said, c.want) || (said == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q in it", c.reason, said, c.want)
		}
	}
}
