package history

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/history/trend"
)

func TestRunsComeOutAsTheyWentIn(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s := open(t, place, Write)
		for _, name := range goldenNames(t) { // hostile names, NUL bytes and empty runs among them
			e := golden(t, name)
			id := add(t, s, e)
			r, err := s.Find(context.Background(), id[:8])
			if err != nil {
				t.Fatal(name, err)
			}
			back, err := s.Envelope(context.Background(), r)
			if err != nil {
				t.Fatal(name, err)
			}
			// conversations are not stored, and all else is
			if text(t, back) != text(t, withoutConversation(e)) || strings.Contains(text(t, back), `"transcripts"`) || len(back.Texts) > 0 {
				t.Errorf("%s came out other than it went in", name)
			}
		}
	})
}

func text(t *testing.T, e *envelope.Envelope) string {
	t.Helper()
	var b bytes.Buffer
	if err := wire.EncodeJSON(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAddingAgainChangesNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s, ctx := open(t, place, Write), context.Background()
		id := add(t, s, golden(t, "flaky"))
		judgedOtherwise := golden(t, "flaky")
		judgedOtherwise.Policy.Rule = "any"
		judgedOtherwise.Tests[0].Status = envelope.Pass
		for reason, e := range map[string]*envelope.Envelope{
			"the same again":                       golden(t, "flaky"),
			"the same trials under another policy": judgedOtherwise,
		} {
			again, added, err := s.Add(ctx, e)
			if again != id || added || err != nil {
				t.Errorf("%s: id %s, added %v, %v; want nothing added to %s", reason, again, added, err, id)
			}
		}
		other := golden(t, "flaky")
		other.Run.Commit = "another"
		if again, added, err := s.Add(ctx, other); again == id || !added || err != nil {
			t.Errorf("another header is another run: id %s, added %v, %v", again, added, err)
		}
		if runs, n, err := s.List(ctx, Selection{}); n != 2 || err != nil {
			t.Errorf("%d runs are there, want 2: %v, %v", n, runs, err)
		}
	})
}

func TestRunsStandInTime(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s := open(t, place, Write)
		for n, at := range []string{
			"", "2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z", "", "2026-03-01T00:00:00.5Z", "2026-03-02T01:00:00+01:00",
		} {
			add(t, s, numbered(t, n, at))
		}
		for _, c := range []struct {
			sel    Selection
			want   string
			n      int
			reason string
		}{
			{Selection{}, "0 2 3 4 1 5", 6, "by start; 0 before all as nothing came before it, 3 right after 2, 5 after 1 as it starts at the same instant"},
			{Selection{Latest: 2}, "1 5", 6, "the latest two of six"},
			{Selection{Latest: 9}, "0 2 3 4 1 5", 6, "no more than there are"},
			{Selection{Labels: map[string]string{"branch": "x"}}, "", 0, "no run has the label"},
		} {
			runs, n, err := s.List(context.Background(), c.sel)
			if got := givenIDs(runs); got != c.want || n != c.n || err != nil {
				t.Errorf("%+v: runs %q of %d, %v; want %q of %d: %s", c.sel, got, n, err, c.want, c.n, c.reason)
			}
		}
	})
}

func TestFindNamesOneRun(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s, ctx := open(t, place, Write), context.Background()
		if _, err := s.Find(ctx, Latest); err == nil {
			t.Error("an empty history has no latest run")
		}
		id := add(t, s, numbered(t, 1, "2026-03-01T00:00:00Z"))
		last := add(t, s, numbered(t, 2, "2026-03-02T00:00:00Z"))
		for _, c := range []struct{ name, want, err, reason string }{
			{id, id, "", "the whole id"},
			{strings.ToUpper(id[:10]), id, "", "its beginning, in any case"},
			{Latest, last, "", "the latest"},
			{id[:3], "", "give at least 4 characters", "too short to mean one"},
			{"zzzz", "", "tribunal history list", "no such run"},
			{"", "", "give at least 4 characters", "nothing"},
			{"%%%%", "", "no run", "no pattern of SQL"},
		} {
			r, err := s.Find(ctx, c.name)
			if r.ID != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("Find(%q) = %q, %v; want %q, %q: %s", c.name, r.ID, err, c.want, c.err, c.reason)
			}
		}
	})
}

