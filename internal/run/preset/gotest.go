package preset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// goFlags parts the arguments of go test as it does itself: packages stand together,
// and behind them, or behind a flag that go does not know, an argument without a
// dash begins those of the test binary.
func (p *Preset) goFlags(c *command, args []string) error {
	var packages, closed bool
	for len(args) > 0 {
		arg := args[0]
		dashed := strings.HasPrefix(arg, "-") && arg != "-"
		if arg == "-args" || arg == "--args" || !dashed && closed {
			c.rest = append(c.rest, args...)
			return nil
		}
		if !dashed {
			c.operands, packages, args = append(c.operands, arg), true, args[1:]
			continue
		}
		closed = closed || packages
		name, value, joined := strings.Cut(arg, "=")
		name = "-" + strings.TrimPrefix(strings.TrimLeft(name, "-"), "test.")
		used := 1
		switch {
		case has(p.valued, name) && !joined && len(args) > 1:
			value, used = args[1], 2
		case !has(p.valued, name) && !has(p.switches, name):
			c.rest, args, closed = append(c.rest, arg), args[1:], true
			continue
		}
		c.options = append(c.options, option{name: name, value: value, args: args[:used]})
		args = args[used:]
	}
	return nil
}

// runOf is the expression for the tests to list: what -run says, or all.
func runOf(c *command) string {
	if value, given := c.value("-run"); given {
		return value
	}
	return "."
}

// packageOf is what a start tests: the package of its tests. Files make a package that has no path.
func packageOf(c *command) []string {
	if len(c.operands) > 0 && !slices.ContainsFunc(c.operands, func(o string) bool { return !strings.HasSuffix(o, ".go") }) {
		return c.operands
	}
	return []string{"{suite}"}
}

func listGo(c *command) (func([]byte) ([]Test, error), error) {
	if run := runOf(c); strings.Contains(run, "/") {
		return nil, fmt.Errorf("-run %s names subtests, which cannot be listed; cut it off at the /, or put --test TestX/SUB before the --", run)
	}
	skipped, err := skips(c)
	if err != nil {
		return nil, err
	}
	return func(stdout []byte) ([]Test, error) {
		tests, other, err := goTests(stdout)
		if err != nil {
			return nil, err
		}
		if skipped != nil {
			tests = slices.DeleteFunc(tests, func(t Test) bool { return skipped.MatchString(t.Test) })
		}
		if len(tests) == 0 {
			return nil, errors.New("there is no test to run" + words.Around("; it printed: ", other))
		}
		return tests, nil
	}, nil
}

// skips is the expression of -skip, which -list does not look at. One that names
// subtests leaves their parents in.
func skips(c *command) (*regexp.Regexp, error) {
	skip, given := c.value("-skip")
	switch {
	case !given || skip == "" || strings.Contains(skip, "/") && !strings.Contains(skip, "|"):
		return nil, nil
	case strings.Contains(skip, "/"):
		return nil, fmt.Errorf("-skip %s has tests and subtests in one expression, so it is not clear which tests are left; skip one kind only",
			skip)
	}
	re, err := regexp.Compile(skip)
	if err != nil {
		return nil, fmt.Errorf("-skip: %w", err)
	}
	return re, nil
}

type goEvent struct{ Action, Package, ImportPath, Output string }

// goTests are the tests in a list, and the first line that is no event.
func goTests(stdout []byte) (tests []Test, other string, err error) {
	said := map[string]string{} // by package, what explains a failure
	var failed []string
	for line := range bytes.Lines(stdout) {
		e := goEvent{}
		if json.Unmarshal(line, &e) != nil || e.Action == "" {
			other = cmp.Or(other, strings.TrimSpace(string(line)))
			continue
		}
		switch e.Action {
		case "build-output":
			path, _, _ := strings.Cut(e.ImportPath, " ") // "a [a.test]"
			addOutput(said, path, e.Output)
		case "output":
			if name := strings.TrimSuffix(e.Output, "\n"); isGoTest(name) {
				tests = append(tests, Test{Key: envelope.Key{Suite: e.Package, Test: name}})
			} else {
				addOutput(said, e.Package, e.Output)
			}
		case "fail":
			failed = append(failed, e.Package)
		}
	}
	if len(failed) > 0 {
		slices.Sort(failed)
		failed = slices.Compact(failed)
		return nil, "", fmt.Errorf("no list of tests from %s; %s", strings.Join(failed, ", "), words.Printed(
			each.Of(failed, func(path string) string { return said[path] })...))
	}
	// Packages are listed side by side, so that their lines come in any order.
	slices.SortStableFunc(tests, func(a, b Test) int { return strings.Compare(a.Suite, b.Suite) })
	return tests, other, nil
}

