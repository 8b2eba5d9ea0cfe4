//go:build runners

package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The suites of the runners have the same four tests: one passes, one passes every
// other time, by the number of its attempt, one never, and one is skipped.
var flakySuites = []struct {
	preset string
	files  map[string]string
	argv   []string
}{
	{"go-test", map[string]string{"go.mod": "module example.com/shop\n\ngo 1.24\n", "shop_test.go": `package shop

import (
	"os"
	"strings"
	"testing"
)

func TestSteady(t *testing.T) {}
func TestFlaky(t *testing.T) {
	if strings.ContainsAny(os.Getenv("TRIBUNAL_ATTEMPT"), "13") {
		t.Fatal("odd")
	}
}
func TestBroken(t *testing.T)  { t.Run("part", func(t *testing.T) { t.Fatal("no") }) }
func TestSkipped(t *testing.T) { t.Skip("later") }
`}, []string{"go", "test", "./..."}},
	{"pytest", map[string]string{"test_shop.py": `
import os
import pytest

def test_steady(): pass
def test_flaky(): assert os.environ["TRIBUNAL_ATTEMPT"] not in "13"
@pytest.mark.parametrize("x", ["a b::c[1]"])
def test_broken(x): assert False
@pytest.mark.skip
def test_skipped(): pass
`}, []string{os.Getenv("RUNNERS_PYTHON"), "-m", "pytest"}},
	{"playwright", map[string]string{"playwright.config.js": "console.log('configured');\nmodule.exports = { retries: 2 };\n", "shop.spec.js": `const { test, expect } = require('@playwright/test');
test('steady', () => {});
test('flaky', () => { expect('13').not.toContain(process.env.TRIBUNAL_ATTEMPT); });
test.describe('group', () => { test('broken', () => { expect(1).toBe(2); }); });
test.skip('skipped', () => {});
`}, []string{"node_modules/.bin/playwright", "test"}},
	{"jest", map[string]string{"package.json": "{}", "shop.test.js": flakyScript}, []string{"node_modules/.bin/jest"}},
	{"vitest", map[string]string{"package.json": "{}", "shop.test.mjs": "import { describe, test, expect } from 'vitest';\n" + flakyScript}, []string{"node_modules/.bin/vitest", "run"}},
	{"promptfoo", map[string]string{"promptfooconfig.yaml": `
prompts: ['say {{q}}']
providers: [echo]
tests:
  - {description: steady, vars: {q: Paris}, assert: [{type: contains, value: Paris}]}
  - {description: flaky, vars: {q: odd}, assert: [{type: javascript, value: '!"13".includes(process.env.TRIBUNAL_ATTEMPT)'}]}
  - {description: broken, vars: {q: Rome}, assert: [{type: contains, value: Paris}]}
`}, []string{os.Getenv("RUNNERS_PROMPTFOO"), "eval"}},
}

const flakyScript = `
test('steady', () => {});
test('flaky', () => { expect('13').not.toContain(process.env.TRIBUNAL_ATTEMPT); });
describe('group', () => { test('broken', () => { expect(1).toBe(2); }); });
test.skip('skipped', () => {});
`

// kind is what is the same in the names of a test on all runners.
var kind = regexp.MustCompile(`steady|flaky|broken|skipped`)

// TestRunnersThroughRun: two trials of every test by tribunal run, two at once,
// come out as the suites are written, on every runner that has a preset.
func TestRunnersThroughRun(t *testing.T) {
	modules := os.Getenv("RUNNERS_NODE_MODULES")
	if modules == "" {
		t.Fatal("RUNNERS_NODE_MODULES is not set: scripts/runners installs what these tests need")
	}
	program := filepath.Join(t.TempDir(), "tribunal")
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, s := range flakySuites {
		t.Run(s.preset, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range s.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, slices.Concat([]string{"run", "-n", "2", "-j", "2", "-f", "json", "--"}, s.argv)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK=off", "PROMPTFOO_CONFIG_DIR="+t.TempDir(), "PROMPTFOO_DISABLE_TELEMETRY=1", "PROMPTFOO_DISABLE_UPDATE=1")
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("%v, want exit code 1: tests fail", err)
			}
			var report struct {
				Tests []struct {
					Test, Status string
					Verdict      struct{ N, Passed int }
				}
			}
			if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			var got []string
			for _, test := range report.Tests {
				got = append(got, fmt.Sprintf("%s %s %d/%d", kind.FindString(strings.ToLower(test.Test)), test.Status, test.Verdict.Passed, test.Verdict.N))
			}
			slices.Sort(got)
			want := []string{"broken fail 0/2", "flaky fail 1/2", "skipped skip 0/0", "steady pass 2/2"}
			if s.preset == "promptfoo" { // has no tests that are skipped
				want = slices.Delete(want, 2, 3)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q\n%s", got, stderr.String())
			}
		})
	}
}
