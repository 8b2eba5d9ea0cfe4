package gate

import (
	"slices"
	"strings"

	"tribunal/reliability"
)

// Paths lists the paths that a gate can name, with metrics and the classes of
// excluded trials written out: what a shell completes. Labels and checks
// have any name.
func Paths() []string {
	var paths []string
	for _, name := range names(slices.Concat(runTargets(), testTargets())) {
		before, open := strings.CutSuffix(name, "*")
		switch {
		case strings.Contains(before, ".*."): // names that only the tests know
		case !open:
			paths = append(paths, name)
		case before == "metrics.":
			paths = append(paths, metricPaths()...)
		case strings.HasSuffix(before, "excluded."):
			for _, class := range exclusionClasses {
				var p path
				for name := range strings.SplitSeq(before+class, ".") {
					p = append(p, name)
				}
				paths = append(paths, p.String())
			}
		}
	}
	return paths
}

func metricPaths() (paths []string) {
	for _, m := range reliability.Metrics() {
		index := ""
		if slices.Contains(m.Params, "k") {
			index = "[1]"
		}
		for _, side := range metricSides {
			paths = append(paths, "metrics."+m.Name+side+index)
		}
	}
	return paths
}
