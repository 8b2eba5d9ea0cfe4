//go:build runners

package preset

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// awkward are the titles of tests that a skip list of the runners has; "Stays" and "stays
// too" are left.
const awkward = `["a b", "it's", "x[1]", "(y", "a|b", "$HOME", "$&", "é 日本", "a/b", 'say "q"', "line\nend", "*", "a › b", "a > b", "@tag", "` + "`id`" + `"]`

const skipScript = `
for (const name of ` + awkward + `) { test(name, () => {}); describe('group', () => { test(name, () => {}); }); }
test('Stays', () => {});
describe('group', () => { test('stays too', () => {}); });
`

// holdSkips lists all tests that a runner ran but those called "stays", leaves these out,
// and fails where anything else is left or gone.
func holdSkips(t *testing.T, format string, want []string, ran func(list string) []envelope.Key) {
	t.Helper()
	all := ran("")
	if len(all) < 20 {
		t.Fatalf("%s: %q", format, all)
	}
	var skip []envelope.Key
	for _, k := range all {
		if !strings.Contains(strings.ToLower(k.Test), "stays") {
			skip = append(skip, k)
		}
	}
	list, kept := skipsOf(t, format, skip, all)
	var got []string
	for _, k := range ran(list) {
		got = append(got, k.Test)
	}
	if slices.Sort(got); !slices.Equal(got, want) || len(kept) > 0 {
		t.Errorf("%s: ran %q, want %q, kept %v\n%s", format, got, want, kept, list)
	}
}

func TestRunnersSkipPytest(t *testing.T) {
	python := os.Getenv("RUNNERS_PYTHON")
	suite(t, map[string]string{"tests/test_shop.py": `
import pytest
NAMES = ["a b", "it's", "x[1]", "(y", "a|b", "$HOME", "$&", "é 日本", "a/b", 'say "q"', "line\nend", "*", "a::b", "` + "`id`" + `", "\\"]
@pytest.mark.parametrize("x", NAMES)
def test_p(x): pass
class TestCart:
    @pytest.mark.parametrize("x", NAMES)
    def test_p(self, x): pass
    def test_stays_too(self): pass
def test_stays(): pass
`})
	passed := regexp.MustCompile(`(?m)^(\S+\.py::.*) PASSED`)
	holdSkips(t, "pytest", []string{"test_stays", "test_stays_too"}, func(list string) (keys []envelope.Key) {
		for _, m := range passed.FindAllStringSubmatch(evalSkips(t, python+" -m pytest -v -p no:cacheprovider", list), -1) {
			keys = append(keys, keyOf(m[1]))
		}
		return keys
	})
}

// TestRunnersSkipScripts: Jest and Vitest.
func TestRunnersSkipScripts(t *testing.T) {
	for _, r := range []struct{ format, file, head, command, arrow string }{
		{"jest", "shop.test.js", "", bin("jest") + " --json --outputFile=out", " › "},
		{"vitest", "shop.test.mjs", "import { describe, test } from 'vitest';\n", bin("vitest") + " --run --reporter=json --outputFile=out", " > "},
	} {
		suite(t, map[string]string{"package.json": "{}", r.file: r.head + skipScript})
		holdSkips(t, r.format, []string{"Stays", "group" + r.arrow + "stays too"}, func(list string) (keys []envelope.Key) {
			said := evalSkips(t, r.command, list)
			var report struct {
				TestResults []struct {
					AssertionResults []struct {
						AncestorTitles []string
						Title, Status  string
					}
				}
			}
			text, err := os.ReadFile("out")
			if err == nil {
				err = json.Unmarshal(text, &report)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			for _, file := range report.TestResults {
				for _, a := range file.AssertionResults {
					if a.Status == "passed" {
						keys = append(keys, envelope.Key{Suite: r.file, Test: strings.Join(append(a.AncestorTitles, a.Title), r.arrow)})
					}
				}
			}
			return keys
		})
	}
}

func TestRunnersSkipPlaywright(t *testing.T) {
	suite(t, map[string]string{
		"playwright.config.js": "module.exports = { projects: [{ name: 'one' }, { name: 'two (x)' }] };\n",
		"shop.spec.js": "const { test } = require('@playwright/test');\nconst describe = test.describe;\n" + strings.NewReplacer("test(name, ", "test(name, { tag: ['@slow', '@shop'] }, ",
			`describe('group', () => { test(name`, `describe('group' + name, () => { test(name`).Replace(skipScript),
	})
	holdSkips(t, "playwright", []string{"Stays", "Stays", "group › stays too", "group › stays too"}, func(list string) (keys []envelope.Key) {
		evalSkips(t, "PLAYWRIGHT_JSON_OUTPUT_NAME=out "+bin("playwright")+" test --reporter=json", list)
		report := must(os.ReadFile("out"))(t)
		listed := must(lister(t, "playwright test")(report))(t)
		for _, test := range listed {
			keys = append(keys, test.Key)
		}
		return keys
	})
}
