package reliability

import (
	"fmt"
	"slices"
)

// Metric is one row of the table: a number of a run, with its interval.
type Metric struct {
	// Name is the metric's name in reports and gates.
	Name string
	// Doc is one line that says what the number is.
	Doc string
	// Params names the parameters that Point reads, as [Params.Value] spells
	// them. Interval reads IntervalParams as well.
	Params         []string
	IntervalParams []string
	// Point returns the metric of the trials seen. Tests with fewer than k
	// trials are left out, and TestsUsed says how many were not. It is an
	// error if a parameter is outside its range.
	Point func(*Sample, Params) (Estimate, error)
	// Interval returns the posterior mean of the same metric of the true
	// rates, its deviation and the normal interval, over all tests with a
	// trial. It is an error if a parameter is outside its range.
	Interval func(*Sample, Params) (Estimate, error)
}

// Evaluate joins Point and Interval, both over the tests Point can use, so that
// value and interval speak of the same tests. Where no test has k trials there is no
// value, and the interval of k fresh trials is over all tests with a trial.
func (m Metric) Evaluate(s *Sample, p Params) (Estimate, error) {
	value, err := m.Point(s, p)
	if err != nil {
		return value, err
	}
	if m.usesK() && value.HasValue() {
		s, p = s.restrict(p.K, p)
	}
	joined, err := m.Interval(s, p)
	if err != nil {
		return Estimate{}, err
	}
	joined.Value = value.Value
	if value.HasValue() {
		joined.TestsUsed, joined.TestsTotal = value.TestsUsed, value.TestsTotal
	} else if joined.HasInterval() {
		joined.Note = value.Note + fmt.Sprintf("; the interval is of %d fresh trials", p.K)
	}
	return joined, nil
}

// Values returns the parameters of Point by name, for a report that says how a
// number was made.
func (m Metric) Values(p Params) map[string]any {
	values := make(map[string]any, len(m.Params))
	for _, name := range m.Params {
		if value, ok := p.Value(name); ok {
			values[name] = value
		}
	}
	return values
}

func (m Metric) usesK() bool { return slices.Contains(m.Params, "k") }

// restrict returns the tests with at least n trials, and the parameters with
// the prior rows of those tests.
func (s *Sample) restrict(n int, p Params) (*Sample, Params) {
	if s.MinTrials() >= n && len(s.states) > 0 {
		return s, p
	}
	kept := &Sample{}
	var prior []Categories
	for i, r := range s.rows {
		if r.N < n {
			continue
		}
		kept.rows = append(kept.rows, r)
		if s.categories != nil {
			kept.categories = append(kept.categories, s.categories[i])
		}
		if i < len(p.Prior) {
			prior = append(prior, p.Prior[i])
		}
	}
	kept.states, _ = s.atLeast(n)
	p.Prior = prior
	return kept, p
}

// Lookup returns the metric of that name.
func Lookup(name string) (Metric, bool) {
	i := slices.IndexFunc(table, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return table[i], true
}

// Metrics returns the table, in the order reports show it.
func Metrics() []Metric { return slices.Clone(table) }
