package preset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// Skip is a test for a runner to leave out, and the reason as a comment.
type Skip struct {
	envelope.Key
	Reason string
}

// skipFormat is how one runner accepts tests that it is to leave out.
type skipFormat struct {
	name, form string
	// test is the name by which the runner selects, "" for what is no test of it.
	test func(envelope.Key) string
	// covers reports whether leaving out one name leaves out another as well.
	covers func(name, other string) bool
	// write makes arguments of tests; nil writes a name a line.
	write func(tests []Skip) []string
}

var skipFormats = []skipFormat{
	{"pytest", "FILE::TEST", nodeIDOf, func(name, other string) bool { return strings.HasPrefix(other, name) }, func(tests []Skip) []string {
		return spelled(tests, func(k envelope.Key) string { return "--deselect=" + nodeIDOf(k) })
	}},
	{"go", "TestName", goTestOf, func(name, other string) bool { return other == name || strings.HasPrefix(other, name+"/") },
		func(tests []Skip) []string {
			return []string{"-skip=" + strings.Join(spelled(tests, func(k envelope.Key) string { return spellGo(Test{Key: k}) }), "|")}
		}},
	{"jest", "titles without NUL", titlesOf, strings.EqualFold, skipTitles}, // Jest ignores case
	{"vitest", "titles without NUL", titlesOf, equal, skipTitles},
	{"playwright", "titles without NUL", envelope.Key.String, equal, func(tests []Skip) []string {
		return []string{"--grep-invert=/" + strings.Join(spelled(tests, func(k envelope.Key) string {
			return strings.Trim(spellPlaywright(Test{Key: k}), "/")
		}), "|") + "/"}
	}},
	{"junit-names", "CLASS#TEST on one line", junitNameOf, equal, nil},
}

func equal(a, b string) bool { return a == b }

func spelled(tests []Skip, spell func(envelope.Key) string) []string {
	return each.Of(tests, func(t Skip) string { return spell(t.Key) })
}

func nodeIDOf(k envelope.Key) string {
	suite, between := k.RunnerSuite()
	return words.If(between == "::", suite+between+k.Test)
}

func goTestOf(k envelope.Key) string {
	top, _, _ := strings.Cut(k.Test, "/")
	return words.If(isGoTest(top), k.Test)
}

// arrows stand between titles in a name, and may stand in a title.
var arrows = strings.NewReplacer(" › ", " ", " > ", " ")

// titlesOf are the titles of a test as Jest and Vitest match them, with blanks between.
func titlesOf(k envelope.Key) string { return arrows.Replace(k.Test) }

// skipTitles is a pattern that matches all other tests.
func skipTitles(tests []Skip) []string {
	all := spelled(tests, func(k envelope.Key) string {
		return strings.NewReplacer(" › ", "(?: › | )", " > ", "(?: > | )").Replace(spellJS(k.Test))
	})
	return []string{`--testNamePattern=^(?!\s*(?:` + strings.Join(all, "|") + `)$)`}
}

// junitNameOf is a class and a method as excludesFile of Surefire has them.
func junitNameOf(k envelope.Key) string {
	name := k.Test
	if k.Suite != "" {
		name = k.Suite + "#" + k.Test
	}
	return words.If(text.Line(name) == name && !strings.HasPrefix(name, "#"), name)
}

func nameOfSkips(f skipFormat) string { return f.name }

// SkipFormats are the names of the formats of WriteSkips.
func SkipFormats() []string { return each.Of(skipFormats, nameOfSkips) }

// longestArgument is the length of an argument that Linux refuses.
const longestArgument = 128 << 10

// WriteSkips writes what a runner accepts to leave out tests: its arguments, quoted for a shell, in
// the first line, or a name a line; reasons are comments. A test that would take others of all with
// it stays in, as does one whose name is none of that runner: kept says why.
func WriteSkips(w io.Writer, format string, tests []Skip, all []envelope.Key) (kept []Skip, err error) {
	f, err := suggest.Find("runner", format, skipFormats, nameOfSkips)
	if err != nil {
		return nil, err
	}
	left, kept := f.split(tests, all)
	if len(left) == 0 {
		return kept, nil
	}
	var b strings.Builder
	if f.write != nil {
		arguments := f.write(left)
		if slices.ContainsFunc(arguments, func(a string) bool { return len(a) >= longestArgument }) {
			return nil, errors.New("the list is too long for one argument of a command (128 KiB): choose fewer tests with --test")
		}
		fmt.Fprintln(&b, words.Shell(arguments...))
	}
	for _, t := range left {
		if f.write == nil {
			fmt.Fprintf(&b, "# %s\n%s\n", text.Line(t.Reason), f.test(t.Key))
		} else {
			fmt.Fprintf(&b, "# %s: %s\n", text.Line(t.Reason), text.Line(t.RunnerName()))
		}
	}
	_, err = io.WriteString(w, b.String())
	return kept, err
}

// split parts the tests that can be left out from those that cannot.
func (f *skipFormat) split(tests []Skip, all []envelope.Key) (left, kept []Skip) {
	out := each.Set(tests, func(t Skip) envelope.Key { return t.Key })
	for _, t := range tests {
		name := f.test(t.Key)
		other := slices.IndexFunc(all, func(k envelope.Key) bool {
			n := f.test(k)
			return !out[k] && n != "" && f.covers(name, n)
		})
		switch {
		case name == "" || strings.Contains(t.Key.String(), "\x00"):
			kept = append(kept, Skip{t.Key, f.name + " can only skip " + f.form})
		case other >= 0:
			kept = append(kept, Skip{t.Key, fmt.Sprintf("%s would skip %s as well", f.name, all[other].RunnerName())})
		default:
			left = append(left, t)
		}
	}
	return left, kept
}
