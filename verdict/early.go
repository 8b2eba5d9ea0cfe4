package verdict

import (
	"errors"
	"fmt"
	"slices"

	"tribunal/envelope"
)

// everyTrial are the beginnings of dot paths whose values a test has only from
// all its trials: they are others when it stops as soon as its verdict is certain.
var everyTrial = [][]string{
	{"metrics"}, {"rate"}, {"summary", "rate"}, {"score"}, {"reliability"},
	{"verdict", "statistic"}, {"verdict", "interval"}, {"verdict", "p_value"}, {"verdict", "p_adjusted"},
}

// CheckEarly reports what of a resolved policy needs the trials that are left out
// when tests of a fixed number of trials stop as soon as no further trial can
// change their verdict: that verdict is known then, and no number beside it.
func CheckEarly(p envelope.Policy) error {
	var errs []error
	if p.Adjust != "" && p.Adjust != adjustmentTable[0].name {
		errs = append(errs, fmt.Errorf("adjust %s needs the p-value of all trials", p.Adjust))
	}
	if p.ClusterBy != "" {
		errs = append(errs, fmt.Errorf("cluster_by %s compares all trials", p.ClusterBy))
	}
	for _, g := range p.Gates {
		e, err := compile(g.Expr)
		if err != nil {
			errs = append(errs, fmt.Errorf("gate %q: %w", g.Name, err))
			continue
		}
		for _, path := range e.paths {
			if slices.ContainsFunc(everyTrial, func(root []string) bool { return begins(path.names(), root) }) {
				errs = append(errs, fmt.Errorf("gate %q looks at %s, which needs all trials", g.Name, path))
			}
		}
	}
	for _, rule := range inForce(p) {
		if rule.Scored {
			errs = append(errs, fmt.Errorf("rule %s judges scores, and any further score can change its verdict", rule.Name))
		}
	}
	return errors.Join(errs...)
}

func begins(names, with []string) bool {
	return len(names) >= len(with) && slices.Equal(names[:len(with)], with)
}
