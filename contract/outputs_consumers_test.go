//go:build consumers

package contract_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/allure"
	"tribunal/render/badge"
	"tribunal/render/csv"
	"tribunal/render/sonar"
	"tribunal/render/trx"
)

// Consumers of the formats for build servers, dashboards and pages. Those that are
// programs of Node start slowly, so each reads all reports in one start.

// TestConsumersSonar: what the scanner of SonarQube refuses, its schema refuses.
func TestConsumersSonar(t *testing.T) {
	schema := []string{"--noout", "--nonet", "--schema", filepath.Join("..", "testdata", "schemas", "sonar-generic-execution.xsd")}
	reports := files(t, subjects(t), func(w io.Writer, e *envelope.Envelope) error { return sonar.Write(w, e) })
	if _, errs, code := run(t, "", "xmllint", append(schema, reports...)...); code != 0 {
		t.Errorf("exit code %d:\n%.4000s", code, errs)
	}
	for reason, bad := range map[string]string{
		"a duration of half a millisecond": `<testExecutions version="1"><file path="a"><testCase name="a" duration="1.5"/></file></testExecutions>`,
		"a failure without a message":      `<testExecutions version="1"><file path="a"><testCase name="a" duration="1"><failure/></testCase></file></testExecutions>`,
	} {
		if _, _, code := run(t, "", "xmllint", append(schema, file(t, t.TempDir(), "bad", bad))...); code == 0 {
			t.Errorf("xmllint accepts %s: it holds nothing", reason)
		}
	}
}

// readTRX is test-results-parser, which sends results of Visual Studio to chats. It
// knows no outcome but these three.
const readTRX = `const { parse } = require('test-results-parser');
for (const file of process.argv.slice(1)) {
  const count = { PASS: 0, FAIL: 0, SKIP: 0 };
  let total = 0;
  for (const suite of parse({ type: 'mstest', files: [file] }).suites)
    for (const test of suite.cases) { total++; if (test.status in count) count[test.status]++; }
  console.log(total, count.PASS, count.FAIL, count.SKIP);
}`

