//go:build consumers

package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/csv"
	"tribunal/render/ctrf"
	"tribunal/render/gitlab"
	"tribunal/render/junit"
	"tribunal/render/openmetrics"
	"tribunal/render/sarif"
	"tribunal/render/tap"
)

// These tests run the programs that read our reports, on every golden envelope
// and on the whole hostile corpus. scripts/consumers installs the programs and
// runs the tests. One that is missing is a failure: a test that is skipped in
// silence holds nothing.

// subject is an envelope to write and its name.
type subject struct {
	name string
	env  *envelope.Envelope
}

func subjects(t *testing.T) []subject {
	t.Helper()
	var out []subject
	for _, g := range goldens {
		out = append(out, subject{g.name, g.envelope(t)})
	}
	out = append(out, subject{"corpus-plain", hostile.Plain()}, subject{"corpus-broken", hostile.Broken()}, subject{"corpus-all", hostile.All()})
	for seed := range uint64(12) {
		out = append(out, subject{fmt.Sprintf("corpus-random%d", seed), hostile.Random(seed, 60)})
	}
	for _, s := range out {
		if len(s.env.Suites) == 0 {
			s.env.Suites = suitesOf(s.env)
		}
	}
	return out
}

func suitesOf(e *envelope.Envelope) []envelope.Suite {
	var out []envelope.Suite
	for i := range e.Tests {
		at := slices.IndexFunc(out, func(s envelope.Suite) bool { return s.Name == e.Tests[i].Suite })
		if at < 0 {
			at, out = len(out), append(out, envelope.Suite{Name: e.Tests[i].Suite, CostUSD: envelope.Some(0.25)})
		}
		out[at].Add(e.Tests[i].Status)
	}
	return out
}

type writer func(io.Writer, *envelope.Envelope) error

// files writes a report of every subject and returns their paths.
func files(t *testing.T, list []subject, write writer) []string {
	t.Helper()
	dir := t.TempDir()
	var out []string
	for _, s := range list {
		var buf bytes.Buffer
		if err := write(&buf, s.env); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		out = append(out, file(t, dir, s.name, buf.String()))
	}
	return out
}

func file(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, stdin, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%v: scripts/consumers installs what these tests need", err)
	}
	cmd := exec.Command(path, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", program, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestConsumersXMLLint(t *testing.T) {
	list := subjects(t)
	schemas := map[string]string{junit.ProfileStrict: "jenkins-xunit-junit-10.xsd", junit.ProfileSurefire: "surefire-test-report.xsd"}
	for _, profile := range []string{junit.ProfileDefault, junit.ProfileGitLab, junit.ProfileJenkins, junit.ProfileStrict, junit.ProfileSurefire} {
		for _, flaky := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/flaky=%t", profile, flaky), func(t *testing.T) {
				args := []string{"--noout", "--nonet"}
				if name := schemas[profile]; name != "" {
					args = append(args, "--schema", filepath.Join("..", "testdata", "schemas", name))
				}
				reports := files(t, list, func(w io.Writer, e *envelope.Envelope) error {
					return junit.Write(w, e, junit.Options{Profile: profile, Flaky: flaky})
				})
				if _, errs, code := run(t, "", "xmllint", append(args, reports...)...); code != 0 {
					t.Errorf("exit code %d:\n%.4000s", code, errs)
				}
				for reason, bad := range map[string]string{"an open element": "<testsuite>", "an illegal character": "<testsuite>\x1b</testsuite>"} {
					if _, _, code := run(t, "", "xmllint", append(args, file(t, t.TempDir(), "bad", bad))...); code == 0 {
						t.Errorf("xmllint accepts %s: it holds nothing", reason)
					}
				}
			})
		}
	}
}

// verdicts is what a TAP reader counts.
type verdicts struct {
	points, failed, todo, skipped int
	broken                        bool // bailed out or not parsed
}

// wanted is what a TAP reader is to count for an envelope.
func wanted(e *envelope.Envelope, inconclusive string) verdicts {
	s := asShown(e)
	v := verdicts{points: s.Tests, failed: s.Fail + s.Error, todo: s.Inconclusive, skipped: s.Skip, broken: broken(e)}
	if unheld(e) {
		v.points++
		v.failed++
	}
	if inconclusive == tap.SkipIt {
		v.todo, v.skipped = 0, s.Skip+s.Inconclusive
	}
	return v
}

var tapChoices = []string{tap.Todo, tap.TodoNotOK, tap.SkipIt}

