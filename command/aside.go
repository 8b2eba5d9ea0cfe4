package command

import (
	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
)

// readAside reads of the files whose trials are mostly in others, of so many in all, those
// with a failed test where nothing else failed: they are of another run, or their runner
// was not heeded, and unread they would make a red build green. The others are passed over.
func readAside(env Env, b *count.Builder, aside []input.File, all int, names input.Names, o read.Options, progress *progress) {
	red := b.Glance().Failing > 0
	var passed []input.File
	for _, f := range aside {
		if red || !failsIn(f, o) {
			passed = append(passed, f)
			continue
		}
		name := names.Of(f.Name)
		readOne(env, b, f, name, o, progress)
		b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: name,
			Message: "tests failed in this report, and in none of those beside it, which mostly are of the same run: it counts as well; name the files that are to be read to leave it out"})
	}
	input.PassAside(b, passed, names, all)
}

// failsIn reports whether a test of a file failed in all of its trials.
func failsIn(f input.File, o read.Options) bool {
	file, err := f.Open()
	if err != nil {
		return true // reading it says what is wrong
	}
	defer file.Close()
	apart := count.NewBuilder(0, 0)
	read.StreamAs(apart, f.Name, file, o)
	return apart.Glance().Failing > 0
}
