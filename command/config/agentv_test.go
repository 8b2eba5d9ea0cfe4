package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/run/driver/settings"
)

// TestEvalFiles: what eval files of AgentV say. The words of a strategy, their
// meanings and the default threshold of 0.8 are those of its documentation, of version
// 4.42.4 (execution.trials) and of what follows it (evaluate_options).
func TestEvalFiles(t *testing.T) {
	usd, of := envelope.Some[float64], envelope.Some[int]
	const tests = "tests:\n  - {id: a, input: hi}\n  - {id: b, input: ho}\n"
	ab := []settings.Case{{Test: "a"}, {Test: "b"}}
	score := func(rule string, threshold float64) envelope.Policy {
		return envelope.Policy{Rule: rule, ScoreThreshold: usd(threshold), Threshold: usd(threshold)}
	}
	binary := func(rule string) envelope.Policy {
		return envelope.Policy{Rule: rule, ScoreThreshold: usd(0.8)}
	}
	for _, c := range []struct {
		reason, text string
		policy       envelope.Policy
		set          settings.Settings
		cases        []settings.Case
	}{
		{"pass_at_k ends at the first pass", "name: x\nexecution:\n  trials: {count: 3, strategy: pass_at_k, cost_limit_usd: 1.00}\n" + tests,
			binary("any"), settings.Settings{Trials: of(3), Stop: "early", MaxCostPerTestUSD: usd(1)}, ab},
		{"it is the strategy of execution.trials", "name: x\nexecution: {trials: {count: 3}}\n" + tests, binary("any"), settings.Settings{Trials: of(3), Stop: "early"}, ab},
		{"mean", "name: x\nexecution: {threshold: 0.6, workers: 4, trials: {count: 10, strategy: mean, cost_limit_usd: 5}}\n" + tests,
			score("mean", 0.6), settings.Settings{Trials: of(10), Jobs: of(4), MaxCostPerTestUSD: usd(5)}, ab},
		{"an interval", "name: x\nexecution: {trials: {count: 5, strategy: confidence_interval}}\n" + tests, score("mean", 0.8), settings.Settings{Trials: of(5)}, ab},
		{"one trial is one trial, whatever its strategy", "name: x\nexecution: {trials: {count: 1, strategy: confidence_interval}}\n" + tests, binary("any"), settings.Settings{Trials: of(1)}, ab},
		{"a number runs all", "prompts: ['{{ x }}']\nevaluate_options: {repeat: 2, budget_usd: 1.5, max_concurrency: 3}\n" + tests,
			binary("any"), settings.Settings{Trials: of(2), Jobs: of(3), MaxCostUSD: usd(1.5)}, ab},
		{"a block of today", "prompts: [x]\nthreshold: 0.9\nevaluate_options:\n  repeat: {count: 4, strategy: pass_all, early_exit: true}\n" + tests,
			envelope.Policy{Rule: "all", ScoreThreshold: usd(0.9)}, settings.Settings{Trials: of(4), Stop: "early"}, ab},
		{"without a number, flags say it", "name: x\n" + tests, envelope.Policy{}, settings.Settings{}, ab},
		{"what a test says of itself", "prompts: [x]\ntimeout_seconds: 300\nevaluate_options: {repeat: {count: 3, strategy: mean}}\ntests:\n- {id: a, run: {threshold: 1.0, repeat: 5, timeout_seconds: 1.5}}\n- {id: 7, options: {repeat: 2}}\n",
			envelope.Policy{Rule: "mean", ScoreThreshold: usd(0.8), Threshold: usd(0.8), Overrides: []envelope.Override{{Match: "a", Policy: envelope.Policy{Threshold: usd(1)}}}},
			settings.Settings{Trials: of(3), Timeout: envelope.Some(5 * time.Minute)},
			[]settings.Case{{Test: "a", Trials: 5, Timeout: envelope.Some(1500 * time.Millisecond)}, {Test: "7", Trials: 2}}},
		{"tests with ids are tests, not overrides", "tests:\n- {id: a, criteria: c}\n", envelope.Policy{}, settings.Settings{}, []settings.Case{{Test: "a"}}},
		{"in a configuration of our own", "execution: {trials: {count: 3, strategy: mean}}\nconfidence: 0.9\n",
			envelope.Policy{Rule: "mean", Threshold: usd(0.8), ScoreThreshold: usd(0.8), Confidence: usd(0.9)}, settings.Settings{Trials: of(3)}, nil},
		{"what our own says is not filled in", "rule: all\nscore_threshold: 0.5\nrun: {trials: 7}\nevaluate_options: {repeat: 3, budget_usd: 2}\n",
			envelope.Policy{Rule: "all", ScoreThreshold: usd(0.5)}, settings.Settings{Trials: of(7), MaxCostUSD: usd(2)}, nil},
	} {
		got, err := Parse("x.yaml", []byte(c.text), nil)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if diff := cmp.Diff(c.policy, got.Policy); diff != "" {
			t.Errorf("%s: policy (-want +got):\n%s", c.reason, diff)
		}
		if diff := cmp.Diff(c.set, got.Run.Settings); diff != "" {
			t.Errorf("%s: settings (-want +got):\n%s", c.reason, diff)
		}
		if diff := cmp.Diff(c.cases, got.Run.Cases); diff != "" {
			t.Errorf("%s: tests (-want +got):\n%s", c.reason, diff)
		}
	}
}

