package preset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// lister is that of a preset for a command.
func lister(t testing.TB, command string) func([]byte) ([]Test, error) {
	t.Helper()
	argv := strings.Fields(command)
	p, ok := For(argv)
	if !ok {
		t.Fatalf("%s: no preset", command)
	}
	r := must(p.Recipe(argv))(t)
	return r.Listed
}

func keys(tests []Test) (all []string) {
	for _, t := range tests {
		all = append(all, t.Key.String())
	}
	return all
}

const (
	goLine    = `{"Time":"2026-11-22T15:09:01.2Z","Action":"output","Package":"m/a","Output":"`
	nextested = `{"rust-build-meta":{},"test-count":4,"rust-suites":{"web::it":{"package-name":"web","binary-id":"web::it","binary-name":"it","kind":"test","testcases":{"b":{"ignored":false,"filter-match":{"status":"matches"}},"a::b":{"ignored":false,"filter-match":{"status":"matches"}},"slow":{"ignored":true,"filter-match":{"status":"mismatch","reason":"ignored"}}}},"core":{"package-name":"core","binary-id":"core","binary-name":"core_lib","kind":"lib","testcases":{"t":{"ignored":false,"filter-match":{"status":"matches"}}}},"x":{"package-name":"x","binary-name":"x","status":"skipped","testcases":{}}}}`
)

