package history

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/internal/history/trend"
	"tribunal/stats"
)

// TestARunCountsOnceInItsOwnTrend: it may have been added with words that its inputs do not say, and from another place.
func TestARunCountsOnceInItsOwnTrend(t *testing.T) {
	const monday, tuesday = "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"
	run := func(started, id, commit string) *envelope.Envelope {
		e := golden(t, "one-pass")
		e.Run.StartedAt, e.Run.ID, e.Run.Commit = started, id, commit
		return e
	}
	relabelled := run(monday, "", "")
	relabelled.Run.Name, relabelled.Run.Labels, relabelled.Run.Sources[0].Input = "nightly", map[string]string{"branch": "main"}, "/elsewhere/trials.ndjson"
	inTrials := func(id string, hour int) *envelope.Envelope {
		e := run("", id, "")
		e.Tests[0].Rows = e.Tests[0].Rows.Changed(func(c *envelope.Columns) {
			c.StartedAt.Set(0, time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC).UnixNano())
		})
		return e
	}
	otherTrials := run(monday, "", "")
	otherTrials.Tests[0].Rows = otherTrials.Tests[0].Rows.Changed(func(c *envelope.Columns) { c.DurationMS.Set(0, 12345) })
	for _, c := range []struct {
		now    *envelope.Envelope
		stored []*envelope.Envelope
		want   int // runs before it
		reason string
	}{
		{run(monday, "", ""), []*envelope.Envelope{relabelled}, 0, "added under a name, a label and another path"},
		{run(monday, "", ""), []*envelope.Envelope{run(monday, "7", "abc")}, 0, "added with an id and a commit"},
		{run(monday, "", "abcdef0"), []*envelope.Envelope{run(monday, "", "abcdef0123456789")}, 0, "added with the whole commit; the time tells that it is the same"},
		{run(monday, "", ""), []*envelope.Envelope{run(monday, "7", ""), run(monday, "8", "")}, 0, "added twice"},
		{run(tuesday, "", ""), []*envelope.Envelope{run(monday, "", "")}, 1, "the same trials a day before are another run"},
		{run(monday, "8", ""), []*envelope.Envelope{run(monday, "7", "")}, 1, "two jobs that started at once"},
		{otherTrials, []*envelope.Envelope{run(monday, "", "")}, 1, "other trials at the same time"},
		{run("", "", ""), []*envelope.Envelope{run(tuesday, "7", "")}, 0, "no time of its own, added with --started-at"},
		{run("", "", ""), []*envelope.Envelope{run("", "7", ""), run("", "8", "")}, 1, "without a time it looks like both, and can be one of them"},
		{run("", "8", ""), []*envelope.Envelope{run("", "7", "")}, 1, "without a time, called otherwise"},
		{run("", "", "def"), []*envelope.Envelope{run("", "", "abc")}, 1, "without a time, of another commit"},
		{run("", "", ""), []*envelope.Envelope{run("", "", ""), run("", "8", "")}, 1, "the very same run is there, so the other is another"},
		{inTrials("", 9), []*envelope.Envelope{inTrials("7", 9)}, 0, "its trials say when"},
		{inTrials("", 9), []*envelope.Envelope{inTrials("", 8)}, 1, "an hour before"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			everywhere(t, func(t *testing.T, place string) {
				s := open(t, place, Write)
				for _, e := range c.stored {
					add(t, s, e)
				}
				tr, err := s.Trend(context.Background(), Query{Confidence: trend.DefaultConfidence, Now: c.now})
				if err != nil || len(tr.Runs) != c.want+1 {
					t.Errorf("%d runs and %v; want %d before this one", len(tr.Runs), err, c.want)
				}
			})
		})
	}
}

