package reliability

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"tribunal/internal/each"
)

// otherNames are what the references call some parameters.
var otherNames = map[string]string{"R0": "prior", "lambda": "lam", "lambda_": "lam"}

// Parameter returns the name of a parameter of the metric as the json tags spell it, from any name that it goes by: R0 for earlier
// outcomes, lambda for lam, and weights for the rewards of a metric that weighs nothing else.
func (m Metric) Parameter(name string) (canonical string, ok bool) {
	if other, known := otherNames[name]; known {
		name = other
	}
	if name == "weights" && !slices.Contains(m.Params, "weights") {
		name = "w"
	}
	return name, slices.Contains(m.reads(), name)
}

func (m Metric) reads() []string { return append(slices.Clone(m.Params), m.IntervalParams...) }

// Parameters are the names of all parameters of the metric, as people write them.
func (m Metric) Parameters() []string {
	written := map[string]string{"prior": "R0", "lam": "lambda", "w": "weights"}
	return each.Of(m.reads(), func(name string) string { return cmp.Or(written[name], name) })
}

// Set puts the value of a parameter, as JSON has it, under its canonical name into p. The error
// says what is expected. Its range is that of the metric, which looks when it is computed.
func (p *Params) Set(canonical string, value any) error {
	if number, is := p.number(canonical); is {
		v, ok := value.(float64)
		if !ok {
			return errors.New("a number is expected")
		}
		*number = v
		return nil
	}
	switch canonical {
	case "k":
		v, ok := value.(float64)
		if !ok || v != math.Trunc(v) || math.Abs(v) > 1e9 {
			return errors.New("a whole number of at most 1e9 is expected")
		}
		p.K = int(v)
		return nil
	case "w", "weights":
		list, err := numbers(value)
		if err == nil && canonical == "w" {
			p.W = list
		} else if err == nil {
			p.Weights = list
		}
		return err
	case "bounds":
		return p.setBounds(value)
	}
	return p.setPrior(value)
}

// number is where a parameter stands that is one number.
func (p *Params) number(canonical string) (field *float64, is bool) {
	field, is = map[string]*float64{"tau": &p.Tau, "lam": &p.Lambda, "pass_power": &p.PassPower, "unanimous_power": &p.UnanimousPower,
		"confidence": &p.Confidence, "alpha0": &p.Alpha0, "beta0": &p.Beta0}[canonical]
	return field, is
}

func numbers(value any) ([]float64, error) {
	list, ok := value.([]any)
	expected := errors.New("a list of numbers such as [0, 0.5, 1] is expected")
	if !ok || len(list) == 0 {
		return nil, expected
	}
	out := make([]float64, len(list))
	for i := range list {
		if out[i], ok = list[i].(float64); !ok {
			return nil, expected
		}
	}
	return out, nil
}

// setBounds takes a pair, or nil for none.
func (p *Params) setBounds(value any) error {
	if value == nil {
		p.Bounds = &[2]float64{math.Inf(-1), math.Inf(1)}
		return nil
	}
	pair, err := numbers(value)
	if err != nil || len(pair) != 2 {
		return errors.New("two numbers such as [0, 1] are expected, or null")
	}
	p.Bounds = &[2]float64{pair[0], pair[1]}
	return nil
}

// setPrior takes a row of earlier outcomes of each test: a text of digits, or a list of categories.
func (p *Params) setPrior(value any) error {
	expected := errors.New(`a list with the earlier outcomes of each test is expected, such as ["0212", "11"] or [[0, 2, 1, 2], [1, 1]]`)
	rows, ok := value.([]any)
	if !ok || len(rows) == 0 {
		return expected
	}
	p.Prior = make([]Categories, len(rows))
	for i, row := range rows {
		for _, outcome := range outcomesOf(row) {
			const mostCategories = 1000 // bounds the categories of earlier outcomes
			if !(outcome >= 0 && outcome < mostCategories) || outcome != math.Trunc(outcome) {
				return fmt.Errorf(`row %d: outcomes are categories from 0 to 999, such as "0212" or [0, 2, 1, 2]`, i+1)
			}
			for len(p.Prior[i]) <= int(outcome) {
				p.Prior[i] = append(p.Prior[i], 0)
			}
			p.Prior[i][int(outcome)]++
		}
	}
	return nil
}

// outcomesOf is a row as numbers; what is none is -1.
func outcomesOf(row any) []float64 {
	switch row := row.(type) {
	case string:
		out := make([]float64, 0, len(row))
		for _, digit := range row {
			out = append(out, float64(strings.IndexRune("0123456789", digit)))
		}
		return out
	case []any:
		return each.Of(row, func(v any) float64 {
			if n, is := v.(float64); is {
				return n
			}
			return -1
		})
	}
	return []float64{-1}
}

