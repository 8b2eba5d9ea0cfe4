package driver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/run/runner"
)

// longestLine bounds a line of a list of tests.
const longestLine = 1 << 20

// ParseList reads a list of tests: a name in each line, or records of a trial
// stream with suite, test, variant and labels alone. Blank lines are passed over.
func ParseList(r io.Reader) ([]runner.Test, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	var tests []runner.Test
	at := map[envelope.Key]int{}
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		test := runner.Test{Key: envelope.Key{Test: line}}
		if strings.HasPrefix(line, "{") {
			var err error
			if test, err = listedAs(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
		if first, twice := at[test.Key]; twice {
			return nil, fmt.Errorf("line %d: %s is listed in line %d already", number, test.Key, first)
		}
		at[test.Key] = number
		tests = append(tests, test)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", len(tests), err)
	}
	return tests, nil
}

func listedAs(line string) (runner.Test, error) {
	var record struct {
		Suite, Test, Variant string
		Labels               map[string]string
	}
	in := json.NewDecoder(strings.NewReader(line))
	in.DisallowUnknownFields()
	if err := in.Decode(&record); err != nil {
		return runner.Test{}, fmt.Errorf("a record of suite, test, variant and labels is expected: %w", err)
	}
	if record.Test == "" {
		return runner.Test{}, errors.New("the record has no test")
	}
	return runner.Test{Key: envelope.Key{Suite: record.Suite, Test: record.Test, Variant: record.Variant}, Labels: record.Labels}, nil
}