func TestTrendReadsWhatRunsCounted(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s := open(t, place, Write)
		names := goldenNames(t)
		for _, name := range names {
			add(t, s, golden(t, name))
		}
		got, err := s.Trend(context.Background(), Query{Confidence: 0.95})
		if err != nil {
			t.Fatal(err)
		}
		want := trend.NewBuilder(0.95)
		runs, _, err := s.List(context.Background(), Selection{})
		if err != nil {
			t.Fatal(err)
		}
		want.Selected(0, len(names))
		for _, r := range runs {
			e, err := s.Envelope(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			want.Run(r.ID, dated(e), e.Policy, e.Summary)
			for i := range e.Tests {
				want.Point(want.Test(e.Tests[i].Key), trend.PointOf(&e.Tests[i]))
			}
		}
		if g, w := trendText(t, got), trendText(t, want.Trend()); g != w {
			t.Errorf("the trend of the stored counts differs from that of the envelopes:\n%s\n%s", g, w)
		}
		one, err := s.Trend(context.Background(), Query{Confidence: 0.95, Keep: func(k envelope.Key) bool { return k == golden(t, "one-pass").Tests[0].Key }})
		if err != nil || len(one.Tests) != 1 {
			t.Errorf("%d tests, %v; want the one that is kept", len(one.Tests), err)
		}
	})
}

func trendText(t *testing.T, tr *trend.Trend) string {
	t.Helper()
	var b bytes.Buffer
	if err := tr.EncodeJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRunsStandWhereTheirTrialsSay: a runner may date its trials alone.
func TestRunsStandWhereTheirTrialsSay(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s, ctx := open(t, place, Write), context.Background()
		trials := func(n int, at time.Time) *envelope.Envelope {
			e := numbered(t, n, "")
			e.Tests[0].Rows = e.Tests[0].Rows.Changed(func(c *envelope.Columns) { c.StartedAt.Set(0, at.UnixNano()) })
			return e
		}
		add(t, s, numbered(t, 3, "2026-03-03T00:00:00Z"))
		add(t, s, trials(4, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)))
		add(t, s, numbered(t, 2, "2026-03-02T00:00:00Z"))
		id := add(t, s, trials(1, time.Date(2026, 3, 1, 0, 30, 0, 0, time.UTC)))
		runs, _, err := s.List(ctx, Selection{})
		if err != nil || givenIDs(runs) != "1 2 3 4" || runs[0].Header.StartedAt != "2026-03-01T00:30:00Z" {
			t.Errorf("%s, %v; want 1 2 3 4", givenIDs(runs), err)
		}
		if e, err := s.Envelope(ctx, runs[0]); err != nil || runs[0].ID != id || e.Run.StartedAt != "" {
			t.Errorf("the envelope itself was changed: %v", err)
		}
	})
}

func TestPrune(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s, ctx := open(t, place, Write), context.Background()
		for n, at := range []string{"2026-03-01T00:00:00Z", "", "2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z"} {
			add(t, s, numbered(t, n, at))
		}
		add(t, s, golden(t, "flaky")) // has tests of its own
		runs, _, err := s.List(ctx, Selection{})
		if err != nil {
			t.Fatal(err)
		}
		third, _ := envelope.Instant("2026-03-03T00:00:00Z")
		for _, c := range []struct {
			age    Age
			want   string
			reason string
		}{
			{Age{Keep: 9}, "", "fewer than are kept"},
			{Age{Keep: 3}, givenIDs(runs[:2]), "all but the latest three"},
			{Age{Before: envelope.Some(third)}, "0", "started before; the one without a start is not known to be"},
			{Age{Before: envelope.Some(third + 1)}, "0 2", "the instant itself is not before"},
			{Age{Before: envelope.Some[int64](0)}, "", "none started before 1970"},
			{Age{Keep: 4, Before: envelope.Some(third + 1)}, "0", "both must hold"},
		} {
			if got := givenIDs(c.age.Old(runs)); got != c.want {
				t.Errorf("%+v: %q is old, want %q: %s", c.age, got, c.want, c.reason)
			}
		}
		if err := s.Delete(ctx, Age{Keep: 1}.Old(runs)); err != nil {
			t.Fatal(err)
		}
		left, n, err := s.List(ctx, Selection{})
		if n != 1 || err != nil || left[0].ID != runs[len(runs)-1].ID {
			t.Errorf("%d runs are left, %v; want the latest alone", n, err)
		}
		rosters := 0
		if err := s.db.QueryRow(`SELECT count(*) FROM tribunal_rosters`).Scan(&rosters); err != nil || rosters != 1 {
			t.Errorf("%d rosters are left, %v; want the one in use", rosters, err)
		}
		add(t, s, numbered(t, 0, "2026-03-01T00:00:00Z")) // what was pruned may come back
	})
}

