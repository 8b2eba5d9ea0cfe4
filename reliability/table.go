package reliability

// table holds every metric, one row each. A new metric is a function and a row.
var table = []Metric{
	{
		Name: "avg", Doc: "mean reward of all trials; with two outcomes, the mean pass rate",
		Params: []string{"w"}, IntervalParams: []string{"confidence", "bounds"},
		Point: avgPoint, Interval: avgInterval,
	},
	{
		Name: "bayes", Doc: "posterior mean reward under a uniform Dirichlet prior (Bayes@N)",
		Params: []string{"w", "prior"}, IntervalParams: []string{"confidence", "bounds"},
		Point: bayesPoint, Interval: bayesInterval,
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
	blended("geom_at_k", "pass@k^a times pass^k^b, mean over tests", geomPoint, geomInterval, "pass_power", "unanimous_power"),
	blended("geom_ds_at_k", "mean pass@k^a times mean pass^k^b", geomDatasetPoint, geomDatasetInterval, "pass_power", "unanimous_power"),
	family("threshold_spectrum_at_k", "weighted sum of the probabilities of at least r passes in k", spectrumScore, "weights"),
	blended("geo_spectrum_at_k", "mean pass@k^lambda times mean threshold spectrum^(1-lambda)", geoSpectrumPoint, geoSpectrumInterval, "lam", "weights"),
	blended("geo_spectrum_star_at_k", "square root of mean pass@k times mean mG-Pass@k", geoStarPoint, geoStarInterval),
}

// betaParams are what every interval over Beta posteriors reads.
var betaParams = []string{"confidence", "bounds", "alpha0", "beta0"}

// family makes a row from a score, which is all that the metrics of the pass
// family differ in.
func family(name, doc string, scoreOf func(Params) (score, error), params ...string) Metric {
	return blended(name, doc,
		func(s *Sample, p Params) (Estimate, error) {
			sc, err := scoreOf(p)
			if err != nil {
				return Estimate{}, err
			}
			return pointOf(s, sc), nil
		},
		func(s *Sample, p Params) (Estimate, error) {
			sc, err := scoreOf(p)
			if err != nil {
				return Estimate{}, err
			}
			return posteriorOf(s, sc, p), nil
		},
		params...)
}

// blended makes a row whose interval rests on Beta posteriors, checking what
// all of them read.
func blended(name, doc string, point, interval func(*Sample, Params) (Estimate, error), params ...string) Metric {
	return Metric{
		Name: name, Doc: doc,
		Params: append([]string{"k"}, params...), IntervalParams: betaParams,
		Point: point,
		Interval: func(s *Sample, p Params) (Estimate, error) {
			if err := p.checkInterval(); err != nil {
				return Estimate{}, err
			}
			if err := p.checkPrior(); err != nil {
				return Estimate{}, err
			}
			return interval(s, p)
		},
	}
}
