package inspect

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// rawUnscored is what a sample is called that nobody has scored, such as all of
// a log that was cut off before scoring: an error before anything was judged, for
// a run of nothing else must not be green.
const rawUnscored = "unscored"

// rawInvalid is what a sample is called that people took back after the run, whatever it
// was scored: Inspect runs it again.
const rawInvalid = "invalidated"

func (l *log) sample(v jsonwalk.Value) {
	t := &l.trial
	*t = envelope.Trial{Key: envelope.Key{Suite: l.suite, Test: v.Get("id").Text(), Variant: l.model}, Run: l.run, File: l.file}
	if t.Test == "" {
		v.Reject("its id is missing or neither a number nor a string")
		return
	}
	if !l.known {
		l.once(v, "unknown-task", "the samples come before the key eval, so their task and model are unknown")
	}
	if epoch := v.Get("epoch").Index(); epoch.OK && epoch.V >= 1 { // counts from 1
		t.Attempt = envelope.Some(epoch.V - 1)
	} else {
		t.Attempt = l.attempts.Next(t.Key)
	}
	t.DurationMS, t.StartedAt = v.Get("total_time").Millis(1000), v.Get("started_at").Time()
	t.Tokens, t.Transcript = tokens(v.Get("model_usage"), l.model), l.transcript(v)
	t.ToolCalls = conversation.CountCalls(t.Transcript)
	t.CostUSD = cost(v.Get("model_usage"))
	l.setOutcome(v)
	l.checks(v)
	if retries := len(slices.Collect(v.Get("error_retries").Items())); retries > 0 {
		t.Labels = append(t.Labels, envelope.Label{Name: "error_retries", Value: strconv.Itoa(retries)})
	}
	l.to.Trial(t)
}

func (l *log) setOutcome(v jsonwalk.Value) {
	t := &l.trial
	s := l.score(v)
	t.Score = s.value
	limit := v.Get("limit", "type").Text()
	if limit != "" {
		t.Labels = append(t.Labels, envelope.Label{Name: "limit", Value: limit})
	}
	if limit == "time" || limit == "working" {
		t.ErrorClass = envelope.ClassTimeout
	}
	failed, invalid := v.Get("error"), v.Get("invalidation")
	switch {
	case invalid.Present():
		t.Status, t.RawStatus, t.ErrorClass, t.Message = envelope.Error, rawInvalid, envelope.ClassPreValidation,
			strings.TrimSuffix("invalidated: "+invalid.Get("reason").Text(), ": ")
	case failed.Present() && !l.judged(s):
		l.failed(failed)
	case s.open:
		t.Message = s.reason()
	case s.value.OK && s.value.V >= 1:
		t.Status = envelope.Pass
	case s.value.OK:
		t.Status, t.Message = envelope.Fail, s.reason()
	case limit != "":
		t.Status, t.Message = envelope.Error, "stopped by its "+limit+" limit and not scored"
	default:
		t.Status, t.RawStatus, t.ErrorClass, t.Message = envelope.Error, rawUnscored, envelope.ClassPreValidation, s.reason()
	}
	t.Message = failure.FirstLine(t.Message)
	if t.Status != envelope.Pass && t.Output == "" {
		t.Output = strings.TrimSpace(completion(v.Get("output")) + "\n" + s.more)
	}
}

// judged reports whether a sample that ended by an error was scored all the same. Inspect
// counts such scores; a pass is believed where the run asked for it.
func (l *log) judged(s score) bool { return s.value.OK && (s.value.V < 1 || l.scoresErrors) }

func (l *log) failed(v jsonwalk.Value) {
	t := &l.trial
	message := v.String()
	if v.IsObject() {
		message = v.Get("message").Text()
	}
	t.Status, t.Message, t.Output = envelope.Error, failure.FirstLine(message), v.Get("traceback").Text()
	t.ErrorClass = cmp.Or(t.ErrorClass, failure.OfJudge(message))
}

// tokens are those of the model that is tested, or of all when it is not among
// them: graders use tokens too.
func tokens(usage jsonwalk.Value, model string) envelope.Opt[int64] {
	if own := usage.Get(model, "total_tokens").Count(); own.OK {
		return own
	}
	sum := envelope.Opt[int64]{}
	for _, each := range usage.Members() {
		if n := each.Get("total_tokens").Count(); n.OK && sum.V <= math.MaxInt64-n.V {
			sum = envelope.Some(sum.V + n.V)
		}
	}
	return sum
}

// cost is what all models together cost, graders with them: it was spent on the
// sample. A log knows it where prices were given to Inspect.
func cost(usage jsonwalk.Value) envelope.Opt[float64] {
	sum := envelope.Opt[float64]{}
	for _, each := range usage.Members() {
		if dollars := each.Get("total_cost").Amount(); dollars.OK && sum.V <= math.MaxFloat64-dollars.V {
			sum = envelope.Some(sum.V + dollars.V)
		}
	}
	return sum
}

func completion(output jsonwalk.Value) string {
	if text := output.Get("completion"); text.IsText() {
		return text.Text()
	}
	return output.Get("choices").First().Get("message", "content").String()
}

