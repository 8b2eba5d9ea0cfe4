package verdict

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/policy"
	"tribunal/reliability"
)

// ParseMetric reads a metric with parameters of its own, as in
//
//	bayes(weights=[0, 0.5, 1], R0=["02", "12"])
//
// The values are JSON. Names are those of the metrics and of their parameters, also as the references spell them, with
// _ci where they mean the interval, which every metric has here; the error for another names the near ones.
func ParseMetric(text string) (envelope.MetricCall, error) {
	name, args, called := strings.Cut(strings.TrimSpace(text), "(")
	call := envelope.MetricCall{Name: strings.TrimSuffix(strings.TrimSpace(name), "_ci")}
	if called {
		args, closed := strings.CutSuffix(args, ")")
		if !closed {
			return call, fmt.Errorf("metric %q does not end with ): write it as in pass_at_k(k=3)", text)
		}
		var err error
		if call.Params, err = parseArguments(args); err != nil {
			return call, fmt.Errorf("metric %s: %w", call.Name, err)
		}
	}
	return call, checkMetric(call)
}

// parseArguments reads name=value, name=value.
func parseArguments(text string) (map[string]any, error) {
	var given map[string]any
	for strings.TrimSpace(text) != "" {
		name, rest, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%q has no value: write name=value", strings.TrimSpace(text))
		}
		name = strings.TrimSpace(name)
		d := json.NewDecoder(strings.NewReader(rest))
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("the value of %s is not JSON; write a number like 0.5, a list like [0, 0.5, 1], a text in quotes, or null", name)
		}
		if _, twice := given[name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		each.Put(&given, name, value)
		text = strings.TrimSpace(rest[d.InputOffset():])
		if text != "" && !strings.HasPrefix(text, ",") {
			return nil, fmt.Errorf("a comma is expected after the value of %s, found %q", name, text)
		}
		text = strings.TrimPrefix(text, ",")
	}
	return given, nil
}

// checkMetric knows the metric and its parameters, and holds their values to its ranges by computing it once for two trials.
func checkMetric(call envelope.MetricCall) error {
	m, known := reliability.Lookup(call.Name)
	if !known {
		as := strings.TrimRight(call.Name, "0123456789")
		meant := map[string]string{"pass@": "pass_at_k", "pass_at_": "pass_at_k", "pass_at_k=": "pass_at_k", "pass^": "pass_hat_k"}[as]
		if k := call.Name[len(as):]; meant != "" && k != "" {
			return fmt.Errorf("unknown metric %q: did you mean '%s(k=%s)'?", call.Name, meant, k)
		}
		names := each.Of(reliability.Metrics(), func(m reliability.Metric) string { return m.Name })
		return suggest.Unknown("metric", call.Name, names)
	}
	p := reliability.DefaultParams()
	canonical, err := setGiven(m, call, &p)
	if err != nil {
		return err
	}
	if weights, given := canonical["weights"].([]any); given && canonical["k"] == nil {
		p.K = len(weights)
	}
	p.Prior = nil
	sample, err := reliability.NewSample([]reliability.Counts{{Passed: 1, N: 2}})
	if err == nil {
		sample, err = sample.WithCategories([]reliability.Categories{make(reliability.Categories, len(p.W))})
	}
	if err == nil {
		_, err = m.Point(sample, p)
	}
	if err == nil {
		_, err = m.Interval(sample, p)
	}
	if err != nil {
		return fmt.Errorf("metric %s: %w", m.Name, err)
	}
	return nil
}

// setGiven puts what a call gives over the parameters, and returns it under its canonical names.
func setGiven(m reliability.Metric, call envelope.MetricCall, p *reliability.Params) (map[string]any, error) {
	canonical := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(call.Params)) {
		value := call.Params[name]
		as, ok := m.Parameter(name)
		if !ok {
			return nil, fmt.Errorf("metric %s: %w", m.Name, suggest.Unknown("parameter", name, m.Parameters()))
		}
		if _, twice := canonical[as]; twice {
			return nil, fmt.Errorf("metric %s: %s is given twice, under two names", m.Name, as)
		}
		if level, is := value.(float64); is && as == "confidence" {
			value = policy.Fraction(level)
		}
		if err := p.Set(as, value); err != nil {
			return nil, fmt.Errorf("metric %s: %s: %w", m.Name, name, err)
		}
		if as == "bounds" && value == nil && m.Name == "max_at_k" {
			p.Bounds = nil // the references ask for the range of the rewards so
		}
		canonical[as] = value
	}
	return canonical, nil
}

// quantiles are two quantiles, p <= q. The second is searched for from the first on.
func quantiles(values []float64, p, q float64) (float64, float64) {
	first := quantileFrom(values, 0, p)
	return first, quantileFrom(values, int(p*float64(len(values)-1)), q)
}

// quantileFrom interpolates between neighbours in order, as R's type 7 (Hyndman and Fan, The American Statistician 50, 1996). No value
// before from may be larger than one after it. It reorders the values.
func quantileFrom(values []float64, from int, q float64) float64 {
	at := q * float64(len(values)-1)
	i := int(at)
	below := smallest(values[from:], i-from)
	if i+1 >= len(values) {
		return below
	}
	above := slices.Min(values[i+1:])
	part := float64((at - float64(i)) * (above - below)) // rounded before it is added, on every processor
	return below + part
}

// Fewer values than fewValues are sorted rather than parted, and what is left after mostRounds of parting.
const fewValues, mostRounds = 12, 64

// smallest finds the value that has i smaller ones before it when the values are in order, and
// moves no smaller one behind it and no larger one before it (C. A. R. Hoare, Algorithm 65: Find,
// 1961). Where the parting makes no headway, it sorts, so that no order of values makes it slow.
func smallest(values []float64, i int) float64 {
	lo, hi := 0, len(values)
	for rounds := 0; hi-lo > fewValues && rounds < mostRounds; rounds++ {
		a, b, c := values[lo], values[lo+(hi-lo)/2], values[hi-1]
		pivot := max(min(a, b), min(max(a, b), c)) // the middle one
		border := lo + partBelow(values[lo:hi], pivot)
		if i < border {
			hi = border
			continue
		}
		lo = border
		if border += partBelow(values[lo:hi], math.Nextafter(pivot, math.Inf(1))); i < border {
			return pivot
		}
		lo = border
	}
	slices.Sort(values[lo:hi])
	return values[i]
}

// partBelow moves the values below a pivot to the front and returns how many they are. There is no branch to be guessed in it: half of
// the guesses would be wrong, and each wrong one costs more than all the rest (E. Lomuto's partition).
func partBelow(values []float64, pivot float64) int {
	n := 0
	for i, v := range values {
		values[i], values[n] = values[n], v
		below := 0
		if v < pivot {
			below = 1
		}
		n += below
	}
	return n
}
