package preset

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

func skipsOf(t *testing.T, format string, skip, all []envelope.Key) (list string, kept []Skip) {
	t.Helper()
	var tests []Skip
	for _, k := range skip {
		tests = append(tests, Skip{k, "WEB-1, expires 2026-03-31\nrm -rf ."})
	}
	var b strings.Builder
	kept = must(WriteSkips(&b, format, tests, all))(t)
	return b.String(), kept
}

// evalSkips runs a command with a skip list as a shell does, and returns what it wrote.
func evalSkips(t *testing.T, command, list string) string {
	t.Helper()
	if err := os.WriteFile("skips", []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `eval "`+command+` $(cat skips)"`)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CI=1", "NO_COLOR=1")
	out, _ := cmd.CombinedOutput() // tests that fail are none of its business
	return string(out)
}

func TestSkipLists(t *testing.T) {
	key := func(suite, test string) envelope.Key { return envelope.Key{Suite: suite, Test: test} }
	const file = "shop.test.js"
	for _, c := range []struct {
		reason, format string
		skip, others   []envelope.Key
		first          string // line of the list
		kept           string // why the first stays in
	}{
		{"a node id with a quote", "pytest", []envelope.Key{key("tests.test_a.TestC", "test_p[it's]")}, nil, `'--deselect=tests/test_a.py::TestC::test_p[it'\''s]'`, ""},
		{"pytest takes a beginning for the whole", "pytest", []envelope.Key{key("test_a", "test_p")}, []envelope.Key{key("test_a", "test_plain")}, "", "pytest would skip test_a.py::test_plain as well"},
		{"which does no harm to one that is skipped too", "pytest", []envelope.Key{key("test_a", "test_p"), key("test_a", "test_plain")}, nil, "--deselect=test_a.py::test_p --deselect=test_a.py::test_plain", ""},
		{"no test of pytest", "pytest", []envelope.Key{key("example.com/shop", "TestA")}, nil, "", "pytest can only skip FILE::TEST"},
		{"subtests", "go", []envelope.Key{key("example.com/shop", "TestA/a|b(1)"), key("example.com/shop", "TestB")}, []envelope.Key{key("example.com/shop", "TestA"), key("example.com/shop", "TestBc")},
			`'-skip=^TestA$/^a\|b\(1\)$|^TestB$'`, ""},
		{"-skip is for every package", "go", []envelope.Key{key("example.com/shop", "TestA")}, []envelope.Key{key("example.com/cart", "TestA")}, "", "go would skip example.com/cart.TestA as well"},
		{"a test takes its subtests with it", "go", []envelope.Key{key("shop", "TestA")}, []envelope.Key{key("shop", "TestA/b")}, "", "go would skip shop/TestA/b as well"},
		{"Jest ignores case", "jest", []envelope.Key{key(file, "syncs")}, []envelope.Key{key(file, "Syncs")}, "", "jest would skip shop.test.js › Syncs as well"},
		{"Vitest does not", "vitest", []envelope.Key{key(file, "cart > syncs [1]\n")}, []envelope.Key{key(file, "Syncs")}, `'--testNamePattern=^(?!\s*(?:cart(?: > | )syncs \[1\]\n)$)'`, ""},
		{"a file and a project", "playwright", []envelope.Key{{Suite: "e2e/a.spec.ts", Test: "x", Variant: "webkit"}}, []envelope.Key{{Suite: "e2e/a.spec.ts", Test: "x", Variant: "chrome"}},
			`'--grep-invert=/^\s*webkit\s*e2e[\\/]a\.spec\.ts(?:\s|›)*x(?:\s+@\S+)*\s*$/'`, ""},
		{"a name a line", "junit-names", []envelope.Key{key("com.acme.CartTest", "syncs")}, nil, "# WEB-1, expires 2026-03-31 rm -rf .", ""},
		{"a name of two lines", "junit-names", []envelope.Key{key("C", "a\nb")}, nil, "", "junit-names can only skip CLASS#TEST on one line"},
		{"a NUL is in no argument", "vitest", []envelope.Key{key(file, "a\x00b")}, nil, "", "vitest can only skip titles without NUL"},
	} {
		list, kept := skipsOf(t, c.format, c.skip, append(c.others, c.skip...))
		first, _, _ := strings.Cut(list, "\n")
		why := ""
		if len(kept) > 0 {
			why = kept[0].Reason
		}
		if first != c.first || why != c.kept {
			t.Errorf("%s: %s, kept %q", c.reason, first, why)
		}
	}
	if _, err := WriteSkips(nil, "go", []Skip{{key("m.io/a", "TestX"+strings.Repeat("x", longestArgument)), ""}}, nil); err == nil || !strings.Contains(err.Error(), "128 KiB") {
		t.Errorf("a list that no command takes: %v", err)
	}
	if _, err := WriteSkips(nil, "gotest", nil, nil); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("%v", err)
	}
}

// TestSkipGo: go test leaves out the tests of a skip list, whatever their subtests are
// called, and no other.
func TestSkipGo(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/shop\n\ngo 1.24\n")
	write(t, "shop_test.go", `package shop

import "testing"

func TestA(t *testing.T) {
	for _, name := range []string{"a b", "it's", "x[1]", "(y", "a|b", "$HOME", "é", "a/b", "\"q\"", "line\nend", "*", "z"} {
		t.Run(name, func(t *testing.T) {})
	}
}
func TestB(t *testing.T)  {}
func TestBc(t *testing.T) {}
`)
	ran := func(list string) (names []string) {
		for line := range strings.Lines(evalSkips(t, "go test -v -count=1 ./...", list)) {
			if name, is := strings.CutPrefix(line, "=== RUN   "); is {
				names = append(names, strings.TrimSpace(name))
			}
		}
		return names
	}
	all := ran("")
	if len(all) != 15 {
		t.Fatalf("%q", all)
	}
	var skip, keys []envelope.Key
	for _, name := range all {
		k := envelope.Key{Suite: "example.com/shop", Test: name}
		keys = append(keys, k)
		if strings.HasPrefix(name, "TestA/") && name != "TestA/z" || name == "TestB" {
			skip = append(skip, k)
		}
	}
	list, kept := skipsOf(t, "go", skip, keys)
	if got := ran(list); !slices.Equal(got, []string{"TestA", "TestA/z", "TestBc"}) || len(kept) > 0 {
		t.Errorf("ran %q, kept %v\n%s", got, kept, list)
	}
}
