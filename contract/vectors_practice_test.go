package contract_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"tribunal/stats"
)

// practice are the statistics of data that are not independent trials of one
// rate: groups, nights, judges, rankings.
var practice = map[string]func(json.RawMessage) (any, error){
	"bradley_terry":              with(duels),
	"davidson":                   with(duels),
	"beta_binomial_eb":           with(shrunken),
	"cluster_diff":               with(clusterDiff),
	"rogan_gladen":               with(roganGladen),
	"ppi_mean":                   with(ppiMean),
	"rogan_gladen_rate":          with(roganGladenRate),
	"ppi_rate":                   with(ppiRate),
	"votes":                      with(votes),
	"cohen_kappa":                with(cohenKappa),
	"variance_components_oneway": with(oneWay),
	"variance_components_twoway": with(twoWay),
	"rank_ci":                    with(rankCI),
	"gsprt":                      with(gsprt),
	"gsprt_elo": with(func(a eloArgs) (any, error) {
		return stats.EloLLR(a.Counts, a.Elo0, a.Elo1), nil
	}),
	"gsprt_normalized": with(func(a eloArgs) (any, error) {
		return stats.NormalizedEloLLR(a.Counts, a.Elo0, a.Elo1), nil
	}),
	"paired_e":      with(pairedE),
	"rate_e":        with(rateE),
	"rate_e_nights": with(rateENights),
	"e_bh": with(func(a struct {
		LogE  []float64 `json:"log_e"`
		Alpha float64
	}) (any, error) {
		return map[string]any{"rejected": append([]int{}, stats.EBH(a.LogE, a.Alpha)...)}, nil
	}),
	"mde_clustered": with(func(a clusteredArgs) (any, error) {
		run := a.run()
		return map[string]any{"design_effect": run.DesignEffect(), "effective_n": run.EffectiveN(), "mde": run.Detectable(a.Power)}, nil
	}),
	"power_clustered": with(func(a clusteredArgs) (any, error) { return a.run().Power(a.Difference), nil }),
	"permutation_trend_runs": with(func(a nightsArgs) (any, error) {
		t := stats.PermutedTrend(a.Passed, a.Trials, a.Scores)
		return map[string]any{"statistic": t.Statistic, "p": t.P, "p_falling": t.PFalling, "p_rising": t.PRising}, nil
	}),
	"fisher_2xc": with(func(a struct{ Passed, Trials []int }) (any, error) {
		var of []stats.Sample
		for i, n := range a.Trials {
			of = append(of, stats.Sample{Passed: a.Passed[i], N: n})
		}
		p, _ := stats.FreemanHalton(of)
		return p, nil
	}),
	"cmh": with(mantelHaenszel),
	"cmh_exact": with(func(a stratified) (any, error) {
		m := stats.NewMantelHaenszel(a.tables(), 0.95)
		return []float64{m.Difference, m.P}, nil
	}),
}

func clusterDiff(a struct {
	Tests      [][5]int // group, passed and trials of the first side, of the second
	By         string
	Paired     bool
	Weight     string
	Confidence float64
}) (any, error) {
	var tests []stats.GroupedTable
	for i, t := range a.Tests {
		if a.By == "test" {
			t[0] = i
		}
		tests = append(tests, stats.GroupedTable{Group: t[0], Table: stats.Table{Passed1: t[1], N1: t[2], Passed2: t[3], N2: t[4]}})
	}
	d := stats.ClusterDifference(tests, stats.ClusterDesign{Paired: a.Paired, ByTrials: a.Weight == "trial", Confidence: a.Confidence})
	return map[string]any{"difference": d.Value, "se": d.SE, "df": unlessZero(d.DF), "lo": d.Lo, "hi": d.Hi, "p": d.P}, nil
}

// unlessZero is a count of which 0 means that there is none.
func unlessZero[T int | float64](n T) any {
	if n == 0 {
		return nil
	}
	return n
}

type judgeArgs struct {
	Unlabelled [2]int // passed, trials
	Labelled   [4]int
	Lambda     *float64
	Confidence float64
}

func (a judgeArgs) labelled() stats.Judged {
	return stats.Judged{BothPass: a.Labelled[0], JudgeOnly: a.Labelled[1], TruthOnly: a.Labelled[2], Neither: a.Labelled[3]}
}

