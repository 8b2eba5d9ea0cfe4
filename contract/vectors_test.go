package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
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
