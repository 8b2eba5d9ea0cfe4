package gate

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/internal/suggest"
	"tribunal/reliability"
)

// Paths lists the paths that a gate can name, with metrics and the classes of excluded trials
// written out: what a shell completes. Labels and checks have any name.
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

// unknown is the error for a path that there is none of: those that are near, by all of it
// or by its last name, and where all of them stand, for they are too many for an error.
func unknown(p path) error {
	all := names(slices.Concat(runTargets(), testTargets()))
	near := suggest.Near(p.String(), all)
	if len(near) == 0 {
		last := "." + fmt.Sprint(p[len(p)-1])
		near = slices.DeleteFunc(all, func(known string) bool { return !strings.HasSuffix("."+known, last) })
		near = near[:min(3, len(near))]
	}
	meant := ""
	if len(near) > 0 {
		meant = "did you mean " + strings.Join(near, " or ") + "? "
	}
	return fmt.Errorf("unknown path %q: %sdocs/gates.md lists all paths: summary, metrics, run, and the fields of a test", p.String(), meant)
}

// Table lists all paths for the documentation, by what they have in common.
func Table() string {
	var groups []string
	last := map[string][]string{}
	for _, name := range names(slices.Concat(runTargets(), testTargets())) {
		at := strings.LastIndexByte(name, '.') + 1
		if last[name[:at]] == nil {
			groups = append(groups, name[:at])
		}
		last[name[:at]] = append(last[name[:at]], "`"+name[at:]+"`")
	}
	var b strings.Builder
	same := map[string][]string{} // the groups that have the same names, by these
	for _, group := range groups {
		all := strings.Join(last[group], ", ")
		same[all] = append(same[all], "`"+group+"`")
	}
	for _, group := range groups {
		all := strings.Join(last[group], ", ")
		before := strings.ReplaceAll(strings.Join(same[all], ", "), "``", "each test")
		if same[all] != nil {
			fmt.Fprintf(&b, "* %s: %s\n", before, all)
		}
		same[all] = nil
	}
	return b.String()
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
