package pretty

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/internal/words"
)

// comparison is a comparison while it is written.
type comparison struct {
	sheet
	c *compare.Comparison
}

// WriteComparison writes what changed between two runs: tests with what matters
// first and ~ where the trials do not say, the run as a whole below.
func WriteComparison(w io.Writer, c *compare.Comparison, o Options) error {
	if c == nil {
		return errors.New("pretty: no comparison to write")
	}
	r := &comparison{sheet: newSheet(o), c: c}
	for i := range c.Contrasts {
		if i > 0 {
			r.line("")
		}
		if err := r.contrast(&c.Contrasts[i]); err != nil {
			return err
		}
	}
	r.problems(c.Problems)
	r.line("")
	r.gate()
	_, err := r.out.WriteTo(w)
	return err
}

func (r *comparison) contrast(x *compare.Contrast) error {
	r.head(x)
	shown, hidden := x.Shown(mostChanged, mostMaybe)
	if len(shown) > 0 {
		r.line("")
		if err := r.changes(shown); err != nil {
			return err
		}
	}
	if stands := x.StandsWords(); stands != "" {
		r.text("", "", r.ink.faint.Render(r.field(stands)), 3)
	}
	r.insideTests(shown)
	if rest := compare.Hidden(hidden); rest != "" {
		r.text("", "", r.sign.ellipsis+" not listed: "+rest, 3)
	}
	r.singles("Gone", x.Gone)
	r.singles("New", x.New)
	r.line("")
	r.whole(x)
	return nil
}

// insideTests says of the first tests that changed what did within their trials.
func (r *comparison) insideTests(tests []*compare.Test) {
	const most = 5
	told := 0
	for _, t := range tests {
		lines := t.InsideWords()
		if len(lines) == 0 {
			continue
		}
		if told++; told > most {
			continue
		}
		r.line("")
		r.line(r.fit(keyName(&r.sheet, t.Key), r.limit).paint(&r.sheet))
		for _, line := range lines {
			r.text("  ", "    ", r.field(line), 4)
		}
	}
	if more := told - most; more > 0 {
		r.text("", "", r.sign.ellipsis+" the json report says it of "+words.Plural(more, "more test", "more tests"), 2)
	}
}

// head says what is compared with what, and how.
func (r *comparison) head(x *compare.Contrast) {
	title := r.ink.strong.Render(r.field(x.Candidate.Name)) + " against " + r.ink.strong.Render(r.field(r.c.Base.Name))
	if r.c.By != "" {
		title = r.field(r.c.By) + " " + title
	}
	r.text("", "  ", title, 4)
	r.side("base", &r.c.Base, x.ByScore())
	r.side("candidate", &x.Candidate, x.ByScore())
	r.text("", "  ", r.ink.faint.Render(r.field(r.c.Settings.Words())), 4)
}

// side is a run in numbers; what passed of scores depends on where they are cut.
func (r *comparison) side(word string, s *compare.Side, byScore bool) {
	parts := []string{r.field(cmp.Or(s.Run.Name, s.Run.ID))}
	if commit := shortCommit(r.field(s.Run.Commit)); commit != "" {
		parts = append(parts, "commit "+commit)
	}
	numbers := words.Plural(s.Tests, "test", "tests") + ", " + words.Plural(s.Trials.Counted, "counted trial", "counted trials")
	if rate := s.Rate.PerProtocol; rate != nil && !byScore {
		numbers += ", " + words.Percent(rate.Value) + " % passed"
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	label := pad(word, rateLabel, false)
	r.text(label, spaces(label), strings.Join(append(parts, numbers), r.sign.dot), 3)
}

// singles names tests that only one side has.
func (r *comparison) singles(word string, tests []compare.Single) {
	const most = 10
	if len(tests) == 0 {
		return
	}
	r.line("")
	r.line(r.ink.strong.Render(word) + " " + words.Count(len(tests)))
	for i := range tests[:min(len(tests), most)] {
		t := &tests[i]
		status := pad(Mark(t.Status), 6, false)
		numbers := fmt.Sprintf("  %s/%s  ", words.Count(t.Passed), words.Count(t.N))
		name := r.fit(keyName(&r.sheet, t.Key), max(r.limit-width(numbers)-10, minWidth/2))
		r.line("  " + r.ink.of(t.Status).Render(status) + numbers + name.paint(&r.sheet))
	}
	if more := len(tests) - most; more > 0 {
		r.line("  " + r.sign.ellipsis + " and " + words.Count(more) + " more")
	}
}

// keyName is the name of a test with all its parts.
func keyName(s *sheet, k envelope.Key) name {
	n := name{test: cmp.Or(s.field(k.Test), "(no name)")}
	if suite := s.field(k.Suite); suite != "" {
		n.suite = suite + "/"
	}
	if variant := s.field(k.Variant); variant != "" {
		n.variant = " [" + variant + "]"
	}
	return n
}

// gate says what the comparison does to the build.
func (r *comparison) gate() {
	g := &r.c.Gate
	line := r.ink.strong.Render("Gate:") + " " + r.ink.of(g.Status).Render(Mark(g.Status)) + fmt.Sprintf(" (exit %d)", g.ExitCode)
	if len(g.Reasons) == 1 {
		r.text("", "  ", line+": "+r.field(g.Reasons[0]), 6)
		return
	}
	r.line(line)
	r.reasons(g.Reasons)
}