func tapWriter(version int, inconclusive string) writer {
	return func(w io.Writer, e *envelope.Envelope) error {
		return tap.Write(w, e, tap.Options{Version: version, Inconclusive: inconclusive})
	}
}

// countTAP is TAP::Parser, the parser of prove, on each file.
const countTAP = `use TAP::Parser;
print "$TAP::Parser::VERSION\n";
for my $file (@ARGV) {
  open my $in, '<', $file or die "$file: $!";
  my $tap = do { local $/; <$in> };
  my $p = TAP::Parser->new({tap => $tap});
  my $bail = 0;
  while (my $r = $p->next) { $bail = 1 if $r->is_bailout }
  print join(' ', $p->tests_run, scalar $p->failed, scalar $p->todo, scalar $p->skipped, $bail, scalar $p->parse_errors), "\n";
}`

func TestConsumersTAPParser(t *testing.T) {
	list := subjects(t)
	for _, version := range []int{13, 14} {
		for _, choice := range tapChoices {
			t.Run(fmt.Sprintf("%d/%s", version, choice), func(t *testing.T) {
				args := append([]string{"-e", countTAP}, files(t, list, tapWriter(version, choice))...)
				out, errs, code := run(t, "", "perl", args...)
				lines := strings.Split(strings.TrimSpace(out), "\n")
				if code != 0 || len(lines) != len(list)+1 {
					t.Fatalf("exit code %d, %d lines:\n%s", code, len(lines), errs)
				}
				for i, s := range list {
					comparePerl(t, s, wanted(s.env, choice), lines[i+1], strayErrors(lines[0], version))
				}
			})
		}
	}
}

// strayErrors is how many parse errors are the parser's own: before 3.48 it
// takes the line "TAP version 14" for one, which is why 13 is our default.
func strayErrors(parser string, version int) int {
	if v, err := strconv.ParseFloat(parser, 64); version == 14 && err == nil && v < 3.48 {
		return 1
	}
	return 0
}

func comparePerl(t *testing.T, s subject, want verdicts, line string, stray int) {
	t.Helper()
	var got verdicts
	var bail, parseErrors int
	if _, err := fmt.Sscan(line, &got.points, &got.failed, &got.todo, &got.skipped, &bail, &parseErrors); err != nil {
		t.Fatalf("%s: %q: %v", s.name, line, err)
	}
	if got.broken = bail == 1; got.broken {
		parseErrors = stray // the announced point that never comes is one
	}
	if got != want || parseErrors != stray {
		t.Errorf("%s: counts %+v and %d parse errors, want %+v and %d", s.name, got, parseErrors, want, stray)
	}
}

func TestConsumersProve(t *testing.T) {
	list := subjects(t)
	for _, choice := range tapChoices {
		t.Run(choice, func(t *testing.T) {
			for i, path := range files(t, list, tapWriter(13, choice)) {
				out, errs, code := run(t, "", "prove", "--exec", "cat", path)
				want := wanted(list[i].env, choice)
				if red := want.failed > 0 || want.broken; (code != 0) != red || strings.Contains(out, "Parse errors") && !want.broken {
					t.Errorf("%s: exit code %d, want failure %t:\n%.2000s%.2000s", list[i].name, code, red, out, errs)
				}
			}
		})
	}
	if _, _, code := run(t, "", "prove", "--exec", "cat", file(t, t.TempDir(), "bad", "1..2\nok 1\n")); code == 0 {
		t.Error("prove accepts a missing point: it holds nothing")
	}
}

// parseInNode prints the events of tap-parser for each file, a line each, as its --json=0 does.
const parseInNode = `const {Parser} = require('tap-parser'), {readFileSync} = require('fs')
for (const path of process.argv.slice(1)) console.log(JSON.stringify(Parser.parse(readFileSync(path, 'utf8'))))`

func TestConsumersNodeTAPParser(t *testing.T) {
	list := subjects(t)
	for _, version := range []int{13, 14} {
		for _, choice := range tapChoices {
			t.Run(fmt.Sprintf("%d/%s", version, choice), func(t *testing.T) {
				t.Parallel()
				out, errs, _ := run(t, "", "node", append([]string{"-e", parseInNode}, files(t, list, tapWriter(version, choice))...)...)
				parsed := strings.Split(out+strings.Repeat("\n", len(list)), "\n")
				for i, s := range list {
					if got, err := nodeVerdicts(parsed[i]); err != nil || got != wanted(s.env, choice) {
						t.Errorf("%s: counts %+v, want %+v: %v\n%s", s.name, got, wanted(s.env, choice), err, errs)
					}
				}
			})
		}
	}
}