// letters are the values that Inspect's own scorers and its value_to_float know.
var letters = map[string]float64{"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}

// score is what the deciding scorer said.
type score struct {
	value envelope.Opt[float64] // absent when unscored
	open  bool                  // on a scale beyond 1: the policy says which value passes
	text  string                // its value as it was written
	why   string
	more  string // the explanation, when it is longer than why
}

func (s score) reason() string {
	switch {
	case s.why != "" && s.text != "":
		return "score " + s.text + ": " + s.why
	case s.text != "":
		return "score " + s.text
	case s.why != "":
		return s.why
	}
	return "no score"
}

func (l *log) score(v jsonwalk.Value) score {
	chosen, scorer, key, names := l.choose(v)
	if !chosen.Present() {
		if l.options.Scorer != "" && len(names) > 0 {
			l.once(v, "unknown-scorer", "this log has no scorer "+jsonwalk.Short(l.options.Scorer)+"; set --scorer to one of "+list(names))
		}
		return score{}
	}
	if l.options.Scorer == "" && len(names) > 1 {
		l.once(v, "several-scorers", "there are several scorers, "+list(names)+"; the first decides unless you choose one with --scorer")
	}
	value := chosen
	if chosen.IsObject() {
		value = chosen.Get("value")
	}
	if value.IsObject() || value.IsArray() {
		value, scorer = l.inside(v, value, scorer, key)
	}
	s := score{value: scoreValue(value), text: jsonwalk.Short(value.String())}
	s.open = s.value.V > 1 || l.beyond[scorer]
	if chosen.IsObject() {
		explanation := chosen.Get("explanation").Text()
		if s.why = failure.FirstLine(explanation); s.why != strings.TrimSpace(explanation) {
			s.more = explanation
		}
	}
	return s
}

// choose finds the scorer that is named, as name or name.key, or else the first.
func (l *log) choose(v jsonwalk.Value) (chosen jsonwalk.Value, scorer, key string, names []string) {
	name := l.options.Scorer
	scores := v.Get("scores")
	stem, last := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		stem, last = name[:dot], name[dot+1:]
	}
	for each, value := range scores.Members() {
		names = append(names, each)
		switch {
		case name == "" && len(names) == 1, name == each:
			chosen, scorer, key = value, each, ""
		case name != "" && stem == each && !chosen.Present():
			chosen, scorer, key = value, each, last
		}
	}
	if only := v.Get("score"); len(names) == 0 && name == "" { // version 1
		chosen = only
	}
	return chosen, scorer, key, names
}

// inside is the value under a key of an object, and the key: the named one or the only one.
func (l *log) inside(v, value jsonwalk.Value, scorer, key string) (jsonwalk.Value, string) {
	var names []string
	var only jsonwalk.Value
	for name, each := range value.Members() {
		if names = append(names, name); name == key {
			return each, key
		}
		only = each
	}
	if len(names) == 1 && key == "" {
		return only, names[0]
	}
	if len(names) == 0 {
		l.once(v, "several-scorers", "samples whose score is a list or an empty object are not judged; choose another scorer with --scorer NAME")
	} else {
		l.once(v, "several-scorers", "samples whose score has several values are not judged until you choose one with --scorer "+
			cmp.Or(scorer, "NAME")+".KEY; the keys are "+list(names))
	}
	return jsonwalk.Value{}, ""
}

// scoreValue is a score as a number; absent for what is none, such as NaN.
func scoreValue(v jsonwalk.Value) envelope.Opt[float64] {
	switch {
	case v.IsNumber():
		return v.Number()
	case !v.IsText() && v.Present():
		if v.Bool().V {
			return envelope.Some(1.0)
		}
		return envelope.Some(0.0)
	case !v.Present():
		return envelope.Opt[float64]{}
	}
	word := strings.TrimSpace(v.Text())
	if f, ok := letters[word]; ok {
		return envelope.Some(f)
	}
	if f, ok := letters[strings.ToLower(word)]; ok {
		return envelope.Some(f)
	}
	return trialfields.Finite(word)
}

func list(names []string) string {
	return words.First(names, 10, func(name string) string { return words.Head(name, 60) })
}

// referred begins a text that stands among the attachments of its sample, where
// Inspect keeps long ones once.
const referred = "attachment://"

// transcript is the messages of a sample, nil where they were not logged. They are valid
// until the next one.
func (l *log) transcript(v jsonwalk.Value) (turns []envelope.Turn) {
	v.Passing(func() { turns = l.turns(v) })
	return turns
}

func (l *log) turns(v jsonwalk.Value) []envelope.Turn {
	turns := l.messages.Turns(v.Get("messages"))
	texts := texts{of: v.Get("attachments")}
	for i := range turns {
		t := &turns[i]
		t.Text, t.Reasoning = texts.resolve(t.Text), texts.resolve(t.Reasoning)
		for j := range t.ToolCalls {
			c := &t.ToolCalls[j]
			c.Arguments = texts.resolve(c.Arguments)
		}
	}
	return turns
}

// texts are the attachments of a sample, those that were asked for once: many
// messages may refer to a long one.
type texts struct {
	of    jsonwalk.Value
	known map[string]string
}

func (t *texts) resolve(text string) string {
	id, is := strings.CutPrefix(text, referred)
	if !is {
		return text
	}
	if t.known == nil {
		t.known = map[string]string{}
		for name, value := range t.of.Members() {
			t.known[name] = ""
			if value.IsText() {
				t.known[name] = value.Text()
			}
		}
	}
	if long := t.known[id]; long != "" {
		return long
	}
	return text
}
