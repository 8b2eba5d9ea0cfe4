package preset

import (
	"slices"
	"testing"

	"tribunal/envelope"
)

// TestNarrow: a start of all tests leaves out files, or test cases of one description, that
// have no test which is asked for, and never one that has.
func TestNarrow(t *testing.T) {
	const rows = `{"results":{"results":[{"testCase":{"description":"capital"}},{"testCase":{"description":"refund (eu)"}},{"testCase":{"description":"refund"}},{"testCase":{"description":" sum 1+1 "}}]}}`
	of := func(suite string, names ...string) (tests []Test) {
		for _, name := range names {
			tests = append(tests, Test{Key: envelope.Key{Suite: suite, Test: name, Variant: "v"}})
		}
		return tests
	}
	files := slices.Concat(of("src/a.test.js", "x", "y"), of("b+c.test.js", "x"), of("d.test.js", "z"))
	cases := of("", "capital", "capital (q=1)", "refund", "refund (eu)", "sum 1+1")
	for _, c := range []struct {
		reason, learned string
		argv            []string
		asked, all      []Test
		want            []string
	}{
		{"one file is left", "", []string{"jest"}, of("src/a.test.js", "y"), files, []string{"--coverage=false", `[\\/]src[\\/]a\.test\.js$`}},
		{"all files are", "", []string{"jest"}, slices.Concat(of("src/a.test.js", "y"), files[2:]), files, nil},
		{"one has no file", "", []string{"jest"}, of("", "x"), files, nil},
		{"the command may name files", "", []string{"jest", "src"}, of("d.test.js", "z"), files, nil},
		{"or hand on what is not known", "", []string{"jest", "--", "-x"}, of("d.test.js", "z"), files, nil},
		{"a file that is a glob stays", "", []string{"vitest", "run", "src"}, of("src/a.test.js", "y"), files, []string{"--coverage.enabled=false", "--exclude=d.test.js"}},
		{"none to leave out", "", []string{"vitest", "run"}, files[1:], files[1:], nil},
		{"all of a description", rows, []string{"promptfoo", "eval"}, of("", "capital (q=1)"), cases, []string{"--filter-pattern", `^\s*(?:capital)\s*$`}},
		{"two that it may be", rows, []string{"promptfoo", "eval"}, of("", "refund (eu)", "sum 1+1"), cases, []string{"--filter-pattern", `^\s*(?:refund|refund \(eu\)|sum 1\+1)\s*$`}},
		{"all are left", rows, []string{"promptfoo", "eval"}, cases, cases, nil},
		{"it filters by itself", rows, []string{"promptfoo", "eval", "--filter-pattern", "x"}, of("", "capital"), cases, nil},
		{"nothing was learned, as by a run that is gone on with", "", []string{"promptfoo", "eval"}, of("", "capital"), cases, nil},
		{"one has no description", `{"results":{"results":[{"testCase":{}},{"testCase":{"description":"capital"}}]}}`, []string{"promptfoo", "eval"}, of("", "capital"), cases, nil},
		{"a test that no description can have", rows, []string{"promptfoo", "eval"}, of("", "gone"), cases, nil},
	} {
		p, _ := For(c.argv)
		r := must(p.Recipe(c.argv))(t)
		if c.learned != "" && r.Learn != nil {
			r.Learn([]byte(c.learned))
		}
		var got []string
		if r.Narrow != nil {
			got = r.Narrow(c.asked, c.all)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
