package command

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/run/driver/settings"
	"tribunal/run/runner"
	"tribunal/verdict"
)

// specOfCases are the tests of the configuration: names, and the files of globs.
func specOfCases(cases []settings.Case) (tests []runner.Test, timeouts map[envelope.Key]time.Duration, err error) {
	timeouts = map[envelope.Key]time.Duration{}
	for _, c := range cases {
		names := []string{c.Test}
		if c.Glob != "" {
			if names, err = input.Expand(c.Glob); err != nil {
				return nil, nil, err
			}
			if _, err := os.Stat(names[0]); err != nil {
				return nil, nil, fmt.Errorf("run.tests: no file matches %s", c.Glob)
			}
		}
		for _, name := range names {
			key := envelope.Key{Suite: c.Suite, Test: filepath.ToSlash(name)}
			tests = append(tests, runner.Test{Key: key, Labels: c.Labels, Trials: c.Trials})
			if c.Timeout.OK {
				timeouts[key] = c.Timeout.V
			}
		}
	}
	return tests, timeouts, nil
}

// only leaves the tests that a pattern means.
func only(tests []runner.Test, patterns []string) ([]runner.Test, error) {
	if len(patterns) == 0 {
		return tests, nil
	}
	var kept []runner.Test
	for _, pattern := range patterns {
		matches, any := verdict.Matcher(pattern), false
		for _, t := range tests {
			if matches(t.Key) {
				any = true
				if !slices.ContainsFunc(kept, func(k runner.Test) bool { return k.Key == t.Key }) {
					kept = append(kept, t)
				}
			}
		}
		if !any {
			return nil, fmt.Errorf("--only %s matches none of %s, such as %s: it must match the whole name; for a part, write '*part*'", pattern, words.Plural(len(tests), "test", "tests"), tests[0].Key)
		}
	}
	return kept, nil
}

// withVariants is every test under every variant.
func withVariants(tests []runner.Test, timeouts map[envelope.Key]time.Duration, variants []string) []runner.Test {
	if len(variants) == 0 {
		return tests
	}
	var all []runner.Test
	for _, t := range tests {
		for _, v := range variants {
			under := t
			under.Variant = cmp.Or(t.Variant, v)
			if d, ok := timeouts[t.Key]; ok {
				timeouts[under.Key] = d
			}
			all = append(all, under)
		}
	}
	return all
}
