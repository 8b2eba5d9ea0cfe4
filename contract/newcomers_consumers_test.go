//go:build consumers

package contract_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// runEvals is what a newcomer's runner is: it prints trials, says by 1 that some
// failed, and does not know what that is called here.
const runEvals = `#!/bin/sh
for run in 0 1 2 3 4; do
  echo '{"test":"refund","status":"pass","attempt":'$run'}'
  [ $run = 3 ] && echo '{"test":"search","status":"fail","message":"found nothing","attempt":'$run'}' || echo '{"test":"search","status":"pass","attempt":'$run'}'
done
exit 1
`

// TestConsumersNewcomers: the first day of two users, in commands as they type them.
// The third, who reads the page, is in module browser.
func TestConsumersNewcomers(t *testing.T) {
	home := t.TempDir()
	clone := filepath.Join(home, "tribunal")
	shell := func(dir, line string, want int) string {
		t.Helper()
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+filepath.Join(home, "bin"), "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
			t.Fatalf("$ %s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	shell(home, "git clone --quiet "+here+" tribunal", 0)
	shell(clone, "go install .", 0)
	work := repository(t, map[string]string{"run-evals": runEvals})
	if out := shell(work, "./run-evals | tribunal report", 1); !strings.Contains(out, "search") || !strings.Contains(out, "found nothing") {
		t.Errorf("the third command shows no verdict with its reason:\n%s", out)
	}

	releaseFor(t, work, filepath.Join(home, "bin", "tribunal"))
	shell(work, "tribunal ci gitlab --release file://$PWD/release > .gitlab-ci.yml", 0)
	if out := shell(work, "gitlab-ci-local --force-shell-executor evals", 1); strings.Contains(out, "the runner died") {
		t.Errorf("a runner that says that trials failed is taken for dead:\n%s", out)
	}
	junit, err := os.ReadFile(filepath.Join(work, "junit.xml"))
	if err != nil || !bytes.Contains(junit, []byte("found nothing")) {
		t.Errorf("the tests in the merge request do not say why: %v\n%s", err, junit)
	}
	if _, errs, code := run(t, string(junit), "xmllint", "--noout", "-"); code != 0 {
		t.Error(errs)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "testdata", "schemas", "gitlab-codeclimate.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validFile(schema, filepath.Join(work, "gl-code-quality.json"), true); err != nil {
		t.Error(err)
	}

	dead := strings.Replace(runEvals, "exit 1", "kill -9 $$", 1)
	if err := os.WriteFile(filepath.Join(work, "run-evals"), []byte(strings.ReplaceAll(dead, `"fail"`, `"pass"`)), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := shell(work, "gitlab-ci-local --force-shell-executor evals", 1); !strings.Contains(out, "the runner died with exit code 137") {
		t.Errorf("a runner that was killed behind trials that all passed is not told:\n%s", out)
	}
}

// releaseFor puts a program into the folder of a release, as module scripts/release does.
func releaseFor(t *testing.T, dir, program string) {
	t.Helper()
	release := filepath.Join(dir, "release")
	if err := os.Mkdir(release, 0o755); err != nil {
		t.Fatal(err)
	}
	archive := "tribunal_linux_" + runtime.GOARCH + ".tar.gz"
	if out, err := exec.Command("tar", "-czf", filepath.Join(release, archive), "-C", filepath.Dir(program), "tribunal").CombinedOutput(); err != nil {
		t.Fatalf("tar: %s", out)
	}
	packed, err := os.ReadFile(filepath.Join(release, archive))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(release, "checksums.txt"), fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(packed), archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
