package promptfoo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestColumns: promptfoo lists its columns, a provider with a prompt each, in the order of
// promptIdx (addPrompts of its evaluator), and writes rows as they end: of 17 public files
// 11 begin with another row than that of test 0 and prompt 0. Names may not hang on that.
func TestColumns(t *testing.T) {
	row := func(prompt, column int) string {
		return fmt.Sprintf(`{"testIdx":0,"promptIdx":%d,"success":true,"provider":{"id":"m"},"promptId":"p%d","prompt":{"label":"l%[2]d"},"testCase":{"description":"d"}}`, column, prompt)
	}
	names := func(rows ...string) []string {
		list := `{"raw":"r0","label":"l0","provider":"m"},{"raw":"r1","label":"l1","provider":"m"},{"raw":"r0","label":"l0","provider":"m"}`
		s := readtest.Text(t, Read, `{"evalId":"e","results":{"version":3,"prompts":[`+list+`],"results":[`+strings.Join(rows, ",")+`]}}`)
		return s.Lines()
	}
	second := fmt.Sprintf("d [m, prompt l1 %s] #0 pass", hash("p1"))
	if got := names(row(1, 1), row(0, 0), row(0, 2)); !slices.Equal(got, []string{second, "d [m] #0 pass", "d [m #2] #0 pass"}) {
		t.Errorf("a row of the second prompt that ended first, and a provider that comes twice: %q", got)
	}
	const late = `{"testIdx":0,"promptIdx":1,"success":true,"provider":{"id":"m"},"promptId":"p1","prompt":{"label":"l1"},"testCase":{"description":"d"}}`
	markup := `<promptfoo><evalId>e</evalId><results><version>3</version><prompts><raw>r0</raw><label>l0</label><provider>m</provider></prompts><prompts><raw>r1</raw><label>l1</label><provider>m</provider></prompts>` +
		`<results><testIdx>0</testIdx><promptIdx>1</promptIdx><success>true</success><provider><id>m</id></provider><promptId>p1</promptId><prompt><label>l1</label></prompt><testCase><description>d</description></testCase></results></results></promptfoo>`
	yaml := "evalId: e\nresults:\n  version: 3\n  prompts:\n    - {raw: r0, label: l0, provider: m}\n    - {raw: r1, label: l1, provider: m}\n  results:\n    - " + late + "\n"
	for _, text := range []string{markup, yaml} {
		if got := readtest.Text(t, Read, text).Lines(); !slices.Equal(got, []string{second}) {
			t.Errorf("%q of %s", got, text)
		}
	}
	if got := names(row(0, 2), row(1, 1), row(1, 9)); !slices.Equal(got, []string{"d [m #2] #0 pass", second, strings.Replace(second, "#0", "#1", 1)}) {
		t.Errorf("a column that is in no list, of the second prompt: %q", got)
	}
}

// TestSameVars: the shape of testCase is that of a red team's report, in which an attack
// has the vars of the test case that it is made of.
func TestSameVars(t *testing.T) {
	row := func(metadata, assert string) string {
		return `{"testIdx":0,"promptIdx":0,"success":true,"testCase":{"vars":{"q":"x"},"assert":[` + assert + `],"metadata":{` + metadata + `}}}` + "\n"
	}
	const hate, other = `{"metric":"Harmful","type":"promptfoo:redteam:harmful:hate"}`, `{"type":"contains","value":"x"}`
	s := readtest.Text(t, Read, row(`"pluginId":"harmful:hate"`, hate)+row(`"pluginId":"harmful:hate","strategyId":"jailbreak"`, hate)+row(`"pluginId":"harmful:hate"`, hate)+
		row(`"pluginId":"harmful:hate","strategyId":"basic"`, " "+hate+"  ")+row(`"pluginId":"pii"`, other)+row(`"pluginId":"pii"`, other))
	mark := hash("[" + other + "]")
	want := []string{"q=x #0 pass", "q=x (jailbreak) #0 pass", "q=x #1 pass", "q=x #2 pass", "q=x (pii " + mark + ") #0 pass", "q=x (pii " + mark + ") #1 pass"}
	if !slices.Equal(s.Lines(), want) {
		t.Errorf("%q, want %q", s.Lines(), want)
	}
}

// TestNamesOfAConfiguration: promptfoo numbers test cases by testIdx and writes rows as they
// end. Whichever ended first, the first of the configuration has the plain name, and so has
// its first prompt.
func TestNamesOfAConfiguration(t *testing.T) {
	row := func(index, prompt int, testCase string) string {
		return fmt.Sprintf(`{"testIdx":%d,"promptIdx":%d,"success":true,"provider":{"id":"m"},"promptId":"p%[2]d","prompt":{"label":"l%[2]d"},"testCase":{%s}}`, index, prompt, testCase)
	}
	rows := []string{row(0, 0, `"description":"d","vars":{"q":1}`), row(0, 1, `"description":"d","vars":{"q":1}`), row(1, 0, `"description":"d","vars":{"q":2}`),
		row(2, 0, `"vars":{"q":"x"},"assert":[{"type":"contains","value":"x"}]`), row(3, 0, `"vars":{"q":"x"},"assert":[{"type":"contains","value":"y"}]`)}
	want := []string{"d (q=2) [m] #0 pass", "d [m, prompt l1 " + hash("p1") + "] #0 pass", "d [m] #0 pass", "q=x (" + hash(`[{"type":"contains","value":"y"}]`) + ") [m] #0 pass", "q=x [m] #0 pass"}
	orders := [][]int{{}}
	for i := range rows { // every order of them
		var longer [][]int
		for _, o := range orders {
			for at := range len(o) + 1 {
				longer = append(longer, slices.Insert(slices.Clone(o), at, i))
			}
		}
		orders = longer
	}
	for _, order := range orders {
		var lines []string
		for _, i := range order {
			lines = append(lines, rows[i])
		}
		for _, text := range []string{strings.Join(lines, "\n"), `{"evalId":"e","results":{"version":3,"results":[` + strings.Join(lines, ",") + `]}}`} {
			got := readtest.Text(t, Read, text).Lines()
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %q, want %q", order, got, want)
			}
		}
	}
}

// TestRowsThatWait: a run whose first row is missing keeps all others, and its texts are
// those of their rows.
func TestRowsThatWait(t *testing.T) {
	var lines []string
	const rows = 3 * mostHeld / 2
	for i := rows; i > 0; i-- {
		lines = append(lines, fmt.Sprintf(`{"testIdx":%d,"promptIdx":0,"success":false,"error":"no %[1]d","response":{"output":"said %[1]d"},"testCase":{"description":"d %[1]d"}}`, i))
	}
	s := readtest.Text(t, Read, strings.Join(lines, "\n"))
	if len(s.Trials) != rows {
		t.Fatalf("%d trials of %d rows", len(s.Trials), rows)
	}
	for _, trial := range s.Trials {
		if _, n, _ := strings.Cut(trial.Test, " "); trial.Message != "no "+n || !strings.HasPrefix(trial.Output, "said "+n) {
			t.Errorf("%#v", trial)
		}
	}
}
