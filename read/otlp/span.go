package otlp

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

type span struct {
	id, parent, name string
	service          *string
	start, end       int64 // nanoseconds since 1970
	line, column     int
	failed           bool
	message, trace   string // why it failed: the status, an exception
	model, kind      string // of what the span is, in the words of the conventions
	ai               bool   // an agent, a model, a tool
	usage            envelope.Opt[int64]
	cost             envelope.Opt[float64]
	covered          bool // a span inside of it reports tokens
	tool             envelope.ToolCall
	result           string
	said             []envelope.Turn // before and by the model
	asked, answered  string
	checks           []envelope.Check

	about   *envelope.Trial // what attributes say of a test
	status  string          // test.case.result.status
	run     string          // test.suite.run.status
	verdict bool            // of a report of ours
	own     bool            // a trial of one, or its run

	trial bool
	lost  bool // the span around it is not there
	below []*span
}

func (s *span) isCase() bool { return s.about != nil && s.about.Test != "" && !s.verdict }

// test is what attributes say of a test: most spans are of none.
func (s *span) test() *envelope.Trial {
	if s.about == nil {
		s.about = &envelope.Trial{}
	}
	return s.about
}

// eachAttribute hands out the attributes of a span, an event or a resource.
func eachAttribute(v jsonwalk.Value, take func(key string, v jsonwalk.Value)) {
	for a := range v.Items() {
		key, value := "", jsonwalk.Value{}
		for name, m := range a.Members() {
			switch name {
			case "key":
				key = m.Text()
			case "value":
				value = m
			}
		}
		take(key, value)
	}
}

// attribute takes an attribute of a span, by the conventions or as others named it.
func (rd *reader) attribute(s *span, key string, v jsonwalk.Value) {
	if rest, is := strings.CutPrefix(key, "tribunal."); is {
		s.ours(rest, v)
		return
	}
	if strings.HasPrefix(key, "gen_ai.") || strings.HasPrefix(key, "llm.") {
		s.ai = true
	}
	switch key {
	case "test.case.name":
		s.test().Test = textOf(v)
	case "test.suite.name":
		s.test().Suite = textOf(v)
	case "test.case.result.status":
		s.status = textOf(v)
	case "test.suite.run.status":
		s.run = textOf(v)
	case "code.file.path", "code.filepath":
		s.test().File = textOf(v)
	case "code.line.number", "code.lineno":
		s.test().Line, _ = strconv.Atoi(textOf(v)) // 0 is unknown
	case "error.type":
		s.test().ErrorClass = textOf(v)
	case "gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind":
		s.kind, s.ai = strings.ToLower(textOf(v)), true
	case "gen_ai.request.model", "llm.model_name":
		s.model = textOf(v)
	case "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens",
		"llm.token_count.prompt", "llm.token_count.completion":
		if n, err := strconv.ParseInt(textOf(v), 10, 64); err == nil && n >= 0 {
			s.usage = envelope.Some(s.usage.V + n)
		}
	case "gen_ai.usage.cost", "llm.cost.total":
		s.cost = positive(v)
	case "gen_ai.tool.name", "tool.name":
		s.tool.Name = textOf(v)
	case "gen_ai.tool.call.id":
		s.tool.ID = textOf(v)
	case "gen_ai.tool.call.arguments", "tool.parameters":
		s.tool.Arguments = rd.heldText(v)
	case "gen_ai.tool.call.result":
		s.result = rd.heldText(v)
	case "gen_ai.input.messages":
		s.said = append(rd.messages(v), s.said...)
	case "gen_ai.output.messages":
		s.said = append(s.said, rd.messages(v)...)
	case "input.value", "traceloop.entity.input":
		s.asked = rd.heldText(v)
	case "output.value", "traceloop.entity.output":
		s.answered = rd.heldText(v)
	}
}

