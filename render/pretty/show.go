package pretty

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/parting"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// What a terminal shows of a text before it is folded; a pipe gets everything.
const (
	systemLines = 3  // of a system prompt
	answerLines = 20 // of what a tool answered
	besideLines = 8  // of that, where two trials stand beside each other
	turnLines   = 60 // of anything else
	besideTurn  = 9  // of that beside another
	whyLines    = 4  // of why a trial failed
	everyLine   = 1 << 30
)

const (
	gutter     = 14  // columns of the number and the role of a turn
	sideBySide = 110 // columns from which two trials stand beside each other
)

type show struct {
	canvas
	v     *parting.View
	shown *parting.Shown
}

// WriteShow writes the conversation of a trial, or of two aligned by their calls:
// equal stretches folded, side by side where there is room. In a terminal long
// texts are folded; elsewhere everything is written.
func WriteShow(w io.Writer, s *parting.Shown, o Options) error {
	r := &show{canvas: newCanvas(o), v: s.View, shown: s}
	switch {
	case s.View == nil:
		r.list()
	case len(s.View.Sides) == 1:
		r.head()
		r.one(&s.View.Sides[0])
	default:
		r.head()
		r.two()
	}
	_, err := r.out.WriteTo(w)
	return err
}

func (r *show) list() {
	for g := range standing.Groups {
		for i := range r.shown.Tests {
			t := &r.shown.Tests[i]
			if standing.GroupOf(t) != g {
				continue
			}
			kept := words.Plural(len(t.Transcripts), "conversation", "conversations")
			if len(t.Transcripts) == 0 {
				kept = "no conversation"
			}
			mark := pad(standing.Mark(t.Status), 6, false) + "  "
			said := r.ink.strong.Render(r.field(t.Key.RunnerName())) + fmt.Sprintf("  %d/%d passed, %s kept", t.Trials.Passed, t.Trials.Counted,
				kept)
			r.text(r.ink.of(t.Status).Render(mark), spaces(mark), said, 4)
			if where := standing.Parting(t); where != "" {
				r.text(spaces(mark), spaces(mark), r.ink.faint.Render(r.field("trials diverge "+where)), 3)
			}
		}
	}
}

func (r *show) head() {
	t := r.v.Test
	mark := r.ink.of(t.Status).Render(standing.Mark(t.Status))
	r.text("", "", mark+"  "+r.ink.strong.Render(r.field(t.Key.RunnerName()))+"  "+fmt.Sprintf("%d/%d passed", t.Trials.Passed,
		t.Trials.Counted), 4)
	said := standing.Inside(t)
	if misjudged := standing.Misjudged(t); misjudged != "" {
		said = append(said, misjudged)
	}
	for _, s := range said {
		r.text("", "  ", r.ink.faint.Render(r.field(s)), 4)
	}
}

func (r *show) name(s *parting.Side) string {
	status, word := s.Outcome.Status(), "EXCLUDED"
	if status != "" {
		word = standing.Mark(status)
	}
	return r.ink.strong.Render("trial "+strconv.Itoa(s.Trial+1)) + "  " + r.ink.of(status).Render(word) +
		words.Around("  ", standing.Labelled(r.v.Test.Rows, s.Trial))
}

// title is that and how much it did.
func (r *show) title(s *parting.Side) string {
	return r.name(s) + "  " + words.Plural(len(s.Steps()), "call", "calls") +
		words.If(!s.Kept, r.ink.faint.Render(", and its conversation was not kept"))
}

func (r *show) why(s *parting.Side, whose string) {
	t := r.v.Test
	i := slices.IndexFunc(t.Details, func(d envelope.Detail) bool { return d.Trial == s.Trial })
	if i < 0 {
		return
	}
	d := &t.Details[i]
	say := func(what string) { r.text("", "  ", whose+r.ink.faint.Render(r.field(what)), whyLines) }
	if d.Message != "" {
		say(d.Message)
	}
	for _, check := range why.FailedChecks(t, d) {
		say(check)
	}
}

func (r *show) one(s *parting.Side) {
	r.line("")
	r.line(r.title(s))
	r.why(s, "")
	r.line("")
	for i := range s.Segments {
		g := &s.Segments[i]
		for _, line := range append(r.turns(g, r.limit, turnLines), r.calling(g, r.limit, answerLines)...) {
			r.line(line)
		}
	}
}

