// Package reliability measures how dependable repeated trials are: of one test from the order of
// its outcomes ([Of]), and of a whole run from one pair of counts per test ([Metrics]).
//
// A run's metrics read sufficient statistics only, never the outcome matrix: how many trials a test
// had and how many passed, or how many fell into each category. Tests with equal counts are
// evaluated once, so that ten thousand tests cost as much as their distinct counts.
//
// The package judges nothing. Thresholds, gates and verdicts are elsewhere.
package reliability

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tribunal/stats"
)

// Metric is one row of the table: a number of a run, with its interval.
type Metric struct {
	// Name is the metric's name in reports and gates.
	Name string
	// Doc is one line that says what the number is.
	Doc string
	// Params names the parameters that Point reads, as [Params.Value] spells them. Interval reads IntervalParams as well.
	Params         []string
	IntervalParams []string
	// Point returns the metric of the trials seen. Tests with fewer than k trials are left out, and
	// TestsUsed says how many were not. It is an error if a parameter is outside its range.
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
		joined.Note = value.Note + fmt.Sprintf("; the interval is for %d new trials", p.K)
	}
	return joined, nil
}

// Values returns the parameters of Point by name, for a report that says how a number was made.
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

// restrict returns the tests with at least n trials, and the parameters with the prior rows of those tests.
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

// table holds every metric, one row each. A new metric is a function and a row.
var table = []Metric{
	{
		Name: "avg", Doc: "mean reward of all trials; with two outcomes, the mean pass rate",
		Params: []string{"w"}, IntervalParams: []string{"confidence", "bounds"},
		Point: withoutInterval(avgInterval), Interval: avgInterval,
	},
	{
		Name: "bayes", Doc: "posterior mean reward under a uniform Dirichlet prior (Bayes@N)",
		Params: []string{"w", "prior"}, IntervalParams: []string{"confidence", "bounds"},
		Point: withoutInterval(bayesInterval), Interval: bayesInterval,
	},
	family("pass_at_k", "probability that at least one of k trials passes", passScore),
	family("pass_hat_k", "probability that all of k trials pass", passHatScore),
	family("unanimous_at_k", "another name of pass_hat_k", passHatScore),
	family("g_pass_at_k", "another name of pass_hat_k", passHatScore),
	family("g_pass_at_k_tau", "probability that at least a share tau of k trials passes", tauScore, "tau"),
	family("mg_pass_at_k", "g_pass_at_k_tau averaged over tau from one half to one", meanTauScore),
	family("maj_at_k", "probability that more than half of k trials pass", majorityScore),
	family("auc_at_k", "normalised area under pass@1 to pass@k", aucScore),
	{
		Name: "max_at_k", Doc: "expected best reward among k trials",
		Params: []string{"k", "w"}, IntervalParams: []string{"prior", "confidence", "bounds"},
		Point: maxPoint, Interval: maxInterval,
	},
	blended("geom_at_k", "pass@k^a times pass^k^b, mean over tests", geom(testsPoint), geom(testsInterval), "pass_power", "unanimous_power"),
	blended("geom_ds_at_k", "mean pass@k^a times mean pass^k^b", geom(datasetPoint), geom(datasetInterval), "pass_power", "unanimous_power"),
	family("threshold_spectrum_at_k", "weighted sum of the probabilities of at least r passes in k", spectrumScore, "weights"),
	blended("geo_spectrum_at_k", "mean pass@k^lambda times mean threshold spectrum^(1-lambda)", geoSpectrum(pointOf, datasetPoint),
		geoSpectrum(posteriorOf, datasetInterval), "lam", "weights"),
	blended("geo_spectrum_star_at_k", "square root of mean pass@k times mean mG-Pass@k", star(geoSpectrum(pointOf, datasetPoint)),
		star(geoSpectrum(posteriorOf, datasetInterval))),
}

// family makes a row from a score, which is all that the metrics of the pass family differ in.
func family(name, doc string, scoreOf func(Params) (score, error), params ...string) Metric {
	of := func(one func(*Sample, score, Params) Estimate) compute {
		return func(s *Sample, p Params) (Estimate, error) {
			sc, err := scoreOf(p)
			if err != nil {
				return Estimate{}, err
			}
			return one(s, sc, p), nil
		}
	}
	return blended(name, doc, of(pointOf), of(posteriorOf), params...)
}

// blended makes a row whose interval rests on Beta posteriors, checking what all of them read.
func blended(name, doc string, point, interval compute, params ...string) Metric {
	betaParams := []string{"confidence", "bounds", "alpha0", "beta0"} // what every interval over Beta posteriors reads
	return Metric{
		Name: name, Doc: doc,
		Params: append([]string{"k"}, params...), IntervalParams: betaParams,
		Point: point,
		Interval: func(s *Sample, p Params) (Estimate, error) {
			if err := cmp.Or(p.checkInterval(), p.checkPrior()); err != nil {
				return Estimate{}, err
			}
			return interval(s, p)
		},
	}
}

// Estimate is the value of a metric for a run. A number that does not exist is NaN, never 0, and Note says why.
type Estimate struct {
	// Value is the point metric, or the posterior mean where only an interval was asked for.
	Value float64
	// Mean and Sigma are the posterior mean and deviation of the metric of the true rates, Lo and
	// Hi the normal interval around Mean. Mean differs from Value by the pull of the prior.
	Mean, Sigma, Lo, Hi float64
	// TestsUsed of TestsTotal tests had enough trials.
	TestsUsed, TestsTotal int
	// Note says in words what is missing; empty when nothing is.
	Note string
}

// HasValue reports whether there is a value.
func (e Estimate) HasValue() bool { return !math.IsNaN(e.Value) }

// HasInterval reports whether there are a deviation and an interval.
func (e Estimate) HasInterval() bool { return !math.IsNaN(e.Lo) && !math.IsNaN(e.Hi) }

// absent returns an estimate without numbers over a sample.
func absent(s *Sample, used int) Estimate {
	nan := math.NaN()
	return Estimate{
		Value: nan, Mean: nan, Sigma: nan, Lo: nan, Hi: nan,
		TestsUsed: used, TestsTotal: s.Tests(),
	}
}

// point returns an estimate with a value only. Without tests it is absent.
func point(s *Sample, used, k int, value float64) Estimate {
	e := absent(s, used)
	if used == 0 {
		e.Note = shortage(k)
		return e
	}
	e.Value = value
	return e
}

// normal returns mean ± z sigma, both ends moved into the bounds.
func normal(s *Sample, used int, mean, variance float64, p Params, bounds *[2]float64) Estimate {
	e := absent(s, used)
	if used == 0 {
		e.Note = shortage(1)
		return e
	}
	sigma := math.Sqrt(math.Max(0, variance))
	z := stats.Z(p.Confidence)
	if p.Bounds != nil {
		bounds = p.Bounds
	}
	e.Value, e.Mean, e.Sigma = mean, mean, sigma
	e.Lo, e.Hi = clip(mean-z*sigma, bounds), clip(mean+z*sigma, bounds)
	return e
}

// unit are the bounds of everything that is a probability.
func unit() *[2]float64 { return &[2]float64{0, 1} }

func clip(x float64, bounds *[2]float64) float64 {
	if bounds == nil {
		return x
	}
	return math.Min(math.Max(x, bounds[0]), bounds[1])
}

func shortage(k int) string {
	if k <= 1 {
		return "no test has a counted trial"
	}
	return fmt.Sprintf("no test has %d counted trials: run more trials, or use a smaller k", k)
}