// ours takes an attribute that our own reports have.
func (s *span) ours(key string, v jsonwalk.Value) {
	t, text := s.test(), textOf(v)
	switch key {
	case "verdict":
		s.verdict = true
	case "trial", "exit_code":
		s.own = true
	case "variant", "run", "raw_status", "message", "output":
		to := map[string]*string{"variant": &t.Variant, "run": &t.Run, "raw_status": &t.RawStatus, "message": &t.Message, "output": &t.Output}
		*to[key] = text
	case "retry":
		t.Retry = text == "true"
	case "adaptive":
		t.Adaptive = envelope.Some(text == "true")
	case "attempt":
		if n, err := strconv.ParseInt(text, 10, 32); err == nil && n >= 0 {
			t.Attempt = envelope.Some(int32(n))
		}
	case "duration_ms":
		t.DurationMS = positive(v)
	case "score", "cost_usd", "setup_ms", "setup_cost_usd", "category", "tokens", "tool_calls", "truth":
		trialfields.Set(t, key, text)
	default:
		if name, is := strings.CutPrefix(key, "label."); is {
			trialfields.AddLabel(t, name, text)
		}
	}
}

func (rd *reader) event(s *span, v jsonwalk.Value) {
	var c envelope.Check
	name := v.Get("name").Text()
	eachAttribute(v.Get("attributes"), func(key string, v jsonwalk.Value) {
		switch key {
		case "exception.message":
			if s.message == "" {
				s.message = rd.heldText(v)
			}
		case "exception.stacktrace":
			s.trace = rd.heldText(v)
		case "gen_ai.evaluation.name":
			c.Name = textOf(v)
		case "gen_ai.evaluation.score.value":
			if n, err := strconv.ParseFloat(textOf(v), 64); err == nil {
				c.Score = envelope.Some(n)
			}
		case "gen_ai.evaluation.score.label":
			c.Status, _ = envelope.ParseStatus(textOf(v))
		case "gen_ai.evaluation.explanation":
			c.Reason = rd.heldText(v)
		}
	})
	if name == "gen_ai.evaluation.result" {
		s.checks, s.ai = append(s.checks, c), true
	}
}

// asTrial makes the trial of a span: of a test, or of a whole trace.
func (s *span) asTrial(isCase bool) *envelope.Trial {
	t := s.test()
	slices.SortStableFunc(s.below, func(a, b *span) int { return cmp.Compare(a.start, b.start) })
	if !isCase {
		t.Suite, t.Test = *s.service, s.name
		t.Test = cmp.Or(t.Test, "(unnamed)")
	}
	if s.start > 0 {
		t.StartedAt = time.Unix(0, s.start).UTC()
		if s.end >= s.start && !t.DurationMS.OK && !s.own {
			t.DurationMS = envelope.Some(float64(s.end-s.start) / 1e6)
		}
	}
	for _, part := range s.below {
		for _, c := range part.checks {
			trialfields.AddCheck(t, c, "evaluation")
		}
	}
	s.spend(t)
	s.conversation(t)
	s.ended(t, isCase)
	return t
}

func (s *span) spend(t *envelope.Trial) {
	for _, part := range s.below {
		if t.Variant == "" && !s.own {
			t.Variant = part.model
		}
		if part.covered || s.own {
			continue
		}
		if part.usage.OK {
			t.Tokens = envelope.Some(t.Tokens.V + part.usage.V)
		}
		if part.cost.OK {
			t.CostUSD = envelope.Some(t.CostUSD.V + part.cost.V)
		}
	}
}

