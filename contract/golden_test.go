package contract_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

// golden is one envelope of the matrix: the streams it is made of and the
// policy it is judged under.
type golden struct {
	name, reason string
	streams      []string
	policy       envelope.Policy
}

var wald = envelope.Policy{Rule: "wald"}

var goldens = []golden{
	{"empty", "a header and no trial", []string{"empty"}, envelope.Policy{}},
	{"one-pass", "the smallest run", []string{"one-pass"}, envelope.Policy{}},
	{"all-fail", "nothing passed", []string{"all-fail"}, envelope.Policy{}},
	{"flaky", "some trials of a test passed", []string{"flaky"}, envelope.Policy{Rule: "any"}},
	{"inconclusive", "the evidence does not decide", []string{"inconclusive"}, wald},
	{"excluded", "every error class", []string{"excluded"}, envelope.Policy{}},
	{"skipped", "nothing was tried", []string{"skipped"}, envelope.Policy{}},
	{"error", "every trial is excluded", []string{"error"}, envelope.Policy{}},
	{"retries", "extra trials are retries", []string{"retries"}, envelope.Policy{}},
	{"problems", "bad input around good trials", []string{"problems"}, envelope.Policy{}},
	{"hostile", "every text is hostile", []string{"hostile"}, wald},
	{"many", "a suite of ordinary size", []string{"many"}, wald},
	{"journal", "a run of ours, one of two shards, that its cost limit ended", []string{"journal"}, envelope.Policy{}},
	{"merged", "two shards with a duplicate and a conflict", []string{"merged-a", "merged-b"}, envelope.Policy{}},
	{"two-variants", "the same tests on two models", []string{"two-variants"}, wald},
	{"parting", "checks, and conversations that part", []string{"parting"}, envelope.Policy{}},
	{"labelled", "people's labels turn the verdict, and checks are judged by votes", []string{"labelled"}, envelope.Policy{RunThreshold: envelope.Some(0.8)}},
	{"quarantine", "failures that are excused and failures that are not", []string{"quarantine"}, envelope.Policy{
		Quarantine: []envelope.Quarantine{
			{Match: "search/*", Owner: "ana", Ticket: "WEB-12", Reason: "the index <warms> up | slowly", Expires: "2026-03-31"},
			{Match: "login/*", Owner: "::error::bo", Expires: "2026-02-28"},
			{Match: "nowhere/*", Expires: "2026-12-31"},
		},
		QuarantineCap: envelope.Some(4)}},
	{"gates", "the build is red for what no test shows", []string{"flaky"}, envelope.Policy{Rule: "any", RunThreshold: envelope.Some(0.99),
		Gates: []envelope.GateExpr{{Name: "steady | <b>", Expr: "reliability.passhat_k >= 80"}, {Name: "cheap", Expr: "summary.tests < 100"}}}},
	{"weather-agent", "the sample of README", []string{"weather-agent"}, envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.7)}},
}

func (g golden) envelope(t *testing.T) *envelope.Envelope {
	t.Helper()
	policy, err := verdict.Resolve(g.policy)
	if err != nil {
		t.Fatal(err)
	}
	b := count.NewBuilder(5, policy.ScoreThreshold.V)
	for _, name := range g.streams {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "streams", name+".ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		read.Stream(b, name+".ndjson", bytes.NewReader(text), "")
	}
	env, err := verdict.Seal(b.Run(policy.OnConflict, 5), policy)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func write(t *testing.T, f render.Format, e *envelope.Envelope) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := f.Write(&buf, e, render.Settings{Options: f.Defaults()}); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return buf.Bytes()
}

var reports = matrix[envelope.Envelope]{folder: "golden", formats: render.Formats, parsers: parsers, samples: samplesOfReports()}

func samplesOfReports() (all []sample[envelope.Envelope]) {
	for _, g := range goldens {
		all = append(all, sample[envelope.Envelope]{g.name, g.reason, g.envelope})
	}
	return all
}

func TestReports(t *testing.T) { reports.hold(t) }

// assets are what every page carries alike: the style sheet, the script and
// their hashes, and data for the script. The goldens leave them out, so that a
// change of colour changes no golden; render/html holds them to the files in
// templates, and the data to the envelope.
var assets = regexp.MustCompile(`(?s)(<style>).*?(</style>)|(<script(?: type="(?:module|application/json)"[^>]*)?>).*?(</script>)|('|&#39;)sha256-.*?('|&#39;)`)

func withoutAssets(format string, page []byte) []byte {
	if format != "html" {
		return page
	}
	return assets.ReplaceAll(page, []byte("$1$3$5…$6$4$2"))
}

func compareGolden(t *testing.T, path, reason string, got []byte) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, got, 0o644)); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: make it with go test ./contract -run Goldens -update, and read it", err)
	}
	if !sameReport(want, got, runtime.GOARCH) {
		t.Errorf("%s: %s (-want +got):\n%s", path, reason, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
	}
}

var number = regexp.MustCompile(`\d+(?:\.\d+)?(?:e[-+]?\d+)?`)

// recordedOn is the kind of processor on which the goldens are the same to the
// byte.
const recordedOn = "amd64"

