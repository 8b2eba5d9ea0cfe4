// Package oaieval reads the event logs of OpenAI evals (MIT).
//
// A trial is a sample with its match event, or what its metrics say, or an error when neither came. Of a sample with both
// the match decides. So samples without a match are remembered to the end of their log, with 64 MiB of conversations. Logs
// know no durations and no repeats: several logs are several runs.
package oaieval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts a log: with its spec, its final report or
// an event.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	if keys.Has("final_report") && len(keys) == 1 {
		return true
	}
	if keys.Has("spec") && len(keys) == 1 {
		return strings.Contains(string(head), `"completion_fns"`) || strings.Contains(string(head), `"eval_name"`)
	}
	return keys.Has("run_id", "event_id", "sample_id", "type")
}

// Read reads a log.
func Read(r io.Reader, to envelope.Sink) error { return read(r, to, maxHeld) }

func read(r io.Reader, to envelope.Sink, room int) error {
	rd := &reader{to: to, room: room, open: map[string]*sample{}}
	err := jsonwalk.Lines(r, to, rd.line, "sample_id", "spec")
	rd.finish()
	return err
}

type reader struct {
	to           envelope.Sink
	suite, model string
	attempts     trialfields.Attempts
	open         map[string]*sample // of the log, by id
	started      int
	room, held   int  // bytes of their conversations that may wait, and that do
	full         bool // it was told that there is no room for more
	trial        envelope.Trial
}

// sample is what is known of a sample that has no match yet.
type sample struct {
	order   int
	matched bool
	failed  bool
	reason  string // of its error
	answer  string // the head of what the model said
	tokens  envelope.Opt[int64]
	metrics []verdict // what its metrics say, for want of a match
	turns   []envelope.Turn
}

type verdict struct {
	passed bool
	score  envelope.Opt[float64]
	why    string
}

func (rd *reader) line(v jsonwalk.Value) {
	if spec := v.Get("spec"); spec.IsObject() {
		rd.spec(spec)
		return
	}
	if v.Get("final_report").There() {
		return
	}
	id := v.Get("sample_id").Text()
	kind := v.Get("type").Text()
	if id == "" || kind == "" {
		v.Reject("it is neither a spec nor a final report, so it needs sample_id and type")
		return
	}
	s := rd.open[id]
	if s == nil {
		s = &sample{order: rd.started}
		rd.open[id] = s
		rd.started++
	}
	rd.event(id, kind, s, v.Get("data"))
}

// spec begins a log, and ends the one before it in the same file.
func (rd *reader) spec(v jsonwalk.Value) {
	rd.finish()
	rd.suite = v.Get("eval_name").Text()
	rd.model = strings.Join(v.Get("completion_fns").Strings(), ", ")
	header := envelope.Header{Name: rd.suite, ID: v.Get("run_id").Text()}
	if at := v.Get("created_at"); !at.Time().IsZero() {
		header.StartedAt = at.Text()
	}
	rd.to.Header(header, nil)
}

func (rd *reader) event(id, kind string, s *sample, data jsonwalk.Value) {
	switch kind {
	case "match":
		if correct := data.Get("correct").Bool(); correct.OK {
			rd.setOutcome(id, s, verdict{passed: correct.V, why: said(data)})
			rd.held -= size(s.turns)
			*s = sample{order: s.order, matched: true}
		}
	case "metrics":
		if v, ok := judged(data); ok && !s.matched {
			s.metrics = append(s.metrics, v)
		}
	case "sampling":
		s.sampled(data)
		rd.converse(s, data)
	case "error":
		s.failed = true
		s.reason = strings.Trim(failure.FirstLine(data.Get("type").Text()+": "+data.Get("message").Text()), ": ")
	}
}

func (s *sample) sampled(data jsonwalk.Value) {
	answer := data.Get("sampled").String()
	const answerKept = 512 // how much of an answer is remembered until it is judged
	s.answer = words.Head(answer, answerKept)
	if used := data.Get("usage", "total_tokens").Count(); used.OK {
		s.tokens = envelope.Some(s.tokens.V + used.V)
	}
}

