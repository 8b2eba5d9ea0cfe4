package command

import (
	"tribunal/command/input"
	"tribunal/envelope/count"
	"tribunal/read"
)

// readAside reads of the files whose trials are mostly in others, of so many in all, those
// with a failed test where nothing else failed: they are of another run, or their runner
// was not heeded, and unread they would make a red build green. The others are passed over,
// and so is what has failed in others by the same name, where it passed as well: of trials
// that are repeated, both reports of the one that failed would count.
func readAside(env Env, b *count.Builder, aside []input.File, all int, names input.Names, o read.Options, progress *progress) {
	if len(aside) == 0 {
		return
	}
	known, red := map[string]bool{}, false
	for test, passed := range b.Failures() {
		known[test.Test], red = true, red || !passed
	}
	var passed, counted []input.File
	for _, f := range aside {
		if red || !failsIn(f, o, known) {
			passed = append(passed, f)
			continue
		}
		readOne(env, b, f, names.Of(f.Name), o, progress)
		counted = append(counted, f)
	}
	input.PassAside(b, passed, names, all)
	input.CountAside(b, counted, names, all)
}

// failsIn reports whether a test of a file failed in all of its trials, but those of known
// names.
func failsIn(f input.File, o read.Options, known map[string]bool) bool {
	file, err := f.Open()
	if err != nil {
		return true // reading it says what is wrong
	}
	defer file.Close()
	apart := count.NewBuilder(0, 0)
	read.StreamAs(apart, f.Name, file, o)
	for test, passed := range apart.Failures() {
		if !passed && !known[test.Test] {
			return true
		}
	}
	return false
}