// nodeVerdicts counts the events of tap-parser. A line that is no TAP is an
// event of the kind extra.
func nodeVerdicts(out string) (v verdicts, err error) {
	var events [][]json.RawMessage
	if err := json.Unmarshal([]byte(out), &events); err != nil {
		return v, err
	}
	for _, event := range events {
		switch kind := strings.Trim(string(event[0]), `"`); kind {
		case "extra", "child", "pragma":
			return v, fmt.Errorf("an event of the kind %s: %.200s", kind, event[1])
		case "bailout":
			v.broken = true
		case "assert":
			var point struct {
				OK         bool
				Todo, Skip any
				TapError   any
			}
			if err := json.Unmarshal(event[1], &point); err != nil || point.TapError != nil {
				return v, fmt.Errorf("point %.200s: %v", event[1], err)
			}
			v.count(point.OK, present(point.Todo), present(point.Skip))
		}
	}
	return v, nil
}

// countTappy is tap.parser, the parser of tappy, on each file. It looks for a
// directive behind the first # of a point, escaped or not, so that one of ours is
// not seen behind a name that holds another.
const countTappy = `import sys
from tap.parser import Parser
for path in sys.argv[1:]:
    points = failed = todo = skipped = unseen = bail = 0
    for line in Parser().parse_text(open(path, encoding='utf-8', newline='\n').read()):
        if line.category == 'bail':
            bail = 1
        if line.category != 'test':
            continue
        points += 1
        if line.todo:
            todo += 1
        elif line.skip:
            skipped += 1
        elif not line.ok:
            failed += 1
        if not line.todo and not line.skip and (' # TODO ' in line.directive.text or ' # SKIP' in line.directive.text):
            unseen += 1
            failed -= not line.ok
    print(points, failed, todo + skipped, unseen, bail)
`

// TestConsumersTappy: no name excuses a failure for a parser without escapes.
func TestConsumersTappy(t *testing.T) {
	list := subjects(t)
	for _, version := range []int{13, 14} {
		for _, choice := range tapChoices {
			t.Run(fmt.Sprintf("%d/%s", version, choice), func(t *testing.T) {
				out, errs, code := run(t, "", tappyPython(), append([]string{"-c", countTappy}, files(t, list, tapWriter(version, choice))...)...)
				lines := strings.Split(strings.TrimSpace(out), "\n")
				if code != 0 || len(lines) != len(list) {
					t.Fatalf("exit code %d, %d lines:\n%s", code, len(lines), errs)
				}
				for i, s := range list {
					var points, failed, excused, unseen, bail int
					if _, err := fmt.Sscan(lines[i], &points, &failed, &excused, &unseen, &bail); err != nil {
						t.Fatalf("%s: %q: %v", s.name, lines[i], err)
					}
					want := wanted(s.env, choice)
					if points != want.points || failed != want.failed || excused+unseen != want.todo+want.skipped || (bail == 1) != want.broken {
						t.Errorf("%s: %s points, failed, excused, unseen, bail; want %+v", s.name, lines[i], want)
					}
				}
			})
		}
	}
	bad := file(t, t.TempDir(), "bad", "1..1\nnot ok 1 - a \\# TODO later\n")
	if out, _, _ := run(t, "", tappyPython(), "-c", countTappy, bad); strings.TrimSpace(out) != "1 0 1 0 0" {
		t.Errorf("tappy sees no directive behind an escaped #: it holds nothing: %q", out)
	}
}

func present(directive any) bool { return directive != nil && directive != false }

func (v *verdicts) count(ok, todo, skip bool) {
	v.points++
	switch {
	case todo:
		v.todo++
	case skip:
		v.skipped++
	case !ok:
		v.failed++
	}
}

