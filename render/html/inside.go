package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

type inside struct {
	Checks        *checks
	Parting       *parting
	Conversations *conversations
	Whys          []string // what goes wrong, with how many trials
}

// newInside is nil where nothing of the inside is known.
func (o *opener) newInside(t *envelope.Test, static int) *inside {
	checks, parting, conversations := newChecks(t), o.newParting(t), o.newConversations(t, static)
	if checks == nil && parting == nil && conversations == nil {
		return nil
	}
	out := &inside{Checks: checks, Parting: parting, Conversations: conversations}
	whys := why.Spoken(o.run, t)
	if len(whys) > 1 { // the line of the test says a single one
		out.Whys = each.Of(whys, func(why why.Reason) string { return count(why.Trials) + "× " + line(why.Text()) })
	}
	if len(out.Whys) > mostWhys {
		out.Whys = append(out.Whys[:mostWhys], "and "+count(len(out.Whys)-mostWhys)+" more")
	}
	return out
}

const mostWhys = 10

type checks struct {
	Failing []checkLine
	Passing []checkLine // every time: behind a click
	Words   string      // of these
}

type checkLine struct {
	Name, Passed string
	Rate         *rate
	Strip        strip
	Score, Why   string
}

func newChecks(t *envelope.Test) *checks {
	if len(t.Checks) == 0 {
		return nil
	}
	out := &checks{}
	for _, check := range t.CheckNames() {
		c := t.Checks[check]
		line := newCheckLine(t, check, c)
		if c.N > 0 && c.Passed == c.N {
			out.Passing = append(out.Passing, line)
		} else {
			out.Failing = append(out.Failing, line)
		}
	}
	if n := len(out.Passing); n > 0 {
		out.Words = plural(n, "check") + " passed every time"
	}
	return out
}

func newCheckLine(t *envelope.Test, check string, c envelope.CheckRate) checkLine {
	out := checkLine{Name: name(check, "no name"), Passed: count(c.Passed) + "/" + count(c.N), Rate: lineRate(c.Rate)}
	column := t.Rows.Checks().Of(check)
	if column != nil {
		out.Strip = placedStrip(t, column.At)
	}
	if c.Score != nil {
		out.Score = "mean score " + number(c.Score.Mean)
	}
	for i := range t.Details {
		d := &t.Details[i]
		if reason := d.Reasons[check]; reason != "" && (column == nil || column.At(d.Trial) != envelope.Passed) {
			out.Why = "Trial " + count(d.Trial+1) + ": " + lead(reason)
			break
		}
	}
	return out
}

func lineRate(r *envelope.Rate) *rate {
	if r == nil {
		return nil
	}
	out := &rate{Value: percent(r.Value), Interval: span(r.Lo, r.Hi), Plot: ratePlot(r, envelope.Opt[float64]{})}
	out.Plot.Words = ""
	return out
}

// placedStrip is a strip of outcomes that stand below those of the test's own strip, with dots
// for trials that have none. Where that is too long to stand there, it is left out.
func placedStrip(t *envelope.Test, outcome func(trial int) envelope.Outcome) []letters {
	n := t.Rows.Len()
	if n > stripHead+stripTail+2 {
		return nil
	}
	var out []letters
	for i := range n {
		o := outcome(i)
		if o == envelope.NotChecked {
			out = append(out, letters{Class: "none", Letters: "·"})
			continue
		}
		out = append(out, equal(o, i, i+1))
	}
	return out
}

type parting struct {
	Words  string
	Ways   string // how many, where they are folded
	Shared string // the steps before
	Steps  []string
	Lines  []branchLine
	Note   string
	// Depth is how many steps are before it, of which no Ignored are counted: for the
	// script, which says where two conversations part elsewhere.
	Depth, Ignored string
}

type branchLine struct {
	Name, Arguments string
	Passed          string
	Rate            *rate
	Strip           strip
	Trial           string // the first that went it
	Then            string // what all trials on it did next
}

