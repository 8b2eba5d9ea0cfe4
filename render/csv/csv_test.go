package csv_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	ours "tribunal/render/csv"
	"tribunal/render/internal/rendertest"
)

// tables are both forms of the format.
var tables = map[string]rendertest.Writer{
	"tests":  ours.Write,
	"trials": ours.WriteTrials,
}

func write(t *testing.T, table string, e *envelope.Envelope) string {
	t.Helper()
	return string(rendertest.Document(t, e, tables[table]))
}

// read gives the rows as maps by column.
func read(t *testing.T, doc string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(doc)).ReadAll() // wants as many cells in every row
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		if len(row) != len(record) {
			t.Fatal("two columns have the same name")
		}
		out = append(out, row)
	}
	return out
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "empty"} {
		for table := range tables {
			got := write(t, table, rendertest.Envelopes()[name])
			rendertest.Golden(t, name+"."+table+".csv", got)
		}
	}
}

func TestContract(t *testing.T) {
	for name, e := range rendertest.Envelopes() {
		for table := range tables {
			t.Run(name+"/"+table, func(t *testing.T) {
				doc := string(rendertest.Written(t, e, tables[table]))
				rows := read(t, doc)
				checkCells(t, doc, rows)
				compare(t, table, rows, e)
			})
		}
	}
}

var numeric = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// checkCells wants cells that no spreadsheet runs, and no terminal obeys.
func checkCells(t *testing.T, doc string, rows []map[string]string) {
	t.Helper()
	if !utf8.ValidString(doc) || strings.Count(doc, "\n") != len(rows)+1 || strings.Count(doc, "\r\n") != len(rows)+1 {
		t.Error("not UTF-8, or lines that do not end in CRLF")
	}
	for _, row := range rows {
		for name, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") && !numeric.MatchString(cell) {
				t.Errorf("%s: a formula: %q", name, cell)
			}
			if strings.ContainsFunc(cell, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
				t.Errorf("%s: control characters in %q", name, cell)
			}
			if len(cell) > 32767 {
				t.Errorf("%s: %d bytes are more than a spreadsheet takes", name, len(cell))
			}
		}
	}
}

