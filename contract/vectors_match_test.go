package contract_test

import (
	"errors"
	"fmt"
	"math"
)

// matches compares numbers within 1e-9 absolute or relative, integers that are
// counts and words exactly, lists and objects entry by entry.
func matches(got, want any) error {
	switch want := want.(type) {
	case []any:
		return matchesList(got, want)
	case map[string]any:
		return matchesObject(got, want)
	case string:
		if got != want {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	case float64:
		return matchesNumber(got, want)
	case nil:
		if x, ok := got.(float64); ok && math.IsNaN(x) {
			return nil
		}
	}
	return fmt.Errorf("got %v, want %v", got, want)
}

func matchesNumber(got any, want float64) error {
	switch got := got.(type) {
	case int:
		if float64(got) == want {
			return nil
		}
	case float64:
		gap := math.Abs(got - want)
		if gap <= 1e-9 || gap <= 1e-9*math.Abs(want) {
			return nil
		}
	}
	return fmt.Errorf("got %v, want %v", got, want)
}

func matchesList(got any, want []any) error {
	list, err := asList(got)
	if err != nil || len(list) != len(want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	for i := range want {
		if err := matches(list[i], want[i]); err != nil {
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
	default:
		return nil, errors.New("not a list")
	}
	return list, nil
}

func matchesObject(got any, want map[string]any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	for key, value := range want {
		if err := matches(object[key], value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}