func TestConsumersSchemas(t *testing.T) {
	list := subjects(t)
	for _, c := range []struct {
		name, schema string
		elements     bool // of an array, each by itself
		write        writer
	}{
		{"ctrf", "ctrf.schema.json", false, func(w io.Writer, e *envelope.Envelope) error { return ctrf.Write(w, e) }},
		{"sarif", "sarif-schema-2.1.0.json", false, func(w io.Writer, e *envelope.Envelope) error { return sarif.Write(w, e) }},
		{"gitlab", "gitlab-codeclimate.json", true, func(w io.Writer, e *envelope.Envelope) error { return gitlab.Write(w, e, gitlab.Options{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiler := jsonschema.NewCompiler()
			compiler.AssertFormat()
			schema, err := compiler.Compile(filepath.Join("..", "testdata", "schemas", c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if schema.Validate(map[string]any{"x": 1.0}) == nil {
				t.Error("the schema accepts anything: it holds nothing")
			}
			for i, path := range files(t, list, c.write) {
				if err := validFile(schema, path, c.elements); err != nil {
					t.Errorf("%s: %v", list[i].name, err)
				}
			}
		})
	}
}

func validFile(schema *jsonschema.Schema, path string, elements bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil || !elements {
		return errors.Join(err, schema.Validate(doc))
	}
	list, ok := doc.([]any)
	if !ok {
		return errors.New("not an array")
	}
	for _, element := range list {
		if err := schema.Validate(element); err != nil {
			return err
		}
	}
	return nil
}

func python() string {
	if p := os.Getenv("CONSUMERS_PYTHON"); p != "" {
		return p
	}
	return "python3"
}

func tappyPython() string {
	if p := os.Getenv("CONSUMERS_TAPPY_PYTHON"); p != "" {
		return p
	}
	return "python3"
}

// countSamples is the reference parser of OpenMetrics on each file.
const countSamples = `import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
for path in sys.argv[1:]:
    with open(path, encoding='utf-8', newline='') as f:
        text = f.read()
    try:
        samples = [s for family in parse(text) for s in family.samples]
    except Exception as e:
        sys.exit('%s: %r' % (path, e))
    tests = sum(s.value for s in samples if s.name == 'tribunal_run_tests')
    print(len(samples), int(tests), len({s.labels['suite'] for s in samples if 'suite' in s.labels}))
`

func TestConsumersOpenMetrics(t *testing.T) {
	list := subjects(t)
	reports := files(t, list, func(w io.Writer, e *envelope.Envelope) error { return openmetrics.Write(w, e) })
	out, errs, code := run(t, "", python(), append([]string{"-c", countSamples}, reports...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != len(list) {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for i, s := range list {
		var samples, tests, suites int
		if _, err := fmt.Sscan(lines[i], &samples, &tests, &suites); err != nil {
			t.Fatal(err)
		}
		if samples < 5 || tests != s.env.Summary.Tests || suites != len(s.env.Suites) {
			t.Errorf("%s: %d samples, %d tests, %d suites; want %d and %d", s.name, samples, tests, suites, s.env.Summary.Tests, len(s.env.Suites))
		}
	}
	if _, _, code := run(t, "", python(), "-c", countSamples, file(t, t.TempDir(), "bad", "a 1\n")); code == 0 {
		t.Error("the parser accepts a file without # EOF: it holds nothing")
	}
}

// countRows is Python's reader of CSV on each file, as strict as it gets.
const countRows = `import csv, sys
csv.field_size_limit(10**9)
for path in sys.argv[1:]:
    with open(path, encoding='utf-8', newline='') as f:
        rows = list(csv.reader(f, strict=True))
    if any(len(row) != len(rows[0]) for row in rows):
        sys.exit('%s: rows of different lengths' % path)
    print(len(rows) - 1, len({row[3] for row in rows[1:]}))
`

func tried(e *envelope.Envelope) (n int) {
	for i := range e.Tests {
		if e.Tests[i].Rows.Len() > 0 {
			n++
		}
	}
	return n
}

func TestConsumersCSV(t *testing.T) {
	list := subjects(t)
	for name, write := range map[string]func(io.Writer, *envelope.Envelope) error{"tests": csv.Write, "trials": csv.WriteTrials} {
		t.Run(name, func(t *testing.T) {
			reports := files(t, list, func(w io.Writer, e *envelope.Envelope) error { return write(w, e) })
			out, errs, code := run(t, "", python(), append([]string{"-c", countRows}, reports...)...)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if code != 0 || len(lines) != len(list) {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			for i, s := range list {
				rows, ids := s.env.Summary.Tests, len(s.env.Tests)
				if name == "trials" { // a test that was never started has none
					rows, ids = s.env.Summary.Trials.Total, tried(s.env)
				}
				if want := fmt.Sprintf("%d %d", rows, ids); lines[i] != want {
					t.Errorf("%s: rows and ids %s, want %s", s.name, lines[i], want)
				}
			}
		})
	}
}