// two writes the pairs, stretches of equal steps as one line and the others as bands; what each said at the end comes last.
func (r *show) two() {
	r.line("")
	a, b := &r.v.Sides[0], &r.v.Sides[1]
	r.beside([]string{r.title(a)}, []string{r.title(b)})
	for _, s := range []*parting.Side{a, b} {
		r.why(s, "trial "+strconv.Itoa(s.Trial+1)+": ")
	}
	differences := 0
	for at := 0; at < len(r.v.Pairs); {
		end := at
		for end < len(r.v.Pairs) && r.v.Equal(r.v.Pairs[end]) {
			end++
		}
		if end > at {
			equal := each.Of(r.v.Pairs[at:end], func(p parting.Pair) *parting.Segment { return &a.Segments[p.First] })
			r.line("")
			said := "= " + words.Plural(len(equal), "equal step", "equal steps") + ": " + r.names(equal)
			r.text("", "  ", r.ink.faint.Render(said), 3)
			at = end
			continue
		}
		differences++
		p := r.v.Pairs
		for end = at + 1; end < len(p) && (p[at].First < 0 && p[end].First < 0 || p[at].Second < 0 && p[end].Second < 0); end++ {
		}
		r.band(differences, r.v.Pairs[at:end])
		at = end
	}
	switch {
	case len(r.v.Pairs) == 0:
		r.heading("Neither calls a tool")
	case differences == 0:
		r.heading("No step differs")
	}
	if a.End() != nil || b.End() != nil {
		if len(r.v.Pairs) > 0 {
			r.heading("After the last step")
		}
		r.columns(a, b, &parting.Segment{Turns: a.End()}, &parting.Segment{Turns: b.End()})
	}
}

func (r *show) names(steps []*parting.Segment) string {
	names := each.Of(steps, func(s *parting.Segment) string { return s.Step.Name })
	var shown []string
	for from, to := range standing.EqualRuns(names) {
		word := r.field(names[from])
		if n := to - from; n > 1 {
			word += " " + r.sign.times + strconv.Itoa(n)
		}
		shown = append(shown, word)
	}
	return strings.Join(shown, ", ")
}

// band writes a difference: what one side did beside what the other did.
func (r *show) band(n int, pairs []parting.Pair) {
	var left, right []*parting.Segment
	for _, p := range pairs {
		if p.First >= 0 {
			left = append(left, &r.v.Sides[0].Segments[p.First])
		}
		if p.Second >= 0 {
			right = append(right, &r.v.Sides[1].Segments[p.Second])
		}
	}
	r.heading(fmt.Sprintf("Difference %d: %s", n, r.bandWords(left, right)))
	for i := range max(len(left), len(right)) {
		r.columns(&r.v.Sides[0], &r.v.Sides[1], at(left, i), at(right, i))
	}
}

func (r *show) bandWords(left, right []*parting.Segment) string {
	only := func(s *parting.Side, steps []*parting.Segment) string {
		return "trial " + strconv.Itoa(s.Trial+1) + " alone calls " + r.names(steps)
	}
	switch {
	case len(right) == 0:
		return only(&r.v.Sides[0], left)
	case len(left) == 0:
		return only(&r.v.Sides[1], right)
	case left[0].Step.Name == right[0].Step.Name:
		return r.names(left) + " with other arguments"
	}
	return r.names(left) + " against " + r.names(right)
}

// columns writes a segment of each side, beside each other where there is room, so that their
// calls stand level, and else one below the other; nil is a side that has none.
func (r *show) columns(first, second *parting.Side, a, b *parting.Segment) {
	if r.twoSides() {
		room := r.room()
		r.beside(r.turns(a, room, besideTurn), r.turns(b, room, besideTurn))
		r.beside(r.calling(a, room, besideLines), r.calling(b, room, besideLines))
		return
	}
	for _, side := range []struct {
		*parting.Side
		g *parting.Segment
	}{{first, a}, {second, b}} {
		lines := append(r.turns(side.g, r.limit, besideTurn), r.calling(side.g, r.limit, besideLines)...)
		if len(lines) > 0 {
			lines = append([]string{r.name(side.Side)}, lines...)
		}
		for _, line := range lines {
			r.line(line)
		}
	}
}

// twoSides reports whether two trials have room beside each other. What is kept has them whole, one below the other.
func (r *show) twoSides() bool { return !r.kept && r.width >= sideBySide }

func (r *show) room() int { return (r.width - len(" | ")) / 2 }

func (r *show) beside(left, right []string) {
	if !r.twoSides() {
		for _, line := range append(left, right...) {
			r.line(line)
		}
		return
	}
	bar := r.ink.faint.Render(" " + r.sign.bar + " ")
	for i := range max(len(left), len(right)) {
		r.line(pad(at(left, i), r.room(), false) + bar + at(right, i))
	}
}

func at[T any](list []T, i int) (item T) {
	if i < len(list) {
		item = list[i]
	}
	return item
}

func (r *show) turns(g *parting.Segment, room, most int) (lines []string) {
	if g == nil {
		return nil
	}
	for i := range g.Turns {
		lines = append(lines, r.said(&g.Turns[i], room, most)...)
	}
	return lines
}

