package count_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/verdict"
)

// TestWhatATrialCountsAs is the table of DESIGN "What a trial counts as".
func TestWhatATrialCountsAs(t *testing.T) {
	calls := func(n int32) envelope.Opt[int32] { return envelope.Some(n) }
	var unknown envelope.Opt[int32]
	for _, c := range []struct {
		reason string
		status envelope.Status
		class  string
		calls  envelope.Opt[int32]
		want   envelope.Outcome
		shown  string
	}{
		{"a plain pass", envelope.Pass, "", unknown, envelope.Passed, ""},
		{"a timed-out trial can have passed", envelope.Pass, "timeout", calls(0), envelope.Passed, ""},
		{"a pass in spite of the infrastructure", envelope.Pass, "infrastructure", unknown, envelope.Passed, ""},
		{"a plain fail", envelope.Fail, "", unknown, envelope.Failed, ""},
		{"an error without a class", envelope.Error, "", unknown, envelope.Errored, ""},
		{"an error of the user's own class", envelope.Error, "hallucination", unknown, envelope.Errored, ""},
		{"a timeout after some activity", envelope.Fail, "timeout", calls(3), envelope.Failed, ""},
		{"a timeout of unknown activity", envelope.Error, "timeout", unknown, envelope.Errored, ""},
		{"a timeout without any activity", envelope.Fail, "timeout", calls(0), envelope.Excluded, "idle-timeout"},
		{"infrastructure", envelope.Error, "infrastructure", calls(5), envelope.Excluded, "infrastructure"},
		{"pre-validation", envelope.Fail, "pre-validation", unknown, envelope.Excluded, "pre-validation"},
		{"empty run", envelope.Fail, "empty-run", unknown, envelope.Excluded, "empty-run"},
		{"a skip", envelope.Skip, "", unknown, envelope.Skipped, "skip"},
		{"no tool calls is no empty run unless asked", envelope.Fail, "", calls(0), envelope.Failed, ""},
	} {
		b := count.NewBuilder(5, 0.5)
		b.Input("x", "native").Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: c.status, ErrorClass: c.class, ToolCalls: c.calls})
		rows := b.Run(envelope.ConflictExtend, 5).Tests[0].Rows
		got, shown := rows.Classify(0, envelope.CountingRules{ScoreThreshold: 0.5})
		if got != c.want || shown != c.shown {
			t.Errorf("%s: %c %q, want %c %q", c.reason, got, shown, c.want, c.shown)
		}
		trial := envelope.Trial{Status: c.status, ErrorClass: c.class, ToolCalls: c.calls}
		if got, shown := trial.Classify(envelope.CountingRules{ScoreThreshold: 0.5}); got != c.want || shown != c.shown {
			t.Errorf("%s, in no rows yet: %c %q, want %c %q", c.reason, got, shown, c.want, c.shown)
		}
	}
}

func TestClassifyByScoreCategoryAndEmptyRun(t *testing.T) {
	for _, c := range []struct {
		reason string
		trial  envelope.Trial
		want   envelope.Outcome
	}{
		{"a score at the threshold passes", envelope.Trial{Score: envelope.Some(0.7)}, envelope.Passed},
		{"a score below fails", envelope.Trial{Score: envelope.Some(0.69)}, envelope.Failed},
		{"a given status wins over the score", envelope.Trial{Status: envelope.Pass, Score: envelope.Some(0.1)}, envelope.Passed},
		{"category 0 is failure", envelope.Trial{Category: envelope.Some(int32(0))}, envelope.Failed},
		{"category 1 is not", envelope.Trial{Category: envelope.Some(int32(1))}, envelope.Passed},
		{"an empty run when asked to detect them", envelope.Trial{Status: envelope.Fail, ToolCalls: envelope.Some(int32(0))}, envelope.Excluded},
		{"unknown activity is no empty run", envelope.Trial{Status: envelope.Fail}, envelope.Failed},
		{"a user's class is no empty run", envelope.Trial{Status: envelope.Fail, ErrorClass: "own", ToolCalls: envelope.Some(int32(0))}, envelope.Failed},
	} {
		b := count.NewBuilder(5, 0.7)
		c.trial.Test = "t"
		b.Input("x", "native").Trial(&c.trial)
		rows := b.Run(envelope.ConflictExtend, 5).Tests[0].Rows
		if got, _ := rows.Classify(0, envelope.CountingRules{ScoreThreshold: 0.7, DetectEmptyRuns: true}); got != c.want {
			t.Errorf("%s: %c, want %c", c.reason, got, c.want)
		}
		if got, _ := c.trial.Classify(envelope.CountingRules{ScoreThreshold: 0.7, DetectEmptyRuns: true}); got != c.want {
			t.Errorf("%s, in no rows yet: %c, want %c", c.reason, got, c.want)
		}
	}
}

