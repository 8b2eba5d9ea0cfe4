package reliability

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// otherNames are what the references call some parameters.
var otherNames = map[string]string{"R0": "prior", "lambda": "lam", "lambda_": "lam"}

// Parameter returns the name of a parameter of the metric as the json tags spell
// it, from any name that it goes by: R0 for earlier outcomes, lambda for lam, and
// weights for the rewards of a metric that weighs nothing else.
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
	names := m.reads()
	for i, name := range names {
		switch name {
		case "prior":
			names[i] = "R0"
		case "lam":
			names[i] = "lambda"
		case "w":
			names[i] = "weights"
		}
	}
	return names
}

// Set puts the value of a parameter, as JSON has it, under its canonical name into
// p. The error says what is expected. Its range is that of the metric, which looks
// when it is computed.
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
			return errors.New("a whole number is expected")
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

// mostCategories bounds the categories of earlier outcomes.
const mostCategories = 1000

// setPrior takes a row of earlier outcomes of each test: a text of digits, or a
// list of categories.
func (p *Params) setPrior(value any) error {
	expected := errors.New(`a list with the earlier outcomes of each test is expected, such as ["0212", "11"] or [[0, 2, 1, 2], [1, 1]]`)
	rows, ok := value.([]any)
	if !ok || len(rows) == 0 {
		return expected
	}
	p.Prior = make([]Categories, len(rows))
	for i, row := range rows {
		for _, outcome := range outcomesOf(row) {
			if !(outcome >= 0 && outcome < mostCategories) || outcome != math.Trunc(outcome) {
				return fmt.Errorf("row %d: %w", i+1, expected)
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
		out := make([]float64, len(row))
		for i := range row {
			v, ok := row[i].(float64)
			if !ok {
				v = -1
			}
			out[i] = v
		}
		return out
	}
	return []float64{-1}
}
