package gate

import (
	"errors"
	"fmt"
	"slices"

	"tribunal/envelope"
)

// everyTrial are the beginnings of dot paths whose values a test has only from
// all its trials: they are others when it stops as soon as its verdict is certain.
var everyTrial = [][]string{
	{"metrics"}, {"rate"}, {"summary", "rate"}, {"summary", "like"}, {"summary", "clusters"}, {"summary", "labels"}, {"summary", "votes"},
	{"score"}, {"reliability"}, {"checks"},
	{"verdict", "statistic"}, {"verdict", "interval"}, {"verdict", "p_value"}, {"verdict", "p_adjusted"},
}

// CheckEarly reports the gates that look at what a test has only from all its
// trials.
func CheckEarly(gates []envelope.GateExpr) error {
	var errs []error
	for _, g := range gates {
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
	return errors.Join(errs...)
}

func begins(names, with []string) bool {
	return len(names) >= len(with) && slices.Equal(names[:len(with)], with)
}