func (o *opener) newParting(t *envelope.Test) *parting {
	p := t.Parting
	if p == nil {
		return nil
	}
	out := &parting{Words: partingWords(p), Ways: plural(len(p.Branches), "way") + " on, with their pass rates",
		Note: partingNote(p), Depth: strconv.Itoa(p.Depth), Ignored: o.ignored}
	var shared []string
	for _, place := range p.Shared {
		if place >= 0 && place < len(o.steps) {
			shared = append(shared, name(o.steps[place].Name, "no name"))
		}
	}
	if len(shared) > 0 {
		out.Shared, out.Steps = sharedWords(p), repeated(shared)
	}
	for _, b := range p.Branches {
		line := newBranchLine(t, b)
		line.Then = o.thenWords(t, b)
		out.Lines = append(out.Lines, line)
	}
	return out
}

// thenWords say what the trials of a branch did after it, as far as all did the same:
// the step itself may not be what fails, but what came after it or did not.
func (o *opener) thenWords(t *envelope.Test, b envelope.Branch) string {
	if b.Ended || b.Unknown || b.Others > 0 || len(b.Trials) == 0 {
		return ""
	}
	const most = 3
	var next []int
	ends := true
	for i, trial := range b.Trials {
		steps, whole := o.stepsAfter(t, trial)
		ends = ends && whole
		if i == 0 {
			next = steps
			continue
		}
		same := o.equalSteps(t.Parting.Level, next, steps)
		ends = ends && same == len(next) && same == len(steps)
		next = next[:same]
	}
	words := each.Of(next[:min(most, len(next))], func(place int) string { return o.stepWords(t.Parting, place) })
	words = repeated(words)
	switch {
	case ends && len(next) <= most:
		words = append(words, "end")
	case len(words) == 0:
		return ""
	default:
		words = append(words, "…")
	}
	return "then " + strings.Join(words, ", ")
}

func (o *opener) stepsAfter(t *envelope.Test, trial int) (after []int, whole bool) {
	if trial < 0 {
		return nil, false
	}
	ignored := strings.Split(o.ignored, "\n")
	places, _ := t.Rows.Steps().At(trial)
	for _, place := range places {
		if int(place) < len(o.steps) && !slices.Contains(ignored, name(o.steps[place].Name, "")) {
			after = append(after, int(place))
		}
	}
	if len(after) <= t.Parting.Depth {
		return nil, false
	}
	_, cut := t.Rows.StepsTotal().At(trial)
	return after[t.Parting.Depth+1:], !cut
}

func (o *opener) equalSteps(level string, a, b []int) (n int) {
	for n < min(len(a), len(b)) && (a[n] == b[n] || level == envelope.PartNames && o.steps[a[n]].Name == o.steps[b[n]].Name) {
		n++
	}
	return n
}

func (o *opener) stepWords(p *envelope.Parting, place int) string {
	step := o.steps[place]
	words := name(step.Name, "no name")
	for _, b := range p.Branches {
		if b.Digest == step.Digest && b.Name == step.Name && b.Arguments != "" {
			return words + " (" + name(b.Arguments, "") + ")"
		}
	}
	return words
}

const namedRuns = 6

func repeated(names []string) (out []string) {
	for from, to := range standing.EqualRuns(names) {
		word := names[from]
		if to > from+1 {
			word = count(to-from) + " × " + word
		}
		out = append(out, word)
	}
	if len(out) > namedRuns {
		return slices.Concat(out[:namedRuns/2], []string{"…"}, out[len(out)-namedRuns/2:])
	}
	return out
}

func newBranchLine(t *envelope.Test, b envelope.Branch) branchLine {
	out := branchLine{Name: branchName(b), Arguments: name(b.Arguments, ""), Passed: count(b.Passed) + "/" + count(b.N)}
	if b.N > 0 {
		out.Rate = lineRate(&envelope.Rate{Value: float64(b.Passed) / float64(b.N), Lo: b.Lo, Hi: b.Hi})
	}
	of := each.Set(b.Trials, func(trial int) int { return trial })
	out.Strip = placedStrip(t, func(trial int) envelope.Outcome {
		if !of[trial] || trial >= len(t.Rows.Outcome) {
			return envelope.NotChecked
		}
		return t.Rows.Outcome[trial]
	})
	if len(b.Trials) > 0 {
		out.Trial = count(b.Trials[0] + 1)
	}
	return out
}

