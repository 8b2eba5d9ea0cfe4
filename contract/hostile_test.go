package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/compare"
	"tribunal/internal/hostile"
	"tribunal/internal/plan"
	"tribunal/render"
	"tribunal/verdict"
)

// The fuzz targets of this file hold every row of the tables of formats: whatever
// stands in the texts of a document, it is written the same twice, is not changed,
// reads with an independent parser, and acts nowhere. A new format is held by
// its row alone.

// texts hands out the words of a fuzzed document, each in turn. Readers deliver
// valid UTF-8, so these are.
type texts struct {
	list []string
	next int
}

func wordsOf(a, b string) *texts {
	const most = 5_000 // beyond where texts are cut; with more one run of all formats takes seconds
	valid := func(s string) string { return strings.ToValidUTF8(s[:min(len(s), most)], "\uFFFD") }
	a, b = valid(a), valid(b)
	return &texts{list: []string{a, b, a + b, b + "\n" + a, "plain"}}
}

func (w *texts) word() string {
	w.next++
	return w.list[w.next%len(w.list)]
}

// hostileRun is a sealed run with fuzzed words in every text that an input can
// carry. Each byte of the script is a trial: its low bits the status, the others
// its test.
func hostileRun(t *testing.T, w *texts, script []byte, policy envelope.Policy) *envelope.Envelope {
	t.Helper()
	resolved, err := verdict.Resolve(policy)
	if err != nil {
		t.Fatal(err)
	}
	const most = 60
	statuses := []envelope.Status{envelope.Pass, envelope.Fail, envelope.Error, envelope.Skip}
	b := count.NewBuilder(5, resolved.ScoreThreshold.V)
	in := b.Input(w.word(), "native")
	in.Header(envelope.Header{Name: w.word(), ID: w.word(), Commit: w.word(), StartedAt: "2026-03-14T02:00:00Z", Labels: map[string]string{w.word(): w.word()}}, nil)
	for _, c := range script[:min(len(script), most)] {
		trial := envelope.Trial{Key: envelope.Key{Suite: w.list[int(c>>2)%len(w.list)], Test: w.list[int(c>>4)%len(w.list)] + strconv.Itoa(int(c>>5))},
			Status: statuses[c&3], File: w.word(), Line: int(c >> 3), Run: w.word(), Labels: []envelope.Label{{Name: "l" + w.word(), Value: w.word()}}}
		if c&64 != 0 {
			trial.Variant = w.word()
		}
		if trial.Status != envelope.Pass {
			trial.Message, trial.Output, trial.RawStatus = w.word(), w.word(), w.word()
		}
		if trial.Status == envelope.Error && c&4 != 0 {
			trial.ErrorClass = []string{w.word(), envelope.ClassInfrastructure}[c>>3&1]
		}
		in.Trial(&trial)
	}
	for _, severity := range []envelope.Severity{envelope.SeverityError, envelope.SeverityWarning, envelope.SeverityInfo} {
		in.Problem(envelope.Problem{Severity: severity, Code: envelope.CodeField, Message: w.word(), Line: 3, Column: 1})
	}
	in.Close()
	e, err := verdict.Seal(b.Run(resolved.OnConflict, 5), resolved)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// acts finds what a terminal, an editor or a build server would obey: in a report
// there is none that its format does not mean.
func acts(format string, out []byte) error {
	if !utf8.Valid(out) {
		return errors.New("not UTF-8")
	}
	for i, r := range string(out) {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || unicode.Is(unicode.Cc, r) && r > '~' || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff' || r >= 0xe0000 && r <= 0xe007f {
			return fmt.Errorf("byte %d: %U stands there as it is", i, r)
		}
	}
	for line := range strings.Lines(string(out)) {
		if format == "teamcity" && serviceMessage.MatchString(strings.TrimSuffix(line, "\n")) {
			continue
		}
		if m := serverCommand.FindString(line); m != "" {
			return fmt.Errorf("a command %q in %.200q", m, line)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "::") && (format != "github" || !annotation.MatchString(line)) {
			return fmt.Errorf("a command in %.200q", line)
		}
	}
	return nil
}

