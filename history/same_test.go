package history

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/history/trend"
)

// TestARunCountsOnceInItsOwnTrend: it may have been added with words that its
// inputs do not say, and from another place.
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
