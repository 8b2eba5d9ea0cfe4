package otlp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

// Limits in bytes, and the most problems of the input that are listed.
const (
	nameLimit   = 1000
	lineLimit   = 4 << 10
	outputLimit = 16 << 10
	problems    = 100
)

func line(s string, limit int) string { return text.CutLine(text.Line(s), limit) }

func resourceOf(e *envelope.Envelope) resource {
	var a attributes
	a.text(distro, "tribunal")
	a.text("tribunal.trials.sum", e.TrialsSum().String())
	a.text("service.name", cmp.Or(line(e.Run.Name, nameLimit), "tribunal"))
	a.text("tribunal.run.id", line(e.Run.ID, nameLimit))
	a.text("vcs.ref.head.revision", line(e.Run.Commit, nameLimit))
	labels(&a, e.Run.Labels)
	return resource{a}
}

// labels adds labels. Names of two that look alike get a number, for no key may be there twice.
func labels(a *attributes, of map[string]string) {
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		key := "tribunal.label." + line(name, nameLimit)
		for n, plain := 2, key; taken[key]; n++ {
			key = fmt.Sprintf("%s #%d", plain, n)
		}
		taken[key] = true
		a.text(key, line(of[name], lineLimit))
	}
}

func (s *stream) spans() {
	s.runSpan()
	for i := range s.env.Tests {
		t := &s.env.Tests[i]
		at := s.testSpan(t)
		trials := trialsOf(s, t, at)
		for row := range t.Rows.Len() {
			trials.span(row)
		}
	}
	s.flush()
}

// suiteStatuses are the words of the conventions for how a run ended.
var suiteStatuses = map[envelope.Status]string{envelope.Pass: "success", envelope.Fail: "failure", envelope.Error: "aborted"}

func (s *stream) runSpan() {
	e := s.env
	one := span{TraceID: s.run.trace, SpanID: s.run.span, Name: "test run", Kind: internal, Start: s.times.begin, End: s.times.end}
	var a attributes
	a.text("test.suite.run.status", cmp.Or(suiteStatuses[e.Gate.Status], string(e.Gate.Status)))
	a.text("tribunal.gate.says", e.Gate.Headline())
	a.text("tribunal.counts", standing.Counts(e))
	a.integer("tribunal.exit_code", int64(e.Gate.ExitCode))
	a.text("tribunal.rule", e.Policy.Rule)
	a.text("tribunal.file", standing.PolicyPath(e))
	one.Attributes = a
	for i := range e.Problems {
		if i == problems {
			one.LeftOut = len(e.Problems) - i
			break
		}
		one.Events = append(one.Events, problemEvent(&e.Problems[i], s.times.begin))
	}
	if e.Gate.Status == envelope.Fail || e.Gate.Status == envelope.Error {
		why := ""
		if len(e.Gate.Reasons) > 0 {
			why = line(e.Gate.Reasons[0], lineLimit)
		}
		one.Status = &status{Code: statusError, Message: why}
	}
	s.add(one)
}

func problemEvent(p *envelope.Problem, at instant) event {
	var a attributes
	a.text("tribunal.severity", string(p.Severity))
	a.text("tribunal.code", p.Code)
	a.text("tribunal.message", line(p.String(), lineLimit))
	return event{Time: at, Name: "tribunal.problem", Attributes: a}
}

func about(t *envelope.Test) attributes {
	var a attributes
	a.text("test.suite.name", line(t.Suite, nameLimit))
	a.text("test.case.name", caseName(t))
	a.text("tribunal.variant", line(t.Variant, nameLimit))
	return a
}

func place(a *attributes, t *envelope.Test) {
	a.text("code.file.path", text.CutLine(text.Path(t.File), nameLimit))
	if t.Line > 0 {
		a.integer("code.line.number", int64(t.Line))
	}
}

func caseName(t *envelope.Test) string { return cmp.Or(line(t.Test, nameLimit), "(unnamed)") }

// shown is the status of a test in the words of the conventions, and others where they have none.
func (s *stream) shown(t *envelope.Test) string {
	if status := standing.Shown(s.env, t); status != envelope.Inconclusive {
		return string(status)
	}
	return standing.Unsettled(t)
}

