package contract_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/command/ci"
	"tribunal/internal/run/preset"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/stats"
	"tribunal/verdict"
)

// The tables of the documentation that no command prints.

// ruleTable is the list of rules in Markdown, as it is in docs/statistics/rules.md.
func ruleTable() string {
	var b strings.Builder
	for _, r := range rule.Table {
		fmt.Fprintf(&b, "* `%s`: %s\n", r.Name, r.Doc)
	}
	return b.String()
}

// policyTable is the table of policy keys in Markdown, as it stands in
// docs/policy.md.
func policyTable() string {
	var b strings.Builder
	b.WriteString("| key | what it sets | values | default |\n| --- | --- | --- | --- |\n")
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if k.Path() == "" {
			continue
		}
		key := "`" + k.Path() + "`"
		switch flag := k.FlagName(); {
		case flag == "":
			key += ", no flag"
		case flag != strings.ReplaceAll(k.Path(), "_", "-"):
			key += ", `--" + flag + "`"
		}
		if k.PerTest {
			key += " *"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", key, k.Doc, valuesOfKey(k), k.Otherwise())
	}
	return b.String()
}

func valuesOfKey(k *policy.Key) string {
	if k.OfRules {
		return "a rule"
	}
	if len(k.Words) > 0 {
		return "`" + strings.Join(k.Words, "`, `") + "`"
	}
	switch k.In(new(envelope.Policy)).(type) {
	case *envelope.Opt[bool]:
		return "true, false"
	case *envelope.Opt[float64], *envelope.Opt[int], *envelope.Opt[int64]:
		return k.Range.Words()
	case *string:
		return cmp.Or(map[string]string{"score_range": "LOW..HIGH", "keep_details": "a number, `all`, `none`",
			"keep_transcripts": "a number, `all`, `none`"}[k.Name], "a word")
	}
	return "a list"
}

// systemTable is the systems in Markdown, as it stands in docs/ci.md.
func systemTable() string {
	var b strings.Builder
	b.WriteString("| command | write it to | the system shows |\n| --- | --- | --- |\n")
	for _, s := range ci.Systems {
		fmt.Fprintf(&b, "| `tribunal ci %s` | `%s` | %s |\n", s.Name, s.File, s.Doc)
	}
	return b.String()
}

// TestStatisticsTables computes every table of the manual again: what it says of
// error rates and powers is what the rules do.
func TestStatisticsTables(t *testing.T) {
	for _, c := range []struct {
		page, header string
		rows         [][]string
	}{
		{"../docs/statistics/rules.md", "threshold | `wilson` FAILs", sizes(t)},
		{"../docs/statistics/posterior.md", "threshold | trials to PASS", priorTable(t)},
	} {
		text, err := os.ReadFile(c.page)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tableBelow(string(text), c.header), tableOf(c.rows); got != want {
			t.Errorf("%s, table %q says\n%sbut it is\n%s", c.page, c.header, got, want)
		}
	}
}

// tableBelow is the rows of the table of a page whose header starts like this.
func tableBelow(page, header string) string {
	_, rest, _ := strings.Cut(page, "\n| "+header)
	_, rest, _ = strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(rest, "\n") // the line below the header
	rows, _, _ := strings.Cut(rest, "\n\n")
	return rows + "\n"
}

func tableOf(rows [][]string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return b.String()
}

func manualPolicy(t *testing.T, rule string, threshold float64) envelope.Effective {
	t.Helper()
	p, err := verdict.Resolve(envelope.Policy{Rule: rule, Threshold: envelope.Some(threshold)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var manualThresholds = []float64{0.8, 0.9, 0.95, 0.99}

// sizes are the largest chances, over 5 to 1000 trials, with which a rule fails and
// passes a test that is exactly at the threshold.
func sizes(t *testing.T) (rows [][]string) {
	for _, threshold := range manualThresholds {
		row := []string{fmt.Sprint(threshold)}
		for _, rule := range []string{"wilson", "wald"} {
			boundary := stats.NewBoundary(verdict.DecideFor(manualPolicy(t, rule, threshold)))
			var most stats.Chances
			for n := 5; n <= 1000; n++ {
				c := boundary.Once(threshold, n)
				most.Fail, most.Pass = max(most.Fail, c.Fail), max(most.Pass, c.Pass)
			}
			row = append(row, digits3(most.Fail), digits3(most.Pass))
		}
		rows = append(rows, row)
	}
	return rows
}

// priorTable is what the rule bayes can decide at all.
func priorTable(t *testing.T) (rows [][]string) {
	for _, threshold := range manualThresholds {
		decide := verdict.DecideFor(manualPolicy(t, "bayes", threshold))
		least := func(failed int) string { // the fewest trials that pass, of which so many failed
			n, _ := stats.SmallestPass(func(passed, _ int) stats.Decision { return decide(passed, failed) }, 100_000)
			return fmt.Sprint(n + failed)
		}
		at := stats.NewBoundary(decide).At(20)
		pass := fmt.Sprint(at.Pass)
		if at.Pass > 20 {
			pass = "none"
		}
		rows = append(rows, []string{fmt.Sprint(threshold), least(0), least(1), fmt.Sprint(at.Fail), pass})
	}
	return rows
}

func digits3(v float64) string { return fmt.Sprintf("%.3f", v) }

// TestDocumentsOfCI: the action and the component of this repository are made of the
// parts of the jobs. With -update they are written.
func TestDocumentsOfCI(t *testing.T) {
	made, err := ci.Files()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range made {
		path = filepath.Join("..", path)
		got, err := os.ReadFile(path)
		switch {
		case err == nil && string(got) == want:
		case !*update:
			t.Errorf("%s is not what package ci makes: write it with go test ./contract -run Documents -update", path)
		default:
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPresetsReadKnownFormats: what a start of a preset writes is read as a format
// that there is.
func TestPresetsReadKnownFormats(t *testing.T) {
	for _, name := range preset.Names() {
		p, err := preset.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read.ByName(p.From); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
