package contract_test

import (
	"errors"
	"fmt"
	"math"
)

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