// excerpt is how much of what a runner said is kept to explain why it lists no tests.
const excerpt = 2 << 10

func addOutput(said map[string]string, of, text string) {
	if len(said[of]) < excerpt && !strings.HasPrefix(text, "# ") && (said[of] == "" || !strings.HasPrefix(text, "FAIL\t")) {
		said[of] += words.Head(text, excerpt)
	}
}

// isGoTest reports whether a line is the name of a test, an example, or a fuzz test,
// which runs its seeds. A benchmark ends in no verdict.
func isGoTest(line string) bool {
	for _, kind := range []string{"Test", "Example", "Fuzz"} {
		rest, is := strings.CutPrefix(line, kind)
		first, _ := utf8.DecodeRuneInString(rest)
		if is && (rest == "" || !unicode.IsLower(first)) &&
			!strings.ContainsFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return true
		}
	}
	return false
}

// spellGo writes a test for -run: each level of subtests is an expression of its own.
func spellGo(t Test) string {
	levels := strings.Split(t.Test, "/")
	for i, level := range levels {
		levels[i] = "^" + regexp.QuoteMeta(level) + "$"
	}
	return strings.Join(levels, "/")
}

// Flags of go test by what a compiled test makes of them: go build has the first, the test binary
// the second, and the last are said otherwise. With any other flag, go test starts the tests.
const (
	goBuild = "-a -p -asmflags -buildmode -compiler -gccgoflags -gcflags -installsuffix -ldflags -mod -modfile -overlay -pgo -pkgdir -tags " +
		"-toolexec " +
		"-race -msan -asan -trimpath -linkshared -modcacherw -buildvcs"
	goBinary = "-cpu -parallel -short -shuffle -skip -timeout -fullpath"
	goOther  = "-run -count -json -v -failfast -vet"
)

// compileGo compiles a package with go test -c. go test links it again at every start,
// which takes more time than most tests: 0.15 s of the processor.
func compileGo(c *command) func(suite, folder string) *Compilation {
	if len(c.head) != 2 || slices.ContainsFunc(c.options, func(o option) bool { return !has(goBuild+" "+goBinary+" "+goOther, o.name) }) ||
		len(c.rest) > 0 && strings.TrimLeft(c.rest[0], "-") != "args" || packageOf(c)[0] != "{suite}" {
		return nil
	}
	for _, flag := range strings.Fields(os.Getenv("GOFLAGS")) { // of which go test -c hands none on
		if name, _, _ := strings.Cut(flag, "="); !has(goBuild+" "+goOther, "-"+strings.TrimLeft(name, "-")) {
			return nil
		}
	}
	var build []string
	binary := []string{"-test.paniconexit0", "-test.v=test2json", "-test.count=1", "-test.timeout=10m", "-test.run={tests:regex}"}
	for _, o := range c.options {
		switch {
		case has(goBuild, o.name):
			build = append(build, o.args...)
		case !has(goBinary, o.name):
		case strings.Contains(o.args[0], "=") || len(o.args) > 1:
			binary = append(binary, "-test."+o.name[1:]+"="+o.value)
		default:
			binary = append(binary, "-test."+o.name[1:])
		}
	}
	if len(c.rest) > 0 {
		binary = append(binary, c.rest[1:]...)
	}
	return func(suite, folder string) *Compilation {
		exe := words.If(runtime.GOOS == "windows", ".exe")
		tests, convert := filepath.Join(folder, path.Base(suite)+".test"+exe), filepath.Join(folder, "test2json"+exe)
		with := func(words []string, more ...string) []string { return slices.Concat(c.head[:1], words, build, more) }
		return &Compilation{
			Steps: [][]string{
				{c.head[0], "build", "-o", convert, "cmd/test2json"},
				with([]string{"test", "-c"}, "-o", tests, suite),
				with([]string{"list", "-f", "{{.Dir}}"}, suite),
			},
			Start:   append([]string{strings.ReplaceAll(tests, "{", "{{")}, binary...),
			Convert: []string{convert, "-p", suite},
			End: func(failed bool, took time.Duration) string { // as runTestActor of cmd/go/internal/test does
				word := "ok  "
				if failed {
					word = "\x16FAIL" // which is no line of a test
				}
				return fmt.Sprintf("%s\t%s\t%.3fs\n", word, suite, took.Seconds())
			},
		}
	}
}

