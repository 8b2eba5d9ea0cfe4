package preset

import (
	"slices"
	"strings"
	"testing"
)

func TestFor(t *testing.T) {
	cases := []struct{ command, preset, reason string }{
		{"go test ./...", "go-test", "plain"},
		{"/usr/local/go/bin/go test", "go-test", "in a folder"},
		{`C:\Go\bin\go.exe test .`, "go-test", "on Windows"},
		{"env CGO_ENABLED=0 -u X go test .", "go-test", "with an environment"},
		{"go vet ./...", "", "another command of the program"},
		{"gotestsum -- ./...", "", "another program"},
		{"go", "", "no command"},
		{"pytest -k a", "pytest", "plain"},
		{"python -m pytest", "pytest", "as a module"},
		{"python3.12 -W error -X dev -m pytest tests", "pytest", "with options of the interpreter"},
		{"python -m unittest", "", "another module"},
		{"python pytest.py", "", "a script"},
		{"uv run pytest", "pytest", "uv"},
		{"uv run --with pytest-xdist -p 3.12 python -m pytest", "pytest", "a wrapper in a wrapper, with values"},
		{"uv run --with pytest python run.py", "", "the name of the runner is a value"},
		{"poetry run pytest", "pytest", "poetry"},
		{"coverage run --source src -m pytest", "pytest", "coverage"},
		{"npx playwright test", "playwright", "npx"},
		{"npx --yes playwright@1.60.0 test a.spec.ts", "playwright", "of a version"},
		{"pnpm exec playwright test", "playwright", "pnpm"},
		{"yarn playwright test", "playwright", "yarn"},
		{"bunx playwright test", "playwright", "bun"},
		{"npx playwright install", "", "another command of the program"},
		{"npm exec -- playwright test", "playwright", "npm, told where its own options end"},
		{"npm exec playwright test", "", "npm would take what is added for its own"},
		{"jest", "jest", "plain"},
		{"./node_modules/.bin/jest --ci", "jest", "in a folder"},
		{"node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest", "by node"},
		{"npx vitest run", "vitest", "vitest"},
		{"npx vitest", "vitest", "without a command it runs as well"},
		{"npx vitest bench", "", "benchmarks"},
		{"cargo nextest run", "nextest", "nextest"},
		{"cargo +nightly --locked nextest r --release", "nextest", "with options of cargo"},
		{"cargo test", "", "libtest"},
		{"npx promptfoo@latest eval -c a.yaml", "promptfoo", "promptfoo"},
		{"npx promptfoo view", "", "another command of the program"},
		{"go test -json -run {test:regex} .", "", "it says itself which test is run"},
		{"jest --json --outputFile={out}", "", "it says itself where the output goes"},
		{"pytest -k {{test}", "pytest", "no placeholder"},
		{"npx", "", "nothing behind the wrapper"},
		{"npx -p", "", "an option without its value"},
		{"", "", "no command"},
	}
	for _, c := range cases {
		p, ok := For(strings.Fields(c.command))
		if ok != (c.preset != "") || p.Name != c.preset {
			t.Errorf("%s: %q is told as %q", c.reason, c.command, p.Name)
		}
	}
}