// TestARunIsAddedOnce: where its trials say when they began, no other run has them, and
// what only one of the two says may have been said while adding. What both say parts them.
func TestARunIsAddedOnce(t *testing.T) {
	run := func(name, id, commit, branch string) *envelope.Envelope {
		e := golden(t, "one-pass")
		e.Run.StartedAt, e.Run.Name, e.Run.ID, e.Run.Commit, e.Run.Labels = "", name, id, commit, nil
		if branch != "" {
			e.Run.Labels = map[string]string{"branch": branch}
		}
		e.Tests[0].Rows = e.Tests[0].Rows.Changed(func(c *envelope.Columns) {
			c.StartedAt.Set(0, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).UnixNano())
		})
		return e
	}
	started := run("", "", "", "")
	started.Run.StartedAt = "2026-03-02T00:00:00Z"
	elsewhere := run("", "", "", "")
	elsewhere.Run.Sources[0].Input = "/elsewhere/trials.ndjson"
	untimed := golden(t, "one-pass")
	untimed.Run.Commit = "def"
	for _, c := range []struct {
		reason string
		first  *envelope.Envelope
		then   *envelope.Envelope
		added  bool
	}{
		{"with a commit, a name and a label", run("", "", "", ""), run("nightly", "7", "abc", "main"), false},
		{"and without them", run("nightly", "7", "abc", "main"), run("", "", "", ""), false},
		{"from another path", run("", "", "", ""), elsewhere, false},
		{"with another name", run("a", "", "", ""), run("b", "", "", ""), true},
		{"with another id", run("", "7", "", ""), run("", "8", "", ""), true},
		{"of another commit", run("", "", "abc", ""), run("", "", "def", ""), true},
		{"with another label", run("", "", "", "main"), run("", "", "", "fix"), true},
		{"at another time", run("", "", "", ""), started, true},
		{"without times of its trials", golden(t, "one-pass"), untimed, true},
	} {
		t.Run(c.reason, func(t *testing.T) {
			everywhere(t, func(t *testing.T, place string) {
				s := open(t, place, Write)
				add(t, s, c.first)
				first, _, err := s.Add(context.Background(), c.first)
				if err != nil {
					t.Fatal(err)
				}
				id, added, err := s.Add(context.Background(), c.then)
				if err != nil || added != c.added || (id == first) == c.added {
					t.Errorf("added %v as %s, %v; the first is %s", added, id, err, first)
				}
				runs, _, err := s.List(context.Background(), Selection{})
				if err == nil {
					err = s.Delete(context.Background(), runs)
				}
				if err != nil {
					t.Fatal(err)
				}
				if _, added, err := s.Add(context.Background(), c.then); err != nil || !added {
					t.Errorf("added %v, %v, to a history from which it was deleted", added, err)
				}
			})
		})
	}
}

