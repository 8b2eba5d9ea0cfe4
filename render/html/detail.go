package html

import (
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
)

// detail is a test opened.
type detail struct {
	Reason string
	Facts  []factGroup
	Strip  []letters // the whole of it, when the line of the test could not hold it
	Curve  *curve
	Trials *kept
}

func newDetail(t *envelope.Test, stripWhole bool) detail {
	d := detail{Reason: line(t.Verdict.Reason), Facts: factGroups(t), Trials: newKept(t)}
	if !stripWhole {
		d.Strip = longStrip(t.Rows.Outcome)
	}
	if t.Reliability != nil {
		d.Curve = newCurve(t.Reliability.Curve)
	}
	return d
}

// kept is the texts of the trials that did not pass.
type kept struct {
	Title string
	Kept  []keptTrial
}

type keptTrial struct {
	Title   string
	Badge   badge
	About   []string
	Message string
	Output  *output
	Labels  facts
}

// output is a long text; Folded when it would fill the screen.
type output struct {
	Title, Text string
	Folded      bool
}

// foldedLines is how many lines of output are shown without a click.
const foldedLines = 25

func newKept(t *envelope.Test) *kept {
	if len(t.Details) == 0 {
		return nil
	}
	out := &kept{Title: "What trials said: texts of " + count(int64(len(t.Details))) + " of " + plural(int64(t.Trials.Total), "trial") + " kept"}
	for i := range t.Details {
		out.Kept = append(out.Kept, newKeptTrial(&t.Details[i]))
	}
	return out
}

func newKeptTrial(d *envelope.Detail) keptTrial {
	out := keptTrial{Title: "Trial " + count(int64(d.Trial)+1), Badge: newBadge(d.Status), Message: block(d.Message), Output: newOutput(d.Output)}
	if d.Status == "" { // it came with a score or a category only
		out.Badge = badge{"NO STATUS", "other"}
	}
	if d.Attempt.OK && int(d.Attempt.V) != d.Trial {
		out.About = append(out.About, "attempt "+count(int64(d.Attempt.V)+1))
	}
	if d.Run != "" {
		out.About = append(out.About, "run "+name(d.Run, ""))
	}
	if d.ErrorClass != "" {
		out.About = append(out.About, name(d.ErrorClass, ""))
	}
	out.Labels = labelFacts(d.Labels)
	return out
}

func newOutput(text string) *output {
	if text == "" {
		return nil
	}
	text = block(text)
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	title := "Output: " + plural(int64(lines), "line") + ", " + plural(int64(len(text)), "byte")
	return &output{Title: title, Text: text, Folded: lines > foldedLines || len(text) > 80*foldedLines}
}

func labelFacts(labels map[string]string) facts {
	var f facts
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		f = append(f, fact{name(label, "no name"), name(labels[label], "empty")})
	}
	return f
}
