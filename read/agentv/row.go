package agentv

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// field is a member under either of its names: rows were once in camelCase.
func field(v jsonwalk.Value, snake, camel string) jsonwalk.Value {
	if found := v.Get(snake); found.Present() {
		return found
	}
	return v.Get(camel)
}

// start makes the trial of a row or test, as far as all its trials share it.
func (rd *reader) start(v jsonwalk.Value) bool {
	rd.trial = envelope.Trial{Key: envelope.Key{Suite: v.Get("suite").Text(), Test: field(v, "test_id", "testId").Text(),
		Variant: v.Get("target").Text()}}
	if rd.trial.Test == "" {
		v.Reject("its test_id is missing or neither a string nor a number")
		return false
	}
	if variant := v.Get("variant").Text(); variant != "" {
		rd.trial.Variant += "/" + variant
	}
	rd.trial.File = v.Get("projection_identity", "dimensions", "eval_path").Text()
	for _, name := range []string{"category", "experiment"} {
		trialfields.Label(&rd.trial, name, v.Get(name).Text())
	}
	for name, value := range v.Get("tags").Members() {
		trialfields.AddLabel(&rd.trial, name, value.String())
	}
	return true
}

func (rd *reader) row(v jsonwalk.Value) {
	if !rd.start(v) {
		return
	}
	shared := rd.trial
	rd.last, _ = v.Place()
	samples, attempts := slices.Collect(v.Get("samples").Items()), slices.Collect(v.Get("attempts").Items())
	none := len(samples)+len(attempts) == 0
	rd.several, rd.alone = false, len(samples) == 1 || none
	for _, sample := range samples {
		rd.trial = shared
		rd.emitTrial(v, sample, attemptIndex(sample.Get("sample"), sample.Get("sample_index")))
		rd.samples++
	}
	for _, attempt := range attempts {
		rd.trial = shared
		rd.emitTrial(v, attempt, attempt.Get("attempt").Index())
	}
	if none {
		rd.single(v)
	}
}

// single delivers a row without samples or attempts. Version 4 writes such a
// row, with an artifact_dir, for any number of trials.
func (rd *reader) single(v jsonwalk.Value) {
	t := &rd.trial
	t.DurationMS, t.StartedAt = field(v, "duration_ms", "durationMs").Amount(), v.Get("start_time").Time()
	t.ToolCalls = toolCalls(v.Get("trace"))
	if rd.several = v.Get("aggregation").Present() || v.Get("artifact_dir").Present(); rd.several {
		rd.aggregate(v)
	}
	attempt := v.Get("sample_index").Index()
	if retry := v.Get("retry_index").Index(); retry.OK {
		t.Retry, attempt = retry.V > 0, envelope.Opt[int32]{} // retries share the index of their sample
	}
	rd.emitTrial(v, v, attempt)
}

// test delivers the samples of one test of a summary, where sample_index
// counts from 1.
func (rd *reader) test(v jsonwalk.Value) {
	if !rd.start(v) {
		return
	}
	rd.trial.File = v.Get("eval_path").Text()
	shared := rd.trial
	n := 0
	for sample := range v.Get("samples").Items() {
		rd.trial = shared
		rd.trial.DurationMS = sample.Get("duration_ms").Amount()
		rd.emitTrial(v, sample, attemptIndex(sample.Get("sample_index"), jsonwalk.Value{}))
		n++
	}
	if total := v.Get("total_samples").Count(); n == 0 && total.V > 0 {
		rd.aggregate(v)
		rd.trial.Score, rd.trial.Status = v.Get("pass_rate").Number(), envelope.Fail
		if v.Get("passed_samples").Count() == total {
			rd.trial.Status = envelope.Pass
		}
		rd.trial.Attempt = rd.attempts.Next(rd.trial.Key)
		rd.to.Trial(&rd.trial)
	}
}

// emitTrial delivers what part says of one trial of the row v.
func (rd *reader) emitTrial(v, part jsonwalk.Value, attempt envelope.Opt[int32]) {
	t := &rd.trial
	t.Score = part.Get("score").Number()
	if !setOutcome(t, part) {
		part.Reject("it has neither a known status nor a score")
		return
	}
	if t.Attempt = attempt; !attempt.OK {
		t.Attempt = rd.attempts.Next(t.Key)
	}
	t.CostUSD = field(part, "cost_usd", "costUsd").Amount()
	usage := field(part, "token_usage", "tokenUsage")
	t.Tokens = trialfields.Sum(usage.Get("input").Count(), usage.Get("output").Count())
	if !rd.several && t.Status != envelope.Error { // AgentV grades what an agent that broke never said
		before := len(t.Checks)
		if graders(t, "", part.Get("scores"), 0); len(t.Checks) == before { // the first generation may name no grader
			assertions(t, "", part.Get("assertions"))
		}
	}
	if !rd.several {
		t.Transcript = transcript(part)
		rd.sidecar(v, part)
	}
	rd.to.Trial(t)
}

// attemptIndex is a position that is given 1-based, or else 0-based.
func attemptIndex(fromOne, fromZero jsonwalk.Value) envelope.Opt[int32] {
	if n := fromOne.Index(); n.OK && n.V > 0 {
		return envelope.Some(n.V - 1)
	}
	return fromZero.Index()
}