func numbered(run string, attempt int32, status envelope.Status, message string) envelope.Trial {
	return envelope.Trial{Key: envelope.Key{Test: "t"}, Run: run, Attempt: envelope.Some(attempt), Status: status, Message: message}
}

func countOne(onConflict string, inputs ...input) *envelope.Run {
	b := count.NewBuilder(5, 0.5)
	streams(inputs...)(b)
	return b.Run(onConflict, 5)
}

func given(run *envelope.Run) string {
	s := ""
	for _, g := range run.Tests[0].Rows.Given {
		s += string(rune(g))
	}
	return s
}

func TestOrderDuplicatesAndConflicts(t *testing.T) {
	P, F, E := envelope.Pass, envelope.Fail, envelope.Error
	unnumbered := func(s envelope.Status) envelope.Trial { return envelope.Trial{Key: envelope.Key{Test: "t"}, Status: s} }
	for _, c := range []struct {
		reason     string
		onConflict string
		inputs     []input
		want       string
		code       string
		count      int
	}{
		{"by attempt, not by arrival", "extend", []input{{"a", []envelope.Trial{numbered("", 2, E, ""), numbered("", 0, P, ""), numbered("", 1, F, "")}}}, "PFE", "", 0},
		{"by run first", "extend", []input{{"a", []envelope.Trial{numbered("r2", 0, F, ""), numbered("r1", 1, P, ""), numbered("r1", 0, P, "")}}}, "PPF", "", 0},
		{"in order of arrival without attempts", "extend", []input{{"a", []envelope.Trial{unnumbered(F), unnumbered(P), unnumbered(F)}}}, "FPF", "", 0},
		{"equal trials without attempts are different trials", "extend", []input{{"a", []envelope.Trial{unnumbered(P), unnumbered(P)}}}, "PP", "", 0},
		{"delivered twice counts once", "extend", []input{{"a", []envelope.Trial{numbered("", 0, P, "")}}, {"b", []envelope.Trial{numbered("", 0, P, "")}}}, "P", envelope.CodeDuplicate, 1},
		{"another message is another trial", "extend", []input{{"a", []envelope.Trial{numbered("", 0, F, "x")}}, {"b", []envelope.Trial{numbered("", 0, F, "y")}}}, "FF", envelope.CodeConflict, 1},
		{"conflicts are kept, ordered by a hash of their content", "extend", []input{{"a", []envelope.Trial{numbered("", 0, P, "")}}, {"b", []envelope.Trial{numbered("", 0, F, "")}}}, "FP", envelope.CodeConflict, 1},
		{"in the same order whichever came first", "extend", []input{{"a", []envelope.Trial{numbered("", 0, F, "")}}, {"b", []envelope.Trial{numbered("", 0, P, "")}}}, "FP", envelope.CodeConflict, 1},
		{"which is another one at another attempt", "extend", []input{{"a", []envelope.Trial{numbered("", 1, F, "")}}, {"b", []envelope.Trial{numbered("", 1, P, "")}}}, "PF", envelope.CodeConflict, 1},
		{"replace: the last input wins", "replace", []input{{"a", []envelope.Trial{numbered("", 0, P, "")}}, {"b", []envelope.Trial{numbered("", 0, F, "")}}}, "F", envelope.CodeReplaced, 1},
		{"replace the other way round", "replace", []input{{"b", []envelope.Trial{numbered("", 0, F, "")}}, {"a", []envelope.Trial{numbered("", 0, P, "")}}}, "P", envelope.CodeReplaced, 1},
	} {
		run := countOne(c.onConflict, c.inputs...)
		if got := given(run); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
		switch {
		case c.code == "" && len(run.Problems) > 0:
			t.Errorf("%s: unexpected problems %v", c.reason, run.Problems)
		case c.code != "" && (len(run.Problems) != 1 || run.Problems[0].Code != c.code || run.Problems[0].Count != c.count):
			t.Errorf("%s: problems %v, want one %s of count %d", c.reason, run.Problems, c.code, c.count)
		}
	}
}