// TestEvalFileMistakes: AgentV warns of some of these and goes on with one trial.
func TestEvalFileMistakes(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		line         int
		key, says    string
	}{
		{"a word that is no strategy", "name: x\nexecution:\n  trials:\n    count: 3\n    strategy: pass_at_j\ntests: []\n", 5, "execution.trials.strategy", "did you mean pass_at_k"},
		{"no count", "name: x\nexecution:\n  trials: {strategy: mean}\ntests: []\n", 3, "execution.trials", "count: 3"},
		{"a count that is none", "name: x\nexecution:\n  trials: {count: 0}\ntests: []\n", 3, "execution.trials.count", "0 is out of range"},
		{"half a trial", "prompts: [x]\nevaluate_options:\n  repeat: 2.5\n", 3, "evaluate_options.repeat", "a whole number"},
		{"a key that is none", "name: x\nexecution: {trials: {cuont: 3}}\ntests: []\n", 2, "execution.trials.cuont", "did you mean count"},
		{"no money", "name: x\nexecution: {trials: {count: 3, cost_limit_usd: -1}}\ntests: []\n", 2, "execution.trials.cost_limit_usd", "out of range"},
		{"a threshold of 80", "prompts: [x]\nthreshold: 80\n", 2, "threshold", "a score from 0 to 1"},
		{"two generations in one", "name: x\nexecution: {trials: {count: 3}}\nevaluate_options: {repeat: 2}\ntests: []\n", 3, "evaluate_options.repeat", "keep one of them"},
		{"an id that is there twice", "prompts: [x]\ntests:\n- id: a\n- id: a\n", 4, "tests[1]", "twice"},
		{"money of one test", "prompts: [x]\ntests:\n- id: a\n  run: {budget_usd: 1}\n", 4, "tests[0].run.budget_usd", "set cost_limit_usd for each test"},
		{"keys of two programs", "rule: all\nprompts: [x]\n", 2, "prompts", "unknown key"},
	} {
		_, err := Parse("my.yaml", []byte(c.text), nil)
		var where *Error
		if !errors.As(err, &where) {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if where.Line != c.line || where.Key != c.key || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (line %d, key %q), want line %d, key %q and %q", c.reason, err, where.Line, where.Key, c.line, c.key, c.says)
		}
	}
}

// TestTestsElsewhere: tests stand in files that an eval file names, from its folder on;
// those whose names are not known are said.
func TestTestsElsewhere(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"evals/suite.eval.yaml": "providers: [one, {id: 'openai:x', label: two}, {id: three}]\ntests:\n- file://../cases/a.yaml\n- ../cases/b.jsonl\n- {id: inline}\n- {description: nameless}\n- file://magic.csv\n- cases/*.yaml\nscenarios: []\n",
		"cases/a.yaml":          "- id: a1\n- id: a2\n",
		"cases/b.jsonl":         "{\"id\":\"b1\",\"input\":\"x\"}\n\n{\"id\":\"b2\"}\n",
		"evals/bad.eval.yaml":   "prompts: [x]\ntests: cases.yaml\n",
		"evals/loop.eval.yaml":  "prompts: [x]\ntests: loop.eval.yaml\n",
		"evals/none.eval.yaml":  "prompts: [x]\ntests:\n- not-there.yaml\n",
		"evals/cases.yaml":      "tests:\n- id: a\n  run: {repeat: no}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(filepath.Join(dir, "evals", "suite.eval.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := []settings.Case{{Test: "inline"}, {Test: "a1"}, {Test: "a2"}, {Test: "b1"}, {Test: "b2"}}
	if diff := cmp.Diff(want, got.Run.Cases); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	unlisted := &Eval{Providers: []string{"one", "two", "three"}, Unlisted: []string{"tests[3], which has no id", "the rows of scenarios", "magic.csv", "cases/*.yaml"}}
	if diff := cmp.Diff(unlisted, got.Eval); diff != "" {
		t.Errorf("beside them (-want +got):\n%s", diff)
	}
	for name, says := range map[string]string{
		"bad": "cases.yaml:3:17: tests[0].run.repeat", "loop": "do they name each other", "none": "none.eval.yaml:3:3: tests: reading the tests",
	} {
		if _, err := Load(filepath.Join(dir, "evals", name+".eval.yaml")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
}
