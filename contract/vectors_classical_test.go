package contract_test

import (
	"strings"

	"tribunal/reliability"
	"tribunal/stats"
)

// classicalArgs are the arguments of everything that is not a run metric.
type classicalArgs struct {
	Passed     int       `json:"passed"`
	Trials     int       `json:"trials"`
	Confidence float64   `json:"confidence"`
	Threshold  float64   `json:"threshold"`
	Scores     []float64 `json:"scores"`
	Outcomes   string    `json:"outcomes"`
	Alpha      *float64  `json:"alpha"`
	Beta       *float64  `json:"beta"`
	Gap        *float64  `json:"gap"`
	B          int       `json:"b"`
	C          int       `json:"c"`
	P          []float64 `json:"p"`
	HalfWidth  float64   `json:"half_width"`
	Z          *float64  `json:"z"`
	Runs       int       `json:"runs"`
	Passed1    int       `json:"passed1"`
	Trials1    int       `json:"trials1"`
	Passed2    int       `json:"passed2"`
	Trials2    int       `json:"trials2"`
	Clusters   [][2]int  `json:"clusters"`
	Tables     [][4]int  `json:"tables"` // passed1, trials1, passed2, trials2
	Pairs      [][3]int  `json:"pairs"`  // of a round: only the first passed, only the second, alike
	Both       int       `json:"both"`
	First      int       `json:"first"`
	Second     int       `json:"second"`
	Neither    int       `json:"neither"`
	X          []float64 `json:"x"`
	Y          []float64 `json:"y"`
	Groups     []int     `json:"groups"` // of the scores
	Mean       float64   `json:"mean"`
}

func (a classicalArgs) clusters() []stats.Cluster {
	var clusters []stats.Cluster
	for _, c := range a.Clusters {
		clusters = append(clusters, stats.Cluster{Passed: c[0], N: c[1]})
	}
	return clusters
}

func (a classicalArgs) outcomes() []bool {
	out := make([]bool, len(a.Outcomes))
	for i := range out {
		out[i] = a.Outcomes[i] == '1'
	}
	return out
}

// z is the exact quantile unless the case brings its own.
func (a classicalArgs) z() float64 { return or(a.Z, stats.Z(a.Confidence)) }

func or(v *float64, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return *v
}

func list(lo, hi float64) (any, error) { return []float64{lo, hi}, nil }

