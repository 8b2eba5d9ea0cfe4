package ci

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestFlagsOfTheAction runs the step of the action that judges, as GitHub does, with a
// program that shows what it was called with.
func TestFlagsOfTheAction(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct{ Steps []struct{ Name, Run string } }
	}
	if err := yaml.Unmarshal([]byte(files["action.yml"]), &action); err != nil {
		t.Fatal(err)
	}
	script := action.Runs.Steps[1].Run
	for _, c := range []struct{ arguments, want string }{
		{"", ""},
		{"--rule wilson  --threshold 0.9", "<--rule><wilson><--threshold><0.9>"},
		{"--gate 'summary.fail == 0'", "<--gate><summary.fail == 0>"},
		{`--gate "summary.pass >= 1"` + "\n--gate=summary.fail<1 --quiet\n", "<--gate><summary.pass >= 1><--gate=summary.fail<1><--quiet>"},
		{`--gate 'run.name matches "a.*$(touch ran)$"' -o json=*`, `<--gate><run.name matches "a.*$(touch ran)$"><-o><json=*>`},
		{"--gate 'summary.fail == 0", "no call"},
	} {
		dir := t.TempDir()
		program(t, dir, ".tribunal/bin/tribunal", `shift 2; printf '<%s>' "$@" > called`)
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "RUN=", "TRIALS=trials.ndjson", "ARGUMENTS="+c.arguments)
		failed := cmd.Run()
		called, err := os.ReadFile(filepath.Join(dir, "called"))
		if err != nil {
			called = []byte("no call")
		}
		got, _, _ := bytes.Cut(called, []byte("<-o><github>"))
		if string(got) != c.want || (failed != nil) != (c.want == "no call") {
			t.Errorf("arguments %q: tribunal report was called with %s (%v), want %s", c.arguments, got, failed, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			t.Errorf("arguments %q: a part of it was run", c.arguments)
		}
	}
}