func (s *stream) testSpan(t *envelope.Test) identity {
	at := s.run.below(t.Suite, t.Test, t.Variant)
	one := span{TraceID: at.trace, SpanID: at.span, Parent: s.run.span, Name: caseName(t), Kind: internal}
	one.Start, one.End = s.times.test(t)
	a := about(t)
	place(&a, t)
	a.text("test.case.result.status", s.shown(t))
	a.text("tribunal.verdict", string(t.Status))
	a.text("tribunal.verdict.rule", t.Verdict.Rule)
	a.text("tribunal.verdict.reason", line(t.Verdict.Reason, lineLimit))
	a.integer("tribunal.trials", int64(t.Trials.Total))
	a.integer("tribunal.trials.counted", int64(t.Trials.Counted))
	a.integer("tribunal.trials.passed", int64(t.Trials.Passed))
	if r := t.Rate.PerProtocol; r != nil {
		a.number("tribunal.pass_rate", r.Value)
		a.number("tribunal.pass_rate.low", r.Lo)
		a.number("tribunal.pass_rate.high", r.Hi)
	}
	a.flag("tribunal.flaky", t.Flaky)
	a.flag("tribunal.quarantined", t.Quarantined)
	labels(&a, t.Labels)
	one.Attributes = a
	if status := standing.Shown(s.env, t); status == envelope.Fail || status == envelope.Error {
		one.Status = failed(line(standing.Evidence(t), lineLimit))
	}
	s.add(one)
	return at
}

func failed(why string) *status { return &status{Code: statusError, Message: why} }

type trials struct {
	*stream
	test    *envelope.Test
	verdict identity
	details map[int]*envelope.Detail // by row

	adaptive bool
}

func trialsOf(s *stream, t *envelope.Test, verdict identity) *trials {
	of := &trials{stream: s, test: t, verdict: verdict, details: make(map[int]*envelope.Detail, len(t.Details)),
		adaptive: t.StoppedByOutcome(&s.env.Run)}
	for i := range t.Details {
		of.details[t.Details[i].Trial] = &t.Details[i]
	}
	return of
}

var outcomes = map[envelope.Outcome]string{
	envelope.Passed: "pass", envelope.Failed: "fail", envelope.Errored: "error", envelope.Excluded: "excluded", envelope.Skipped: "skip",
}

func (t *trials) span(row int) {
	test, rows := t.test, t.test.Rows
	at := ids(append(runWords(t.env), "trial", test.Suite, test.Test, test.Variant, strconv.Itoa(row))...)
	one := span{TraceID: at.trace, SpanID: at.span, Name: caseName(test), Kind: internal, Links: []link{{t.verdict.trace, t.verdict.span}}}
	one.Start, one.End = t.times.trial(rows, row)
	outcome := rows.Outcome[row]
	a := about(test)
	place(&a, test)
	a.text("test.case.result.status", outcomes[outcome])
	a.text("error.type", line(rows.ErrorClass().At(row), nameLimit))
	a.integer("tribunal.trial", int64(row)+1)
	t.numbers(&a, row)
	d := t.details[row]
	if d != nil {
		a.text("tribunal.message", line(d.Message, lineLimit))
		a.text("tribunal.output", text.Cut(text.Block(d.Output), outputLimit))
		labels(&a, d.Labels)
	}
	if outcome == envelope.Failed || outcome == envelope.Errored {
		why := ""
		if d != nil {
			why = line(d.Message, lineLimit)
		}
		one.Status = failed(why)
	}
	one.Events = t.checks(row, d, one.End)
	tools := t.tools(at, row, one.Start, one.End)
	if len(tools) > 0 {
		a.text("gen_ai.operation.name", "invoke_agent")
	}
	one.Attributes = a
	t.add(one)
	for _, tool := range tools {
		t.add(tool)
	}
}