func TestLists(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"test_a.py", "a[1]/test_b.py", "x/y/case.yml"} {
		write(t, file, "")
	}
	cases := []struct {
		command, list string
		want          []string
		wrong         string
		reason        string
	}{
		{"go test ./...", goLine + `TestA\n"}` + "\n" + goLine + `Test\n"}` + "\n" + goLine + `FuzzX\n"}` + "\n" + goLine + `ExampleT_m\n"}` + "\n" + goLine + `TestÄ1\n"}` + "\n" + goLine + `BenchmarkA\n"}` + "\n" + goLine + `ok  \tm/a\t0.02s\n"}` + "\n" + goLine + `Testing\n"}` + "\n" + goLine + `Test me\n"}` + "\n" + goLine + `TestA\n"}` + "\n",
			[]string{"m/a/TestA", "m/a/Test", "m/a/FuzzX", "m/a/ExampleT_m", "m/a/TestÄ1"}, "", "names among what else is said, benchmarks left out, each name once"},
		{"go test -skip ^TestB .", goLine + `TestA\n"}` + "\n" + goLine + `TestB\n"}` + "\n" + goLine + `TestBc\n"}`, []string{"m/a/TestA"}, "", "-list does not look at -skip"},
		{"go test -skip TestA/slow .", goLine + `TestA\n"}`, []string{"m/a/TestA"}, "", "a skipped subtest leaves its parent"},
		{"go test .", `{"ImportPath":"m/b [m/b.test]","Action":"build-output","Output":"b_test.go:3:29: undefined: x\n"}` + "\n" + `{"Action":"output","Package":"m/b","Output":"FAIL\tm/b [build failed]\n"}` + "\n" + `{"Action":"fail","Package":"m/b"}` + "\n" + goLine + `TestA\n"}`,
			nil, "no list of tests from m/b; it printed: b_test.go:3:29: undefined: x", "a package that does not build is no package without tests"},
		{"go test .", "go: cannot find main module\n", nil, "there is no test to run; it printed: go: cannot find main module", "no events"},
		{"go test .", "", nil, "there is no test to run", "nothing"},
		{"pytest", "test_a.py::test_plain\ntest_a.py::test_p[a/b]\ntest_a.py::test_p[x::y]\ntest_a.py::test_p[a[1] ::z]\ntest_a.py::TestC::TestN::test_n\nx/y/case.yml::usecase: one\ntest_a.py::test_plain\n\n7 tests collected in 0.02s\n",
			[]string{"test_a/test_plain", "test_a/test_p[a/b]", "test_a/test_p[x::y]", "test_a/test_p[a[1] ::z]", "test_a.TestC.TestN/test_n", "x.y.case.yml/usecase: one"}, "", "parameters may have anything in them"},
		{"pytest", "plugin speaks\r\n\r\ntest_a.py::test_plain\r\n\r\n1 test collected in 0.02s\r\n", []string{"test_a/test_plain"}, "", "a plugin speaks first, on Windows"},
		{"pytest", "a[1]/test_b.py::test_b\n\n", []string{"a[1]/test_b.py::test_b"}, "", "pytest takes a bracket in a folder for that of parameters, and so does its report"},
		{"pytest", "test_a.py::test_plain\n\n==== ERRORS ====\n____ ERROR collecting test_bad.py ____\ntest_bad.py:1: in <module>\n    import nothere\nE   ModuleNotFoundError: No module named 'nothere'\n=== short test summary info ===\nERROR test_bad.py\n!!! Interrupted: 1 error during collection !!!\n",
			nil, "pytest cannot collect test_bad.py: ModuleNotFoundError: No module named 'nothere'", "a file that cannot be collected is no file without tests"},
		{"pytest", "\nno tests collected in 0.00s\n", nil, "no test was collected; it printed: no tests collected", "no tests"},
		{"pytest", "gone.py::test_a\n\n", nil, "no folder has all files that pytest lists, such as gone.py", "files that are not there"},
		{"cargo nextest run", "info: some words\n" + nextested + "\n", []string{"core::core_lib/t", "web::it/a::b", "web::it/b"}, "", "in order, without what is filtered out"},
		{"cargo nextest run", `{"rust-suites":{"shop":{"package-name":"shop","binary-name":"shop","kind":"lib","testcases":{"a":{"filter-match":{"status":"matches"}},"b":{"filter-match":{"status":"matches"}}}},"shop::bin/shop":{"package-name":"shop","binary-name":"shop","kind":"bin","testcases":{"b":{"filter-match":{"status":"mismatch","reason":"ignored"}},"c":{"filter-match":{"status":"matches"}}}}}}`,
			[]string{"shop::shop/a", "shop::shop/b", "shop::shop/c"}, "", "a library and a program of one name"},
		{"cargo nextest run", `{"rust-suites":{"shop":{"package-name":"shop","binary-name":"shop","kind":"lib","testcases":{"a":{"filter-match":{"status":"matches"}}}},"shop::bin/shop":{"package-name":"shop","binary-name":"shop","kind":"bin","testcases":{"a":{"filter-match":{"status":"matches"}}}}}}`,
			nil, "two binaries named shop (lib and bin), and both have the test a", "a library and a program of one name with a test of one name"},
		{"cargo nextest run", "", nil, "there is no list; is nextest installed?", "nothing"},
		{"cargo nextest run", `{"rust-suites":{`, nil, "the list is not JSON as nextest writes it", "cut"},
		{"cargo nextest run", `{"rust-suites":{}}`, nil, "there is no test to run", "no tests"},
		{"npx playwright test", "[dotenv] injected\n" + `{"config":{},"suites":[{"title":"a.ts","file":"a.ts","specs":[],"suites":[{"title":"d","specs":[{"title":"t","file":"a.ts","line":3,"tests":[{"projectName":"p","results":[]},{"projectName":"q","results":[]}]}]}]}],"errors":[],"stats":{}}`,
			[]string{"a.ts/d › t [p]", "a.ts/d › t [q]"}, "", "behind what the configuration printed"},
		{"npx playwright test", `{"config":{},"suites":[],"errors":[{"message":"SyntaxError: a.ts: Unexpected token (1:2)"}],"stats":{}}`, nil, "SyntaxError: a.ts: Unexpected token", "a file that does not load"},
		{"npx playwright test", `{"config":{},"suites":[],"errors":[],"stats":{}}`, nil, "there is no test to run", "no tests"},
		{"npx playwright test", `{"config":{},"suites":[{"title":"a.ts","specs":[{"title":"t","tests":[{}]}]}`, nil, "", "cut"},
	}
	for _, c := range cases {
		tests, err := lister(t, c.command)([]byte(c.list))
		if c.want == nil {
			if err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.HasPrefix(err.Error(), "cannot list the tests by ") {
				t.Errorf("%s: %v", c.reason, err)
			}
			continue
		}
		if got := keys(tests); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q %v\nwant %q", c.reason, got, err, c.want)
		}
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBinaryIDs: a listed test of nextest is started by the name of its binary, which no
// other has, and not by the name that its library and its program may share.
func TestBinaryIDs(t *testing.T) {
	tests, err := lister(t, "cargo nextest run")([]byte(`{"rust-suites":{"shop::bin/shop":{"package-name":"shop","binary-name":"shop","kind":"bin","testcases":{"a":{"filter-match":{"status":"matches"}}}}}}`))
	if err != nil || len(tests) != 1 || spellNextest(tests[0]) != "binary_id(=shop::bin/shop) & test(=a)" {
		t.Errorf("%v %v", tests, err)
	}
}

