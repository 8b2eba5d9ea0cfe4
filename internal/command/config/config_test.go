package config

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/internal/command/schema"
	"tribunal/internal/run/driver/settings"
	"tribunal/verdict"
)

func TestParse(t *testing.T) {
	some := envelope.Some[float64]
	for _, c := range []struct {
		reason, text string
		want         envelope.Policy
	}{
		{"an empty file says nothing", "", envelope.Policy{}},
		{"of PowerShell: UTF-16 with its mark", "\xff\xfer\x00u\x00l\x00e\x00:\x00 \x00a\x00n\x00y\x00\n\x00", envelope.Policy{Rule: "any"}},
		{"a comment says nothing", "# later\n", envelope.Policy{}},
		{"confidence as a percentage", "rule: wilson\nthreshold: 0.9\nconfidence: 95\n", envelope.Policy{Rule: "wilson", Threshold: some(0.9), Confidence: some(0.95)}},
		{"confidence as a fraction", "confidence: 0.9\n", envelope.Policy{Confidence: some(0.9)}},
		{"the inconclusive block as runners write it", "run_options: {inconclusive: {on: true, min_trials: 8, confidence_pct: 90, treat_as: exit3}}\n",
			envelope.Policy{Rule: "wald", MinTrials: envelope.Some(8), Confidence: some(0.9), TreatAs: "exit3"}},
		{"the block at the top", "inconclusive:\n  on: true\n", envelope.Policy{Rule: "wald"}},
		{"the block switched off says nothing", "inconclusive: {on: false, min_trials: 8, treat_as: fail}\n", envelope.Policy{}},
		{"a named rule wins over the block's, whatever the order", "inconclusive: {on: true, min_trials: 8}\nrule: wilson\nthreshold: 0.8\n", envelope.Policy{Rule: "wilson", Threshold: some(0.8), MinTrials: envelope.Some(8)}},
		{"and the other way round", "rule: wilson\nthreshold: 0.8\nrun_options:\n  inconclusive: {on: true, min_trials: 8}\n", envelope.Policy{Rule: "wilson", Threshold: some(0.8), MinTrials: envelope.Some(8)}},
		{"metrics as a word", "metrics: all\n", envelope.Policy{Metrics: "all"}},
		{"metrics with parameters", "metrics:\n  - bayes(weights=[0, 0.5, 1])\n", envelope.Policy{Metric: []envelope.MetricCall{{Name: "bayes", Params: map[string]any{"weights": []any{0., 0.5, 1.}}}}}},
		{"keep_details may be a number", "keep_details: 20\n", envelope.Policy{KeepDetails: "20"}},
		{"whole numbers", "min_trials: 7\nthreshold: 1\nk: [1, 5]\ncategory_weights: [0, 0.5, 1]\n",
			envelope.Policy{MinTrials: envelope.Some(7), Threshold: some(1), K: []int{1, 5}, CategoryWeights: []float64{0, 0.5, 1}}},
		{"the block of some tests", "tests:\n  - match: x\n    inconclusive: {on: true, min_trials: 8}\n",
			envelope.Policy{Overrides: []envelope.Override{{Match: "x", Policy: envelope.Policy{Rule: "wald", MinTrials: envelope.Some(8)}}}}},
		{"booleans", "lenient: true\nallow_empty: false\ndetect_empty_runs: true\n", envelope.Policy{Lenient: envelope.Some(true), AllowEmpty: envelope.Some(false), DetectEmptyRuns: envelope.Some(true)}},
		{"secrets to hide", "redact:\n  on: true\n  patterns: ['ACME-\\d+', {kind: badge, pattern: 'badge (\\w+)'}]\n  fields: [session_id]\n",
			envelope.Policy{Redact: envelope.Some(true), RedactPatterns: []envelope.RedactPattern{{Pattern: `ACME-\d+`}, {Kind: "badge", Pattern: `badge (\w+)`}}, RedactFields: []string{"session_id"}}},
		{"redaction switched off", "redact: {on: false}\n", envelope.Policy{Redact: envelope.Some(false)}},
		{"a quarantine", "quarantine:\n  cap: 3\n  tests:\n    - {match: 'search/*', owner: ana, reason: slow index, ticket: W-1, expires: 2026-03-31}\n",
			envelope.Policy{QuarantineCap: envelope.Some(3), Quarantine: []envelope.Quarantine{{Match: "search/*", Owner: "ana", Reason: "slow index", Ticket: "W-1", Expires: "2026-03-31"}}}},
		{"a quarantine without a cap", "quarantine:\n- match: a\n  expires: '2026-03-31'\n", envelope.Policy{Quarantine: []envelope.Quarantine{{Match: "a", Expires: "2026-03-31"}}}},
		{"overrides", "tests:\n  - match: 'weather/*'\n    rule: any\n  - labels: {tier: gold}\n    threshold: 0.99\n",
			envelope.Policy{Overrides: []envelope.Override{{Match: "weather/*", Policy: envelope.Policy{Rule: "any"}}, {Labels: map[string]string{"tier": "gold"}, Policy: envelope.Policy{Threshold: some(0.99)}}}}},
	} {
		got, err := Parse("tribunal.yaml", []byte(c.text), nil)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.Policy); diff != "" {
			t.Errorf("%s:\n%s", c.reason, diff)
		}
	}
}