// conversation makes the conversation: what was said to the model that was asked last, and by
// it, or else the calls of tools.
func (s *span) conversation(t *envelope.Trial) {
	var steps, said []envelope.Turn
	calls := int32(0)
	for _, part := range s.below {
		if len(part.said) >= len(said) && len(part.said) > 0 {
			said = part.said
		}
		if part.kind == "execute_tool" || part.kind == "tool" || part.kind == "" && part.tool.Name != "" {
			calls++
			steps = append(steps, part.step(s.start)...)
		}
	}
	if calls > 0 && !t.ToolCalls.OK {
		t.ToolCalls = envelope.Some(calls)
	}
	if said != nil {
		t.Transcript = said
		return
	}
	if s.asked != "" {
		steps = append([]envelope.Turn{conversation.Say("user", s.asked)}, steps...)
	}
	if s.answered != "" {
		steps = append(steps, conversation.Say("assistant", s.answered))
	}
	t.Transcript = steps
}

// step is a call of a tool, and what it gave.
func (s *span) step(since int64) []envelope.Turn {
	call := s.tool
	call.Name = cmp.Or(call.Name, strings.TrimPrefix(s.name, "execute_tool "))
	call.ID = cmp.Or(call.ID, s.id)
	call.Arguments = cmp.Or(call.Arguments, s.asked)
	text := cmp.Or(s.result, s.answered)
	if s.failed && text == "" {
		text = s.message
	}
	asks := envelope.Turn{Role: "assistant", ToolCalls: []envelope.ToolCall{call}}
	gives := envelope.Turn{Role: "tool", ToolCallID: call.ID, Name: call.Name, Text: text, Error: s.failed}
	if since > 0 && s.start >= since {
		asks.AtMS = envelope.Some(float64(s.start-since) / 1e6)
		if s.end >= s.start {
			gives.AtMS = envelope.Some(float64(s.end-since) / 1e6)
			gives.DurationMS = envelope.Some(float64(s.end-s.start) / 1e6)
		}
	}
	return []envelope.Turn{asks, gives}
}

// unscored is what a trace is called that was evaluated in words that nobody knows.
const unscored = "unscored"

func (s *span) ended(t *envelope.Trial, isCase bool) {
	status, known := envelope.ParseStatus(s.status)
	switch {
	case isCase && s.status == "excluded": // of our own reports
		t.Status = envelope.Error
	case isCase && s.status == "inconclusive":
		t.Status, t.RawStatus = envelope.Skip, s.status
	case isCase && known:
		if t.Status = status; t.RawStatus == "" && s.status != string(status) {
			t.RawStatus = s.status
		}
	case isCase && s.failed:
		t.Status = envelope.Fail
	case isCase && s.status != "": // whatever it is, it is no pass
		t.Status, t.RawStatus = envelope.Error, s.status
	case s.failed:
		t.Status = envelope.Error
	case s.lost && !isCase:
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassInfrastructure,
			"the span that the trace began with is not in this input"
	case !isCase && len(t.Checks) == 0 && slices.ContainsFunc(s.below, func(part *span) bool { return len(part.checks) > 0 }):
		t.Status, t.RawStatus, t.ErrorClass, t.Message = envelope.Error, unscored, envelope.ClassPreValidation,
			"its evaluations have neither a score nor a label that is known"
	case isCase || len(t.Checks) == 0:
		t.Status = envelope.Pass
	}
	if !s.own {
		s.explain(t, isCase)
	}
}

func (s *span) explain(t *envelope.Trial, isCase bool) {
	class := t.ErrorClass
	t.ErrorClass = ""
	if t.Status == envelope.Pass || t.Status == "" {
		return
	}
	t.Message = cmp.Or(t.Message, failure.Reason(s.message, 3))
	t.Output = cmp.Or(t.Output, failure.Ends(s.trace))
	switch {
	case s.lost && !isCase && !s.failed:
		t.ErrorClass = envelope.ClassInfrastructure
	case t.RawStatus == unscored:
		t.ErrorClass = envelope.ClassPreValidation
	case strings.Contains(strings.ToLower(class), "timeout"), failure.TimedOut(t.Message):
		t.ErrorClass = envelope.ClassTimeout
	default:
		t.Message = cmp.Or(t.Message, class)
	}
}