func TestConsumersTRX(t *testing.T) {
	// A report without any test is an error of this reader.
	list := slices.DeleteFunc(subjects(t), func(s subject) bool { return len(s.env.Tests) == 0 })
	reports := files(t, list, func(w io.Writer, e *envelope.Envelope) error { return trx.Write(w, e, trx.Options{}) })
	for i, path := range reports { // the reader tells files by their ending
		reports[i] = path + ".trx"
		if err := os.Rename(path, reports[i]); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := run(t, "", "node", append([]string{"-e", readTRX}, reports...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != len(list) {
		t.Fatalf("exit code %d, %d lines:\n%.4000s", code, len(lines), errs)
	}
	for i, s := range list {
		want := asCases(s.env)
		if got := fmt.Sprint(want.Tests, want.Pass, want.Fail+want.Error, want.Skip); got != lines[i] {
			t.Errorf("%s: tests, passed, failed, skipped %s, want %s", s.name, lines[i], got)
		}
	}
}

// drawBadge is badge-maker, which shields.io draws with: it refuses what is no badge,
// and draws one of a colour that it does not know in bright green.
const drawBadge = `const { makeBadge } = require('badge-maker'), fs = require('fs');
for (const file of process.argv.slice(1)) {
  const { schemaVersion, isError, ...badge } = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (schemaVersion !== 1 || (isError !== undefined && isError !== true)) throw new Error(file + ': not the endpoint schema');
  const svg = makeBadge(badge), { color, ...plain } = badge;
  if (!svg.includes('>' + badge.message + '<')) throw new Error(file + ': ' + svg);
  console.log(svg === makeBadge({ ...plain, color: 'no such colour' }) && color !== 'brightgreen' ? color : 'coloured');
}`

func TestConsumersBadge(t *testing.T) {
	list := subjects(t)
	reports := files(t, list, func(w io.Writer, e *envelope.Envelope) error {
		return badge.Write(w, e, badge.Options{Form: badge.Endpoint})
	})
	out, errs, code := run(t, "", "node", append([]string{"-e", drawBadge}, reports...)...)
	if want := strings.Repeat("coloured\n", len(list)); code != 0 || out != want {
		t.Errorf("exit code %d: %.2000s%.2000s", code, out, errs)
	}
}

// TestConsumersAllure: Allure 3 makes a report of each folder, in which tests are tests
// and trials are their retries.
func TestConsumersAllure(t *testing.T) {
	for _, name := range []string{"weather-agent", "quarantine", "corpus"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := hostile.All()
			for _, g := range goldens {
				if g.name == name {
					e = g.envelope(t)
				}
			}
			dir := t.TempDir()
			results := filepath.Join(dir, "results")
			if err := os.Mkdir(results, 0o755); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := allure.Write(&out, e, allure.Options{}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				file(t, results, allure.Name([]byte(line)), line)
			}
			report := filepath.Join(dir, "report")
			if said, errs, code := run(t, "", "allure", "generate", results, "-o", report); code != 0 {
				t.Fatalf("exit code %d: %.2000s%.2000s", code, said, errs)
			}
			text, err := os.ReadFile(filepath.Join(report, "widgets", "statistic.json"))
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Total, Retries, Passed, Failed, Broken, Skipped, Unknown, Flaky int }
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			want, retried := asCases(e), 0
			for i := range e.Tests {
				if e.Tests[i].Rows.Len() > 1 {
					retried++
				}
			}
			notes := len(e.Gate.Notices) // each a result of its own, unknown
			if got.Total != want.Tests+notes || got.Passed != want.Pass || got.Failed != want.Fail || got.Broken != want.Error ||
				got.Skipped != want.Skip || got.Unknown != want.Inconclusive+notes || got.Retries != retried || got.Flaky != e.Summary.Flaky {
				t.Errorf("%+v for %+v, %d of them with several trials, %d flaky, %d notices", got, want.Counts, retried, e.Summary.Flaky, notes)
			}
		})
	}
}

// toParquet is the line of docs/formats/output.md that makes Parquet of our rows, and what is
// read back of it.
const toParquet = `const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  for (const file of process.argv.slice(1)) {
    await connection.run("COPY (FROM '" + file + "') TO '" + file + ".parquet'");
    const read = await connection.runAndReadAll("SELECT count(*), count(*) FILTER (outcome = 'passed'), coalesce(round(sum(duration_ms::DOUBLE)), 0) FROM '" + file + ".parquet'");
    console.log(read.getRows()[0].join(' '));
  }
})();`

func TestConsumersDuckDB(t *testing.T) {
	list := subjects(t)
	reports := files(t, list, func(w io.Writer, e *envelope.Envelope) error { return csv.WriteTrials(w, e) })
	for i, path := range reports {
		reports[i] = path + ".csv"
		if err := os.Rename(path, reports[i]); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := run(t, "", "node", append([]string{"-e", toParquet}, reports...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != len(list) {
		t.Fatalf("exit code %d, %d lines:\n%.4000s", code, len(lines), errs)
	}
	for i, s := range list {
		total, passed, ms := 0, 0, 0.0
		for at := range s.env.Tests {
			rows := s.env.Tests[at].Rows
			for row := range rows.Len() {
				if total++; rows.Outcome[row] == envelope.Passed {
					passed++
				}
				if v, ok := rows.DurationMS().At(row); ok {
					ms += v
				}
			}
		}
		var gotTotal, gotPassed int
		var gotMS float64
		if _, err := fmt.Sscan(lines[i], &gotTotal, &gotPassed, &gotMS); err != nil || gotTotal != total || gotPassed != passed || math.Abs(gotMS-ms) > 1+ms*1e-9 {
			t.Errorf("%s: trials, passed, milliseconds %s, want %d %d %g", s.name, lines[i], total, passed, ms)
		}
	}
}