// This file leaves tests that are decided out of starts of all tests. What it leaves out is always
// a whole file, or all test cases of one description, so that those that are left have the names
// that they had. A test that it leaves out by mistake is not reported, which is never a pass.

// filesOf are the files of tests, which reports of Jest have as suites.
func filesOf(tests []Test) []string {
	files := each.Of(tests, func(t Test) string { return t.Suite })
	slices.Sort(files)
	return slices.Compact(files)
}

// narrowJest names the files that are left, unless the command names any: an argument that
// is no option may be one. A limit of coverage holds for all files.
func narrowJest(c *command) (func(asked, all []Test) []string, func([]byte)) {
	if slices.ContainsFunc(c.options, func(o option) bool { return !strings.HasPrefix(o.args[0], "-") }) {
		return nil, nil
	}
	return func(asked, all []Test) []string {
		left := filesOf(asked)
		if len(left) == len(filesOf(all)) || slices.Contains(left, "") {
			return nil
		}
		return append([]string{"--coverage=false"}, each.Of(left, func(file string) string {
			return `[\\/]` + strings.ReplaceAll(spellJS(file), "/", `[\\/]`) + "$"
		})...)
	}, nil
}

func narrowVitest(*command) (func(asked, all []Test) []string, func([]byte)) {
	return func(asked, all []Test) []string {
		left := filesOf(asked)
		arguments := []string{"--coverage.enabled=false"}
		for _, file := range filesOf(all) {
			if file != "" && !strings.ContainsAny(file, `*?[]{}()!+@\`) && !slices.Contains(left, file) { // no sign of a glob
				arguments = append(arguments, "--exclude="+file)
			}
		}
		if len(arguments) == 1 {
			return nil
		}
		return arguments
	}, nil
}

// narrowPromptfoo asks for the descriptions of the tests that are left, where all test cases
// have one: a pattern leaves out those that have none.
func narrowPromptfoo(c *command) (func(asked, all []Test) []string, func([]byte)) {
	const filter = "--filter-pattern"
	if slices.ContainsFunc(c.options, func(o option) bool { return o.name == filter }) {
		return nil, nil
	}
	var descriptions []string
	learn := func(output []byte) {
		var report struct {
			Results struct {
				Results []struct {
					TestCase struct{ Description string }
				}
			}
		}
		if json.Unmarshal(output, &report) != nil {
			return
		}
		for _, r := range report.Results.Results {
			descriptions = append(descriptions, strings.TrimSpace(r.TestCase.Description))
		}
		slices.Sort(descriptions)
		descriptions = slices.Compact(descriptions)
	}
	return func(asked, _ []Test) []string {
		var left []string
		for _, d := range descriptions { // the reader names a test by its description, or that and more in brackets
			if slices.ContainsFunc(asked, func(t Test) bool { return t.Test == d || strings.HasPrefix(t.Test, d+" (") }) {
				left = append(left, spellJS(d))
			}
		}
		if len(left) == 0 || len(left) == len(descriptions) || slices.Contains(descriptions, "") {
			return nil
		}
		return []string{filter, `^\s*(?:` + strings.Join(left, "|") + `)\s*$`}
	}, learn
}