// judged is what metrics say of a sample: correct, or a score of which 1 is
// right. Others say nothing of it.
func judged(metrics jsonwalk.Value) (v verdict, ok bool) {
	if correct := metrics.Get("correct"); correct.IsBool() {
		return verdict{passed: correct.Bool().V}, true
	}
	for _, name := range []string{"score", "accuracy"} {
		if score := metrics.Get(name); score.IsNumber() && score.Number().OK {
			return verdict{score.Number().V >= 1, score.Number(), name + " " + score.Text()}, true
		}
	}
	return verdict{}, false
}

// said is expected and picked of a match, as far as it tells them.
func said(data jsonwalk.Value) string {
	return words.Some([]string{"expected", "picked", "sampled"}, func(name string) string {
		v := data.Get(name)
		return words.If(v.Present(), name+" "+jsonwalk.Short(failure.FirstLine(v.String())))
	})
}

func (rd *reader) setOutcome(id string, s *sample, v verdict) {
	rd.start(id, s)
	t := &rd.trial
	t.Status, t.Score = envelope.Pass, v.score
	if !v.passed {
		t.Status, t.Message, t.Output = envelope.Fail, v.why, s.answer
	}
	rd.to.Trial(t)
}

func (rd *reader) start(id string, s *sample) {
	rd.trial = envelope.Trial{Key: envelope.Key{Suite: rd.suite, Test: id, Variant: rd.model}, Tokens: s.tokens, Transcript: s.turns}
	rd.trial.Attempt = rd.attempts.Next(rd.trial.Key)
}

// finish delivers the samples without a match, in the order they began.
func (rd *reader) finish() {
	for _, id := range slices.SortedFunc(maps.Keys(rd.open), func(a, b string) int { return rd.open[a].order - rd.open[b].order }) {
		if s := rd.open[id]; !s.matched {
			rd.unmatched(id, s)
		}
	}
	clear(rd.open)
	rd.held = 0
}

// unmatched delivers a sample as its metrics judge it, or says that nobody did.
func (rd *reader) unmatched(id string, s *sample) {
	for _, v := range s.metrics {
		rd.setOutcome(id, s, v)
		s.tokens = envelope.Opt[int64]{} // they are spent once
	}
	if len(s.metrics) > 0 {
		return
	}
	rd.start(id, s)
	t := &rd.trial
	t.Status, t.ErrorClass = envelope.Error, envelope.ClassPreValidation
	t.RawStatus, t.Message, t.Output = "unscored", "neither match nor metrics", s.answer
	if s.failed {
		t.Status, t.RawStatus, t.Message, t.ErrorClass = envelope.Error, "", s.reason, failure.OfProvider(s.reason)
	}
	rd.to.Trial(t)
}

// maxHeld is how many bytes of conversations wait for their samples to be judged. A
// log may judge none before its end.
const maxHeld = 64 << 20

// converse adds what a model was asked and answered to the conversation of a sample.
// A prompt that begins with all that was said is the same conversation going on;
// any other, as that of a model that grades, follows it.
func (rd *reader) converse(s *sample, data jsonwalk.Value) {
	turns := conversation.Prompt(data.Get("prompt"))
	if answer := answer(data.Get("sampled")); answer != "" {
		turns = append(turns, conversation.Say(envelope.RoleAssistant, answer))
	}
	same := func(a, b envelope.Turn) bool { return a.Role == b.Role && a.Text == b.Text }
	if n := len(s.turns); n <= len(turns) && slices.EqualFunc(s.turns, turns[:n], same) {
		turns = turns[n:]
	}
	more := size(turns)
	if rd.held+more > rd.room || len(s.turns)+len(turns) > conversation.MostTurns {
		if !rd.full {
			rd.full = true
			data.Warn("conversations-left-out",
				fmt.Sprintf("parts of conversations are left out: one has more than %d turns, or %d MiB of them wait for a result",
					conversation.MostTurns, rd.room>>20))
		}
		return
	}
	rd.held += more
	s.turns = append(s.turns, turns...)
}

func size(turns []envelope.Turn) (bytes int) {
	const each = 256 // of a turn that says nothing
	for i := range turns {
		t := &turns[i]
		bytes += each + len(t.Text) + len(t.Reasoning)
		for _, c := range t.ToolCalls {
			bytes += each + len(c.Arguments)
		}
		for _, a := range t.Attachments {
			bytes += each + len(a.URL)
		}
	}
	return bytes
}

// answer is what was sampled: the one text, or all of it.
func answer(sampled jsonwalk.Value) string {
	if only := sampled.Only(); only.There() {
		return only.String()
	}
	return sampled.String()
}