func toolCalls(trace jsonwalk.Value) envelope.Opt[int32] {
	byName := trace.Get("tool_calls_by_name")
	if !byName.IsObject() {
		byName = trace.Get("toolCalls")
	}
	if !byName.IsObject() {
		return envelope.Opt[int32]{}
	}
	n := int64(0)
	for _, each := range byName.Members() {
		n = min(n+int64(each.Index().V), math.MaxInt32-1)
	}
	return envelope.Some(int32(n))
}

// threshold is from where on a score passes where a row says nothing else; it
// is AgentV's default, and rows do not tell their own.
const threshold = 0.8

var executions = map[string]envelope.Status{"ok": envelope.Pass, "quality_failure": envelope.Fail, "execution_error": envelope.Error}

// beforehand are the reasons for which nothing was tried.
var beforehand = map[string]bool{
	"preflight_error": true, "template_error": true, "environment_setup_error": true, "docker_setup_error": true, "clone_error": true,
	"dependency_failed": true,
}

// setOutcome gives a trial its status, class and message; it reports whether there
// is anything to judge by.
func setOutcome(t *envelope.Trial, v jsonwalk.Value) bool {
	word := field(v, "execution_status", "executionStatus").Text()
	status, known := executions[word]
	for _, name := range []string{"status", "verdict"} {
		if !known {
			word = v.Get(name).Text()
			status, known = envelope.ParseStatus(word)
		}
	}
	if !known {
		if !t.Score.OK {
			return false
		}
		word, status = "", envelope.Fail
		if t.Score.V >= threshold {
			status = envelope.Pass
		}
	}
	t.Status = status
	if word != string(status) {
		t.RawStatus = word
	}
	if status == envelope.Error {
		t.Score = envelope.Opt[float64]{} // nothing was scored; AgentV writes 0
		t.ErrorClass = class(v)
	}
	if status != envelope.Pass {
		t.Message, t.Output = reason(v), v.Get("error").String()
	}
	if t.Output == t.Message {
		t.Output = ""
	}
	return true
}

func class(v jsonwalk.Value) string {
	code, kind := v.Get("failure_reason_code").Text(), v.Get("target_error_kind").Text()
	switch {
	case strings.Contains(code, "timeout") || kind == "timeout":
		return envelope.ClassTimeout
	case beforehand[code]:
		return envelope.ClassPreValidation
	}
	return envelope.ClassInfrastructure
}

// reason is the error, or what the first grader that did not pass says.
func reason(v jsonwalk.Value) string {
	if text := failure.FirstLine(v.Get("error").String()); text != "" {
		return text
	}
	for score := range v.Get("scores").Items() {
		if passed := score.Get("pass").Bool(); passed.OK && !passed.V {
			return failure.FirstLine(score.Get("reason").Text())
		}
		if text := unmet(score.Get("assertions")); text != "" {
			return text
		}
	}
	return cmp.Or(unmet(v.Get("assertions")), v.Get("failure_reason_code").Text())
}

// unmet is the first assertion that did not pass.
func unmet(assertions jsonwalk.Value) string {
	for each := range assertions.Items() {
		if passed := each.Get("passed").Bool(); passed.OK && !passed.V {
			return failure.FirstLine(each.Get("text").Text())
		}
	}
	return ""
}

// graders adds the graders of a list, and those of the sets among them.
func graders(t *envelope.Trial, set string, list jsonwalk.Value, depth int) {
	for score := range list.Items() {
		name, kind := score.Get("name").Text(), score.Get("type").Text()
		name = cmp.Or(name, kind)
		grader(t, set+name, score)
		if kind == fixed {
			assertions(t, set+name+" › ", score.Get("assertions"))
		}
		const maxSets = 8 // how deep graders may stand in sets of graders
		if depth < maxSets {
			graders(t, set+name+" › ", score.Get("scores"), depth+1)
		}
	}
}

func grader(t *envelope.Trial, name string, score jsonwalk.Value) {
	c := envelope.Check{Name: name, Status: trialfields.PassFail(score.Get("pass").Bool()), Score: score.Get("score").Number(),
		Reason: score.Get("reason").String()}
	if c.Status == "" {
		c.Status, _ = envelope.ParseStatus(score.Get("verdict").Text())
	}
	if c.Reason == "" || c.Reason == passed {
		c.Reason = missed(score.Get("assertions"))
	}
	trialfields.AddCheck(t, c, "grader")
}

// passed is what AgentV says of a grader when it has nothing to say.
const passed = "Grader passed."

// fixed is the type of a grader whose assertions are the criteria it was given.
// Others write what they measured into theirs, "Total tokens 27 <= 2000 max", or
// have a model make them up: those name nothing that two trials share, and are
// reasons of their graders.
const fixed = "rubrics"

func assertions(t *envelope.Trial, grader string, list jsonwalk.Value) {
	for each := range list.Items() {
		if text := each.Get("text").Text(); text != "" {
			trialfields.AddCheck(t, envelope.Check{Name: grader + text, Status: trialfields.PassFail(each.Get("passed").Bool()),
				Reason: each.Get("evidence").String()}, "assertion")
		}
	}
}

func missed(list jsonwalk.Value) string {
	var lines []string
	for each := range list.Items() {
		if met := each.Get("passed").Bool(); met.OK && !met.V {
			lines = append(lines, strings.TrimSuffix(each.Get("text").Text()+": "+each.Get("evidence").String(), ": "))
		}
	}
	return strings.Join(lines, "\n")
}