// sameReport reports whether reports say the same. The last digits of a number
// may be others on another kind of processor: some round once where others round
// twice.
func sameReport(want, got []byte, processor string) bool {
	if bytes.Equal(want, got) || processor == recordedOn {
		return bytes.Equal(want, got)
	}
	words := func(text []byte) []byte { return number.ReplaceAllLiteral(text, []byte("0")) }
	if !bytes.Equal(words(want), words(got)) {
		return false
	}
	theirs := number.FindAll(got, -1)
	for i, ours := range number.FindAll(want, -1) {
		a, _ := strconv.ParseFloat(string(ours), 64)
		b, _ := strconv.ParseFloat(string(theirs[i]), 64)
		if math.Abs(a-b) > 1e-8*math.Max(math.Abs(a), 1e-3) {
			return false
		}
	}
	return true
}

func TestSameReport(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{`{"lo":0.2}`, `{"lo":0.2}`, true},
		{`{"lo":0.20000000000000001,"n":3}`, `{"lo":0.2,"n":3}`, true},
		{`1e-17`, `1.5e-17`, true},
		{`{"lo":0.2000001}`, `{"lo":0.2}`, false},
		{`{"n":3}`, `{"n":4}`, false},
		{`{"lo":0.2}`, `{"hi":0.2}`, false},
		{`1 of 2`, `1 of 2 of 2`, false},
	} {
		if got := sameReport([]byte(c.want), []byte(c.got), "another"); got != c.same {
			t.Errorf("%s and %s: same is %t", c.want, c.got, got)
		}
		if got := sameReport([]byte(c.want), []byte(c.got), recordedOn); got != (c.want == c.got) {
			t.Errorf("%s and %s: same is %t where they were recorded", c.want, c.got, got)
		}
	}
}

// TestRoundTrip: what is lossless reads back to the same bytes, through either
// form.
func TestRoundTrip(t *testing.T) {
	jsonForm, _ := render.Formats.ByName("json")
	ndjsonForm, _ := render.Formats.ByName("ndjson")
	for _, g := range goldens {
		env := g.envelope(t)
		document, lines := write(t, jsonForm, env), write(t, ndjsonForm, env)
		for _, c := range []struct {
			reason string
			from   []byte
			form   render.Format
			want   []byte
		}{
			{"json to json", document, jsonForm, document},
			{"ndjson to ndjson", lines, ndjsonForm, lines},
			{"json to ndjson", document, ndjsonForm, lines},
			{"ndjson to json", lines, jsonForm, document},
		} {
			if got := write(t, c.form, readBack(t, c.from)); !bytes.Equal(got, c.want) {
				t.Errorf("%s, %s:\n%s", g.name, c.reason, cmp.Diff(strings.Split(string(c.want), "\n"), strings.Split(string(got), "\n")))
			}
		}
	}
}

func readBack(t *testing.T, text []byte) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	if format := read.Stream(b, "-", bytes.NewReader(text), ""); format != "envelope" {
		t.Fatalf("read as %s", format)
	}
	policies := b.Policies()
	if len(policies) != 1 {
		t.Fatalf("%d policies", len(policies))
	}
	policy, err := verdict.Resolve(verdict.Asked(policies[0]))
	if err != nil {
		t.Fatal(err)
	}
	env, err := verdict.Seal(b.Run(policy.OnConflict, 5), policy)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// noFunctions leaves functions out, which nothing can compare.
var noFunctions = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Func }, cmp.Ignore())

// unchanged is the difference between what a renderer was given and what it left.
func unchanged(given, left any) string {
	return cmp.Diff(given, left, cmp.Exporter(exportAll), cmp.Comparer(sameFloat), noFunctions)
}

// saysFullWriters holds a format to the errors of its writer, wherever in its bytes
// that one is full.
func saysFullWriters[D any](t *testing.T, f render.Of[D], d D, size int) {
	t.Helper()
	for n := 0; n < size; n += 1 + size/7 {
		if err := f.Write(&fullAfter{n}, d, render.Settings{Options: f.Defaults()}); err == nil {
			t.Errorf("no error from a writer that takes %d of %d bytes", n, size)
		}
	}
}

// fullAfter takes n bytes and then fails.
type fullAfter struct{ n int }

func (w *fullAfter) Write(p []byte) (int, error) {
	if len(p) > w.n {
		n := w.n
		w.n = 0
		return n, io.ErrShortWrite
	}
	w.n -= len(p)
	return len(p), nil
}

// withoutPolicyFile are the formats that have no place for the file of the policy.
var withoutPolicyFile = map[string]string{"badge": "a few words", "csv-trials": "trials, which nothing judged"}

// TestReportsNameThePolicyFile: whoever reads a verdict can look up what it was asked
// for, whichever report it is.
func TestReportsNameThePolicyFile(t *testing.T) {
	env := goldens[0].envelope(t)
	for _, g := range goldens {
		if g.name == "all-fail" {
			env = g.envelope(t)
		}
	}
	env.Policy.Config = "evals/tribunal.yaml"
	for _, f := range render.Formats {
		none := withoutPolicyFile[f.Name]
		if named := bytes.Contains(write(t, f, env), []byte("evals/tribunal.yaml")); named != (none == "") {
			t.Errorf("%s names the file of the policy: %v; without one for a reason: %q", f.Name, named, none)
		}
	}
}