var (
	serverCommand = regexp.MustCompile(`(?i)##(?:vso|teamcity)?\[`)
	// a message of ours: values in quotes, in which every sign of TeamCity is escaped
	serviceMessage = regexp.MustCompile(`^##teamcity\[\w+(?: \w+='(?:[^|'\[\]\n\r]|\|[|'nr\[\]])*')*\]$`)
	annotation     = regexp.MustCompile(`^::(error|warning|notice)( |::)`)
	tally          = regexp.MustCompile(`(\d+)\*{0,2} tests?\*{0,2}: (\d+ [a-z]+(?:, \d+ [a-z]+)*)`)
	tallied        = regexp.MustCompile(`(\d+) ([a-z]+)`)
)

// checkHeadline holds the headline of a report that a person reads against the envelope.
func checkHeadline(out string, s *envelope.Summary) error {
	var want []string
	if failing := s.Fail + s.Error; failing > 0 {
		want = append(want, fmt.Sprintf("%d of %d test", failing, s.Tests))
	}
	for word, n := range map[string]int{"undecided": s.Inconclusive, "skipped": s.Skip} {
		if n > 0 {
			want = append(want, fmt.Sprintf("%d %s", n, word))
		}
	}
	words := strings.Join(strings.Fields(out), " ") // lines may be broken anywhere
	for _, says := range want {
		if !strings.Contains(words, says) {
			return fmt.Errorf("no headline says %q", says)
		}
	}
	return nil
}

// checkTally holds the line of counts against the envelope. A status that no test
// has may be left out.
func checkTally(format string, out []byte, e *envelope.Envelope) error {
	switch {
	case slices.Contains([]string{"pretty", "markdown", "github", "agent", "slack"}, format):
		return checkHeadline(string(out), &e.Summary)
	case format != "minimal" || e.Summary.Tests == 0:
		return nil
	}
	s := e.Summary
	want := map[string]int{"tests": s.Tests, "passed": s.Pass, "failed": s.Fail, "error": s.Error, "inconclusive": s.Inconclusive, "skipped": s.Skip}
	var got map[string]int
	for _, m := range tally.FindAllSubmatch(out, -1) {
		got = map[string]int{"tests": atoi(m[1]), "error": 0, "inconclusive": 0, "skipped": 0}
		for _, one := range tallied.FindAllSubmatch(m[2], -1) {
			got[strings.TrimSuffix(string(one[2]), "s")] = atoi(one[1])
		}
		if cmp.Equal(want, got) {
			return nil
		}
	}
	return fmt.Errorf("no line says %v; the last one says %v", want, got)
}

func atoi(digits []byte) int {
	n, _ := strconv.Atoi(string(digits)) // what is too large is no count
	return n
}

var gauge = regexp.MustCompile(`(?m)^tribunal_run_tests\{status="(\w+)"\} (\d+)$`)

// checkGauges holds the gauges of statuses against the envelope.
func checkGauges(format string, out []byte, e *envelope.Envelope) error {
	if format != "openmetrics" {
		return nil
	}
	got := map[string]string{}
	for _, m := range gauge.FindAllSubmatch(out, -1) {
		if _, twice := got[string(m[1])]; twice {
			return fmt.Errorf("two gauges of %s", m[1])
		}
		got[string(m[1])] = string(m[2])
	}
	for _, status := range envelope.Statuses {
		if want := strconv.Itoa(e.Summary.Of(status)); got[string(status)] != want {
			return fmt.Errorf("gauge of %s is %q, want %s", status, got[string(status)], want)
		}
	}
	return nil
}

func written[D any](t *testing.T, f render.Of[D], document D, s render.Settings) []byte {
	t.Helper()
	if s.Options == nil {
		s.Options = f.Defaults()
	}
	var once, twice bytes.Buffer
	if err := errors.Join(f.Write(&once, document, s), f.Write(&twice, document, s)); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if !bytes.Equal(once.Bytes(), twice.Bytes()) {
		t.Errorf("%s: other bytes the second time", f.Name)
	}
	return once.Bytes()
}

// seedTexts adds the corpus of hostile texts.
func seedTexts(f *testing.F) {
	f.Helper()
	script := []byte("\x00\x01\x02\x03\x45\x86\xc7\x29\x6a\xab\xec\x2d\x00\x11\x91\x95")
	for i, x := range hostile.Texts {
		f.Add(x.Text, hostile.Texts[(i+7)%len(hostile.Texts)].Text, script[i%2:])
	}
	f.Add("", "", []byte{})
	f.Add("::error::x", "##[error]x", []byte{1})
}

