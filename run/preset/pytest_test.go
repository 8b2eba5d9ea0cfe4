package preset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

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
