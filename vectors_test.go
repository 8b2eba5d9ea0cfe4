package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tribunal/reliability"
	"tribunal/stats"
)

// vectorCase is one line of a vector file.
type vectorCase struct {
	Fn   string          `json:"fn"`
	R    []string        `json:"R"`
	Args json.RawMessage `json:"args"`
	Want any             `json:"want"`
}

// TestVectors holds the numerics against references from outside: the files
// TRIBUNAL_VECTORS names, or those kept in testdata/vectors and, where a shared
// folder lies beside the checkout, the ones in it.
func TestVectors(t *testing.T) {
	ran := map[string]int{}
	for _, file := range vectorFiles(t) {
		for i, c := range readVectors(t, file) {
			ran[c.Fn]++
			got, err := evaluate(c)
			if err == nil {
				err = matches(got, c.Want)
			}
			if err != nil {
				t.Errorf("%s case %d: %s%s %v: %v", filepath.Base(file), i, c.Fn, c.Args, c.R, err)
			}
		}
	}
	for _, fn := range slices.Sorted(maps.Keys(ran)) {
		t.Logf("%-28s %5d cases", fn, ran[fn])
	}
}

func vectorFiles(t *testing.T) []string {
	t.Helper()
	patterns := []string{"testdata/vectors/*.json", "../shared/golden/*.json"}
	if own := os.Getenv("TRIBUNAL_VECTORS"); own != "" {
		patterns = []string{own}
	}
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatalf("no vector file matches %s", strings.Join(patterns, " or "))
	}
	return files
}

func readVectors(t *testing.T, file string) []vectorCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []vectorCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return cases
}

func evaluate(c vectorCase) (any, error) {
	if call, ok := classical[c.Fn]; ok {
		var a classicalArgs
		if err := decode(c.Args, &a); err != nil {
			return nil, err
		}
		return call(a)
	}
	name, interval := strings.CutSuffix(c.Fn, "_ci")
	metric, ok := reliability.Lookup(name)
	if !ok {
		return nil, errors.New("unknown fn")
	}
	return evaluateMetric(metric, interval, c)
}

