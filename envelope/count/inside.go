package count

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// inside is what is inside a trial and kept of each: its checks and its steps.
type inside struct {
	checks []checked
	steps  []uint32 // by their numbers in the Builder
	total  int      // steps there were
	called bool     // steps are known
}

type checked struct {
	name string
	envelope.Checked
}

// inspected is what is inside a trial before its steps have numbers: what takes time,
// and needs nothing of the Builder.
type inspected struct {
	inside
	called  []envelope.Step
	dropped int // checks beyond those that are kept
}

func inspect(t *envelope.Trial, d *fingerprinter, threshold float64) *inspected {
	if len(t.Checks) == 0 && t.Transcript == nil {
		return nil
	}
	d.clear = true
	all := settleChecks(t.Checks, threshold)
	kept := all[:min(len(all), envelope.MostChecks)]
	l := &inspected{inside: inside{checks: kept, called: t.Transcript != nil}, dropped: len(all) - len(kept)}
	for i := range t.Transcript {
		for j := range t.Transcript[i].ToolCalls {
			if l.total++; len(l.called) < envelope.MostSteps {
				l.called = append(l.called, d.step(&t.Transcript[i].ToolCalls[j]))
			} else {
				d.clear = false // what is behind them was not looked at
			}
		}
	}
	return l
}

// write gives to a digest what identifies the inside of a trial. A
// system prompt is that of all trials, and long: how long is enough.
func (l *inspected) write(t *envelope.Trial, passed bool, r *fingerprinter, put func(string)) {
	number := func(n int) { put(strconv.Itoa(n)) }
	for _, c := range l.checks {
		put(r.Text(c.name))
		number(int(c.Given))
		put(strconv.FormatFloat(c.Score.V, 'g', -1, 64))
		if c.Votes.OK {
			number(int(c.Votes.V))
			number(int(c.VotesPassed.V))
		}
	}
	for i := range t.Checks {
		if c := &t.Checks[i]; !passed {
			put(r.Text(c.Reason))
			r.clear = r.clear && len(c.Reason) <= maxMessage && !c.Vote.OK // what is kept of them is another text
		}
	}
	for i := range t.Transcript {
		turn := &t.Transcript[i]
		put(turn.Role)
		if turn.Role == envelope.RoleSystem {
			number(len(turn.Text))
			number(len(turn.Reasoning))
		} else {
			put(r.Again(turn.Text))
			put(r.Again(turn.Reasoning))
		}
		for _, n := range []int{len(turn.ToolCalls), len(turn.Attachments), turn.LeftOut} {
			number(n)
		}
	}
	for _, s := range l.called {
		put(r.Text(s.Name))
		put(s.Digest)
	}
	number(l.total)
}

// stepTable numbers steps in the order they are met.
type stepTable struct {
	steps   []envelope.Step
	numbers map[envelope.Step]uint32
}

func (t *stepTable) number(s envelope.Step) uint32 {
	if n, ok := t.numbers[s]; ok {
		return n
	}
	n := uint32(len(t.steps))
	s.Name, s.Digest = strings.Clone(s.Name), strings.Clone(s.Digest)
	t.steps = append(t.steps, s)
	each.Put(&t.numbers, s, n)
	return n
}

func (b *Builder) enter(l *inspected) *inside {
	if l == nil {
		return nil
	}
	in := l.inside
	for _, s := range l.called {
		in.steps = append(in.steps, b.steps.number(s))
	}
	return &in
}

// settleChecks makes one check of each name: repeated judgements by their majority
// and mean, others by a number behind their name.
func settleChecks(checks []envelope.Check, threshold float64) []checked {
	var out []checked
	votes := map[string]*voteTally{}
	for i, name := range checkNames(checks) {
		switch c := &checks[i]; {
		case !c.Vote.OK:
			out = append(out, checked{name, envelope.Checked{Given: envelope.GivenOf(c.Status), Score: c.Score}})
		case votes[name] == nil:
			votes[name] = &voteTally{at: len(out)}
			out = append(out, checked{name: name})
			fallthrough
		default:
			votes[name].add(c, threshold)
		}
	}
	for _, p := range votes {
		out[p.at].Checked = p.result()
	}
	return out
}

// checkNames are the names that checks are kept under: votes of one name are one
// check, any other repetition of a name gets a number.
func checkNames(checks []envelope.Check) []string {
	names, taken := make([]string, len(checks)), map[string]bool{}
	votes, next := map[string]string{}, map[string]int{} // next: the numbers of a name below it are taken
	for i := range checks {
		said := valid(checks[i].Name)
		if name, again := votes[said]; again && checks[i].Vote.OK {
			names[i] = name
			continue
		}
		name := said
		for n := max(2, next[said]); taken[name]; n++ {
			name, next[said] = fmt.Sprintf("%s #%d", said, n), n+1
		}
		names[i], taken[name] = name, true
		if checks[i].Vote.OK {
			votes[said] = name
		}
	}
	return names
}

type voteTally struct {
	at             int
	passed, failed int
	scores         int
	sum            float64
}