func branchName(b envelope.Branch) string {
	switch {
	case b.Ended:
		return "without further steps"
	case b.Unknown:
		return "steps that are not kept"
	case b.Others > 0:
		return plural(b.Others, "other way")
	}
	return name(b.Name, "no name")
}

func partingWords(p *envelope.Parting) string {
	var passing, failing, all []string
	for i, b := range p.Branches {
		tally := " " + count(b.Passed) + "/" + count(b.N)
		way := branchVerb(b)
		switch b.Passed {
		case b.N:
			passing = append(passing, howMany(b.N, way))
		case 0:
			failing = append(failing, howMany(b.N, way))
		}
		if i == 0 {
			all = append(all, "trials that "+way+" pass"+tally)
		} else {
			all = append(all, "those that "+way+tally)
		}
	}
	if len(passing) > 0 && len(failing) > 0 && len(passing)+len(failing) == len(p.Branches) {
		return partingPlace(p) + ", of the trials that fail " + listed(failing) + "; of those that pass " + listed(passing) + "."
	}
	return partingPlace(p) + ", " + strings.Join(all, ", ") + "."
}

// howMany is how many trials do something, such as "1 calls refund" or "2 stop".
func howMany(trials int, do string) string {
	if trials == 1 {
		verb, what, _ := strings.Cut(do+" ", " ")
		ending := cmp.Or(words.If(strings.HasSuffix(verb, "o"), "es "), "s ")
		do = strings.TrimSuffix(verb+ending+what, " ")
	}
	return count(trials) + " " + do
}

func partingPlace(p *envelope.Parting) string {
	if p.Depth == 0 {
		return "At the first step"
	}
	return "After " + sharedWords(p)
}

func sharedWords(p *envelope.Parting) string {
	if p.Level == envelope.PartNames {
		return plural(p.Depth, "step") + " with the same tools"
	}
	return plural(p.Depth, "equal step")
}

func branchVerb(b envelope.Branch) string {
	switch {
	case b.Ended:
		return "stop"
	case b.Unknown:
		return "make steps that are not kept"
	case b.Others > 0:
		return "go " + plural(b.Others, "other way")
	case b.Arguments != "":
		return "call " + branchName(b) + " (" + name(b.Arguments, "") + ")"
	}
	return "call " + branchName(b)
}

func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func partingNote(p *envelope.Parting) string {
	says := "Steps are tool calls, compared by name" + words.If(p.Level == envelope.PartArguments, " and arguments") +
		". Exploratory, no proof of a cause: "
	places := "the " + plural(p.Nodes, "place") + " where trials diverge"
	switch {
	case !p.P.OK:
		return says + "found by looking at " + places + ", with too few trials to tell it from chance."
	case p.Method == envelope.PPermutations:
		return says + "p = " + number(p.P.V) + " by permutations, " + number(p.Adjusted.V) + " adjusted for " + places + "."
	}
	return says + "exact p = " + number(p.P.V) + ", " + number(p.Adjusted.V) + " adjusted for " + places + "."
}

func usedPart(uses []envelope.StepUse) folded {
	const stands = 0.05
	t := newTable("Tools", "Difference of the pass rate with and without a call, within the tests where trials differ in both "+
		"(Mantel and Haenszel); adjusted over all tools", "tool", "#difference, points", "#p", "#p adjusted", "#tests that tell")
	beyond := 0
	for _, u := range uses {
		if u.Adjusted <= stands {
			beyond++
		}
		t.row(name(u.Name, "no name"), number(100*u.Difference), number(u.P), number(u.Adjusted), count(u.Tests))
	}
	note := count(beyond) + " of " + count(len(uses)) + " go with passing or failing"
	if beyond == 0 {
		note = "no tool goes with passing or failing beyond chance"
	}
	return folded{Title: "Tools", Note: note, Tables: []*table{t.compact()}}
}
