package read

import (
	"path/filepath"
	"strings"

	"tribunal/envelope"
)

// rooted names the files of trials as they are called in their repository.
// Runners such as Jest name them from the root of the machine, so that one test
// has another name on every machine.
type rooted struct {
	envelope.Sink
	roots []string
}

// Trial implements envelope.Sink.
func (s rooted) Trial(t *envelope.Trial) {
	file, suite, test := s.within(t.File), s.within(t.Suite), s.within(t.Test)
	if file != t.File || suite != t.Suite || test != t.Test {
		here := *t
		here.File, here.Suite, here.Test = file, suite, test
		t = &here
	}
	s.Sink.Trial(t)
}

// Endings implements envelope.Report.
func (s rooted) Endings(k envelope.Key, labels []envelope.Label, all []envelope.Ending) {
	if to, takes := s.Sink.(envelope.Report); takes {
		k.Suite, k.Test = s.within(k.Suite), s.within(k.Test)
		to.Endings(k, labels, all)
	}
}

func (s rooted) within(name string) string { return Within(name, s.roots) }

// Within is a path below one of the roots from there on, and any other text as it
// is.
func Within(name string, roots []string) string {
	for _, root := range roots {
		rest, below := strings.CutPrefix(name, root)
		if below && len(rest) > 1 && (rest[0] == '/' || rest[0] == '\\') {
			return rest[1:]
		}
	}
	return name
}

// Roots are folders as they stand before the paths in them. The root of the
// machine is none: it stands before every path.
func Roots(folders ...string) []string {
	var roots []string
	for _, folder := range folders {
		root := strings.TrimRight(filepath.Clean(folder), `/\`)
		if folder != "" && root != "" && root != "." && !strings.HasSuffix(root, ":") {
			roots = append(roots, root)
		}
	}
	return roots
}
