package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/reliability"
)

// vectorCase is one line of a vector file.
type vectorCase struct {
	Fn   string          `json:"fn"`
	R    []string        `json:"R"`
	Args json.RawMessage `json:"args"`
	Want any             `json:"want"`
	Tol  float64         `json:"tol"` // 1e-9 where a case says nothing
}

// TestVectors holds the numerics against references from outside: the files
// TRIBUNAL_VECTORS names, or those kept in testdata/vectors and, where a shared
// folder lies beside the checkout, the ones in it.
func TestVectors(t *testing.T) {
	ran := map[string]int{}
	for _, file := range vectorFiles(t) {
		for i, c := range readVectors(t, file) {
			ran[c.Fn]++
			got, err := evaluate(c)
			if err == nil {
				err = tolerance(c.Tol).matches(got, c.Want)
			}
			if err != nil {
				t.Errorf("%s case %d: %s%s %v: %v", filepath.Base(file), i, c.Fn, c.Args, c.R, err)
			}
		}
	}
	for _, fn := range slices.Sorted(maps.Keys(ran)) {
		t.Logf("%-28s %5d cases", fn, ran[fn])
	}
}

func vectorFiles(t *testing.T) []string {
	t.Helper()
	patterns := []string{"../testdata/vectors/*.json", "../../shared/golden/*.json"}
	if own := os.Getenv("TRIBUNAL_VECTORS"); own != "" {
		patterns = []string{own}
	}
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatalf("no vector file matches %s", strings.Join(patterns, " or "))
	}
	return files
}

func readVectors(t *testing.T, file string) []vectorCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []vectorCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return cases
}

func evaluate(c vectorCase) (any, error) {
	if call, ok := classical[c.Fn]; ok {
		var a classicalArgs
		if err := decode(c.Args, &a); err != nil {
			return nil, err
		}
		return call(a)
	}
	if call, ok := practice[c.Fn]; ok {
		return call(c.Args)
	}
	name, interval := strings.CutSuffix(c.Fn, "_ci")
	metric, ok := reliability.Lookup(name)
	if !ok {
		return nil, errors.New("unknown fn")
	}
	return evaluateMetric(metric, interval, c)
}

// decode refuses arguments it does not know: a parameter nobody reads would
// make a case pass or fail by accident.
func decode(data json.RawMessage, into any) error {
	if len(data) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

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

// tolerance is how far a number may lie from the one wanted, absolute or
// relative; 0 is 1e-9.
type tolerance float64

// matches compares numbers within the tolerance, integers that are counts and
// words exactly, lists and objects entry by entry. A want of null is a number that
// is not defined, or a list that is missing.
func (tol tolerance) matches(got, want any) error {
	switch want := want.(type) {
	case []any:
		return tol.matchesList(got, want)
	case map[string]any:
		return tol.matchesObject(got, want)
	case string:
		if got != want {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	case float64:
		return tol.matchesNumber(got, want)
	case nil:
		if undefined(got) {
			return nil
		}
	}
	return fmt.Errorf("got %v, want %v", got, want)
}

func undefined(got any) bool {
	switch got := got.(type) {
	case nil:
		return true
	case float64:
		return math.IsNaN(got)
	case []float64:
		return got == nil
	}
	return false
}

func (tol tolerance) matchesNumber(got any, want float64) error {
	switch got := got.(type) {
	case int:
		if float64(got) == want {
			return nil
		}
	case float64:
		within := float64(tol)
		if within == 0 {
			within = 1e-9
		}
		gap := math.Abs(got - want)
		if gap <= within || gap <= within*math.Abs(want) {
			return nil
		}
	}
	return fmt.Errorf("got %v, want %v", got, want)
}

func (tol tolerance) matchesList(got any, want []any) error {
	list, err := asList(got)
	if err != nil || len(list) != len(want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	for i := range want {
		if err := tol.matches(list[i], want[i]); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return nil
}

func asList(v any) ([]any, error) {
	var list []any
	switch v := v.(type) {
	case []float64:
		for _, x := range v {
			list = append(list, x)
		}
	case []int:
		for _, x := range v {
			list = append(list, x)
		}
	case []any:
		list = v
	default:
		return nil, errors.New("not a list")
	}
	return list, nil
}

func (tol tolerance) matchesObject(got any, want map[string]any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	for key, value := range want {
		if _, has := object[key]; !has {
			return fmt.Errorf("%s: missing", key)
		}
		if err := tol.matches(object[key], value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}
