package config

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/command/schema"
	"tribunal/envelope"
	"tribunal/run/driver/settings"
)

func TestParse(t *testing.T) {
	some := envelope.Some[float64]
	for _, c := range []struct {
		reason, text string
		want         envelope.Policy
	}{
		{"an empty file says nothing", "", envelope.Policy{}},
		{"a byte order mark is no key", "\uFEFFrule: any\n", envelope.Policy{Rule: "any"}},
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
		{"a list where a mapping is due", "run_options: [1]\n", 1, "run_options", "a mapping of keys"},
		{"a mapping where a list is due", "tests: {match: x}\n", 1, "tests", "a list is expected"},
		{"a pattern that is no expression", "redact:\n  patterns:\n    - ok\n    - 'a('\n", 4, "redact.patterns[1]", "RE2"},
		{"a pattern that hides everything", "redact:\n  patterns: ['.*']\n", 2, "redact.patterns[0]", "hide everything"},
		{"a kind that is no word", "redact:\n  patterns:\n    - kind: A B\n      pattern: x\n", 3, "redact.patterns[0]", "small letters"},
		{"a pattern without an expression", "redact:\n  patterns:\n    - kind: a\n", 3, "redact.patterns[0]", "missing"},
		{"a word where patterns are due", "redact: {patterns: x}\n", 1, "redact.patterns", "a list of regular"},
		{"an unknown key of redact", "redact:\n  pattern: x\n", 2, "redact.pattern", "did you mean patterns"},
		{"a field without a name", "redact: {fields: ['']}\n", 1, "redact.fields", "1 to 200"},
		{"a quarantine for ever", "quarantine:\n  - match: a\n", 2, "quarantine[0]", "expires is missing"},
		{"a quarantine until no day", "quarantine:\n  tests:\n    - match: a\n      expires: 2026-13-01\n", 3, "quarantine.tests[0]", "is not a date"},
		{"an unknown key of an entry", "quarantine:\n  - match: a\n    expire: 2026-01-01\n", 3, "quarantine[0].expire", "did you mean expires"},
		{"a cap below nobody", "quarantine:\n  cap: -1\n", 2, "quarantine.cap", "0 or more"},
		{"a quarantine that is a word", "quarantine: yes\n", 1, "quarantine", "a mapping"},
		{"a missing value", "rule:\n", 1, "rule", "the value is missing"},
		{"a key twice", "rule: all\nrule: any\n", 2, "", ""},
		{"broken YAML", "rule: [all\n", 1, "", ""},
		{"two documents", "rule: all\n---\nrule: any\n", 3, "", "one YAML document"},
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
