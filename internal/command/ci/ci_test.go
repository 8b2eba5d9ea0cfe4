package ci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"tribunal/internal/run/preset"
)

// TestEveryPresetHasAJob: a runner that tribunal run knows can be named, and is told
// by the line that the job starts.
func TestEveryPresetHasAJob(t *testing.T) {
	var names []string
	for _, r := range runners {
		names = append(names, r.Name)
		if p, known := preset.For(strings.Fields(r.Start)); r.Started && (!known || p.Name != r.Name) {
			t.Errorf("%q is no command of the preset %s", r.Start, r.Name)
		}
	}
	if !slices.Equal(names, RunnerNames()) {
		t.Errorf("jobs for %q, want %q", names, RunnerNames())
	}
}

// TestARunnerThatDiedIsNotHidden runs the part that judges, as a job does.
func TestARunnerThatDiedIsNotHidden(t *testing.T) {
	part, err := job{System: Systems[0], Runner: runners[0]}.Part("judge")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason                string
		runner, verdict, want int
	}{
		{"all is well", 0, 0, 0},
		{"the runner says that trials failed, and the rule takes that", 1, 0, 0},
		{"the runner says that trials failed, and so does the report, or none did in it", 1, 1, 1},
		{"the runner hides failures, and the report does not", 0, 1, 1},
		{"nothing failed, something is inconclusive", 0, 3, 3},
		{"killed for its memory: what it left looks well", 137, 0, 137},
		{"a runner that could not start, and left nothing to read", 127, 2, 127},
	} {
		dir := t.TempDir()
		program(t, dir, "run-evals", fmt.Sprintf("exit %d", c.runner))
		program(t, dir, ".tribunal/bin/tribunal", fmt.Sprintf("echo \"$@\" > called\nexit %d", c.verdict))
		if got := shell(t, dir, part); got != c.want {
			t.Errorf("%s: runner %d, report %d: the job ends with %d, want %d", c.reason, c.runner, c.verdict, got, c.want)
		}
		if called, _ := os.ReadFile(filepath.Join(dir, "called")); !strings.HasPrefix(string(called), "report trials.ndjson -o ") {
			t.Errorf("%s: no report was written: %q", c.reason, called)
		} else if held := strings.HasSuffix(string(called), " --runner-failed\n"); held != (c.runner == 1) {
			t.Errorf("%s: a runner that ended with %d is held to its failures: %t, by %q", c.reason, c.runner, held, called)
		}
	}
}

// TestInstallIsHeldToItsChecksum runs the part that installs, on a release in a
// folder that stands for the network.
func TestInstallIsHeldToItsChecksum(t *testing.T) {
	part, err := job{System: Systems[0]}.Part("install")
	if err != nil {
		t.Fatal(err)
	}
	archive := "tribunal_linux_" + runtime.GOARCH + ".tar.gz"
	whole := packed(t, "#!/bin/sh\necho installed\n")
	sum := fmt.Sprintf("%x  %s\n%064d  %s.sbom.json\n", sha256.Sum256(whole), archive, 0, archive)
	for _, c := range []struct {
		reason, sums string
		installed    bool
	}{
		{"as released", sum, true},
		{"another file than was released", strings.Replace(sum, sum[:8], "00000000", 1), false},
		{"an archive that the release does not list", "", false},
	} {
		dir := t.TempDir()
		program(t, dir, "curl", `for last; do :; done; while [ "$1" != -o ]; do shift; done; cp "$last" "$2"`)
		for name, text := range map[string]string{archive: string(whole), "checksums.txt": c.sums} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		code := shell(t, dir, "PATH="+dir+":$PATH TRIBUNAL_RELEASE="+dir+"\n"+part+"\n.tribunal/bin/tribunal")
		if _, err := os.Stat(filepath.Join(dir, ".tribunal/bin/tribunal")); (err == nil) != c.installed || (code == 0) != c.installed {
			t.Errorf("%s: exit code %d, the program: %v", c.reason, code, err)
		}
	}
}

func program(t *testing.T, dir, name, script string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// shell runs a part as systems do, and returns its exit code.
func shell(t *testing.T, dir, part string) int {
	t.Helper()
	cmd := exec.Command("sh", "-e", "-c", part)
	cmd.Dir = dir
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	tw := tar.NewWriter(gz)
	err := tw.WriteHeader(&tar.Header{Name: "tribunal", Mode: 0o755, Size: int64(len(text))})
	_, err2 := tw.Write([]byte(text))
	if err := errors.Join(err, err2, tw.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUnknownNames: the near names are said.
func TestUnknownNames(t *testing.T) {
	for _, c := range []struct{ system, runner, want string }{
		{"gitlub", "", `unknown CI system "gitlub": did you mean`},
		{"gitlab", "pytset", `unknown runner "pytset": did you mean pytest?`},
	} {
		if err := Write(&bytes.Buffer{}, c.system, Options{Runner: c.runner}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.system, c.runner, err, c.want)
		}
	}
}

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