func TestParseInputs(t *testing.T) {
	for _, text := range []string{
		"map: 'test=.meta.name,status=.ok'\nrecords: .results\nscorer: accuracy\n",
		"map:\n  test: .meta.name\n  status: .ok\nrecords: .results\nscorer: accuracy\n",
	} {
		got, err := Parse("x", []byte(text), nil)
		if err != nil || got.Map != "test=.meta.name,status=.ok" || got.Records != ".results" || got.Scorer != "accuracy" {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestParseMaps(t *testing.T) {
	got, err := Parse("x", []byte("maps:\n  bench:\n    records: .runs\n    map: {test: .case, status: .ok}\n  short: {map: 'test=.t,score=.s'}\n"), nil)
	want := map[string]NamedMap{"bench": {Map: "test=.case,status=.ok", Records: ".runs"}, "short": {Map: "test=.t,score=.s"}}
	if diff := cmp.Diff(want, got.Maps); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, says := range map[string]string{
		"maps:\n  a: {records: .x}\n": "x:2:3: maps.a: a mapping is missing",
		"maps:\n  A b: {map: t}\n":    "a name has only lowercase letters",
		"maps:\n  a: {mapp: t}\n":     "did you mean map",
		"maps: 5\n":                   "x:1:7: maps:",
	} {
		if _, err := Parse("x", []byte(text), nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func TestParseSaysWhere(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		line         int
		key, says    string
	}{
		{"an unknown key names the near one", "rule: all\nthreshhold: 0.9\n", 2, "threshhold", "did you mean threshold"},
		{"an unknown key in a block", "run_options:\n  inconclusive:\n    on: true\n    confidence: 95\n", 4, "run_options.inconclusive.confidence", "did you mean confidence_pct"},
		{"a word where a number is due", "rule: all\nmin_trials: five\n", 2, "min_trials", "a whole number is expected, found five"},
		{"a list of lines", "rule:\n- all\n- any\n", 2, "rule", "a word is expected, found - all - any"},
		{"an anchor in a command", "run:\n  command: [go, &t test]\n", 2, "run.command", "YAML anchors (&), aliases (*) and << are not read here"},
		{"half a trial", "rule: all\nmin_trials: 5.5\n", 2, "min_trials", "a whole number is expected, found 5.5"},
		{"a number in quotes", "min_trials: \"7\"\n", 1, "min_trials", "a whole number is expected"},
		{"a fraction in quotes", "threshold: '0.9'\n", 1, "threshold", "a number is expected"},
		{"half a depth", "k:\n- 1\n- 1.5\n", 3, "k", "a list of whole numbers"},
		{"a weight in quotes", "category_weights: [0, '1']\n", 1, "category_weights", "a list of numbers"},
		{"no number", "threshold: .nan\n", 1, "threshold", "finite"},
		{"without end", "rule: all\ncost_limit_usd: .inf\n", 2, "cost_limit_usd", "finite"},
		{"an error rate of 1", "alpha: 1\n", 1, "alpha", "above 0 and below 1"},
		{"a weight without end", "category_weights: [0, .inf]\n", 1, "category_weights", "finite"},
		{"treat_as for some tests", "tests:\n  - match: x\n    inconclusive: {on: true, treat_as: fail}\n", 3, "tests[0].inconclusive.treat_as", "to the run"},
		{"a number out of range", "confidence: 50\n", 1, "confidence", "80 to 99.9"},
		{"confidence_pct out of range", "inconclusive: {on: true, confidence_pct: 99.5}\n", 1, "inconclusive.confidence_pct", "80 to 99"},
		{"an unknown rule", "tests:\n  - match: x\n    rule: wilsn\n", 3, "tests[0].rule", "did you mean wilson"},
		{"an entry for nothing", "tests:\n  - rule: any\n", 2, "tests[0]", "matches no test"},
		{"a range without an end", "score_range: a\n", 1, "score_range", "score_range: \"a\": give the lowest"},
		{"a list where a mapping is due", "run_options: [1]\n", 1, "run_options", "a mapping of keys"},
		{"a mapping where a list is due", "tests: {match: x}\n", 1, "tests", "a list is expected"},
		{"a pattern that is no expression", "redact:\n  patterns:\n    - ok\n    - 'a('\n", 4, "redact.patterns[1]", "RE2"},
		{"a pattern that hides everything", "redact:\n  patterns: ['.*']\n", 2, "redact.patterns[0]", "hide everything"},
		{"a kind that is no word", "redact:\n  patterns:\n    - kind: A B\n      pattern: x\n", 3, "redact.patterns[0]", "lowercase letters"},
		{"a pattern without an expression", "redact:\n  patterns:\n    - kind: a\n", 3, "redact.patterns[0]", "missing"},
		{"a word where patterns are due", "redact: {patterns: x}\n", 1, "redact.patterns", "a list of expressions"},
		{"an unknown key of redact", "redact:\n  pattern: x\n", 2, "redact.pattern", "did you mean patterns"},
		{"a field without a name", "redact: {fields: ['']}\n", 1, "redact.fields", "1 to 200"},
		{"a quarantine for ever", "quarantine:\n  - match: a\n", 2, "quarantine[0]", "quarantine[0]: a: expires is missing"},
		{"a quarantine until no day", "quarantine:\n  tests:\n    - match: a\n      expires: 2026-13-01\n", 3, "quarantine.tests[0]", "is not a date"},
		{"an unknown key of an entry", "quarantine:\n  - match: a\n    expire: 2026-01-01\n", 3, "quarantine[0].expire", "did you mean expires"},
		{"a cap below nobody", "quarantine:\n  cap: -1\n", 2, "quarantine.cap", "0 or more"},
		{"a quarantine that is a word", "quarantine: yes\n", 1, "quarantine", "a mapping"},
		{"a missing value", "rule:\n", 1, "rule", "the value is missing"},
		{"a key twice", "rule: all\nrule: any\n", 2, "", ""},
		{"broken YAML", "rule: [all\n", 1, "", ""},
		{"two documents", "rule: all\n---\nrule: any\n", 3, "", "second YAML document"},
	} {
		_, err := Parse("my.yaml", []byte(c.text), nil)
		var where *Error
		if !errors.As(err, &where) {
			t.Errorf("%s: error %v is not positioned", c.reason, err)
			continue
		}
		if where.File != "my.yaml" || where.Line != c.line || where.Key != c.key || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (line %d, key %q), want line %d, key %q and %q", c.reason, err, where.Line, where.Key, c.line, c.key, c.says)
		}
	}
}

func TestEveryMistakeIsReported(t *testing.T) {
	_, err := Parse("x", []byte("rul: all\nmin_trials: 0\ntreat_as: fial\n"), nil)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want three mistakes, got %v", err)
	}
}

// TestSchemaKnowsEveryKey: the schema that is printed lists the keys that are
// read, no more and no fewer.
func TestSchemaKnowsEveryKey(t *testing.T) {
	text, err := schema.Text("config")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Properties map[string]struct {
			Items      struct{ Properties map[string]any }
			Properties map[string]any
		}
		Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	same := func(what string, schema, code []string) {
		if diff := cmp.Diff(code, schema); diff != "" {
			t.Errorf("%s (-code +schema):\n%s", what, diff)
		}
	}
	same("top", slices.Sorted(maps.Keys(doc.Properties)), sortedKeys(topKeys))
	same("tests", slices.Sorted(maps.Keys(doc.Properties["tests"].Items.Properties)), slices.Sorted(slices.Values(append(sortedKeys(policyKeys), "labels", "match"))))
	same("run", slices.Sorted(maps.Keys(doc.Properties["run"].Properties)), sortedKeys(runKeys(&settings.Block{})))
	same("quarantine entries", slices.Sorted(maps.Keys(doc.Defs["quarantined"].Properties)), sortedKeys(quarantineEntry(&envelope.Quarantine{})))
	same("redact", slices.Sorted(maps.Keys(doc.Properties["redact"].Properties)), sortedKeys(redactKeys))
	same("inconclusive", slices.Sorted(maps.Keys(doc.Defs["inconclusive"].Properties)), slices.Sorted(slices.Values(append(sortedKeys(inconclusiveKeys), "on"))))
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"rule: all\n", "tests:\n- match: a\n  rule: any\n", "a: &x 1\nb: *x\n", "inconclusive: {on: true}\n", "? a\n: b\n", "- 1\n", "<<: *a\n", "prompts: [x]\nevaluate_options: {repeat: {count: 2}}\ntests: [{id: a}, b.yaml]\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = Parse("x", []byte(text), nil) // must not panic
	})
}

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
		{"a count that is none", "name: x\nexecution:\n  trials: {count: 0}\ntests: []\n", 3, "execution.trials.count", "a whole number from 1 to 2147483647 is expected, found 0"},
		{"half a trial", "prompts: [x]\nevaluate_options:\n  repeat: 2.5\n", 3, "evaluate_options.repeat", "a whole number"},
		{"a key that is none", "name: x\nexecution: {trials: {cuont: 3}}\ntests: []\n", 2, "execution.trials.cuont", "did you mean count"},
		{"no money", "name: x\nexecution: {trials: {count: 3, cost_limit_usd: -1}}\ntests: []\n", 2, "execution.trials.cost_limit_usd", "out of range"},
		{"a threshold of 80", "prompts: [x]\nthreshold: 80\n", 2, "threshold", "a score from 0 to 1"},
		{"two generations in one", "name: x\nexecution: {trials: {count: 3}}\nevaluate_options: {repeat: 2}\ntests: []\n", 3, "evaluate_options.repeat", "keep one of them"},
		{"an id that is there twice", "prompts: [x]\ntests:\n- id: a\n- id: a\n", 4, "tests[1]", "twice"},
		{"money of one test", "prompts: [x]\ntests:\n- id: a\n  run: {budget_usd: 1}\n", 4, "tests[0].run.budget_usd", "set cost_limit_usd in evaluate_options.repeat or execution.trials for every test"},
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
		"bad": "cases.yaml:3:17: tests[0].run.repeat", "loop": "or check that none names itself", "none": "none.eval.yaml:3:3: tests: cannot read the tests in",
	} {
		if _, err := Load(filepath.Join(dir, "evals", name+".eval.yaml")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
}

// commented is a line that a first configuration shows and does not say.
var commented = regexp.MustCompile(`(?m)^# ( *(?:[a-z_]+:|- ).*)$`)

// TestStartersHold: every first configuration holds as it is written, and is read with
// everything that it shows in comments.
func TestStartersHold(t *testing.T) {
	for _, purpose := range Starters {
		text, err := Starter(purpose)
		if err != nil {
			t.Fatal(err)
		}
		for reason, text := range map[string][]byte{"as it is written": text, "with all that it shows": commented.ReplaceAll(text, []byte("$1"))} {
			c, err := Parse(FileName, text, nil)
			if err == nil {
				_, err = verdict.Resolve(c.Policy)
			}
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", purpose, reason, err, text)
			}
		}
		if len(commented.FindAll(text, -1)) == 0 {
			t.Errorf("%s: nothing is shown in comments", purpose)
		}
	}
}
