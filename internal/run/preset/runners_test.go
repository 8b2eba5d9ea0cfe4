//go:build runners

package preset

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These tests run the runners themselves, on suites that have every shape of name
// that they allow. scripts/runners installs them and runs the tests. One that is
// missing is a failure: a test that is skipped in silence holds nothing.

// suite makes a folder with these files, in which the modules of npm are found, and
// goes there.
func suite(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range files {
		write(t, name, text)
	}
	modules := os.Getenv("RUNNERS_NODE_MODULES")
	if modules == "" {
		t.Fatal("RUNNERS_NODE_MODULES is not set: scripts/runners installs what these tests need")
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
}

func bin(name string) string { return filepath.Join("node_modules", ".bin", name) }

func TestRunnersPytest(t *testing.T) {
	python := os.Getenv("RUNNERS_PYTHON")
	if python == "" {
		t.Fatal("RUNNERS_PYTHON is not set: scripts/runners installs what these tests need")
	}
	suite(t, map[string]string{
		"test_shop.py": `
import unittest
import pytest

NAMES = ["a/b", "two words", "é ü", "x[1]", "a::b", "line\nend", "", "it's", "x-1-2", "\x01", "日本", "{x}", "*"]

def test_plain(): pass
def test_plain_too(): assert False

@pytest.mark.parametrize("x", NAMES)
def test_parameter(x): pass

@pytest.mark.parametrize("x,y", [(1, 1), (1, 2), (2, 2)])
def test_repeat_it_is_not(x, y): pass

class TestCart:
    def test_method(self): pass
    class TestInner:
        @pytest.mark.parametrize("p", ["x::y", "p/q.py"])
        def test_inner(self, p): pass

class Old(unittest.TestCase):
    def test_case(self):
        with self.subTest(i=1): pass

@pytest.mark.skip
def test_skipped(): pass

@pytest.fixture
def broken(): raise RuntimeError("no database")

def test_fixture(broken): pass
`,
		"deep/folder/test_deep.py": "def test_plain(): pass\n",
		"docs/guide.txt":           ">>> 1 + 1\n2\n",
		"pytest.ini":               "[pytest]\naddopts = -v --doctest-glob=*.txt\njunit_suite_name = shop\n",
	})
	want := []string{
		"docs.guide.txt/guide.txt", "test_shop/test_plain", "test_shop/test_plain_too",
		"test_shop/test_parameter[a/b]", "test_shop/test_parameter[two words]", `test_shop/test_parameter[\xe9 \xfc]`, "test_shop/test_parameter[x[1]]", "test_shop/test_parameter[a::b]",
		`test_shop/test_parameter[line\nend]`, "test_shop/test_parameter[]", "test_shop/test_parameter[it's]", "test_shop/test_parameter[x-1-2]", `test_shop/test_parameter[\x01]`, `test_shop/test_parameter[\u65e5\u672c]`, "test_shop/test_parameter[{x}]", "test_shop/test_parameter[*]",
		"test_shop/test_repeat_it_is_not[1-1]", "test_shop/test_repeat_it_is_not[1-2]", "test_shop/test_repeat_it_is_not[2-2]",
		"test_shop.TestCart/test_method", "test_shop.TestCart.TestInner/test_inner[x::y]", "test_shop.TestCart.TestInner/test_inner[p/q.py]",
		"test_shop.Old/test_case", "test_shop/test_skipped", "test_shop/test_fixture", "deep.folder.test_deep/test_plain",
	}
	slices.Sort(want)
	// all lists, starts, and gives the names in their own order
	all := func(argv ...string) ([]Test, []started) {
		listed, starts := start(t, argv...)
		slices.SortFunc(listed, func(a, b Test) int { return strings.Compare(a.Key.String(), b.Key.String()) })
		return listed, starts
	}
	listed, starts := all(python, "-m", "pytest")
	holdNames(t, listed, want, starts)

	listed, starts = all(python, "-m", "pytest", "test_shop.py", "-k", "plain", "-q", "deep")
	holdNames(t, listed, []string{"deep.folder.test_deep/test_plain", "test_shop/test_plain", "test_shop/test_plain_too"}, starts)

	t.Chdir("deep") // below the root
	listed, starts = all(python, "-m", "pytest", "-p", "no:cacheprovider", "folder")
	holdNames(t, listed, []string{"deep.folder.test_deep/test_plain"}, starts)

	t.Chdir("../..")
	write(t, "test_bad.py", "import nothing_of_that_name\n")
	p, _ := For([]string{python, "-m", "pytest"})
	r := must(p.Recipe([]string{python, "-m", "pytest"}))(t)
	stdout, _ := execute(t, r.List, nil)
	if _, err := r.Listed(stdout); err == nil || !strings.Contains(err.Error(), "pytest cannot collect test_bad.py") || !strings.Contains(err.Error(), "nothing_of_that_name") {
		t.Errorf("%v", err)
	}
}

// TestRunnersPytestCoverage: a limit of coverage, which no single test reaches, fails none.
func TestRunnersPytestCoverage(t *testing.T) {
	python := os.Getenv("RUNNERS_PYTHON")
	suite(t, map[string]string{
		"cart.py":      "def price(n):\n    if n:\n        return 1\n    return 0\n",
		"test_cart.py": "import cart\ndef test_one(): assert cart.price(1) == 1\n",
		"pytest.ini":   "[pytest]\naddopts = --cov=cart --cov-fail-under=100\n",
	})
	command := []string{python, "-m", "pytest"}
	if _, said := execute(t, command, nil); !strings.Contains(said, "Required test coverage of 100% not reached") {
		t.Fatalf("pytest-cov does not hold its limit: %s", said)
	}
	p, _ := For(command)
	r := must(p.Recipe(command))(t)
	for i, arg := range r.Command {
		r.Command[i] = strings.NewReplacer("{out}", filepath.Join(t.TempDir(), "out"), "{tests}", "test_cart.py::test_one").Replace(arg)
	}
	if _, said := execute(t, r.Command, nil); !strings.Contains(said, ": exit status 0\n") {
		t.Errorf("%s", said)
	}
}

func TestRunnersPlaywright(t *testing.T) {
	suite(t, map[string]string{
		"playwright.config.js": "console.log('configured');\nmodule.exports = { testDir: 'e2e', retries: 2, repeatEach: 2, projects: [{ name: 'one' }, { name: 'two (x)', testMatch: /\\[id\\]/ }], reporter: 'list' };\n",
		"e2e/shop.spec.js": `const { test, expect } = require('@playwright/test');
test('plain', () => { console.log('spoken'); });
test('plain too', () => { expect(1).toBe(2); });
test.describe('outer (x)', () => {
  test.describe('inner', () => { test('deep › arrow', () => {}); });
  for (const n of ['a/b', 'é "$&"', 'p', 'p @fast'])
    test('param ' + n, { tag: ['@slow', '@shop'] }, () => {});
});
test.describe(() => { test('without a group', () => {}); });
test.skip('skipped', () => {});
`,
		"e2e/[id]/shop.spec.js": "const { test } = require('@playwright/test');\ntest('plain', () => {});\n",
	})
	want := []string{"shop.spec.js/plain [one]", "shop.spec.js/plain too [one]", "shop.spec.js/outer (x) › inner › deep › arrow [one]", "shop.spec.js/outer (x) › param a/b [one]", `shop.spec.js/outer (x) › param é "$&" [one]`,
		"shop.spec.js/outer (x) › param p [one]", "shop.spec.js/outer (x) › param p @fast [one]", "shop.spec.js/ › without a group [one]", "shop.spec.js/skipped [one]", "[id]/shop.spec.js/plain [one]", "[id]/shop.spec.js/plain [two (x)]"}
	slices.Sort(want)
	listed, starts := start(t, bin("playwright"), "test")
	slices.SortFunc(listed, func(a, b Test) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	holdNames(t, listed, want, starts)

	listed, starts = start(t, bin("playwright"), "test", "--project", "one", "-g", "plain$")
	slices.SortFunc(listed, func(a, b Test) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	holdNames(t, listed, []string{"[id]/shop.spec.js/plain [one]", "shop.spec.js/plain [one]"}, starts)
}

// oneSuite is a suite of Jest and Vitest, with every shape of name.
const oneSuite = `
describe('outer (x)', () => {
  for (const n of ['a/b', 'é ü', 'a › b', 'a > b']) test('p ' + n, () => {});
  describe('inner', () => { test('deep', () => { expect(1).toBe(2); }); });
});
test.each([[1, 2]])('each %i %i', () => {});
test.skip('skipped', () => {});
`

// hashed is what the reader of promptfoo puts behind the name of a prompt.
var hashed = regexp.MustCompile(` [0-9a-f]{8}\]$`)

// holdSweeps fails where two starts do not tell the same tests, or others than
// those.
func holdSweeps(t *testing.T, want []string, argv ...string) {
	t.Helper()
	for range 2 {
		_, starts := start(t, argv...)
		var got []string
		for _, trial := range starts[0].trials {
			got = append(got, hashed.ReplaceAllString(trial.Key.String(), "]"))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("ran  %q\nwant %q", got, want)
		}
	}
}

func sweepNames(t *testing.T, file, arrow string) (names []string) {
	t.Helper()
	here := must(os.Getwd())(t)
	for _, name := range []string{"each 1 2", "outer (x)>inner>deep", "outer (x)>p a/b", "outer (x)>p é ü", "outer (x)>p a › b", "skipped"} {
		names = append(names, filepath.Join(here, file)+"/"+strings.ReplaceAll(name, ">", arrow))
	}
	names = append(names, filepath.Join(here, file)+"/outer (x)"+arrow+"p a > b")
	slices.Sort(names)
	return names
}

func TestRunnersJest(t *testing.T) {
	suite(t, map[string]string{"package.json": "{}", "shop.test.js": oneSuite})
	holdSweeps(t, sweepNames(t, "shop.test.js", " › "), bin("jest"), "--ci")
}

func TestRunnersVitest(t *testing.T) {
	suite(t, map[string]string{"package.json": "{}", "shop.test.mjs": "import { describe, test, expect } from 'vitest';\n" + oneSuite})
	for _, argv := range [][]string{{bin("vitest"), "run", "--root=."}, {bin("vitest")}} {
		holdSweeps(t, sweepNames(t, "shop.test.mjs", " > "), argv...)
	}
}

func TestRunnersPromptfoo(t *testing.T) {
	promptfoo := os.Getenv("RUNNERS_PROMPTFOO")
	if promptfoo == "" {
		t.Fatal("RUNNERS_PROMPTFOO is not set: scripts/runners installs what these tests need")
	}
	suite(t, map[string]string{"promptfooconfig.yaml": `
prompts: ['say {{q}}', 'tell {{q}}']
providers: [echo]
tests:
  - description: capital
    vars: {q: Paris}
    assert: [{type: contains, value: Paris}]
  - vars: {q: two words}
    assert: [{type: contains, value: nothing of it}]
`})
	t.Setenv("PROMPTFOO_CONFIG_DIR", t.TempDir())
	t.Setenv("PROMPTFOO_DISABLE_TELEMETRY", "1")
	t.Setenv("PROMPTFOO_DISABLE_UPDATE", "1")
	holdSweeps(t, []string{"capital [echo, prompt tell {{q}}]", "capital [echo]", "q=two words [echo, prompt tell {{q}}]", "q=two words [echo]"}, promptfoo, "eval", "--no-table")
}