// Params are the settings of the metrics. Each metric reads the few that its row in [Metrics] names
// and ignores the rest. Start from [DefaultParams]: the zero value is not a valid setting.
type Params struct {
	// K is the number of trials drawn, at least 1.
	K int `json:"k"`
	// Tau is the share of the K draws that must pass, 0..1.
	Tau float64 `json:"tau"`
	// PassPower and UnanimousPower are the exponents of the geometric blends.
	PassPower      float64 `json:"pass_power"`
	UnanimousPower float64 `json:"unanimous_power"`
	// Lambda is the exponent of pass@k in GeoSpectrum, 0..1.
	Lambda float64 `json:"lam"`
	// Weights are the K weights of "at least r of K", r = 1..K: not negative,
	// with a sum of at most 1. Nil stands for the weights of mG-Pass.
	Weights []float64 `json:"weights"`
	// W is the reward of each category. Nil stands for 0 and 1, fail and pass.
	W []float64 `json:"w"`
	// Prior holds earlier outcomes of each test, one row of category counts per
	// test, that the categorical metrics count as already seen. Nil is none.
	Prior []Categories `json:"prior"`
	// Confidence is the level of the interval, between 0 and 1.
	Confidence float64 `json:"confidence"`
	// Bounds cut the interval. Nil stands for the metric's own: [0, 1] for everything made of
	// passes, none for bayes and avg, the range of the rewards for max@k.
	Bounds *[2]float64 `json:"bounds"`
	// Alpha0 and Beta0 are the prior Beta(Alpha0, Beta0) of each pass rate.
	Alpha0 float64 `json:"alpha0"`
	Beta0  float64 `json:"beta0"`
}

// DefaultParams returns K 1, Tau 0.5, both powers and Lambda 0.5, confidence 0.95, the uniform prior, and nil for the rest.
func DefaultParams() Params {
	return Params{
		K: 1, Tau: 0.5, PassPower: 0.5, UnanimousPower: 0.5, Lambda: 0.5,
		Confidence: 0.95, Alpha0: 1, Beta0: 1,
	}
}

// Value returns the parameter of that name, as the json tags spell it, and whether there is one.
func (p Params) Value(name string) (value any, ok bool) {
	values := map[string]any{
		"k": p.K, "tau": p.Tau, "lam": p.Lambda,
		"pass_power": p.PassPower, "unanimous_power": p.UnanimousPower,
		"weights": p.Weights, "w": p.W, "prior": p.Prior,
		"confidence": p.Confidence, "bounds": p.Bounds,
		"alpha0": p.Alpha0, "beta0": p.Beta0,
	}
	value, ok = values[name]
	return value, ok
}

// maxGeneralK bounds k where the variance of a score costs k^2.
const maxGeneralK = 10_000

func (p Params) checkK() error {
	if p.K < 1 {
		return fmt.Errorf("k is %d: it must be at least 1", p.K)
	}
	return nil
}

func (p Params) checkGeneralK() error {
	if p.K < 1 || p.K > maxGeneralK {
		return fmt.Errorf("k is %d: it must be in 1..%d", p.K, maxGeneralK)
	}
	return nil
}

func (p Params) checkInterval() error {
	if !(p.Confidence > 0 && p.Confidence < 1) {
		return fmt.Errorf("confidence is %v: it must be between 0 and 1, both excluded", p.Confidence)
	}
	if p.Bounds != nil && !(p.Bounds[0] <= p.Bounds[1]) {
		return fmt.Errorf("bounds are %v and %v: the first must not exceed the second", p.Bounds[0], p.Bounds[1])
	}
	return nil
}

func (p Params) checkPrior() error {
	for _, v := range []float64{p.Alpha0, p.Beta0} {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("alpha0 is %v and beta0 is %v: both must be finite and above 0", p.Alpha0, p.Beta0)
		}
	}
	return nil
}

// powers remembers how far the sums of logPower came. Metrics are asked for at depths that double, and each sum begins as the one before
// did: going on from there adds the same numbers in the same order, and a third as many.
type powers struct {
	mu    sync.Mutex
	known map[[2]float64]partialSum
}

type partialSum struct {
	terms int
	total float64
}

func (p *powers) log(a, b float64, k int) float64 {
	if p == nil {
		return logPower(a, b, k)
	}
	of := [2]float64{a, b}
	p.mu.Lock()
	sum := p.known[of]
	p.mu.Unlock()
	if sum.terms > k {
		sum = partialSum{}
	}
	sum.total, sum.terms = addLogPower(sum.total, a, b, sum.terms, k), k
	p.mu.Lock()
	defer p.mu.Unlock()
	each.Put(&p.known, of, sum)
	return sum.total
}