func roganGladen(a judgeArgs) (any, error) {
	c := stats.RoganGladen(a.Unlabelled[0], a.Unlabelled[1], a.labelled(), a.Confidence)
	return map[string]any{"sensitivity": a.labelled().Sensitivity(), "specificity": a.labelled().Specificity(),
		"raw": c.Raw, "estimate": c.Estimate, "lo": c.Lo, "hi": c.Hi}, nil
}

func ppiMean(a judgeArgs) (any, error) {
	p := stats.PPIMean(a.Unlabelled[0], a.Unlabelled[1], a.labelled(), or(a.Lambda, math.NaN()), a.Confidence)
	return map[string]any{"lambda": p.Lambda, "estimate": p.Estimate, "se": p.SE, "lo": p.Lo, "hi": p.Hi}, nil
}

func roganGladenRate(a judgeArgs) (any, error) {
	c := stats.RoganGladenRate(a.Unlabelled[0], a.Unlabelled[1], a.labelled(), a.Confidence)
	return map[string]any{"estimate": c.Estimate, "lo": c.Lo, "hi": c.Hi}, nil
}

func ppiRate(a judgeArgs) (any, error) {
	p := stats.PPIRate(a.Unlabelled[0], a.Unlabelled[1], a.labelled(), a.Confidence)
	return map[string]any{"lambda": p.Lambda, "estimate": p.Estimate, "se": p.SE, "lo": p.Lo, "hi": p.Hi}, nil
}

// votes are those of the trials of tests, a word a trial.
func votes(a struct {
	Tests      [][]string
	Confidence float64
}) (any, error) {
	var tests [][]stats.Cluster
	for _, words := range a.Tests {
		var trials []stats.Cluster
		for _, word := range words {
			trials = append(trials, stats.Cluster{Passed: strings.Count(word, "1"), N: len(word)})
		}
		tests = append(tests, trials)
	}
	v := stats.VotesOf(tests, a.Confidence)
	return map[string]any{"judge": v.Judge.Value, "judge_lo": v.Judge.Lo, "judge_hi": v.Judge.Hi, "agent": v.Agent.Value, "share": v.Share.Value}, nil
}

func cohenKappa(a struct {
	Both, First, Second, Neither int
	Confidence                   float64
}) (any, error) {
	k := stats.CohenKappa(a.Both, a.First, a.Second, a.Neither, a.Confidence)
	return map[string]any{"agreement": k.Observed, "expected": k.Expected, "kappa": k.Kappa, "se": k.SE, "se0": k.SE0, "lo": k.Lo, "hi": k.Hi}, nil
}

type judgementArgs struct {
	Judgements []string
	Confidence float64
}

func oneWay(a judgementArgs) (any, error) {
	var trials []stats.Cluster
	for _, word := range a.Judgements {
		trials = append(trials, stats.Cluster{Passed: strings.Count(word, "1"), N: len(word)})
	}
	v := stats.VarianceComponents(trials, a.Confidence)
	return map[string]any{"ms_between": v.MSBetween, "ms_within": v.MSWithin, "n0": v.Size, "between": v.Between, "within": v.Within,
		"icc": v.ICC, "lo": v.Lo, "hi": v.Hi}, nil
}

func twoWay(a judgementArgs) (any, error) {
	var passed [][]bool
	for _, word := range a.Judgements {
		passed = append(passed, passes(word))
	}
	v := stats.CrossedComponents(passed)
	return map[string]any{"ms_trials": v.MSTrials, "ms_judges": v.MSJudges, "ms_error": v.MSError,
		"trials": v.Trials, "judges": v.Judges, "error": v.Error, "icc": v.ICC}, nil
}

func rankCI(a struct {
	Estimates  []float64
	Covariance [][]float64
	Confidence float64
	Method     string
}) (any, error) {
	method := stats.RankHolm
	if a.Method == "bonferroni" {
		method = stats.RankBonferroni
	}
	r := stats.RankCI(a.Estimates, a.Covariance, a.Confidence, method)
	if r == nil {
		return nil, errors.New("refused")
	}
	return map[string]any{"rank": r.Rank, "lo": r.Lo, "hi": r.Hi}, nil
}

func gsprt(a struct {
	Counts              []int
	D0, D1, Alpha, Beta float64
}) (any, error) {
	test, err := stats.NewGSPRT(a.D0, a.D1, a.Alpha, a.Beta)
	if err != nil {
		return nil, err
	}
	lower, upper := test.Bounds()
	llr, decision := test.LLR(a.Counts), "continue"
	switch {
	case llr < lower:
		decision = "h0"
	case llr > upper:
		decision = "h1"
	}
	return map[string]any{"llr": llr, "lower": lower, "upper": upper, "decision": decision}, nil
}