func TestByName(t *testing.T) {
	for _, name := range Names() {
		if p, err := ByName(name); err != nil || p.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ByName("pytst"); err == nil || !strings.Contains(err.Error(), "did you mean pytest?") {
		t.Errorf("%v", err)
	}
}

// TestRecipe: what is added to a command, and where, for each way its arguments
// may stand.
func TestRecipe(t *testing.T) {
	const (
		pytestList  = " -p no:rerunfailures -p no:repeat --collect-only --verbosity=-1"
		pytestStart = " -p no:rerunfailures -p no:repeat -p no:_cov --maxfail=0 --verbosity=1 -o junit_suite_name=pytest-once --junit-prefix= --junit-xml={out} {tests}"
		web         = " --output={dir}/results"
		webStart    = " --retries=0 --repeat-each=1 --workers=1 --reporter=json --grep={test:regex} {suite}"
	)
	cases := []struct{ preset, command, list, start, reason string }{
		{"go-test", "go test", "go test -json -list=.", "go test -json -count=1 -run={tests:regex} {suite}", "the package of the folder"},
		{"go-test", "go test -race ./a ./b -v", "go test -race -v -json -list=. ./a ./b", "go test -race -v -json -count=1 -run={tests:regex} {suite}", "flags around the packages"},
		{"go-test", "go test -C sub -tags x ./...", "go test -C sub -tags x -json -list=. ./...", "go test -C sub -tags x -json -count=1 -run={tests:regex} {suite}", "-C stands first, as go asks"},
		{"go-test", "go test -run ^TestA -test.timeout=5s ./...", "go test -test.timeout=5s -json -list=^TestA ./...", "go test -test.timeout=5s -json -count=1 -run={tests:regex} {suite}", "-run narrows the list"},
		{"go-test", "go test ./a -update golden -run X", "go test -json -list=. ./a -update golden -run X", "go test -json -count=1 -run={tests:regex} {suite} -update golden -run X", "behind a flag of its own all is the test's, as in go"},
		{"go-test", "go test ./a -update -short", "go test -short -json -list=. ./a -update", "go test -short -json -count=1 -run={tests:regex} {suite} -update", "a flag of its own that is a switch"},
		{"go-test", "go test . -args -run x", "go test -json -list=. . -args -run x", "go test -json -count=1 -run={tests:regex} {suite} -args -run x", "-args"},
		{"go-test", "go test a_test.go b_test.go", "go test -json -list=. a_test.go b_test.go", "go test -json -count=1 -run={tests:regex} a_test.go b_test.go", "files are a package without a path"},
		{"go-test", "go test --count=1 -count 1 .", "go test --count=1 -count 1 -json -list=. .", "go test --count=1 -count 1 -json -count=1 -run={tests:regex} {suite}", "a count of one is no contradiction"},
		{"pytest", "pytest", "pytest" + pytestList, "pytest" + pytestStart, "plain"},
		{"pytest", "pytest tests/a.py -k login -xvs -n4 --cov src --tb=short b.py", "pytest -k login -xvs -n4 --cov src --tb=short" + pytestList + " tests/a.py b.py", "pytest -k login -xvs -n4 --cov src --tb=short" + pytestStart, "paths say what is listed, and a start names its tests"},
		{"pytest", "python -m pytest --foo=bar --bar -q tests", "python -m pytest --foo=bar --bar -q" + pytestList + " tests", "python -m pytest --foo=bar --bar -q" + pytestStart, "options of plugins that nobody knows"},
		{"pytest", "pytest -- -odd.py", "pytest" + pytestList + " -odd.py", "pytest" + pytestStart, "a path behind --"},
		{"playwright", "npx playwright test --project a b -g x login", "npx playwright test --project a b -g x --repeat-each=1 --list --reporter=json login", "npx playwright test" + web + " --project a b" + webStart, "--project takes all that follows, and -g one"},
		{"playwright", "npx playwright test login --project a b -j 4", "npx playwright test --project a b -j 4 --repeat-each=1 --list --reporter=json login", "npx playwright test" + web + " --project a b -j 4" + webStart, "projects"},
		{"playwright", "playwright test -g x --headed", "playwright test -g x --headed --repeat-each=1 --list --reporter=json", "playwright test" + web + " --headed" + webStart, "-g narrows the list"},
		{"jest", "npx jest src --ci -t x", "", "npx jest src --ci -t x --json --outputFile={out}", "nothing is moved"},
		{"jest", "jest -- a.test.js", "", "jest --json --outputFile={out} -- a.test.js", "before --"},
		{"jest", "yarn test", "", "yarn test --json --outputFile={out}", "by name, a script that hands its arguments on"},
		{"vitest", "npx vitest run --retry=0 src", "", "npx vitest run --retry=0 src --run --retry=0 --reporter=json --outputFile={out}", "plain"},
		{"nextest", "cargo nextest run -p x -E test(a) --retries 0 -j 2 foo -- --skip b", "cargo nextest list -p x -E test(a) --message-format json foo -- --skip b",
			"cargo nextest run -p x -j 2 --retries 0 --message-format libtest-json -E {test} foo -- --skip b", "expressions narrow the list, options of a run are left out of it, and nextest refuses a second --retries"},
		{"promptfoo", "npx promptfoo@latest eval -c a.yaml b.yaml", "", "npx promptfoo@latest eval -c a.yaml b.yaml --no-cache --no-write --repeat 1 -o {out}", "plain"},
	}
	for _, c := range cases {
		p := must(ByName(c.preset))(t)
		r, err := p.Recipe(strings.Fields(c.command))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if got := strings.Join(r.List, " "); got != c.list || (r.List == nil) != (r.Listed == nil) {
			t.Errorf("%s: lists by\n     %s\nwant %s", c.reason, got, c.list)
		}
		if got := strings.Join(r.Command, " "); got != c.start {
			t.Errorf("%s: starts by\n     %s\nwant %s", c.reason, got, c.start)
		}
	}
}

// TestSurroundings: what a start needs beside its command.
func TestSurroundings(t *testing.T) {
	cases := []struct{ command, from, env, outName, reason string }{
		{"go test", "go-test", "", "", "standard output, where go test writes nothing else"},
		{"pytest", "junit", "", "", "a file of any name"},
		{"npx playwright test", "playwright", "PLAYWRIGHT_JSON_OUTPUT_NAME={out}", "", "an option for the file is not there"},
		{"cargo nextest run", "libtest", "NEXTEST_EXPERIMENTAL_LIBTEST_JSON=1", "", "nextest asks for it while the format is experimental"},
		{"npx promptfoo eval", "promptfoo", "", ".json", "the name says the format"},
	}
	for _, c := range cases {
		p, _ := For(strings.Fields(c.command))
		r, err := p.Recipe(strings.Fields(c.command))
		if err != nil || r.Preset != p.Name || r.From != c.from || strings.Join(r.Env, " ") != c.env || r.OutName != c.outName {
			t.Errorf("%s: %s is read as %s with %q, %q: %v", c.reason, c.command, r.From, r.Env, r.OutName, err)
		}
	}
}

func TestRefused(t *testing.T) {
	cases := []struct{ preset, command, says, reason string }{
		{"go-test", "go test -count=5 ./...", "preset go-test: -count=5: remove it; -n before the -- sets the number of trials", "repeats"},
		{"go-test", "go test ./... -test.count 5", "-test.count 5: ", "the other spelling"},
		{"go-test", "go test -failfast .", "--fail-fast before the --", "it leaves tests out"},
		{"go-test", "go test -cpu 1,2 .", "several times", "each test twice under one name"},
		{"go-test", "go test -bench . .", "-bench .: benchmarks and fuzzing have no verdict", "no verdict"},
		{"go-test", "go test -run TestA/sub .", "-run TestA/sub names subtests", "subtests cannot be listed"},
		{"go-test", "go test -skip A|B/c .", "skip one kind only", "what is left is not known"},
		{"go-test", "go test -skip [ .", "-skip: error parsing", "no expression"},
		{"go-test", "make test", "the command must contain go test", "nowhere to add arguments"},
		{"go-test", "go test -run {test:regex} .", "adds {test:regex} itself", "both"},
		{"pytest", "pytest --count 3", "--count 3: remove it; -n before", "pytest-repeat"},
		{"pytest", "pytest -x --reruns=2", "-x: it would skip tests; remove it. To stop at the first failed test, put --fail-fast before the --\npreset pytest: --reruns=2: it hides failures", "retries"},
		{"pytest", "pytest --junitxml=a.xml", "--junitxml=a.xml: remove it, because Tribunal sets its own report", "the report goes elsewhere"},
		{"pytest", "pytest --lf", "--only-failed", "the list would change"},
		{"pytest", "pytest --plugin-flag tests", "is tests the value of --plugin-flag, or does it say which tests to run? Write --plugin-flag=tests, or put tests before all options", "nobody knows"},
		{"playwright", "npx playwright test --retries 2 --shard=1/2", "--retries 2: it hides", "retries"},
		{"playwright", "npx playwright test --retries 2 --shard=1/2", "--shard=1/2: put --shard before", "all contradictions are told"},
		{"playwright", "npx playwright test --repeat-each=3", "--repeat-each=3: remove it; -n before", "repeats"},
		{"jest", "jest --outputFile x.json", "--outputFile x.json: remove it, because Tribunal sets its own report", "the report goes elsewhere"},
		{"jest", "jest --bail", "--bail: it would skip tests", "it leaves tests out"},
		{"vitest", "vitest run --retry 3", "--retry 3: it hides", "retries"},
		{"nextest", "cargo nextest run --retries=3", "--retries=3: it hides", "retries"},
		{"promptfoo", "promptfoo eval --repeat 3", "--repeat 3: remove it; -n before", "repeats"},
		{"jest", "", "there is no command", "nothing"},
	}
	for _, c := range cases {
		p := must(ByName(c.preset))(t)
		if _, err := p.Recipe(strings.Fields(c.command)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q gives %v", c.reason, c.command, err)
		}
	}
}

// TestRecipeLeavesTheCommand: a recipe does not change the command it is made of.
func TestRecipeLeavesTheCommand(t *testing.T) {
	argv := append(make([]string, 0, 20), "cargo", "nextest", "run", "a", "b", "c")
	before := slices.Clone(argv[:cap(argv)])
	for range 2 {
		if p, ok := For(argv); !ok {
			t.Fatal("not told")
		} else if _, err := p.Recipe(argv); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(argv[:cap(argv)], before) {
		t.Errorf("%q", argv[:cap(argv)])
	}
}

// TestTableIsWhole: a row names what it needs, so that a misspelt part of a line
// cannot end up in a command.
func TestTableIsWhole(t *testing.T) {
	for i := range table {
		p := &table[i]
		for _, line := range []string{p.list, p.start} {
			for _, word := range strings.Fields(line) {
				if word == strings.ToUpper(word) && strings.ToLower(word) != word && !slices.Contains([]string{"COMMAND", "OPTIONS", "OPERANDS", "REST", "PACKAGE", "-E"}, word) {
					t.Errorf("%s: %s is no part of a command", p.Name, word)
				}
			}
		}
		if (p.list == "") != (p.lister == nil) || p.split == nil || p.From == "" || !strings.HasPrefix(p.start, "COMMAND ") || !strings.Contains(p.start, " OPTIONS ") {
			t.Errorf("%s is not whole", p.Name)
		}
		for _, r := range p.refused {
			for _, flag := range strings.Fields(r.flags) {
				if r.unless != "" && p.list != "" && !has(p.valued, flag) && !has(p.switches, flag) {
					t.Errorf("%s: %s may have a value and is not in the table of options", p.Name, flag)
				}
			}
		}
	}
}

func FuzzRecipe(f *testing.F) {
	f.Add("go\ntest\n-run\nX\n./...\n-args\nx")
	f.Add("uv\nrun\n--with\nx\npython\n-W\n-m\npytest\n-xk\na\n--cov")
	f.Add("npx\nplaywright\ntest\n--project\na\nb\n-g=x\n--\ny")
	f.Add("cargo\n+x\nnextest\nr\n-E\n\n--")
	f.Add("env\n-u\nA=\n-\n\xff\n--=")
	f.Add("pytest\n-\xc4")
	f.Fuzz(func(t *testing.T, text string) {
		argv := strings.Split(text, "\n")
		for _, p := range table {
			r, err := p.Recipe(argv)
			if err == nil && len(r.Command) == 0 {
				t.Errorf("%s: %q gives no command", p.Name, argv)
			}
		}
		p, ok := For(argv)
		if !ok {
			return
		}
		r, err := p.Recipe(argv)
		if err != nil {
			return
		}
		// Nothing is taken from a command but which tests it runs.
		at, _ := p.find(argv)
		if p.list == "" && !slices.Equal(r.Command[:at], argv[:at]) {
			t.Errorf("%q became %q", argv, r.Command)
		}
	})
}

// must is the value of a call that has to succeed.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