// TestTrialsAreTheSameUnderAnyPathAndPolicy: where a format names no process, the
// path stands for it, and a policy decides what trials count as.
func TestTrialsAreTheSameUnderAnyPathAndPolicy(t *testing.T) {
	hash := func(rows string) string {
		var r envelope.Rows
		if err := json.Unmarshal([]byte(rows), &r); err != nil {
			t.Fatal(err)
		}
		got, err := trialsOf(&envelope.Envelope{Tests: []envelope.Test{{Key: envelope.Key{Test: "t"}, Rows: &r}}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := hash(`{"outcome":"FFP","run":["a.xml","a.xml","b.xml"]}`)
	for _, c := range []struct {
		rows   string
		same   bool
		reason string
	}{
		{`{"outcome":"FFP","run":["x/a.xml","x/a.xml","x/b.xml"],"source":[null,1]}`, true, "other folders"},
		{`{"outcome":"XFP","status":["fail"],"run":["a.xml","a.xml","b.xml"]}`, true, "a policy that excludes one"},
		{`{"outcome":"FFP","run":["a.xml","a.xml","a.xml"]}`, false, "one process, not two"},
		{`{"outcome":"FPP","run":["a.xml","a.xml","b.xml"]}`, false, "another trial passed"},
	} {
		if got := hash(c.rows); (got == want) != c.same {
			t.Errorf("%s: the same is %v, want %v", c.reason, got == want, c.same)
		}
	}
}

// TestHashesAreOfWhatEncodingJSONWrites: a run is recognised by hashes that earlier
// versions stored, which were of texts by encoding/json.
func TestHashesAreOfWhatEncodingJSONWrites(t *testing.T) {
	marked := golden(t, "one-pass")
	marked.Tests = []envelope.Test{{Key: envelope.Key{Test: "<no rows>"}}, {Key: envelope.Key{Suite: "a & b", Test: "\xff\u2028"}}, {}, {}}
	for i, rows := range []string{
		`{"outcome":"FXPS","status":["none","fail"],"run":["<.xml","2.xml","\u2028","<.xml"],"source":[0,null,1]}`,
		`{"outcome":"F","run":["b & c"]}`,
		`{"outcome":"F","error_class":["#\u2029>"]}`,
	} {
		if err := json.Unmarshal([]byte(rows), &marked.Tests[i+1].Rows); err != nil {
			t.Fatal(err)
		}
	}
	runs := map[string]*envelope.Envelope{"what a page would take for its own": marked}
	for _, name := range goldenNames(t) {
		runs[name] = golden(t, name)
	}
	for name, e := range runs {
		id, err := identity(e)
		if want := jsonHash(t, e.Run, e.Tests, func(x envelope.Test) any {
			return struct {
				Key  envelope.Key
				Rows *envelope.Rows
			}{x.Key, x.Rows}
		}); id != want || err != nil {
			t.Errorf("%s: the run is %s and %v, want %s", name, id, err, want)
		}
		trials, err := trialsOf(e)
		if want := jsonHash(t, nil, e.Tests, func(x envelope.Test) any {
			rows, known, makers := *rowsOf(&x), map[string]int{}, []int{}
			for i := range rows.Len() {
				maker := rows.Run().At(i)
				if _, there := known[maker]; !there {
					known[maker] = len(known)
				}
				makers = append(makers, known[maker])
			}
			rows = *rows.Changed(func(c *envelope.Columns) { c.Source, c.Run = nil, envelope.Words{} })
			rows.Outcome = nil
			for _, given := range rows.Given {
				rows.Outcome = append(rows.Outcome, envelope.Outcome(given))
			}
			return struct {
				Key    envelope.Key
				Rows   *envelope.Rows
				Makers []int
			}{x.Key, &rows, makers}
		}); trials != want || err != nil {
			t.Errorf("%s: its trials are %s and %v, want %s", name, trials, err, want)
		}
	}
}

// jsonHash hashes what encoding/json makes of a head, unless it is nil, and of each test.
func jsonHash(t *testing.T, head any, tests []envelope.Test, of func(envelope.Test) any) string {
	t.Helper()
	h := sha256.New()
	write := func(before string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(h, before+string(text))
	}
	if head != nil {
		write("", head)
	}
	for _, x := range tests {
		write("\n", of(x))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestPackedScores: scores come out as they went in, and counts without any keep the form that earlier versions read.
func TestPackedScores(t *testing.T) {
	plain := trend.Point{Counted: 5, Passed: 4, CostUSD: math.NaN(), DurationMS: 12}
	scored := trend.Point{Counted: 3, Passed: 3, Flaky: true, CostUSD: 0.5, DurationMS: math.NaN(), Scores: &trend.Scores{Scored: stats.Scored{N: 3, Mean: 0.7, Squares: 0.02}, Decide: true}}
	if b := packCounts([]trend.Point{plain}); b[0] != countsForm {
		t.Errorf("counts alone have form %d", b[0])
	}
	var got []trend.Point
	if err := unpackCounts(packCounts([]trend.Point{plain, scored}), 2, func(_ int, p trend.Point) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	if got[0].Scores != nil || got[0].DurationMS != 12 || *got[1].Scores != *scored.Scores || got[1].CostUSD != 0.5 || !got[1].Flaky {
		t.Errorf("%+v, %+v", got[0], got[1])
	}
}

// held begins a transaction that keeps others waiting until release is called.
func held(t *testing.T, s *Store, statement string) (release func()) {
	t.Helper()
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.inTransaction(context.Background(), func(tx *sql.Tx) error {
			_, err := tx.Exec(statement)
			close(begun)
			<-end
			return err
		})
	}()
	<-begun
	return func() {
		close(end)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestWaiting: who waits for another writer says so, and goes on when that one has ended.
func TestWaiting(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		first, second := open(t, place, Write), open(t, place, Change)
		defer func(was time.Duration) { silentWait = was }(silentWait)
		silentWait = 20 * time.Millisecond
		release := held(t, first, `UPDATE tribunal_sequence SET last = last`)
		told := make(chan time.Duration, 1)
		ctx := WhenWaiting(t.Context(), func(longest time.Duration) { told <- longest; release() })
		if err := second.inTransaction(ctx, func(*sql.Tx) error { return nil }); err != nil {
			t.Error(err)
		}
		if longest := <-told; longest != 30*time.Second {
			t.Errorf("it gives up after %s", longest)
		}
	})
}

// TestGivingUp: who has waited for long enough says what to do, whatever is locked.
func TestGivingUp(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		defer func(longest, silent time.Duration) { lockWait, silentWait = longest, silent }(lockWait, silentWait)
		lockWait, silentWait = 60*time.Millisecond, 20*time.Millisecond
		first, second := open(t, place, Write), open(t, place, Change)
		defer held(t, first, `UPDATE tribunal_sequence SET last = last`)()
		if _, _, err := second.Add(t.Context(), runOf(1)); err == nil || !strings.Contains(err.Error(), "wait for it to end and try again") {
			t.Errorf("it says %v", err)
		}
	})
}