func TestConflictErrorIsAnError(t *testing.T) {
	run := countOne("error", input{"a", []envelope.Trial{numbered("", 0, envelope.Pass, ""), numbered("", 0, envelope.Fail, "")}})
	if len(run.Problems) != 1 || run.Problems[0].Severity != envelope.SeverityError {
		t.Errorf("problems %v", run.Problems)
	}
}

// TestDetailsAreTheFirstThatMatter: failures before excluded before skipped, in
// canonical order, up to the cap, whatever the order of arrival.
func TestDetailsAreTheFirstThatMatter(t *testing.T) {
	var trials []envelope.Trial
	for i := range int32(40) {
		tr := numbered("", 39-i, envelope.Fail, fmt.Sprint("attempt ", 39-i))
		switch {
		case tr.Attempt.V < 10:
			tr.Status = envelope.Skip
		case tr.Attempt.V < 20:
			tr.ErrorClass = envelope.ClassInfrastructure
		}
		trials = append(trials, tr)
	}
	b := count.NewBuilder(3, 0.5)
	streams(input{"a", trials})(b)
	got := b.Run(envelope.ConflictExtend, 3).Tests[0].Details
	if len(got) != 3 {
		t.Fatalf("%d details, want 3", len(got))
	}
	for i, d := range got {
		if want := fmt.Sprint("attempt ", 20+i); d.Message != want || d.Trial != 20+i {
			t.Errorf("detail %d: %q of trial %d, want %q", i, d.Message, d.Trial, want)
		}
	}
}

func TestTextsAreCutAtBothEndsOfTheMiddle(t *testing.T) {
	long := "head " + strings.Repeat("ü", 20_000) + "\n… 900000 bytes left out …\n" + strings.Repeat("ü", 20_000) + " tail" // a reader cut it
	b := count.NewBuilder(5, 0.5)
	b.Input("a", "native").Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Fail, Message: long, Output: long})
	d := b.Run(envelope.ConflictExtend, 5).Tests[0].Details[0]
	for _, c := range []struct {
		name, text string
		limit      int
	}{{"message", d.Message, 4 << 10}, {"output", d.Output, 16 << 10}} {
		if len(c.text) > c.limit || len(c.text) < c.limit-100 {
			t.Errorf("%s has %d bytes, limit %d", c.name, len(c.text), c.limit)
		}
		if !utf8.ValidString(c.text) || !strings.HasPrefix(c.text, "head ") || !strings.HasSuffix(c.text, " tail") || !regexp.MustCompile(`9[67]\d{4} bytes cut`).MatchString(c.text) {
			t.Errorf("%s: not head, mark and tail: %.30q … %q", c.name, c.text, c.text[len(c.text)-20:])
		}
	}
}

// TestNoCutShowsASecret: a password in a URL is known by what stands behind it.
func TestNoCutShowsASecret(t *testing.T) {
	for _, limit := range []int{4 << 10, 16 << 10} {
		head := strings.Repeat("all is well ", limit/24)
		long := head[:limit/2-70] + " postgres://bob:" + strings.Repeat("k7Q2", 15) + "@db.internal/x " + strings.Repeat("and on ", limit)
		b := count.NewBuilder(5, 0.5)
		trial := envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Fail, Message: long, Output: long}
		b.Input("a", "native").Trial(&trial)
		d := b.Run(envelope.ConflictExtend, 5).Tests[0].Details[0]
		for _, text := range []string{d.Message, d.Output} {
			if strings.Contains(text, "k7Q2") && !strings.Contains(text, "@db.internal") {
				t.Errorf("a cut at %d shows the head of a secret: %q", limit, text[limit/2-60:])
			}
		}
	}
}

