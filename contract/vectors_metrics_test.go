package contract_test

import (
	"encoding/json"
	"math"
	"strings"

	"tribunal/reliability"
)

// evaluateMetric runs a metric of the table over an outcome matrix.
func evaluateMetric(m reliability.Metric, interval bool, c vectorCase) (any, error) {
	p, err := metricParams(m.Name, c.Args)
	if err != nil {
		return nil, err
	}
	sample, err := matrixSample(c.R)
	if err != nil {
		return nil, err
	}
	if interval {
		e, err := m.Interval(sample, p)
		return []float64{e.Value, e.Sigma, e.Lo, e.Hi}, err
	}
	e, err := m.Point(sample, p)
	if math.IsNaN(e.Sigma) {
		return e.Value, err
	}
	return []float64{e.Value, e.Sigma}, err
}

// metricParams puts the arguments of a case over the defaults. R0 is a matrix
// of earlier outcomes, lambda_ another spelling of lam, and a bound of null
// asks for none, except in max@k, where it asks for the range of the rewards.
func metricParams(name string, args json.RawMessage) (reliability.Params, error) {
	p := reliability.DefaultParams()
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil && len(args) > 0 {
		return p, err
	}
	if prior, ok := given["R0"]; ok {
		var rows []string
		if err := json.Unmarshal(prior, &rows); err != nil {
			return p, err
		}
		for _, row := range rows {
			p.Prior = append(p.Prior, categoriesOf(row))
		}
		delete(given, "R0")
	}
	if lambda, ok := given["lambda_"]; ok {
		delete(given, "lambda_")
		given["lam"] = lambda
	}
	if bounds, ok := given["bounds"]; ok && string(bounds) == "null" && name != "max_at_k" {
		p.Bounds = &[2]float64{math.Inf(-1), math.Inf(1)}
		delete(given, "bounds")
	}
	rest, err := json.Marshal(given)
	if err != nil {
		return p, err
	}
	return p, decode(rest, &p)
}

// matrixSample turns rows of digits into counts: 1 is a pass, and digits are
// categories as well.
func matrixSample(rows []string) (*reliability.Sample, error) {
	var counts []reliability.Counts
	var categories []reliability.Categories
	for _, row := range rows {
		counts = append(counts, reliability.Counts{Passed: strings.Count(row, "1"), N: len(row)})
		categories = append(categories, categoriesOf(row))
	}
	sample, err := reliability.NewSample(counts)
	if err != nil {
		return nil, err
	}
	return sample.WithCategories(categories)
}

func categoriesOf(row string) reliability.Categories {
	c := make(reliability.Categories, 10)
	for _, digit := range row {
		if digit >= '0' && digit <= '9' {
			c[digit-'0']++
		}
	}
	return c
}
