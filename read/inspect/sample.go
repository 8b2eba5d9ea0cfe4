package inspect

import (
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
)

// rawUnscored is what a sample is called that nobody has scored, such as all of
// a log that was cut off before scoring: an error before anything was judged, for
// a run of nothing else must not be green.
const rawUnscored = "unscored"

// rawInvalid is what a sample is called that people took back after the run, whatever it
// was scored: Inspect runs it again.
const rawInvalid = "invalidated"

// sample delivers one sample, or one line of the summaries.
func (l *log) sample(v jsonwalk.Value) {
	t := &l.trial
	*t = envelope.Trial{Key: envelope.Key{Suite: l.suite, Test: v.Get("id").Text(), Variant: l.model}, Run: l.run, File: l.file}
	if t.Test == "" {
		v.Reject("its id is missing or neither a number nor a text")
		return
	}
	if !l.known {
		l.once(v, "unknown-task", "samples come before eval: task and model are unknown")
	}
	t.Attempt = l.attempt(v)
	t.DurationMS, t.StartedAt = v.Get("total_time").Millis(1000), v.Get("started_at").Time()
	t.Tokens, t.Transcript = tokens(v.Get("model_usage"), l.model), l.transcript(v)
	t.ToolCalls = toolCalls(t.Transcript)
	t.CostUSD = cost(v.Get("model_usage"))
	l.judge(v)
	l.checks(v)
	if retries := count(v.Get("error_retries")); retries > 0 {
		t.Labels = append(t.Labels, envelope.Label{Name: "error_retries", Value: strconv.Itoa(retries)})
	}
	l.to.Trial(t)
}

// attempt is the epoch, which counts from 1.
func (l *log) attempt(v jsonwalk.Value) envelope.Opt[int32] {
	epoch := v.Get("epoch").Index()
	if !epoch.OK || epoch.V < 1 {
		return l.attempts.Next(l.trial.Key)
	}
	return envelope.Some(epoch.V - 1)
}

// judge gives the sample its status, class and texts.
func (l *log) judge(v jsonwalk.Value) {
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
		t.Status, t.RawStatus, t.ErrorClass, t.Message = envelope.Error, rawInvalid, envelope.ClassPreValidation, strings.TrimSuffix("invalidated: "+invalid.Get("reason").Text(), ": ")
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
	if t.ErrorClass == "" && isTimeout(message) {
		t.ErrorClass = envelope.ClassTimeout
	}
	if t.ErrorClass == "" {
		t.ErrorClass = envelope.ClassInfrastructure
	}
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

// toolCalls is how many calls there are in a conversation, absent where none is known.
func toolCalls(turns []envelope.Turn) envelope.Opt[int32] {
	if turns == nil {
		return envelope.Opt[int32]{}
	}
	n := 0
	for i := range turns {
		n += len(turns[i].ToolCalls)
	}
	return envelope.Some(int32(min(n, math.MaxInt32-1)))
}

func count(list jsonwalk.Value) int {
	n := 0
	for range list.Items() {
		n++
	}
	return n
}

// completion is the text of the model's answer.
func completion(output jsonwalk.Value) string {
	if text := output.Get("completion"); text.IsText() {
		return text.Text()
	}
	for choice := range output.Get("choices").Items() {
		return choice.Get("message", "content").String()
	}
	return ""
}
