//go:build runners

package contract_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRunnersNextByParallel: GNU parallel runs what tribunal next names, batch by
// batch, until nothing is left; the verdicts are those of tribunal run of the same
// command, and so is the number of trials.
func TestRunnersNextByParallel(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "tribunal"), "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const trial = `case $1 in steady) r=0;; broken) r=1;; *) r=$(( ($2 * 7 + 3) % 11 == 0 ));; esac
[ -z "$3" ] || printf '{"test":"%s","run":"%s","attempt":%s,"status":"%s"}\n' "$1" "$3" "$2" "$([ $r = 0 ] && echo pass || echo fail)"
exit $r
`
	if err := os.WriteFile(filepath.Join(dir, "trial"), []byte("#!/bin/sh\n"+trial), 0o755); err != nil {
		t.Fatal(err)
	}
	sh := func(script string) {
		t.Helper()
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	sh(`command -v parallel && : > trials.ndjson
while tribunal next trials.ndjson --threshold 0.9 --test steady --test broken --test 'now and then' --batch 8 -f args -- ./trial {test} {attempt} {run} > plan; do
  parallel -0 -n 4 -j 4 env < plan >> trials.ndjson || true
done
tribunal report trials.ndjson --rule anytime --threshold 0.9 -f json > next.json || true
tribunal run --threshold 0.9 -j 4 --test steady --test broken --test 'now and then' -f json -- ./trial {test} {attempt} > run.json || true`)
	read := func(name string) (found map[string][3]any) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Tests []struct {
				Test, Status string
				Trials       struct{ Counted, Passed int }
			}
		}
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatal(err)
		}
		found = map[string][3]any{}
		for _, test := range e.Tests {
			found[test.Test] = [3]any{test.Status, test.Trials.Counted, test.Trials.Passed}
		}
		return found
	}
	byNext, byRun := read("next.json"), read("run.json")
	if len(byRun) != 3 || byRun["broken"][0] != "fail" || byRun["steady"][0] != "pass" {
		t.Errorf("the run says %v", byRun)
	}
	for test, want := range byRun {
		if byNext[test] != want {
			t.Errorf("%s: %v, by tribunal run %v", test, byNext[test], want)
		}
	}
}
