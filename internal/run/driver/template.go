package driver

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/runner"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

// Template is a command with placeholders: an argv, never a shell line. A value is
// put into its argument and never splits it.
type Template struct {
	args [][]piece
	text []string
	dir  string // it runs in, in place of that of the run, and writes all to standard output
}

// piece is a text or, where name is not empty, a placeholder.
type piece struct{ text, name string }

// Values stand in the place of placeholders.
type Values struct {
	Test, Suite, Variant string
	Attempt              int
	Seed                 int64
	Dir, Out, ID, Run    string
	Tests                []string
	Labels               map[string]string

	spelled  map[string]string // placeholders that the runner wants written otherwise
	spelling []string          // of {tests}, the same
}

// spell writes tests as their runner wants them in the place of placeholders, see [preset.Recipe].
func (v *Values) spell(s map[string]func(runner.Test) string, tests []runner.Test) {
	if len(s) == 0 || len(tests) == 0 {
		return
	}
	v.spelled = map[string]string{}
	for name, spell := range s {
		v.spelled[name] = spell(tests[0])
	}
	var expressions []string
	for _, t := range tests {
		if spell := s[nameTestRegex]; spell != nil {
			expressions = append(expressions, spell(t))
		}
		if spell := s[nameTest]; spell != nil {
			v.spelling = append(v.spelling, spell(t))
		}
	}
	if expressions != nil {
		v.spelled[nameAllRegex] = strings.Join(expressions, "|")
	}
}

// The placeholders.
const (
	nameTest      = "test"
	nameTests     = "tests"
	nameSuite     = "suite"
	nameSeed      = "seed"
	nameID        = "id"
	nameRun       = "run"
	nameTestRegex = "test:regex"
	nameAllRegex  = "tests:regex"
	nameDir       = "dir"
	nameOut       = "out"
	labelPrefix   = "label."
)

var placeholders = map[string]func(Values) string{
	nameTest:      func(v Values) string { return v.Test },
	nameSuite:     func(v Values) string { return v.Suite },
	"variant":     func(v Values) string { return v.Variant },
	"attempt":     func(v Values) string { return strconv.Itoa(v.Attempt) },
	nameSeed:      func(v Values) string { return strconv.FormatInt(v.Seed, 10) },
	nameDir:       func(v Values) string { return v.Dir },
	nameOut:       func(v Values) string { return v.Out },
	nameID:        func(v Values) string { return v.ID },
	nameRun:       func(v Values) string { return v.Run },
	nameTestRegex: func(v Values) string { return exactly(v.Test) },
	nameAllRegex:  func(v Values) string { return exactly(v.Tests...) },
	nameTests:     nil, // an argument for each
}

// exactly is an expression that matches these names and no others.
func exactly(names ...string) string {
	return strings.Join(each.Of(names, func(name string) string { return "^" + regexp.QuoteMeta(name) + "$" }), "|")
}

// NewTemplate reads the placeholders of a command. The error names the argument and
// the placeholders that may have been meant.
func NewTemplate(argv []string) (*Template, error) {
	t := &Template{text: argv}
	var errs []error
	for _, arg := range argv {
		pieces, err := pieces(arg)
		if err != nil {
			errs = append(errs, fmt.Errorf("in the argument %s of the command: %w", strconv.Quote(arg), err))
		}
		t.args = append(t.args, pieces)
	}
	if t.Uses(nameTest, nameTestRegex) && t.Uses(nameTests, nameAllRegex) {
		errs = append(errs, errors.New("the command has {test}, a start for each test, and {tests}, a start for several: choose one"))
	}
	return t, errors.Join(errs...)
}

