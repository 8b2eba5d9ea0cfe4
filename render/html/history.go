package html

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/render/internal/frame"
	"tribunal/render/internal/standing"
	"tribunal/templates"
)

// History is a series of runs to write as pages: an index, and a page for each run.
type History struct {
	Trend *trend.Trend
	// Run is a run of the trend by its place in it.
	Run func(i int) (*envelope.Envelope, error)
	// Releases are quarantined tests that may leave, and why.
	Releases []Released
	// Quarantined is how many tests are in quarantine.
	Quarantined int
}

// Released is a test that may leave the quarantine.
type Released struct {
	Key envelope.Key
	Why string
}

// HistoryIndex is the page that a reader opens first.
const HistoryIndex = "index.html"

// HistoryMark is near the beginning of each page of a history, so that another call knows which files it may replace.
const HistoryMark = `<meta name="generator" content="` + historyGenerator + `">`

const historyGenerator = "tribunal history page"

// HistoryPage is the file of a run.
func HistoryPage(r *trend.Run) string { return "run-" + r.ID[:min(12, len(r.ID))] + ".html" }

// WriteHistory writes the pages into files that create makes, the index last. One run is held in memory at a time.
func WriteHistory(h *History, create func(name string) (io.WriteCloser, error)) error {
	var all []historyRun
	var last *envelope.Envelope
	seen := map[string]bool{} // causes before the last run
	for i := range h.Trend.Runs {
		if last != nil {
			for _, c := range last.Summary.Causes {
				seen[c.ID] = true
			}
		}
		var err error
		if last, err = h.Run(i); err != nil {
			return err
		}
		all = append(all, newHistoryRun(h.Trend, i, last))
		options := Options{Static: staticOfRun, beside: besideRun(h.Trend, i)}
		if err := writeTo(create, all[i].File, func(w io.Writer) error { return Write(w, last, options) }); err != nil {
			return err
		}
	}
	slices.Reverse(all)
	p := newHistoryPage(h, last, seen)
	p.Runs = all
	return writeTo(create, HistoryIndex, func(w io.Writer) error { return writePage(w, historyKind, "history", p) })
}

func writeTo(create func(string) (io.WriteCloser, error), name string, write func(io.Writer) error) error {
	file, err := create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	return errors.Join(write(out), out.Flush(), file.Close())
}

var historyKind = frame.Of(templates.History)

type beside struct{ Index, Before, BeforeDay, After, AfterDay string }

func besideRun(t *trend.Trend, i int) *beside {
	b := &beside{Index: HistoryIndex}
	if i > 0 {
		b.Before, b.BeforeDay = HistoryPage(&t.Runs[i-1]), runDay(&t.Runs[i-1], "earlier run")
	}
	if i < len(t.Runs)-1 {
		b.After, b.AfterDay = HistoryPage(&t.Runs[i+1]), runDay(&t.Runs[i+1], "later run")
	}
	return b
}

type historyPage struct {
	Frame           frame.Frame
	Title, About    string
	Badge           badge
	Headline, Below string
	Notes           []string
	Parts           []changedPart
	Heat            []heatRow
	Cooler          string // the tests that the map leaves out
	Runs            []historyRun
	Charts          []picture
	Last            string // the file of the last run
}

type changedPart struct {
	ID, Title, Meaning, Count string
	Rows                      []changedRow
	More                      string
}

type changedRow struct {
	Class, Link   string
	Name          namedTest
	Since, Reason string
	Spark         *spark
}

type heatRow struct {
	Badge        badge
	Link         string
	Name         namedTest
	Passed, Rate string
	Spark        spark
}

type historyRun struct {
	File, Day, Name, Commit string
	Badge                   badge
	Says, Rate, Time, Cost  string
}

func newHistoryRun(t *trend.Trend, i int, e *envelope.Envelope) historyRun {
	r, h := &t.Runs[i], standing.HeadlineOf(e, line)
	out := historyRun{File: HistoryPage(r), Day: cmp.Or(instant(r.StartedAt), r.Short()), Name: shorten(name(r.Called(), ""), 40),
		Commit: shorten(name(r.Commit, ""), 12),
		Badge:  badge{h.Word, newBadge(e.Gate.Status).Class}, Says: h.Facts[0],
		Time: e.Summary.WallMS.Text("", duration), Cost: r.CostUSD.Text("", dollars)}
	if r.Rate != nil {
		out.Rate = percent(r.Rate.Value)
	}
	return out
}

// staticOfRun is how many tests that need no look the page of a run has without scripts: there are as many pages as runs.
const staticOfRun = 1

// How many tests each list of the page has: it must open at once on any machine.
const mostOfPart, mostHeat = 100, 400

