package preset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestCompiledAsGiven: a package is compiled where all that the command says holds for its
// binary as well, and else go test starts it.
func TestCompiledAsGiven(t *testing.T) {
	for _, c := range []struct{ argv, env, want string }{
		{"go test ./...", "", "-test.run={tests:regex}"},
		{"go test -race -tags=x -short -timeout 5m -v -run A ./... -args -word it", "", "-test.run={tests:regex} -test.short -test.timeout=5m -word it"},
		{"go test ./...", "-mod=mod -count=3", "-test.run={tests:regex}"},
		{"go test ./...", "-mod=mod -short", ""},
		{"go test -coverprofile=c.out ./...", "", ""},
		{"go test -exec=sudo ./...", "", ""},
		{"go test -own ./...", "", ""},
		{"go test a_test.go", "", ""},
		{"env A=B go test ./...", "", ""},
	} {
		t.Setenv("GOFLAGS", c.env)
		p, _ := For(strings.Fields(c.argv))
		r := must(p.Recipe(strings.Fields(c.argv)))(t)
		got := ""
		if r.Compile != nil {
			start := strings.Join(r.Compile("example.test/a", "/tmp").Start, " ")
			got = start[strings.Index(start, "-test.run="):]
		}
		if got != c.want {
			t.Errorf("%s, GOFLAGS=%s: %q, want %q", c.argv, c.env, got, c.want)
		}
	}
}

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

// TestPrintedByPytest: of a start of pytest 7.2 that wrote no report, those tests count that
// it printed an outcome of, and the last one was running.
func TestPrintedByPytest(t *testing.T) {
	const head = "============================= test session starts ==============================\ncollecting ... collected 4 items\n\n"
	var asked []Test
	for _, id := range []string{"a.py::one", "a.py::par[x PASSED y]", "a.py::par[x]", "a.py::last"} {
		asked = append(asked, Test{Key: keyOf(id), Labels: map[string]string{nodeID: id}})
	}
	for _, c := range []struct{ reason, printed, want string }{
		{"one died", "a.py::one PASSED            [ 25%]\na.py::par[x PASSED y] ", "one pass, par[x PASSED y] running"},
		{"one failed before, and the last has its word: its teardown", "a.py::one FAILED  [ 25%]\na.py::par[x] PASSED  [ 50%]\n", "one fail, par[x] pass running"},
		{"a teardown failed, one was skipped with a reason", "a.py::one PASSED [ 25%]\na.py::one ERROR [ 25%]\na.py::par[x] SKIPPED (no such order)\na.py::last ", "one error, par[x] skip, last running"},
		{"all is told, and the report could not be written", "a.py::one XFAIL [ 50%]\na.py::last XPASS [100%]\n\n===== 1 passed in 0.01s =====\n", "one skip, last pass"},
		{"it could not begin", "ERROR: not found: a.py::gone\n", ""},
		{"it prints as xdist does", "[gw0] [ 25%] PASSED a.py::one\n", ""},
		{"with -s, what a test prints stands in its line", "a.py::one a.py::last is mine\nPASSED\na.py::par[x PASSED y] hello", "par[x PASSED y] running"},
	} {
		var got []string
		for _, trial := range printedByPytest([]byte(head+c.printed), asked) {
			far := ""
			if trial.Unended == envelope.Running {
				far = " running"
			}
			got = append(got, strings.TrimSpace(trial.Test+" "+string(trial.Status))+far)
		}
		if all := fmt.Sprint(strings.Join(slices.Clip(got), ", ")); all != c.want {
			t.Errorf("%s: %s, want %s", c.reason, all, c.want)
		}
	}
}
