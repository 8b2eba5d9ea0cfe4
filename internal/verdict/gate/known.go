package gate

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/reliability"
)

// Paths lists the paths of gates for shell completion, with all metrics and classes of excluded
// trials. Labels and checks may have any name.
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
				p := each.Of(strings.Split(before+class, "."), func(name string) any { return name })
				paths = append(paths, path(p).String())
			}
		}
	}
	return paths
}

// unknown suggests paths that begin with p, are similar or have its last name, and its text if it is compared with a path.
func unknown(p path, compared bool) error {
	all, text := names(slices.Concat(runTargets(), testTargets())), p.String()
	near := slices.DeleteFunc(slices.Clone(all), func(known string) bool { return len(text) < 2 || !strings.HasPrefix(known, text) })
	if len(near) == 0 {
		near = suggest.Near(text, all)
	}
	if len(near) == 0 {
		near = slices.DeleteFunc(all, func(known string) bool { return !strings.HasSuffix("."+known, "."+fmt.Sprint(p[len(p)-1])) })
	}
	near = append(near[:min(3, len(near))], words.Present(words.If(compared && len(p) == 1 && len(near) < 2, fmt.Sprintf("the text %q", text)))...)
	meant := words.If(len(near) > 0, "did you mean "+strings.ReplaceAll(strings.Join(near, " or "), "*", "NAME")+"? ")
	return fmt.Errorf("unknown path %q: %stribunal schema envelope describes summary, metrics, run and tests", text, meant)
}

func metricPaths() (paths []string) {
	for _, m := range reliability.Metrics() {
		index := words.If(slices.Contains(m.Params, "k"), "[1]")
		paths = append(paths, each.Of(metricSides, func(side string) string { return "metrics." + m.Name + side + index })...)
	}
	return paths
}