func newHistoryPage(h *History, last *envelope.Envelope, seen map[string]bool) *historyPage {
	t, head := h.Trend, standing.HeadlineOf(last, line)
	p := &historyPage{Title: strings.TrimPrefix(name(t.Title(), ""), "Trend of "), About: aboutTrend(t), Charts: runPictures(t),
		Last:  HistoryPage(&t.Runs[len(t.Runs)-1]),
		Badge: badge{head.Word, newBadge(last.Gate.Status).Class}, Headline: strings.Join(head.Facts, " · "), Below: head.Below()}
	p.Notes = each.Of(t.Notes, func(note string) string { return name(note, "") })
	l := t.Latest()
	p.changed(t, "regressed", "Regressed", "got worse, beyond chance", "alarm", l.Regressed)
	p.changed(t, "new-flaky", "Newly flaky", "always passed before, and sometimes fails now, beyond chance", "doubt", l.NewFlaky)
	p.newCauses(last, seen)
	p.changed(t, "slipping", "Drifts down, still passes", "passes less often than before, beyond chance", "doubt", l.Slipping)
	p.changed(t, "failing", "Newly failing", "passed in the run before the last; this may be chance", "doubt", l.Failing)
	p.changed(t, "fixed", "Fixed", "sometimes failed before, and always passes now, beyond chance", "good", l.Fixed)
	p.owners(t)
	p.outliers(l.Outliers)
	leaving := each.Of(h.Releases, func(r Released) changedRow {
		return changedRow{Class: "good", Link: p.Last + "#" + testID(r.Key), Name: namedOf(r.Key), Reason: line(r.Why)}
	})
	if h.Quarantined > 0 {
		p.add(changedPart{ID: "release", Title: "May leave quarantine", Meaning: "of " + plural(h.Quarantined, "test") + " in quarantine",
			Rows: leaving})
	}
	worst := t.WorstFirst()
	p.Heat = each.Of(worst[:min(len(worst), mostHeat)], func(test *trend.Test) heatRow { return p.heat(t, test) })
	if more := len(worst) - mostHeat; more > 0 {
		p.Cooler = "… and " + count(more) + " more, which need a look less; tribunal history trend -f json has them all."
	}
	p.Frame = historyKind().Frame(shorten(p.Title, titleRunes))
	p.Frame.Generator = historyGenerator
	return p
}

func (p *historyPage) newCauses(e *envelope.Envelope, seen map[string]bool) {
	out := changedPart{ID: "new-causes", Title: "New causes", Meaning: "of failures in the last run, and in no other run shown here"}
	for _, c := range e.Summary.Causes {
		if !seen[c.ID] {
			out.Rows = append(out.Rows, changedRow{Class: "alarm", Link: p.Last + "#" + testID(c.First.Key), Name: namedTest{Test: line(standing.CauseLabel(e, &c))},
				Reason: "in " + plural(c.Tests, "test") + ", " + plural(c.Trials, "trial")})
		}
	}
	p.add(out)
}

func (p *historyPage) add(c changedPart) {
	if c.Count = count(len(c.Rows)); len(c.Rows) > mostOfPart {
		c.More = "… and " + count(len(c.Rows)-mostOfPart) + " more; tribunal history trend -f json has them all."
		c.Rows = c.Rows[:mostOfPart]
	}
	p.Parts = append(p.Parts, c)
}

func (p *historyPage) changed(t *trend.Trend, id, title, meaning, class string, all []trend.Change) {
	out := changedPart{ID: id, Title: title, Meaning: meaning}
	for _, c := range all {
		s, evidence := newSpark(c.Test), c.Test.Evidence
		if c.From >= 0 { // what holds over all runs says the same again
			evidence, _, _ = strings.Cut(evidence, ";")
		}
		out.Rows = append(out.Rows, changedRow{Class: class, Link: p.Last + "#" + testID(c.Test.Key), Name: namedOf(c.Test.Key),
			Since:  since(t, c),
			Reason: strings.TrimSuffix(name(evidence, "")+" · "+line(strings.Join(c.Test.Owners, ", ")), " · "), Spark: &s})
	}
	p.add(out)
}

func since(t *trend.Trend, c trend.Change) string {
	if c.From < 0 {
		return ""
	}
	says := "since " + commitWord(&t.Runs[c.From])
	if n := len(t.Runs) - c.From; n > 1 {
		says += ", " + plural(n, "run")
	}
	return says
}

func commitWord(r *trend.Run) string {
	day := runDay(r, "")
	if r.Commit != "" {
		return strings.TrimSpace("commit " + name(r.Commit[:min(len(r.Commit), 12)], "") + " " + day)
	}
	return strings.TrimSpace("run " + r.Short() + " " + day)
}

func (p *historyPage) owners(t *trend.Trend) {
	owned := t.ByOwner()
	if len(owned) == 0 {
		return
	}
	out := changedPart{ID: "owners", Title: "Owners", Meaning: "of tests that are broken, flaky or drift down"}
	for _, o := range owned {
		out.Rows = append(out.Rows, changedRow{Class: "doubt", Link: p.Last + "#find=" + url.PathEscape(o.Owner),
			Name: namedTest{Test: line(o.Owner)}, Reason: o.Says()})
	}
	p.add(out)
}

func (p *historyPage) outliers(all []trend.Outlier) {
	out := changedPart{ID: "outliers", Title: "Time and cost", Meaning: "far from the runs before: beyond Tukey's outer fences"}
	for _, o := range all {
		row := changedRow{Class: "doubt", Link: p.Last, Name: namedTest{Test: "the run"}, Reason: o.Says(duration, dollars)}
		if o.Value < o.Median {
			row.Class = "good"
		}
		if o.Test != nil {
			row.Link, row.Name = p.Last+"#"+testID(o.Test.Key), namedOf(o.Test.Key)
		}
		out.Rows = append(out.Rows, row)
	}
	p.add(out)
}

func (p *historyPage) heat(t *trend.Trend, test *trend.Test) heatRow {
	const hourglass = "1h4l-1 8 1 8h-4l1-8z" // a run of which no trial passed, as tall as one of which all did
	row := heatRow{Badge: badge{string(test.State), stateWords[test.State].class}, Name: namedOf(test.Key), Passed: test.Trials(),
		Spark: sparkOf(test, len(test.Strip), hourglass)}
	if test.Points[len(test.Points)-1].Run == int32(len(t.Runs)-1) {
		row.Link = p.Last + "#" + testID(test.Key)
	}
	if test.Rate != nil {
		row.Rate = cmp.Or(test.Score(), percent(test.Rate.Value))
	}
	return row
}