func TestAbsentIsNotZero(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("a", "native")
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass})
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, CostUSD: envelope.Some(0.0), Tokens: envelope.Some(int64(0))})
	rows := b.Run(envelope.ConflictExtend, 5).Tests[0].Rows
	if _, ok := rows.CostUSD().At(0); ok {
		t.Error("an unknown cost became known")
	}
	if v, ok := rows.CostUSD().At(1); !ok || v != 0 {
		t.Error("a cost of 0 became unknown")
	}
	if rows.Score() != nil || rows.ToolCalls() != nil {
		t.Error("a column nobody uses exists")
	}
}

func TestLabelsThatVaryAreNotTheTests(t *testing.T) {
	trial := func(seed string) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, Labels: []envelope.Label{{Name: "tier", Value: "gold"}, {Name: "seed", Value: seed}}}
	}
	run := countOne("extend", input{"a", []envelope.Trial{trial("1"), trial("2"), trial("1")}})
	if got := run.Tests[0]; fmt.Sprint(got.Labels, got.Varies) != "map[tier:gold] [seed]" {
		t.Errorf("labels %v, varying %v", got.Labels, got.Varies)
	}
}

func TestProblemsAreCapped(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("a", "native")
	for i := range 10_000 {
		in.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: i + 1, Message: "bad"})
	}
	ps := b.Run(envelope.ConflictExtend, 5).Problems
	if len(ps) != 101 || !slices.ContainsFunc(ps, func(p envelope.Problem) bool { return p.Count == 9900 }) {
		t.Errorf("%d problems", len(ps))
	}
}

func TestHeadersMerge(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	for _, h := range []envelope.Header{
		{Name: "nightly", ID: "1", Commit: "abc", PlannedTrials: envelope.Some(int64(10)), StartedAt: "2026-11-21T12:00:00+01:00"},
		{Name: "nightly", ID: "2", Commit: "def", PlannedTrials: envelope.Some(int64(5)), StartedAt: "2026-11-21T10:59:00Z"},
		{Name: "nightly", ID: "2", Commit: "def", PlannedTrials: envelope.Some(int64(5)), StartedAt: "2026-11-21T10:59:00Z"},
	} {
		b.Input("a", "native").Header(h, nil)
	}
	run := b.Run(envelope.ConflictExtend, 5)
	h := run.Header
	if h.Name != "nightly" || h.ID != "1, 2" || h.PlannedTrials.V != 15 || h.StartedAt != "2026-11-21T10:59:00Z" || len(h.Headers) != 2 {
		t.Errorf("%+v", h)
	}
	if len(run.Problems) != 1 || run.Problems[0].Code != envelope.CodeHeaders {
		t.Errorf("problems %v", run.Problems)
	}
}

// TestColumnsReadBack: the columns' own writer agrees with
// encoding/json on what a number is.
func TestColumnsReadBack(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 0.1, 1e-7, 123456789012345680, 1e21, 5e-324, math.MaxFloat64, 1.0 / 3, 1e15, 999999999999999} {
		b := count.NewBuilder(0, 0.5)
		b.Input("a", "native").Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, Score: envelope.Some(v)})
		policy, err := verdict.Resolve(envelope.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		env, err := verdict.Seal(b.Run(envelope.ConflictExtend, 0), policy)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(env.Tests[0].Rows)
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Score []float64 }
		if err := json.Unmarshal(text, &back); err != nil || back.Score[0] != v {
			t.Errorf("%v became %v (%v) in %s", v, back.Score, err, text)
		}
	}
}

func TestShortWriterIsAnError(t *testing.T) {
	rec, err := wire.Decode(bytes.NewReader(report(t, streams(input{"a", []envelope.Trial{numbered("", 0, envelope.Fail, "m")}}))))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		if wire.EncodeJSON(&short{n}, rec.Envelope) == nil || wire.EncodeNDJSON(&short{n}, rec.Envelope) == nil {
			t.Fatalf("no error from a writer that takes %d bytes", n)
		}
	}
}

// short takes n bytes and then fails.
type short struct{ n int }

func (s *short) Write(p []byte) (int, error) {
	if len(p) > s.n {
		return s.n, fmt.Errorf("full")
	}
	s.n -= len(p)
	return len(p), nil
}