// TestNodeIDs: pytest is started by node ids as they are seen from here, and lists
// them as they are seen from its root.
func TestNodeIDs(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "tests", "deep", "test_a.py"), "")
	write(t, filepath.Join(root, "elsewhere", "test_b.py"), "")
	slashed := filepath.ToSlash(root)
	cases := []struct{ folder, command, id, want, reason string }{
		{"", "pytest", "tests/deep/test_a.py::t", "tests/deep/test_a.py::t", "the root is here"},
		{"tests", "pytest", "tests/deep/test_a.py::t", slashed + "/tests/deep/test_a.py::t", "the root is above"},
		{"tests", "pytest", "deep/test_a.py::t", "deep/test_a.py::t", "the root is here, below another"},
		{"tests", "pytest ../elsewhere", "elsewhere/test_b.py::t", slashed + "/elsewhere/test_b.py::t", "around the arguments"},
		{"tests", "pytest " + root + "/elsewhere/test_b.py::t", "test_b.py::t", slashed + "/elsewhere/test_b.py::t", "a configuration in the folder of the argument"},
		{"tests", "pytest --rootdir=../elsewhere", "test_b.py::t", "../elsewhere/test_b.py::t", "named"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			t.Chdir(filepath.Join(root, c.folder))
			tests, err := lister(t, c.command)([]byte(c.id + "\n\n"))
			if err != nil || len(tests) != 1 || spellPytest(tests[0]) != c.want {
				t.Errorf("%v %v, want %s", tests, err, c.want)
			}
		})
	}
}

func TestSpelling(t *testing.T) {
	cases := []struct {
		spell        func(Test) string
		key          envelope.Key
		want, reason string
	}{
		{spellGo, envelope.Key{Test: "TestA"}, "^TestA$", "a test"},
		{spellGo, envelope.Key{Test: "TestA/b.c/d_(e)"}, `^TestA$/^b\.c$/^d_\(e\)$`, "levels of subtests"},
		{spellPytest, envelope.Key{Test: "tests/a.py::t"}, "tests/a.py::t", "a test that was named and not listed"},
		{spellFile, envelope.Key{Suite: "app/[id]/a.spec.ts"}, `app[\\/]\[id\][\\/]a\.spec\.ts`, "a file, with either slash"},
		{spellPlaywright, envelope.Key{Suite: "a.ts", Test: "d › t\n2", Variant: "p"}, `/^\s*p\s*a\.ts(?:\s|›)*d(?:\s|›)*t\n2(?:\s+@\S+)*\s*$/`, "titles"},
		{spellNextest, envelope.Key{Suite: "web::it", Test: `a::b (c), \ d`}, `package(=web) & binary(=it) & test(=a::b\u{20}(c\)\,\u{20}\\\u{20}d)`, "what has a meaning in an expression"},
	}
	for _, c := range cases {
		if got := c.spell(Test{Key: c.key}); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

// FuzzLists gives hostile lists to all presets: no panic, and no test that the list
// does not have.
func FuzzLists(f *testing.F) {
	f.Add([]byte(goLine + `TestA\n"}` + "\n"))
	f.Add([]byte("test_a.py::test_p[a[1] ::z]\n\nERROR x\n"))
	f.Add([]byte(nextested))
	f.Add([]byte(`{"config":{},"suites":[{"title":"a.ts","specs":[{"title":"t","tests":[{"projectName":"p","results":[]}]}]}]}`))
	f.Add([]byte("\n{\n===\xff\nERROR \n::\n"))
	for _, command := range []string{"go test", "pytest", "playwright test", "cargo nextest run"} {
		lister(f, command)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, command := range []string{"go test -skip A", "pytest x::y", "playwright test", "cargo nextest run"} {
			argv := strings.Fields(command)
			p, _ := For(argv)
			r := must(p.Recipe(argv))(t)
			tests, err := r.Listed(text)
			if err == nil && (len(tests) == 0 || len(tests) > len(text)) {
				t.Errorf("%s: %d tests in %d bytes", command, len(tests), len(text))
			}
			for _, test := range tests {
				for _, spell := range r.Spell {
					spell(test)
				}
				if test.Test == "" {
					t.Errorf("%s: a test without a name", command)
				}
			}
		}
	})
}
