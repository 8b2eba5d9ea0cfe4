package html

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/render/internal/frame"
	"tribunal/templates"
)

// WriteTrend writes a trend as one HTML document: the runs as a whole, and every
// test by its state, those that are not stable with their course drawn.
func WriteTrend(w io.Writer, t *trend.Trend) error {
	kind, err := loadTrend()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return writePage(w, kind, "trend", newTrendPage(t, kind))
}

var loadTrend = sync.OnceValues(func() (*frame.Kind, error) { return frame.Load(templates.Trend) })

// trendPage is what trend.html shows.
type trendPage struct {
	Frame        frame.Frame
	Title, About string
	Notes        []string
	Groups       []stateGroup
	Charts       []picture
}

// stateGroup is the tests in one state.
type stateGroup struct {
	ID      string
	Badge   badge
	Meaning string
	Count   string
	Rows    []course
	More    string
}

// The states in words, and the class of their badges.
var stateWords = map[trend.State]struct{ class, meaning string }{
	trend.Broken:       {"alarm", "no trial passes any more, or ever did"},
	trend.NewFlaky:     {"doubt", "always passed, and fails now and then since"},
	trend.DriftingDown: {"doubt", "the pass rate falls from run to run"},
	trend.Flaky:        {"doubt", "passes and fails, without a change"},
	trend.New:          {"skip", "is in fewer than 5 runs"},
	trend.DriftingUp:   {"good", "the pass rate rises from run to run"},
	trend.Fixed:        {"good", "failed, and always passes since"},
	trend.Unknown:      {"skip", "no trial was counted"},
	trend.Stable:       {"good", "every trial passed"},
}

// How many tests of a state are on the page: it must open on any machine, and
// the other formats have them all.
const (
	mostCourses = 200
	mostStable  = 2000
)

func newTrendPage(t *trend.Trend, kind *frame.Kind) trendPage {
	d := trendPage{Title: name(t.Title(), ""), Charts: runPictures(t)}
	d.About = aboutTrend(t)
	for _, note := range t.Notes {
		d.Notes = append(d.Notes, name(note, ""))
	}
	for _, state := range trend.States {
		if g := newStateGroup(t, state); g.Count != "0" {
			d.Groups = append(d.Groups, g)
		}
	}
	d.Frame = kind.Frame(shorten(d.Title, titleRunes))
	return d
}

func aboutTrend(t *trend.Trend) string {
	var parts []string
	if n := len(t.Runs); n > 0 {
		first, _, _ := strings.Cut(t.Runs[0].StartedAt, "T")
		last, _, _ := strings.Cut(t.Runs[n-1].StartedAt, "T")
		if first != "" && last != "" {
			parts = append(parts, name(first, "")+" to "+name(last, ""))
		}
	}
	if older := t.Stored - len(t.Runs); older > 0 {
		parts = append(parts, count(int64(older))+" older not looked at")
	}
	return strings.Join(append(parts, percent(t.Confidence)+" confidence"), " · ")
}

func newStateGroup(t *trend.Trend, state trend.State) stateGroup {
	words := stateWords[state]
	g := stateGroup{ID: "state-" + strings.ToLower(strings.ReplaceAll(string(state), " ", "-")),
		Badge: badge{string(state[:1]) + strings.ToLower(string(state[1:])), words.class}, Meaning: words.meaning}
	n, most := 0, mostCourses
	if state == trend.Stable {
		most = mostStable
	}
	for i := range t.Tests {
		test := &t.Tests[i]
		if test.State != state {
			continue
		}
		if n++; n > most {
			continue
		}
		g.Rows = append(g.Rows, newCourse(t, test, g.Badge))
	}
	if g.Count = count(int64(n)); n > most {
		g.More = "… and " + count(int64(n-most)) + " more; json and csv have them all."
	}
	return g
}

// course is a test over the runs.
type course struct {
	ID             string
	Badge          badge
	Suite, Between string
	Test, Variant  string
	Passed, Rate   string
	Evidence       string
	Spark          spark
	Charts         []*chart
	Facts          facts
	Data           *table
}

func newCourse(t *trend.Trend, test *trend.Test, state badge) course {
	c := course{ID: testID(test.Key), Badge: state, Test: name(test.Test, "no name"), Variant: name(test.Variant, ""),
		Passed: test.Trials(), Evidence: name(test.Evidence, ""), Spark: newSpark(test), Facts: driftFacts(test)}
	if c.Suite, c.Between = suiteOf(test.Key); test.Rate != nil {
		c.Rate = cmp.Or(test.Score(), percent(test.Rate.Value))
	}
	if !test.Quiet() { // of which there is little to see
		c.Charts, c.Data = courseCharts(t, test), courseTable(t, test)
	}
	return c
}

func driftFacts(test *trend.Test) facts {
	f := facts{{"runs with a counted trial", count(int64(test.Runs))}}
	f.add("mean score of all its trials", test.Score())
	if r := test.Rate; r != nil && !test.ByScore {
		f.add("pass rate of all its trials", join(percent(r.Value)+", "+span(r.Lo, r.Hi), methodWords(r.Method, r.Confidence)))
	}
	f.add("share of runs inconclusive", optional(test.Inconclusive, percent))
	if d := test.Drift; d != nil {
		f.add("drift, z over all orders of the runs", number(d.Z))
		f.add("p-value", number(d.PValue))
		f.add("p-value, adjusted", number(d.PAdjusted))
	}
	if e := test.Ever; e != nil {
		f.add("runs of all that are stored", count(int64(e.Runs)))
		f.add("log e-value of a change over all of them", number(e.LogE))
		f.add("the same if trials of a run are independent", number(e.LogETrials))
	}
	return f
}

func courseTable(t *trend.Trend, test *trend.Test) *table {
	out := newTable("Runs of the test", "", "run", "started", "verdict", "#passed", "#excluded", "#rate", "interval", "#median time", "#cost")
	for _, p := range test.Points {
		run := &t.Runs[p.Run]
		rate, between := "", ""
		if r := t.Rate(p); r != nil {
			rate, between = percent(r.Value), span(r.Lo, r.Hi)
		}
		if test.ByScore {
			rate, between = number(round(p.Share(), 3)), ""
		}
		status := newBadge(p.Status.Status()).Word
		excluded := ""
		if p.Excluded > 0 {
			excluded = count(int64(p.Excluded))
		}
		out.row(runWord(run), name(run.StartedAt, ""), status, count(int64(p.Passed))+"/"+count(int64(p.Counted)), excluded, rate, between,
			known(p.DurationMS, duration), known(p.CostUSD, dollars))
	}
	return out.compact()
}

// runWord is a run in a cell: its own name for itself and its short id.
func runWord(r *trend.Run) string {
	return shorten(name(r.Called(), ""), 40) + " " + cmp.Or(r.Short(), "this run")
}

func known(v float64, format func(float64) string) string {
	if !finite(v) {
		return ""
	}
	return optional(envelope.Some(v), format)
}