func (r *show) calling(g *parting.Segment, room, most int) (lines []string) {
	if g == nil || g.Step == nil {
		return nil
	}
	lines = r.call(g, room, most)
	for i := range g.Answers {
		lines = append(lines, r.said(&g.Answers[i], room, most)...)
	}
	return lines
}

func (r *show) call(g *parting.Segment, room, most int) []string {
	name := r.sign.arrow + " " + r.field(g.Step.Name)
	said := name
	if g.Call != nil {
		said += "(" + arguments(g.Call.Arguments) + ")"
	}
	label := strings.Repeat(" ", gutter)
	if g.Caller != nil {
		label = r.label(g.Caller)
		said += words.Around("\n", aboutTurn(g.Caller))
	}
	return r.cell(label, said, room, most, func(i int, line string) string {
		if rest, whole := strings.CutPrefix(line, name); i == 0 && whole {
			return r.ink.strong.Render(name) + rest
		}
		return line
	})
}

func arguments(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return text
	}
	var members []string
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		var compact bytes.Buffer
		if err != nil || json.Compact(&compact, value) != nil {
			return text
		}
		members = append(members, fmt.Sprintf("%v: %s", key, compact.String()))
	}
	return strings.Join(members, ", ")
}

// said is a turn: its number and role before what was said.
func (r *show) said(s *parting.NumberedTurn, room, most int) (lines []string) {
	if number := turnNumber(s); s.LeftOut > 0 {
		return r.cell(number, r.sign.ellipsis+" "+words.Plural(s.LeftOut, "turn was", "turns were")+" left out here", room, most, r.faint)
	}
	paint := r.plain
	switch s.Role {
	case envelope.RoleSystem:
		most, paint = min(most, systemLines), r.faint
	case envelope.RoleTool:
		paint = r.faint
	}
	if s.Error {
		paint = r.plain
	}
	if s.Reasoning != "" {
		number := turnNumber(s)
		lines = append(lines, r.cell(r.ink.faint.Render(number)+pad("thought", gutter-len(number), false), s.Reasoning, room, most, r.faint)...)
	}
	said := s.Text
	if s.Role == envelope.RoleTool {
		said = standing.Unescaped(said)
	}
	if about := aboutTurn(s); about != "" {
		said = strings.TrimRight(said, "\n") + "\n" + about
	}
	if strings.TrimSpace(said) != "" || len(lines) == 0 {
		lines = append(lines, r.cell(r.label(s), strings.TrimPrefix(said, "\n"), room, most, paint)...)
	}
	return lines
}

func turnNumber(s *parting.NumberedTurn) string { return pad(strconv.Itoa(s.Number), 3, true) + " " }

func (r *show) label(s *parting.NumberedTurn) string {
	number := turnNumber(s)
	role, room := r.field(s.Role), gutter-len(number)
	switch role = cut(role, room-1, r.sign.ellipsis); {
	case s.Error:
		role = r.ink.err.Render(pad("error", room, false))
	case s.Role == envelope.RoleSystem, s.Role == envelope.RoleTool:
		role = pad(role, room, false)
	default:
		role = r.ink.strong.Render(role) + strings.Repeat(" ", room-width(role))
	}
	return r.ink.faint.Render(number) + role
}

func aboutTurn(s *parting.NumberedTurn) string {
	tokens := func(n int64) string { return words.Plural(n, "token", "tokens") }
	about := []string{s.DurationMS.Text("", words.Duration), s.Tokens.Text("", tokens), s.CostUSD.Text("", words.Dollars)}
	attached := words.Some(s.Attachments, func(a envelope.Attachment) string { return "attached " + a.Name + " " + a.Path + a.URL })
	return words.Around("[", words.Join(", ", append(about, attached)...), "]")
}

func (r *show) plain(_ int, line string) string { return line }

func (r *show) faint(_ int, line string) string { return r.ink.faint.Render(line) }

// cell is a text behind a label, wrapped, and folded where a terminal would scroll.
func (r *show) cell(label, s string, room, most int, paint func(i int, line string) string) (out []string) {
	if r.kept {
		most = everyLine
	}
	room = max(room-gutter, minWidth/2)
	for _, line := range lines(s) {
		out = append(out, wrap(line, room, everyLine, r.sign.ellipsis)...)
	}
	for len(out) > 1 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	if more := len(out) - most; more > 1 {
		head := (most + 1) / 2 // what is asked or found in the end stands at the end
		fold := r.sign.ellipsis + " " + words.Plural(more, "more line", "more lines")
		out = slices.Concat(out[:head], []string{fold}, out[len(out)-(most-head):])
	}
	for i, line := range out {
		prefix := strings.Repeat(" ", gutter)
		if i == 0 {
			prefix = pad(label, gutter, false)
		}
		out[i] = strings.TrimRight(prefix+paint(i, apartAtStart(line)), " ")
	}
	return out
}