// compare holds the table against the envelope.
func compare(t *testing.T, table string, rows []map[string]string, e *envelope.Envelope) {
	t.Helper()
	got, ids := map[string]int{}, map[string]bool{}
	for _, row := range rows {
		got[row["status"]]++
		got["outcome "+row["outcome"]]++
		ids[row["id"]] = true
	}
	if len(ids) != len(e.Tests) {
		t.Errorf("%d ids for %d tests", len(ids), len(e.Tests))
	}
	if table == "trials" {
		c := e.Summary.Trials
		counted := got["outcome passed"] + got["outcome failed"] + got["outcome errored"]
		if len(rows) != c.Total || counted != c.Counted || got["outcome passed"] != c.Passed {
			t.Errorf("%d rows, %d counted, %d passed for %+v", len(rows), counted, got["outcome passed"], c)
		}
		return
	}
	for _, status := range envelope.Statuses {
		if got[string(status)] != e.Summary.Of(status) {
			t.Errorf("%d tests are %s, want %d", got[string(status)], status, e.Summary.Of(status))
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCells(t *testing.T) {
	e := &envelope.Envelope{Tests: []envelope.Test{{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}}}
	x := &e.Tests[0]
	x.Key = envelope.Key{Suite: "=1+1", Test: "\t+x", Variant: "-v"}
	x.Status, x.File, x.Line = envelope.Inconclusive, "@sum", 0
	x.Verdict.Reason, x.Verdict.Statistic = `a, "b"; c`, envelope.Some(-2.5)
	x.Verdict.PValue = envelope.Some(1e-7)
	x.Labels = map[string]string{"b": "2", "a": "=1"}
	x.Score = &envelope.Score{Value: math.NaN(), Mean: 0.1, Min: -1, Max: 1}
	x.Trials = envelope.TrialCounts{Total: 7, Counted: 3, Passed: 2, Excluded: map[string]int{"skip": 1, "infrastructure": 2, "cost-limit": 1}}
	x.Tokens = envelope.Some(int64(0))
	x.Details = []envelope.Detail{{Message: " \n"}, {Message: "＝1"}}
	row := read(t, write(t, "tests", e))[0]
	for _, c := range []struct{ reason, name, want string }{
		{"a formula gets an apostrophe", "suite", "'=1+1"},
		{"a tab in front hides none", "test", "'+x"},
		{"a word with a minus", "variant", "'-v"},
		{"an at sign", "file", "'@sum"},
		{"full width signs are signs", "message", "'＝1"},
		{"a negative number stays a number", "statistic", "-2.5"},
		{"a small number has no exponent", "p_value", "0.0000001"},
		{"commas and quotes are data", "reason", `a, "b"; c`},
		{"labels in order", "labels", `{"a":"=1","b":"2"}`},
		{"not a number is unknown", "score", ""},
		{"a decimal as short as it is exact", "score_mean", "0.1"},
		{"negative scores", "score_min", "-1"},
		{"what was not counted and not skipped", "excluded", "3"},
		{"skipped", "skipped", "1"},
		{"zero is known", "tokens", "0"},
		{"unknown is empty", "cost_usd", ""},
		{"no line is unknown", "line", ""},
		{"no rate is unknown", "rate", ""},
		{"the word for undecided", "status", "inconclusive"},
	} {
		if got, ok := row[c.name]; !ok || got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.reason, c.name, got, c.want)
		}
	}
}

func TestTrialCells(t *testing.T) {
	e := &envelope.Envelope{Tests: []envelope.Test{{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}}}
	x := &e.Tests[0]
	x.Test = "x"
	must(t, json.Unmarshal([]byte(`{"outcome":"PFX","status":["none","",""],"attempt":[0,1,null],"run":["-a","",""],"retry":[false,true,false],
		"error_class":["","","infrastructure"],"score":[0.75,-0.5,null],"cost_usd":[0,null,0.001],"started_at":["2026-11-21T11:00:00.25+01:00",null,null]}`), &x.Rows))
	x.Details = []envelope.Detail{{Trial: 1, Message: "no\nrain"}}
	var got []string
	for _, row := range read(t, write(t, "trials", e)) {
		var cells []string
		for _, name := range []string{"trial", "attempt", "run", "outcome", "status", "error_class", "retry", "score", "cost_usd", "started_at", "message"} {
			cells = append(cells, row[name])
		}
		got = append(got, strings.Join(cells, "|"))
	}
	want := []string{
		"1|0|'-a|passed|||false|0.75|0|2026-11-21T10:00:00.25Z|", // it came with a score and no status
		"2|1||failed|fail||true|-0.5|||no rain",
		"3|||excluded|error|infrastructure|false||0.001||", // no attempt: unknown, not 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestIDs: they differ where keys do, join the tables, and are no numbers.
func TestIDs(t *testing.T) {
	e := &envelope.Envelope{}
	for _, k := range []envelope.Key{{Test: "ab"}, {Suite: "a", Test: "b"}, {Test: "a", Variant: "b"}, {Test: "a\x00"}, {Test: "a\x01"}, {Test: "a␀"}} {
		e.Tests = append(e.Tests, envelope.Test{Key: k, Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)})
		must(t, json.Unmarshal([]byte(`{"outcome":"P"}`), &e.Tests[len(e.Tests)-1].Rows))
	}
	column := func(table string) (ids []string) {
		for _, row := range read(t, write(t, table, e)) {
			ids = append(ids, row["id"])
		}
		return ids
	}
	ids := column("tests")
	if !slices.Equal(ids, column("trials")) {
		t.Error("the tables do not join")
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(e.Tests) || !regexp.MustCompile(`^t[0-9a-f]{16}$`).MatchString(ids[0]) {
		t.Errorf("ids %v", ids)
	}
}

// TestColumns: whoever reads by position keeps reading the same.
func TestColumns(t *testing.T) {
	for table, first := range map[string]string{
		"tests":  "suite,test,variant,id,status,flaky,cost_limited,quarantined,rule,threshold,confidence,trials,counted,passed,excluded,skipped,rate,rate_lo,rate_hi,",
		"trials": "suite,test,variant,id,trial,attempt,run,outcome,status,raw_status,error_class,retry,score,",
	} {
		if doc := write(t, table, &envelope.Envelope{}); !strings.HasPrefix(doc, first) {
			t.Errorf("%s: %s", table, doc)
		}
	}
}

func TestHuge(t *testing.T) {
	huge := strings.Repeat("ten bytes ", 1<<20)
	e := hostile.Plain()
	e.Tests[2].Suite, e.Tests[2].Verdict.Reason, e.Tests[2].Details[0].Message = huge[:1<<20], huge, huge[:1<<20]
	for table := range tables {
		if doc := write(t, table, e); len(doc) > 400<<10 {
			t.Errorf("%s: %d bytes", table, len(doc))
		}
	}
}