func pieces(arg string) (all []piece, err error) {
	text := func(s string) {
		if s != "" {
			all = append(all, piece{text: s})
		}
	}
	for {
		before, rest, found := strings.Cut(arg, "{")
		text(before)
		if !found {
			return all, nil
		}
		if after, doubled := strings.CutPrefix(rest, "{"); doubled {
			text("{")
			arg = after
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		if err := known(name, closed); err != nil {
			return nil, err
		}
		if name == nameTests && (len(all) > 0 || after != "") {
			return nil, errors.New("{tests} becomes an argument for each test, so it must be an argument of its own; {tests:regex} is one " +
				"expression for all")
		}
		all = append(all, piece{name: name})
		arg = after
	}
}

var otherNames = map[string]string{"task": "test", "task_id": "test", "case": "test", "name": "test", "trial": "attempt",
	"model": "variant", "output": "out"}

func known(name string, closed bool) error {
	if _, is := placeholders[name]; closed && (is || strings.HasPrefix(name, labelPrefix) && name != labelPrefix) {
		return nil
	}
	names := append(slices.Sorted(maps.Keys(placeholders)), labelPrefix+"NAME")
	other := cmp.Or(otherNames[name], strings.Join(suggest.Near(name, names), "} or {"))
	if closed && other != "" {
		return fmt.Errorf("unknown placeholder {%s}: did you mean {%s}? Write {{ for a brace", name, other)
	}
	return fmt.Errorf("{%s is not a placeholder: write {{ for a { of a shell or of JSON (a } stays), or put the command into a script; "+
		"placeholders are {%s}", words.Head(name, 20)+words.If(closed, "}"), strings.Join(names, "}, {"))
}

// Uses reports whether the command has one of the placeholders.
func (t *Template) Uses(names ...string) bool {
	return slices.ContainsFunc(t.names(), func(name string) bool { return slices.Contains(names, name) })
}

func (t *Template) names() (names []string) {
	if t == nil {
		return nil
	}
	for _, arg := range t.args {
		for _, p := range arg {
			if p.name != "" {
				names = append(names, p.name)
			}
		}
	}
	return names
}

// Lacks is the error for a test without a label that the command uses.
func (t *Template) Lacks(test envelope.Key, labels map[string]string) error {
	for _, name := range t.names() {
		label, is := strings.CutPrefix(name, labelPrefix)
		if _, has := labels[label]; is && !has {
			return fmt.Errorf("the command uses {%s}, but test %s has no label of this name; add it to its trials or in run.tests", name, test)
		}
	}
	return nil
}

// NamesTests reports whether the command has a placeholder for tests.
func (t *Template) NamesTests() bool { return t.Uses(nameTest, nameTestRegex, nameTests, nameAllRegex) }

// NamesSuites reports whether the command has a placeholder for the suite.
func (t *Template) NamesSuites() bool { return t.Uses(nameSuite) }

// Text is the command as it was written.
func (t *Template) Text() []string {
	if t == nil {
		return nil
	}
	return t.text
}

// Argv is the command with values.
func (t *Template) Argv(v Values) []string {
	var argv []string
	for _, arg := range t.args {
		if len(arg) == 1 && arg[0].name == nameTests {
			tests := v.spelling
			if tests == nil {
				tests = v.Tests
			}
			argv = append(argv, tests...)
			continue
		}
		var s strings.Builder
		for _, p := range arg {
			s.WriteString(p.value(v))
		}
		argv = append(argv, s.String())
	}
	return argv
}

func (p piece) value(v Values) string {
	if label, is := strings.CutPrefix(p.name, labelPrefix); is {
		return v.Labels[label]
	}
	if p.name == "" {
		return p.text
	}
	if word, ok := v.spelled[p.name]; ok {
		return word
	}
	return placeholders[p.name](v)
}

// Environment says what a command sees of ours.
type Environment struct {
	// Inherited is the environment of this program, NAME=value each.
	Inherited []string
	// Added are further variables of a start, NAME=value each, in which placeholders
	// may stand; nil is none. They are not ours, and are not hidden.
	Added *Template
	// Only, where it is not nil, names the variables that are passed on.
	Only []string
	// Hide leaves out all of our variables but the cookie, which is then called
	// Cookie: for agents that must not notice that they are tried.
	Hide   bool
	Cookie string
}

// CheckEnvironment reports what cannot be hidden.
func (e Environment) check() error {
	if e.Hide && e.Cookie == "" {
		return fmt.Errorf("env.hide needs env.cookie, which finds left-over processes: write env: {hide: true, cookie: NAME}")
	}
	if strings.ContainsAny(e.Cookie, "=\x00 ") {
		return fmt.Errorf("env.cookie %q is not the name of a variable", e.Cookie)
	}
	return nil
}

const variablePrefix = "TRIBUNAL_"

// passed is what of the environment is passed on. A run inside a trial of another
// run does not pass on what that was told.
func (e Environment) passed() []string {
	var env []string
	for _, v := range e.Inherited {
		name, _, _ := strings.Cut(v, "=")
		told := strings.HasPrefix(name, variablePrefix) && slices.Contains(trialVariables, strings.TrimPrefix(name, variablePrefix))
		if !told && (e.Only == nil || slices.Contains(e.Only, name)) {
			env = append(env, v)
		}
	}
	return env
}

// trialVariables are our variables, without the beginning of their names.
var trialVariables = []string{"RUN", "TEST", "SUITE", "VARIANT", "ATTEMPT", "SEED", "SLOT", "DIR", "OUT", "TRIAL"}

func (e Environment) of(passed []string, run string, slot int, v Values) []string {
	env := slices.Clone(passed)
	if e.Added != nil {
		env = append(env, e.Added.Argv(v)...)
	}
	if e.Hide {
		return env
	}
	add := func(name, value string) { env = append(env, variablePrefix+name+"="+value) }
	add("RUN", run)
	add("TEST", v.Test)
	add("SUITE", v.Suite)
	add("VARIANT", v.Variant)
	add("ATTEMPT", strconv.Itoa(v.Attempt))
	add("SEED", strconv.FormatInt(v.Seed, 10))
	add("SLOT", strconv.Itoa(slot))
	add("DIR", v.Dir)
	add("OUT", v.Out)
	return env
}

// SeedOf is the seed of a trial: of the same run, test and attempt the same, also
// of two variants, so that they may be compared in pairs.
func SeedOf(run int64, suite, test string, attempt int) int64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%d\n", run, suite, test, attempt))
	return int64(binary.BigEndian.Uint32(sum[:4]) >> 1)
}