// TestDeletingMovesNothing: runs without a start stand behind others, which may be deleted one after the other.
func TestDeletingMovesNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s, ctx := open(t, place, Write), context.Background()
		for n, at := range []string{
			"2026-03-05T00:00:00Z", "2026-03-01T00:00:00Z", "", "", "2026-03-03T00:00:00Z", "2026-03-02T00:00:00Z", "",
		} {
			add(t, s, numbered(t, n, at))
		}
		for _, want := range []string{"1 2 3 5 6 4 0", "2 3 5 6 4 0", "3 5 6 4 0", "5 6 4 0", "6 4 0", "4 0", "0"} {
			runs, _, err := s.List(ctx, Selection{})
			if err != nil || givenIDs(runs) != want {
				t.Fatalf("%q, %v; want %q: the oldest was deleted and nothing else", givenIDs(runs), err, want)
			}
			if err := s.Delete(ctx, runs[:1]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		ctx := context.Background()
		if _, err := Open(ctx, place, Read); !errors.Is(err, ErrNone) {
			t.Errorf("reading where no history is: %v, want ErrNone", err)
		}
		open(t, place, Write).Close()
		open(t, place, Read).Close()
		open(t, place, Write).Close() // there is nothing left to migrate
		if _, err := rawDB(t, place).Exec(`UPDATE tribunal_schema SET version = 99`); err != nil {
			t.Fatal(err)
		}
		for _, access := range []Access{Read, Write} {
			if _, err := Open(ctx, place, access); err == nil || !strings.Contains(err.Error(), "version 99") || !strings.Contains(err.Error(), "update tribunal") {
				t.Errorf("tables of a newer version: %v, want both versions and what to do", err)
			}
		}
	})
}

func TestDamagedRecordsAreNamed(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		for _, c := range []struct{ column, value, reason string }{
			{"counts", "'1'", "cut short"},
			{"counts", "''", "empty"},
			{"envelope", "'1'", "no compressed envelope"},
			{"header", "'{'", "no JSON"},
			{"id", "'abc'", "cut short"},
		} {
			s, ctx := open(t, place, Write), context.Background()
			add(t, s, golden(t, "flaky"))
			if _, err := s.db.Exec(`UPDATE tribunal_runs SET ` + c.column + ` = ` + c.value); err != nil {
				t.Fatal(err)
			}
			_, trendErr := s.Trend(ctx, Query{Confidence: 0.95})
			var readErr error
			if c.column == "envelope" {
				runs, _, err := s.List(ctx, Selection{})
				if err != nil {
					t.Fatal(err)
				}
				_, readErr = s.Envelope(ctx, runs[0])
			}
			if err := errors.Join(trendErr, readErr); err == nil || !strings.Contains(err.Error(), "run ") {
				t.Errorf("%s, %s: %v; want an error that names the run", c.column, c.reason, err)
			}
			if _, err := s.db.Exec(`DELETE FROM tribunal_runs`); err != nil {
				t.Fatal(err)
			}
			s.Close()
		}
	})
}

// TestWhatIsNoRunIsAnErrorOrEmpty: callers of the library may hand in anything.
func TestWhatIsNoRunIsAnErrorOrEmpty(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s, ctx := open(t, place, Write), context.Background()
		if _, _, err := s.Add(ctx, nil); err == nil || !strings.Contains(err.Error(), "no envelope") {
			t.Errorf("adding nil: %v", err)
		}
		if _, err := s.Envelope(ctx, Run{}); err == nil || !strings.Contains(err.Error(), "not there any more") {
			t.Errorf("reading a run of no history: %v", err)
		}
		rowless := &envelope.Envelope{Tests: []envelope.Test{{Key: envelope.Key{Test: "t"}}}}
		add(t, s, rowless)
		if tr, err := s.Trend(ctx, Query{Confidence: trend.DefaultConfidence, Now: rowless}); err != nil || len(tr.Runs) != 1 {
			t.Errorf("a test without rows: %v", err)
		}
	})
}