var classical = map[string]func(classicalArgs) (any, error){
	"z":      func(a classicalArgs) (any, error) { return stats.Z(a.Confidence), nil },
	"wald":   func(a classicalArgs) (any, error) { return list(stats.Wald(a.Passed, a.Trials, a.z())) },
	"wilson": func(a classicalArgs) (any, error) { return list(stats.Wilson(a.Passed, a.Trials, a.z())) },
	"clopper_pearson": func(a classicalArgs) (any, error) {
		return list(stats.ClopperPearson(a.Passed, a.Trials, a.Confidence))
	},
	"jeffreys": func(a classicalArgs) (any, error) { return list(stats.Jeffreys(a.Passed, a.Trials, a.Confidence)) },
	"beta_mixture_cs": func(a classicalArgs) (any, error) {
		return list(stats.BetaMixtureCS(a.Passed, a.Trials, a.Confidence))
	},
	"t_interval": func(a classicalArgs) (any, error) {
		m := stats.MomentsOf(a.Scores)
		lo, hi, err := m.TInterval(a.Confidence)
		return []float64{m.Mean, lo, hi}, err
	},
	"binomial_p_below": func(a classicalArgs) (any, error) {
		return stats.BinomialPBelow(a.Passed, a.Trials, a.Threshold), nil
	},
	"binomial_p_above": func(a classicalArgs) (any, error) {
		return stats.BinomialPAbove(a.Passed, a.Trials, a.Threshold), nil
	},
	"bayes_prob_at_least": func(a classicalArgs) (any, error) {
		return stats.BayesProbAtLeast(a.Passed, a.Trials, a.Threshold), nil
	},
	"stopped_rate": func(a classicalArgs) (any, error) {
		test, err := stats.NewAnytime(a.Threshold, 0.1, 0.05, 0.2)
		return stats.StoppedRate(strings.Count(a.Outcomes, "1"), len(a.Outcomes), func(passed, trials int) bool {
			return test.Decide(test.LogE(passed, trials-passed)) == stats.Undecided
		}), err
	},
	"sprt":                   runSPRT,
	"anytime":                runAnytime,
	"mcnemar_exact":          func(a classicalArgs) (any, error) { return stats.McNemarExact(a.B, a.C), nil },
	"mcnemar_mid_p":          func(a classicalArgs) (any, error) { return stats.McNemarMidP(a.B, a.C), nil },
	"mcnemar_chi2_corrected": func(a classicalArgs) (any, error) { return stats.McNemarChi2(a.B, a.C), nil },
	"bonferroni":             func(a classicalArgs) (any, error) { return stats.Bonferroni(a.P), nil },
	"holm":                   func(a classicalArgs) (any, error) { return stats.Holm(a.P), nil },
	"benjamini_hochberg":     func(a classicalArgs) (any, error) { return stats.BenjaminiHochberg(a.P), nil },
	"benjamini_yekutieli":    func(a classicalArgs) (any, error) { return stats.BenjaminiYekutieli(a.P), nil },
	"decay_curve":            func(a classicalArgs) (any, error) { return reliability.DecayCurve(a.outcomes()), nil },
	"variance_amplification": func(a classicalArgs) (any, error) {
		return reliability.VarianceAmplification(strings.Count(a.Outcomes, "1"), len(a.Outcomes)), nil
	},
	"graceful_degradation": func(a classicalArgs) (any, error) {
		return reliability.GracefulDegradation(a.outcomes()), nil
	},
	"recommend_runs": func(a classicalArgs) (any, error) {
		return stats.RecommendRunsAt(a.HalfWidth, or(a.Z, stats.ConventionalZ(a.Confidence)), 0.5)
	},
	"fisher_exact": func(a classicalArgs) (any, error) {
		return stats.FisherExact(a.Passed1, a.Trials1, a.Passed2, a.Trials2), nil
	},
	"newcombe_difference": func(a classicalArgs) (any, error) {
		d, lo, hi := stats.NewcombeDifference(a.Passed1, a.Trials1, a.Passed2, a.Trials2, a.z())
		return []float64{d, lo, hi}, nil
	},
	"cochran_mantel_haenszel": func(a classicalArgs) (any, error) {
		var strata stats.Stratified
		for _, x := range a.Tables {
			strata.Table(x[0], x[1], x[2], x[3])
		}
		return strata.PValue(), nil
	},
	"stratified_difference": func(a classicalArgs) (any, error) {
		var tables []stats.Table
		for _, x := range a.Tables {
			tables = append(tables, stats.Table{Passed1: x[0], N1: x[1], Passed2: x[2], N2: x[3]})
		}
		pairs := stats.PairTable{N: a.Both + a.First + a.Second + a.Neither, First: a.First, Second: a.Second}
		d, lo, hi := stats.StratifiedDifference(tables, pairs, a.z())
		return []float64{d, lo, hi}, nil
	},
	"permutation_test": func(a classicalArgs) (any, error) {
		p, least := stats.PermutationTest(a.X, a.Y)
		return []float64{p, least}, nil
	},
	"sign_test": func(a classicalArgs) (any, error) {
		p, least := stats.SignTest(a.X)
		return []float64{p, least}, nil
	},
	"mean_of_groups": func(a classicalArgs) (any, error) {
		e := stats.MeanOfGroups(a.Scores, a.Groups, a.Confidence)
		return []float64{e.Value, e.Lo, e.Hi, e.DF, e.P}, nil
	},
	"clustered_difference": func(a classicalArgs) (any, error) {
		var of []stats.Contrast
		for _, x := range a.Tables {
			difference, _, _ := stats.NewcombeDifference(x[0], x[1], x[2], x[3], 1)
			of = append(of, stats.Contrast{Difference: difference, Weight: stats.ContrastWeight(x[1], x[3])})
		}
		d, lo, hi, err := stats.ClusteredDifference(of, a.Confidence)
		return []float64{d, lo, hi}, err
	},
	"paired_sequence": func(a classicalArgs) (any, error) {
		var s stats.PairedSequence
		for _, x := range a.Pairs {
			s = append(s, stats.PairedRound{Candidate: x[0], Base: x[1], Alike: x[2]})
		}
		lo, hi := s.Interval(*a.Alpha)
		return []float64{s.PValue(), lo, hi}, nil
	},
	"mann_whitney": func(a classicalArgs) (any, error) {
		u, p := stats.MannWhitney(a.X, a.Y)
		return []float64{u, p}, nil
	},
	"van_elteren": func(a classicalArgs) (any, error) {
		return stats.VanElteren([][2][]float64{{a.X, a.Y}}), nil
	},
	"clustering": func(a classicalArgs) (any, error) {
		o, err := stats.Clustering(a.clusters())
		return []float64{o.ICC, o.DesignEffect, o.EffectiveN}, err
	},
	"bounded_mean": func(a classicalArgs) (any, error) {
		lo, hi := stats.BoundedMean(a.Scores, a.Confidence)
		return []float64{lo, hi}, nil
	},
	"bounded_mean_p": func(a classicalArgs) (any, error) {
		return stats.BoundedMeanPAbove(a.Scores, a.Mean), nil
	},
	"confidence_band": func(a classicalArgs) (any, error) {
		return stats.NormalHalfWidth(float64(a.Runs), or(a.Z, stats.ConventionalZ(a.Confidence)), 0.5), nil
	},
}

// runSPRT fills in the defaults of the rule: alpha = 1 - confidence, beta 0.20,
// gap 0.10.
func runSPRT(a classicalArgs) (any, error) {
	test, err := stats.NewSPRT(a.Threshold, or(a.Gap, 0.10), or(a.Alpha, 1-a.Confidence), or(a.Beta, 0.20))
	if err != nil {
		return nil, err
	}
	r := test.Run(a.outcomes())
	return map[string]any{
		"verdict": r.Decision.String(), "trials": r.Trials,
		"llr": r.LLR, "upper": r.Upper, "lower": r.Lower,
	}, nil
}

func runAnytime(a classicalArgs) (any, error) {
	test, err := stats.NewAnytime(a.Threshold, or(a.Gap, 0.10), or(a.Alpha, 1-a.Confidence), or(a.Beta, 0.20))
	if err != nil {
		return nil, err
	}
	r := test.Run(a.outcomes())
	return map[string]any{
		"verdict": r.Decision.String(), "trials": r.Trials,
		"log_e_fail": r.At.LogFail, "log_e_pass": r.At.LogPass,
	}, nil
}