// decode refuses arguments it does not know: a parameter nobody reads would
// make a case pass or fail by accident.
func decode(data json.RawMessage, into any) error {
	if len(data) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// matches compares numbers within 1e-9 absolute or relative, integers that are
// counts and words exactly, lists and objects entry by entry.
func matches(got, want any) error {
	switch want := want.(type) {
	case []any:
		return matchesList(got, want)
	case map[string]any:
		return matchesObject(got, want)
	case string:
		if got != want {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	case float64:
		return matchesNumber(got, want)
	case nil:
		if x, ok := got.(float64); ok && math.IsNaN(x) {
			return nil
		}
	}
	return fmt.Errorf("got %v, want %v", got, want)
}

func matchesNumber(got any, want float64) error {
	switch got := got.(type) {
	case int:
		if float64(got) == want {
			return nil
		}
	case float64:
		gap := math.Abs(got - want)
		if gap <= 1e-9 || gap <= 1e-9*math.Abs(want) {
			return nil
		}
	}
	return fmt.Errorf("got %v, want %v", got, want)
}

func matchesList(got any, want []any) error {
	list, err := asList(got)
	if err != nil || len(list) != len(want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	for i := range want {
		if err := matches(list[i], want[i]); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return nil
}

func asList(v any) ([]any, error) {
	var list []any
	switch v := v.(type) {
	case []float64:
		for _, x := range v {
			list = append(list, x)
		}
	case []int:
		for _, x := range v {
			list = append(list, x)
		}
	default:
		return nil, errors.New("not a list")
	}
	return list, nil
}

func matchesObject(got any, want map[string]any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	for key, value := range want {
		if err := matches(object[key], value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

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
		mean, lo, hi, err := stats.TInterval(a.Scores, a.Confidence)
		return []float64{mean, lo, hi}, err
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
		return stats.RecommendRuns(a.HalfWidth, or(a.Z, stats.ConventionalZ(a.Confidence)))
	},
	"fisher_exact": func(a classicalArgs) (any, error) {
		return stats.FisherExact(a.Passed1, a.Trials1, a.Passed2, a.Trials2), nil
	},
	"newcombe_difference": func(a classicalArgs) (any, error) {
		d, lo, hi := stats.NewcombeDifference(a.Passed1, a.Trials1, a.Passed2, a.Trials2, a.z())
		return []float64{d, lo, hi}, nil
	},
	"clustering": func(a classicalArgs) (any, error) {
		o, err := stats.Clustering(a.clusters())
		return []float64{o.ICC, o.DesignEffect, o.EffectiveN}, err
	},
	"cluster_robust": func(a classicalArgs) (any, error) {
		rate, lo, hi, err := stats.ClusterRobust(a.clusters(), a.Confidence)
		return []float64{rate, lo, hi}, err
	},
	"cluster_interval": func(a classicalArgs) (any, error) {
		rate, lo, hi, err := stats.ClusterInterval(a.clusters(), a.Confidence)
		return []float64{rate, lo, hi}, err
	},
	"confidence_band": func(a classicalArgs) (any, error) {
		return stats.ConfidenceBand(a.Runs, or(a.Z, stats.ConventionalZ(a.Confidence))), nil
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

// evaluateMetric runs a metric of the table over an outcome matrix.
func evaluateMetric(m reliability.Metric, interval bool, c vectorCase) (any, error) {
	p, err := metricParams(m.Name, c.Args)
	if err != nil {
		return nil, err
	}
	sample, err := matrixSample(c.R)
	if err != nil {
		return nil, err
	}
	if interval {
		e, err := m.Interval(sample, p)
		return []float64{e.Value, e.Sigma, e.Lo, e.Hi}, err
	}
	e, err := m.Point(sample, p)
	if math.IsNaN(e.Sigma) {
		return e.Value, err
	}
	return []float64{e.Value, e.Sigma}, err
}

// metricParams puts the arguments of a case over the defaults. R0 is a matrix
// of earlier outcomes, lambda_ another spelling of lam, and a bound of null
// asks for none, except in max@k, where it asks for the range of the rewards.
func metricParams(name string, args json.RawMessage) (reliability.Params, error) {
	p := reliability.DefaultParams()
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil && len(args) > 0 {
		return p, err
	}
	if prior, ok := given["R0"]; ok {
		var rows []string
		if err := json.Unmarshal(prior, &rows); err != nil {
			return p, err
		}
		for _, row := range rows {
			p.Prior = append(p.Prior, categoriesOf(row))
		}
		delete(given, "R0")
	}
	if lambda, ok := given["lambda_"]; ok {
		delete(given, "lambda_")
		given["lam"] = lambda
	}
	if bounds, ok := given["bounds"]; ok && string(bounds) == "null" && name != "max_at_k" {
		p.Bounds = &[2]float64{math.Inf(-1), math.Inf(1)}
		delete(given, "bounds")
	}
	rest, err := json.Marshal(given)
	if err != nil {
		return p, err
	}
	return p, decode(rest, &p)
}

// matrixSample turns rows of digits into counts: 1 is a pass, and digits are
// categories as well.
func matrixSample(rows []string) (*reliability.Sample, error) {
	var counts []reliability.Counts
	var categories []reliability.Categories
	for _, row := range rows {
		counts = append(counts, reliability.Counts{Passed: strings.Count(row, "1"), N: len(row)})
		categories = append(categories, categoriesOf(row))
	}
	sample, err := reliability.NewSample(counts)
	if err != nil {
		return nil, err
	}
	return sample.WithCategories(categories)
}

func categoriesOf(row string) reliability.Categories {
	c := make(reliability.Categories, 10)
	for _, digit := range row {
		if digit >= '0' && digit <= '9' {
			c[digit-'0']++
		}
	}
	return c
}

// TestStatisticsExamples runs every worked example of docs/statistics.md, and
// wants one for every function and metric: the manual cannot lie.
func TestStatisticsExamples(t *testing.T) {
	page, err := os.ReadFile("docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for fn := range classical {
		missing[fn] = true
	}
	for _, m := range reliability.Metrics() {
		missing[m.Name], missing[m.Name+"_ci"] = true, true
	}
	for _, block := range exampleBlock.FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			fn, err := checkExample(line)
			if err != nil {
				t.Errorf("%s\n%v", line, err)
			}
			delete(missing, fn)
		}
	}
	for _, fn := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("docs/statistics.md has no worked example of %s", fn)
	}
}

var (
	exampleBlock = regexp.MustCompile("(?s)```example\n(.*?)```")
	exampleLine  = regexp.MustCompile(`^(\w+)\((.*)\) = (.*)$`)
	exampleArg   = regexp.MustCompile(`(\w+)=(\[.*?\]\]|\[.*?\]|[^,\[]+)`)
	bareWord     = regexp.MustCompile(`[\w]+`)
)

// checkExample runs one line, name(argument=value, ...) = results. Numbers are
// held to the digits printed.
func checkExample(line string) (fn string, err error) {
	parts := exampleLine.FindStringSubmatch(line)
	if parts == nil {
		return "", errors.New("not of the form name(argument=value) = result")
	}
	c := vectorCase{Fn: parts[1]}
	args := map[string]json.RawMessage{}
	for _, arg := range exampleArg.FindAllStringSubmatch(parts[2], -1) {
		name, value := arg[1], strings.TrimSpace(arg[2])
		switch name {
		case "R":
			c.R = bareWord.FindAllString(value, -1)
		case "R0", "outcomes":
			value = strings.NewReplacer("P", "1", "F", "0").Replace(value)
			args[name] = json.RawMessage(bareWord.ReplaceAllString(value, `"$0"`))
		default:
			args[name] = json.RawMessage(value)
		}
	}
	if c.Args, err = json.Marshal(args); err != nil {
		return c.Fn, err
	}
	got, err := evaluate(c)
	if err != nil {
		return c.Fn, err
	}
	return c.Fn, matchesPrinted(inOrder(got), strings.Split(parts[3], ", "))
}

// inOrder lists a result as the page prints it.
func inOrder(got any) []any {
	if object, ok := got.(map[string]any); ok {
		var list []any
		for _, key := range []string{"verdict", "trials", "llr", "lower", "upper", "log_e_fail", "log_e_pass"} {
			if v, ok := object[key]; ok {
				list = append(list, v)
			}
		}
		return list
	}
	if list, err := asList(got); err == nil {
		return list
	}
	return []any{got}
}

func matchesPrinted(got []any, printed []string) error {
	if len(got) != len(printed) {
		return fmt.Errorf("got %v", got)
	}
	for i, word := range printed {
		text := fmt.Sprint(got[i])
		if x, ok := got[i].(float64); ok {
			_, decimals, _ := strings.Cut(word, ".")
			text = strconv.FormatFloat(x, 'f', len(decimals), 64)
		}
		if text != word {
			return fmt.Errorf("got %v, which prints as %s, not %s", got[i], text, word)
		}
	}
	return nil
}
