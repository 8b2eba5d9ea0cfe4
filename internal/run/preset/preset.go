// Package preset is a table of runners whose commands tribunal run completes by itself: what to add
// so that the runner lists its tests, so that one start runs the tests that are due once and no
// more often, and so that it says how they ended in a format that package read reads.
//
// It exists so that `tribunal run -- go test ./...` needs no placeholder and no format. A preset
// adds arguments and takes none away but those that say which tests to run; it never makes a shell
// line. What would run tests more often than they are counted, or write the report elsewhere, is
// refused by the name of its flag. The names that a listing gives are those that the reader of the
// format gives the trials. A runner is a row of data (table.go) and, where its tests can be listed,
// a function that reads the list. It starts no process and reads no output of a start.
package preset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/runner"
	"tribunal/internal/suggest"
)

// Recipe is what a preset makes of a command.
type Recipe struct {
	Preset string // its name
	// List is a command that prints the tests, nil where the first start tells them.
	// Like Command, it is an argv in which placeholders may stand.
	List []string
	// Listed reads all that List wrote to standard output, however it ended: what it
	// says against the tests explains more than an exit code. Nil with List.
	Listed func(stdout []byte) ([]Test, error)
	// Command is the command of a start. Its placeholders say how a start becomes trials: {test} or
	// {test:regex} is one test, {tests:regex} several of a suite, none of them is all tests.
	Command []string
	// Spell says how this runner wants a test written in the place of a placeholder,
	// by the name of the placeholder; one that is not here is written as everywhere.
	// {tests:regex} is what test:regex gives for each test, joined by |.
	Spell map[string]func(Test) string
	// Env are variables (NAME=value) that Command needs, and List must not have. In
	// their values may stand placeholders.
	Env     []string
	From    string // input format that what a start wrote is read as
	OutName string // what the name of the file behind {out} must end in; "" is any
	// Printed reads what a start of some tests printed that died before it wrote its report;
	// nil where that says nothing.
	Printed func(stdout []byte, asked []Test) []envelope.Trial
	// Narrow are the arguments of a start of all tests that leave out what they can of those
	// that it is not asked for; nil where nothing can be left out. Learn tells it what the
	// first start wrote.
	Narrow func(asked, all []Test) []string
	Learn  func(output []byte)
	// Compile says how the tests of a suite are compiled into an empty folder, for starts
	// without their runner, which compiles them at each; nil where they cannot be.
	Compile func(suite, folder string) *Compilation
}

// Compilation is how the tests of a suite are compiled once and started by themselves.
type Compilation struct {
	// Steps are run in their order. The last prints the directory of the tests.
	Steps [][]string
	// Start is the command of a start in that directory, with placeholders.
	Start []string
	// Convert is a program that makes what the runner writes of what a start wrote, with
	// what the runner says of its end behind it.
	Convert []string
	End     func(failed bool, took time.Duration) string
}

// Test is a test of a list. Labels say what its runner calls it, where its names do not.
type Test = runner.Test

// Isolate makes each start one of one test.
func (r *Recipe) Isolate() {
	for i, arg := range r.Command {
		r.Command[i] = strings.NewReplacer("{tests}", "{test}", "{tests:regex}", "{test:regex}").Replace(arg)
	}
}

func (p Preset) name() string { return p.Name }

// Names are the names of all presets.
func Names() []string { return each.Of(table, Preset.name) }

// ByName is the preset of that name. The error lists the near names.
func ByName(name string) (Preset, error) { return suggest.Find("preset", name, table, Preset.name) }

// For returns the preset for a command. A command with placeholders for its test or its
// output needs none.
func For(argv []string) (Preset, bool) {
	if ownPlaceholder(argv) != "" {
		return Preset{}, false
	}
	at := slices.IndexFunc(table, func(p Preset) bool { _, ok := p.find(argv); return ok })
	if at < 0 {
		return Preset{}, false
	}
	return table[at], true
}

// ownPlaceholder is the first placeholder by which a command does a preset's work itself.
func ownPlaceholder(argv []string) string {
	for _, arg := range argv {
		for _, name := range []string{"{test}", "{test:regex}", "{tests}", "{tests:regex}", "{suite}", "{out}"} {
			if strings.Contains(strings.ReplaceAll(arg, "{{", ""), name) {
				return name
			}
		}
	}
	return ""
}

// Recipe completes a command. The error names what of the command contradicts a
// run that repeats tests by itself, and what to do.
func (p Preset) Recipe(argv []string) (Recipe, error) {
	if len(argv) == 0 {
		return Recipe{}, fmt.Errorf("preset %s: there is no command to complete", p.Name)
	}
	if name := ownPlaceholder(argv); name != "" {
		return Recipe{}, fmt.Errorf("preset %s adds %s itself; remove it from the command", p.Name, name)
	}
	at, ok := p.find(argv)
	switch {
	case !ok && p.list != "":
		return Recipe{}, fmt.Errorf("preset %s: the command must contain %s, to which Tribunal adds arguments; for a script, use --list "+
			"and {test} without a preset", p.Name, strings.Join(p.invocations, " or "))
	case !ok && hasWords(argv, "npm") && !slices.Contains(argv, "--"):
		return Recipe{}, fmt.Errorf("preset %s: npm does not pass on the flags that Tribunal adds; end the command with --", p.Name)
	case !ok:
		at = len(argv) // a script that hands its arguments on
	}
	c := &command{head: slices.Clip(argv[:at])}
	if err := p.split(&p, c, argv[at:]); err != nil {
		return Recipe{}, err
	}
	if err := p.refuse(c); err != nil {
		return Recipe{}, err
	}
	r := Recipe{Preset: p.Name, Command: p.fill(p.start, c), Spell: p.spell, Env: strings.Fields(p.env), From: p.From, OutName: p.OutName,
		Printed: p.printed}
	if p.list == "" {
		if p.narrow != nil && len(c.rest) == 0 {
			r.Narrow, r.Learn = p.narrow(c)
		}
		return r, nil
	}
	if p.compile != nil {
		r.Compile = p.compile(c)
	}
	r.List = p.fill(p.list, c)
	listed, err := p.lister(c)
	if err != nil {
		return Recipe{}, fmt.Errorf("preset %s: %w", p.Name, err)
	}
	r.Listed = func(stdout []byte) ([]Test, error) {
		tests, err := listed(stdout)
		if err != nil {
			return nil, fmt.Errorf("cannot list the tests by %s: %w", strings.Join(r.List, " "), err)
		}
		return distinct(tests), nil
	}
	return r, nil
}

// distinct leaves out tests that a list has again.
func distinct(tests []Test) []Test {
	seen := map[envelope.Key]bool{}
	return slices.DeleteFunc(tests, func(t Test) bool {
		again := seen[t.Key]
		seen[t.Key] = true
		return again
	})
}

func (p *Preset) refuse(c *command) error {
	var errs []error
	for _, o := range c.options {
		for _, r := range p.refused {
			if has(r.flags, o.name) && (r.unless == "" || o.value != r.unless) && strings.Contains(o.value, r.together) {
				errs = append(errs, fmt.Errorf("preset %s: %s: %s", p.Name, strings.Join(o.args, " "), r.why))
			}
		}
	}
	return errors.Join(errs...)
}

// Table is the presets for the documentation.
func Table() string {
	var b strings.Builder
	b.WriteString("| preset | recognised by |\n| --- | --- |\n")
	for i := range table {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", table[i].Name, strings.Join(table[i].invocations, "`, `"))
	}
	return b.String()
}