func (t *trials) numbers(a *attributes, row int) {
	r := t.test.Rows
	if v, ok := r.Attempt().At(row); ok {
		a.integer("tribunal.attempt", int64(v))
	}
	a.text("tribunal.run", line(r.Run().At(row), nameLimit))
	a.flag("tribunal.retry", r.Retry().At(row))
	a.flag("tribunal.adaptive", t.adaptive)
	a.text("tribunal.truth", string(r.Truth().At(row)))
	a.text("tribunal.raw_status", line(r.RawStatus().At(row), nameLimit))
	for _, n := range []struct {
		key    string
		column envelope.Column[float64]
	}{{"tribunal.score", r.Score()}, {"tribunal.duration_ms", r.DurationMS()}, {"tribunal.setup_ms", r.SetupMS()},
		{"tribunal.cost_usd", r.CostUSD()}, {"tribunal.setup_cost_usd", r.SetupCost()}} {
		if v, ok := n.column.At(row); ok {
			a.number(n.key, v)
		}
	}
	if v, ok := r.Category().At(row); ok {
		a.integer("tribunal.category", int64(v))
	}
	if v, ok := r.Tokens().At(row); ok {
		a.integer("tribunal.tokens", v)
	}
	if v, ok := r.ToolCalls().At(row); ok {
		a.integer("tribunal.tool_calls", int64(v))
	}
}

func (t *trials) checks(row int, d *envelope.Detail, at instant) []event {
	var out []event
	for i := range t.test.Rows.Checks() {
		c := &t.test.Rows.Checks()[i]
		outcome := c.At(row)
		if outcome == envelope.NotChecked {
			continue
		}
		var a attributes
		a.text("gen_ai.evaluation.name", line(c.Name, nameLimit))
		if v, ok := c.Score.At(row); ok {
			a.number("gen_ai.evaluation.score.value", v)
		}
		a.text("gen_ai.evaluation.score.label", outcomes[outcome])
		if d != nil {
			a.text("gen_ai.evaluation.explanation", line(d.Reasons[c.Name], lineLimit))
		}
		out = append(out, event{Time: at, Name: "gen_ai.evaluation.result", Attributes: a})
	}
	return out
}

// tools are the tool calls of a trial: of its conversation where that is kept, and else their names.
func (t *trials) tools(trial identity, row int, start, end instant) []span {
	var out []span
	call := func(name string, from, to instant) *span {
		at := trial.below("tool", strconv.Itoa(len(out)))
		var a attributes
		a.text("gen_ai.operation.name", "execute_tool")
		a.text("gen_ai.tool.name", name)
		a.integer("tribunal.step", int64(len(out))+1)
		out = append(out, span{TraceID: at.trace, SpanID: at.span, Parent: trial.span, Name: "execute_tool " + name, Kind: internal,
			Start: from, End: to, Attributes: a})
		return &out[len(out)-1]
	}
	turns, kept := t.env.Transcript(t.test, row)
	if !kept {
		steps, _ := t.env.StepsOf(t.test, row)
		for step := range steps {
			call(line(step.Name, nameLimit), start, end)
		}
		return out
	}
	answers := answersOf(turns)
	for i := range turns {
		for _, c := range turns[i].ToolCalls {
			answer := answers[c.ID]
			from, to := start, end
			if at, ok := since(start, turns[i].AtMS); ok {
				from, to = at, at
				if back, ok := answered(start, answer); ok && back >= at {
					to = back
				}
			}
			one := call(line(c.Name, nameLimit), from, to)
			a := attributes(one.Attributes)
			a.text("gen_ai.tool.call.id", line(c.ID, nameLimit))
			a.text("gen_ai.tool.call.arguments", line(c.Arguments, lineLimit))
			if answer != nil {
				a.text("gen_ai.tool.call.result", text.Cut(text.Block(answer.Text), lineLimit))
				if answer.Error {
					one.Status = failed("")
				}
			}
			one.Attributes = a
		}
	}
	return out
}

func answersOf(turns []envelope.Turn) map[string]*envelope.Turn {
	out := map[string]*envelope.Turn{}
	for i := range turns {
		if id := turns[i].ToolCallID; id != "" {
			out[id] = &turns[i]
		}
	}
	return out
}
