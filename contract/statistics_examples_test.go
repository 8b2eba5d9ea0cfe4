package contract_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
	"tribunal/reliability"
	"tribunal/verdict"
)

// withoutExample are functions that no command calls, with their formulas in the
// package's documentation, and other names of metrics. Vectors check them.
var withoutExample = strings.Fields("jeffreys mcnemar_mid_p mcnemar_chi2_corrected cluster_diff beta_binomial_eb rank_ci variance_components_oneway " +
	"variance_components_twoway paired_e gsprt_elo gsprt_normalized unanimous_at_k unanimous_at_k_ci g_pass_at_k g_pass_at_k_ci")

// TestStatisticsExamples runs every worked example of docs/statistics, and
// wants one for every function that a command calls, every metric, and every answer of
// every rule: the manual cannot lie.
func TestStatisticsExamples(t *testing.T) {
	pages, err := filepath.Glob("../docs/statistics/*.md")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for fn := range classical {
		missing[fn] = true
	}
	for fn := range practice {
		missing[fn] = true
	}
	for _, m := range reliability.Metrics() {
		missing[m.Name], missing[m.Name+"_ci"] = true, true
	}
	for _, r := range rule.Table {
		for _, answer := range answers(r) {
			missing["judge(rule="+r.Name+", ...) = "+answer] = true
		}
	}
	for _, path := range pages {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range exampleBlock.FindAllStringSubmatch(string(page), -1) {
			for line := range strings.Lines(block[1]) {
				if line = strings.TrimSpace(line); line == "" {
					continue
				}
				fn, err := checkExample(line)
				if err != nil {
					t.Errorf("%s: %s\n%v", path, line, err)
				}
				delete(missing, fn)
			}
		}
	}
	for _, fn := range slices.Sorted(maps.Keys(missing)) {
		if !slices.Contains(withoutExample, fn) {
			t.Errorf("docs/statistics has no worked example of %s", fn)
		}
	}
}

var (
	exampleBlock = regexp.MustCompile("(?s)```example\n(.*?)```")
	exampleLine  = regexp.MustCompile(`^(\w+)\((.*)\) = (.*)$`)
	exampleArg   = regexp.MustCompile(`(\w+)=(\[.*?\]\]|\[.*?\]|[^,\[]+)`)
	bareWord     = regexp.MustCompile(`[\w]+`)
)

// answers are the statuses that a rule can give a test.
func answers(r rule.Rule) []string {
	all := []string{string(envelope.Pass), string(envelope.Fail)}
	if r.ThreeWay {
		all = append(all, string(envelope.Inconclusive))
	}
	return all
}

// checkExample runs one line, name(argument=value, ...) = results. Numbers are
// held to the digits printed.
func checkExample(line string) (fn string, err error) {
	parts := exampleLine.FindStringSubmatch(line)
	if parts == nil {
		return "", errors.New("not of the form name(argument=value) = result")
	}
	if parts[1] == "judge" {
		return checkJudged(parts[2], parts[3])
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
	return c.Fn, matchesPrinted(inOrder(c.Fn, got), strings.Split(parts[3], ", "))
}

// checkJudged runs one line judge(rule=NAME, ...) = status: a whole report on a
// test with these outcomes or scores.
func checkJudged(args, want string) (fn string, err error) {
	p, trials, scores := envelope.Policy{}, "", []float64(nil)
	for _, arg := range exampleArg.FindAllStringSubmatch(args, -1) {
		switch name, value := arg[1], strings.TrimSpace(arg[2]); name {
		case "rule":
			p.Rule = value
		case "outcomes":
			trials = value
		case "scores":
			err = json.Unmarshal([]byte(value), &scores)
		default:
			into := policy.ByName(name).In(&p)
			err = json.Unmarshal([]byte(value), into)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", arg[0], err)
		}
	}
	fn = "judge(rule=" + p.Rule + ", ...) = " + want
	held, err := verdict.Resolve(p)
	if err != nil {
		return fn, err
	}
	b := count.NewBuilder(0, held.ScoreThreshold.V)
	in := b.Input("example", "native")
	for i := range max(len(trials), len(scores)) {
		trial := envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(i)), Status: envelope.Pass}
		switch {
		case scores != nil:
			trial.Status, trial.Score = "", envelope.Some(scores[i])
		case trials[i] == 'F':
			trial.Status = envelope.Fail
		}
		in.Trial(&trial)
	}
	in.Close()
	env, err := verdict.Seal(b.Run(held.OnConflict, 0), held)
	if err != nil {
		return fn, err
	}
	if got := string(env.Tests[0].Status); got != want {
		return fn, fmt.Errorf("got %s: %s", got, env.Tests[0].Verdict.Reason)
	}
	return fn, nil
}

// shown are the parts of a result that the page prints, in its order.
var shown = map[string][]string{
	"bradley_terry":          {"strengths", "se", "log_likelihood"},
	"davidson":               {"strengths", "se", "nu", "log_likelihood"},
	"rogan_gladen":           {"sensitivity", "specificity", "estimate", "lo", "hi"},
	"ppi_mean":               {"lambda", "estimate", "se", "lo", "hi"},
	"rogan_gladen_rate":      {"estimate", "lo", "hi"},
	"ppi_rate":               {"lambda", "estimate", "se", "lo", "hi"},
	"votes":                  {"judge", "judge_lo", "judge_hi", "agent", "share"},
	"cohen_kappa":            {"agreement", "expected", "kappa", "se", "lo", "hi"},
	"gsprt":                  {"llr", "lower", "upper", "decision"},
	"rate_e":                 {"log_e", "split"},
	"rate_e_nights":          {"log_e"},
	"e_bh":                   {"rejected"},
	"mde_clustered":          {"design_effect", "effective_n", "mde"},
	"permutation_trend_runs": {"statistic", "p", "p_falling", "p_rising"},
	"":                       {"verdict", "trials", "llr", "lower", "upper", "log_e_fail", "log_e_pass", "chi2", "p", "risk_difference", "se"},
}

// inOrder lists a result as the page prints it, lists within it one by one.
func inOrder(fn string, got any) []any {
	object, ok := got.(map[string]any)
	if !ok {
		if list, err := asList(got); err == nil {
			return list
		}
		return []any{got}
	}
	keys, known := shown[fn]
	if !known {
		keys = shown[""]
	}
	var out []any
	for _, key := range keys {
		v, ok := object[key]
		if !ok {
			continue
		}
		if list, err := asList(v); err == nil {
			out = append(out, list...)
		} else {
			out = append(out, v)
		}
	}
	return out
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