// twoOptions are the defaults of a format, and one other value of one of its
// options, which the turn picks; nil where it has none.
func twoOptions[D any](f render.Of[D], turn int) (defaults, other map[string]string) {
	var all []map[string]string
	for _, o := range f.Options {
		for _, value := range o.Values[1:] {
			set := f.Defaults()
			set[o.Name] = value
			all = append(all, set)
		}
	}
	if len(all) == 0 {
		return f.Defaults(), nil
	}
	return f.Defaults(), all[turn%len(all)]
}

func FuzzRenderers(f *testing.F) {
	seedTexts(f)
	f.Fuzz(func(t *testing.T, a, b string, script []byte) {
		policy := envelope.Policy{Rule: "wald", MinTrials: envelope.Some(2)}
		if len(script)%2 == 1 {
			policy = envelope.Policy{} // all trials must pass: no test is inconclusive
		}
		e, same := hostileRun(t, wordsOf(a, b), script, policy), hostileRun(t, wordsOf(a, b), script, policy)
		for _, format := range render.Formats {
			defaults, other := twoOptions(format, len(a)+len(b)+len(script))
			out := written(t, format, e, render.Settings{Options: defaults})
			if err := errors.Join(acts(format.Name, out), checkTally(format.Name, out, e), checkGauges(format.Name, out, e), parsers[format.Name](out, e)); err != nil {
				t.Errorf("%s: %v", format.Name, err)
			}
			if other != nil {
				out := written(t, format, e, render.Settings{Options: other})
				if err := errors.Join(acts(format.Name, out), checkTally(format.Name, out, e)); err != nil {
					t.Errorf("%s with %v: %v", format.Name, other, err)
				}
			}
			if format.Append != nil {
				checkAppended(t, format.Name, func(w io.Writer) error { return format.Append.Write(w, e, render.Settings{}) })
			}
		}
		if diff := cmp.Diff(same, e, cmp.Exporter(exportAll), cmp.Comparer(sameFloat)); diff != "" {
			t.Errorf("a renderer changed its input:\n%s", diff)
		}
	})
}

// checkAppended holds the second part of a format.
func checkAppended(t *testing.T, format string, write func(io.Writer) error) {
	t.Helper()
	var out bytes.Buffer
	if err := errors.Join(write(&out), acts("the second part of "+format, out.Bytes())); err != nil {
		t.Errorf("the second part of %s: %v", format, err)
	}
}

func FuzzComparisons(f *testing.F) {
	seedTexts(f)
	f.Fuzz(func(t *testing.T, a, b string, script []byte) {
		half := len(script) / 2
		side := func(script []byte) compare.Input {
			w := wordsOf(a, b)
			return compare.Input{Name: w.word(), Envelope: hostileRun(t, w, script, wald)}
		}
		make := func() *compare.Comparison {
			c, err := compare.Runs(wordsOf(a, b).word(), side(script[:half]), []compare.Input{side(script[half:])}, nil, compare.Defaults())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := make()
		comparisons.holdAll(t, c, make())
	})
}

func FuzzPlans(f *testing.F) {
	seedTexts(f)
	wilson := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}
	f.Fuzz(func(t *testing.T, a, b string, script []byte) {
		of := func() *plan.Plan {
			return planOf(t, plan.Question{Envelope: hostileRun(t, wordsOf(a, b), script, wilson), PriceUSD: envelope.Some(0.5)})
		}
		plans.holdAll(t, of(), of())
	})
}

// FuzzTrends holds the documents of a history.
func FuzzTrends(f *testing.F) {
	seedTexts(f)
	f.Fuzz(func(t *testing.T, a, b string, script []byte) {
		w := wordsOf(a, b)
		g := trendGolden{tests: hostileSeries(script), texts: func(i int) string { return w.list[i%len(w.list)] + strconv.Itoa(i) }}
		trends.holdAll(t, g.trend(), g.trend())
	})
}

// hostileSeries are the tests of a trend: each byte of the script is a run of one of
// three tests.
func hostileSeries(script []byte) []trendSeries {
	words := []string{"5/5", "0/5", "3/5", "x", "s", "4/5"}
	const tests, most = 3, 60
	runs := make([][]string, tests)
	for i, c := range script[:min(len(script), most)/tests*tests] {
		runs[i%tests] = append(runs[i%tests], words[int(c)%len(words)])
	}
	var out []trendSeries
	for _, r := range runs {
		if len(r) > 0 {
			out = append(out, trendSeries{runs: series(r...)})
		}
	}
	return out
}