// argumentLimits is what a system takes of the arguments of a program, in bytes.
type argumentLimits struct{ argument, all int }

// argumentLimitsOf is the room on a system, less what the environment may take of it where they
// share it. Linux takes 128 KiB of one argument (MAX_ARG_STRLEN, with its zero byte)
// and, with the usual limit of the stack, 2 MiB of all; macOS 1 MiB of all; Windows
// 32,767 characters in the whole line.
func argumentLimitsOf(system string) argumentLimits {
	switch system {
	case "windows":
		return argumentLimits{argument: 30_000, all: 30_000}
	case "linux":
		return argumentLimits{argument: 128<<10 - 1, all: 1 << 20}
	}
	return argumentLimits{argument: 512 << 10, all: 512 << 10}
}

func (r argumentLimits) takes(argv []string) bool {
	const pointer = 8 // each argument has one
	all := 0
	for _, arg := range argv {
		if len(arg) > r.argument {
			return false
		}
		all += len(arg) + 1 + pointer
	}
	return all <= r.all
}

// fits is how many trials of a batch, from the first on, its commands can name.
func (d *execution) fits(batch runner.Start) int {
	within := argumentLimitsOf(runtime.GOOS)
	named := func(n int) bool {
		s := &start{Start: batch, id: d.id}
		s.Trials = batch.Trials[:n]
		s.keys = each.Of(s.Trials, func(p runner.Place) envelope.Key { return d.key(p.Test) })
		v := d.values(s)
		return !slices.ContainsFunc([]*Template{d.run.Before, d.run.Command, d.run.After},
			func(t *Template) bool { return t != nil && !within.takes(t.Argv(v)) })
	}
	if n := len(batch.Trials); named(n) {
		return n
	}
	return sort.Search(len(batch.Trials), func(n int) bool { return !named(n + 1) })
}

func (d *execution) testsOf(places []runner.Place) []runner.Test {
	return each.Of(places, func(p runner.Place) runner.Test { return d.tests[p.Test] })
}

// narrowed are the arguments of a sweep that leave out tests which have ended.
func (d *execution) narrowed(next runner.Start) []string {
	if d.run.Recipe.Narrow == nil || d.neverNarrow || d.run.Plan.Form != runner.Sweep || next.Check || len(next.Trials) == 0 {
		return nil
	}
	return d.run.Recipe.Narrow(d.testsOf(next.Trials), d.tests)
}
