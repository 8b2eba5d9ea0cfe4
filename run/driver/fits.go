package driver

import (
	"runtime"
	"slices"
	"sort"

	"tribunal/run/runner"
)

// room is what a system takes of the arguments of a program, in bytes.
type room struct{ argument, all int }

// roomOf is the room on a system, less what the environment may take of it where they
// share it. Linux takes 128 KiB of one argument (MAX_ARG_STRLEN, with its zero byte)
// and, with the usual limit of the stack, 2 MiB of all; macOS 1 MiB of all; Windows
// 32,767 characters in the whole line.
func roomOf(system string) room {
	switch system {
	case "windows":
		return room{argument: 30_000, all: 30_000}
	case "linux":
		return room{argument: 128<<10 - 1, all: 1 << 20}
	}
	return room{argument: 512 << 10, all: 512 << 10}
}

// takes reports whether a command of these arguments can be started.
func (r room) takes(argv []string) bool {
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
func (d *drive) fits(batch runner.Start) int {
	within := roomOf(runtime.GOOS)
	named := func(n int) bool {
		s := &start{Start: batch, id: d.id}
		s.Trials = batch.Trials[:n]
		for _, p := range s.Trials {
			s.keys = append(s.keys, d.key(p.Test))
		}
		v := d.values(s)
		return !slices.ContainsFunc([]*Template{d.run.Before, d.run.Command, d.run.After}, func(t *Template) bool { return t != nil && !within.takes(t.Argv(v)) })
	}
	if n := len(batch.Trials); named(n) {
		return n
	}
	return sort.Search(len(batch.Trials), func(n int) bool { return !named(n + 1) })
}

// testsOf are the tests of trials.
func (d *drive) testsOf(places []runner.Place) (tests []runner.Test) {
	for _, p := range places {
		tests = append(tests, d.tests[p.Test])
	}
	return tests
}

// narrowed are the arguments of a sweep that leave out tests which have ended.
func (d *drive) narrowed(next runner.Start) []string {
	if d.run.Narrow == nil || d.wide || d.run.Plan.Form != runner.Sweep || next.Check || len(next.Trials) == 0 {
		return nil
	}
	return d.run.Narrow(d.testsOf(next.Trials), d.tests)
}