func (p *voteTally) add(c *envelope.Check, threshold float64) {
	switch {
	case c.Status == envelope.Skip:
	case c.Status == envelope.Pass, c.Status == "" && c.Score.V >= threshold:
		p.passed++
	default:
		p.failed++
	}
	if c.Score.OK {
		p.scores++
		p.sum += c.Score.V
	}
}

// result is a pass by majority; a tie is none. The score is the mean.
func (p *voteTally) result() (is envelope.Checked) {
	is.Votes, is.VotesPassed = envelope.Some(int32(p.passed+p.failed)), envelope.Some(int32(p.passed))
	switch {
	case p.passed+p.failed == 0:
		is.Given = envelope.Given(envelope.Skipped)
	case p.passed > p.failed:
		is.Given = envelope.Given(envelope.Passed)
	default:
		is.Given = envelope.Given(envelope.Failed)
	}
	if p.scores > 0 {
		is.Score = envelope.Finite(p.sum / float64(p.scores))
	}
	return is
}

// status is that of a trial that came with checks alone.
func (in *inside) status(threshold float64) envelope.Given {
	rows := envelope.Columns{Given: []envelope.Given{envelope.Undecided}}
	in.put(&rows.Inside, 0)
	switch outcome, _ := rows.Rows().Classify(0, envelope.CountingRules{ScoreThreshold: threshold}); outcome {
	case envelope.Passed, envelope.Skipped:
		return envelope.Given(outcome)
	}
	return envelope.Given(envelope.Failed)
}

func (in *inside) put(rows *envelope.Inside, n int) {
	for _, c := range in.checks {
		rows.Checks.Set(n, c.name, c.Checked)
	}
	if in.called {
		rows.Steps.Set(n, in.steps)
	}
	if in.total > len(in.steps) {
		rows.StepsTotal.Set(n, int32(in.total))
	}
}

// putInsides puts what is inside of arrivals into the rows of their test.
func (b *Builder) putInsides(rows *envelope.Rows, arrivals []uint32) {
	var all envelope.Inside
	any := false
	for row, arrival := range arrivals {
		if in := b.arrivals.within(int(arrival)); in != nil {
			in.put(&all, row)
			any = true
		}
	}
	if any {
		rows.SetInside(all)
	}
}

// insideOf is what is inside row i of rows whose steps have the numbers of the Builder; nil where there is nothing.
func insideOf(rows *envelope.Rows, i int) *inside {
	var in inside
	checks, total := rows.Checks(), rows.StepsTotal().Opt(i)
	for c := range checks {
		if column := &checks[c]; column.GivenAt(i) != envelope.Given(envelope.NotChecked) {
			in.checks = append(in.checks, checked{column.Name, column.Row(i)})
		}
	}
	in.steps, in.called = rows.Steps().At(i)
	if in.total = len(in.steps); total.OK {
		in.total = int(total.V)
	}
	if !in.called && len(in.checks) == 0 {
		return nil
	}
	return &in
}

// mapSteps is the column of steps of a recorded run under the numbers of the Builder.
func (b *Builder) mapSteps(from envelope.Steps, table []envelope.Step) envelope.Steps {
	if !from.Used() {
		return envelope.Steps{}
	}
	return from.Map(func(place uint32) uint32 { return b.steps.number(table[place]) })
}

// numberSteps gives every step its place in the order of first use, and returns the table of those that are used.
func (b *Builder) numberSteps(tests []envelope.Test) []envelope.Step {
	if len(b.steps.steps) == 0 {
		return nil
	}
	var table []envelope.Step
	places := make([]uint32, len(b.steps.steps)) // plus one
	for i := range tests {
		is := tests[i].Rows.Inside()
		if !is.Steps.Used() {
			continue
		}
		is.Steps = is.Steps.Map(func(number uint32) uint32 {
			if places[number] == 0 {
				table = append(table, b.steps.steps[number])
				places[number] = uint32(len(table))
			}
			return places[number] - 1
		})
		tests[i].Rows.SetInside(is)
	}
	return table
}

func (in *Input) reportDropped() {
	if in.dropped > 0 {
		in.b.problems.add(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeManyChecks, Input: in.name, Count: in.dropped,
			Message: fmt.Sprintf("%s left out: Tribunal keeps the first %d of a trial", words.Plural(in.dropped, "check is", "checks are"),
				envelope.MostChecks)})
		in.dropped = 0
	}
}

// reasonsOf are the reasons that checks give, by the names they are kept under;
// those of several votes stand under each other. Keep is what is kept of one.
func reasonsOf(checks []envelope.Check, keep func(reason string) string) map[string]string {
	var out map[string]string
	names := map[string]bool{}
	for i, name := range checkNames(checks) {
		if names[name] = true; len(names) > envelope.MostChecks {
			break
		}
		if reason := checks[i].Reason; reason != "" {
			each.Put(&out, name, joined(out[name], keep(reason)))
		}
	}
	return out
}

func joined(before, text string) string {
	if before == "" {
		return text
	}
	return cut(before+"\n"+text, maxMessage)
}

func attachmentsOf(all []envelope.Attachment) []envelope.Attachment {
	out := slices.Clone(all)
	for i := range out {
		a := &out[i]
		a.Name, a.Path, a.URL, a.MediaType = valid(a.Name), valid(a.Path), valid(a.URL), valid(a.MediaType)
	}
	return out
}