type eloArgs struct {
	Counts     []int
	Elo0, Elo1 float64
}

func pairedE(a struct {
	Outcomes      string
	Margin, Alpha float64
}) (any, error) {
	test, err := stats.NewPairedE(a.Margin)
	if err != nil {
		return nil, err
	}
	better, worse := []float64{}, []float64{}
	for _, e := range test.Path(passes(a.Outcomes)) {
		better, worse = append(better, e.LogBetter), append(worse, e.LogWorse)
	}
	return map[string]any{"log_e_better": better, "log_e_worse": worse,
		"first_better": firstAt(better, a.Alpha), "first_worse": firstAt(worse, a.Alpha)}, nil
}

func passes(word string) []bool { return classicalArgs{Outcomes: word}.outcomes() }

// firstAt is the first place, from 1, at which an e-value reaches 1/alpha.
func firstAt(logE []float64, alpha float64) any {
	return unlessZero(1 + slices.IndexFunc(logE, func(e float64) bool { return e >= -math.Log(alpha) }))
}

type nightsArgs struct {
	Passed, Trials []int
	Scores         []float64
	Alpha          float64
}

func (a nightsArgs) follow(add func(passed, trials int) float64) map[string]any {
	logE := []float64{}
	for i := range a.Passed {
		logE = append(logE, add(a.Passed[i], a.Trials[i]))
	}
	return map[string]any{"log_e": logE, "first": firstAt(logE, a.Alpha)}
}

func rateE(a nightsArgs) (any, error) {
	var e stats.RateE
	got := a.follow(func(passed, trials int) float64 {
		e.Add(passed, trials)
		logE, _ := e.Evidence()
		return logE
	})
	_, split := e.Evidence()
	got["split"] = unlessZero(split)
	return got, nil
}

func rateENights(a nightsArgs) (any, error) { return a.follow(stats.NewRunsE().Add), nil }

type clusteredArgs struct {
	Design                              string
	Tests, Trials                       int
	Rate, ICC, Alpha, Power, Difference float64
}

func (a clusteredArgs) run() stats.ClusteredRun {
	return stats.ClusteredRun{Paired: a.Design == "paired", Tests: a.Tests, Trials: a.Trials, Rate: a.Rate, ICC: a.ICC, Alpha: a.Alpha}
}

type stratified struct {
	Tables     [][4]int
	Confidence float64
}

func (a stratified) tables() (of []stats.Table) {
	for _, x := range a.Tables {
		of = append(of, stats.Table{Passed1: x[0], N1: x[1], Passed2: x[2], N2: x[3]})
	}
	return of
}

func mantelHaenszel(a stratified) (any, error) {
	m := stats.NewMantelHaenszel(a.tables(), a.Confidence)
	return map[string]any{
		"strata": m.Strata, "informative": m.Informative, "chi2": m.Chi2, "p": m.PChi2,
		"risk_difference": m.Difference, "se": m.SE, "lo": m.Lo, "hi": m.Hi,
	}, nil
}

// with decodes the arguments of a case into the type that a function wants.
func with[A any](call func(A) (any, error)) func(json.RawMessage) (any, error) {
	return func(args json.RawMessage) (any, error) {
		var a A
		if err := decode(args, &a); err != nil {
			return nil, err
		}
		return call(a)
	}
}

type duelArgs struct {
	Wins, Ties [][]int
	Ridge      float64
}

func duels(a duelArgs) (any, error) {
	s := stats.BradleyTerry(a.Wins, a.Ties, a.Ridge)
	got := map[string]any{"strengths": orNull(s.Theta), "se": orNull(s.SE), "log_likelihood": s.LogLikelihood}
	if a.Ties != nil {
		got["nu"] = s.Nu
	}
	return got, nil
}

func orNull(values []float64) any {
	if values == nil {
		return nil
	}
	return values
}

func shrunken(a struct {
	Passed, Trials []int
	Confidence     float64
}) (any, error) {
	var tests []stats.Cluster
	for i, n := range a.Trials {
		tests = append(tests, stats.Cluster{Passed: a.Passed[i], N: n})
	}
	s := stats.ShrinkRates(tests, a.Confidence)
	got := map[string]any{"kind": nil, "a": s.A, "b": s.B, "mean": append([]float64{}, s.Mean...), "lo": append([]float64{}, s.Lo...), "hi": append([]float64{}, s.Hi...)}
	if s.Kind != "" {
		got["kind"] = s.Kind
	}
	return got, nil
}
