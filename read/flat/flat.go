// Package flat reads formats whose records of JSON are trials, or a few trials each.
//
// Each format is a row: where its records are, which members name the test, and what they
// say of the trial. A function of the row knows the words of the format.
package flat

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Format is one format.
type Format struct {
	// Sniff reports whether head starts with a record.
	Sniff func(head []byte) bool

	// records says where the records are, by the keys with which the document begins: in one
	// of the ways of [jsonwalk.Members]. If nil, each line is one.
	records             func(rd *reader, keys jsonwalk.KeySet) any
	keys                []string // of lines: one of them is in a record behind other bytes
	suite, test, of     string   // members, as paths a.b; of is the variant
	unnamed             string   // why a record without a test does not count, if not that it has none
	cost, tokens, score string
	labels              []string // members that are labels by their names
	once                bool     // a file has each test once
	// judge says how the trial ended, or why the record is none.
	judge func(rd *reader, t *envelope.Trial, v jsonwalk.Value) (notCounted string)
	// end reports what is wrong with the whole file.
	end func(rd *reader, whole bool)
}

// Read reads one file. What is wrong with it is a problem in the sink; the error is that of r.
func (f *Format) Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{Format: f, to: &runfailure.Watch{Sink: to}, inputs: map[string]string{}}
	if f.records == nil {
		return jsonwalk.Lines(r, to, rd.record, f.keys...)
	}
	head, r := jsonwalk.Head(r)
	keys, _ := jsonwalk.Keys(head)
	whole := false
	err := jsonwalk.Document(r, rd.to, func(t *jsonwalk.Text) error {
		err := t.As(f.records(rd, keys))
		whole = err == nil
		return err
	})
	if f.end != nil {
		f.end(rd, whole)
	}
	return err
}

func document(rd *reader, _ jsonwalk.KeySet) any { return jsonwalk.Object(rd.record) }

type reader struct {
	*Format
	to           *runfailure.Watch
	header       envelope.Header
	headed       bool              // there is one, or it was delivered
	suite        string            // of all records
	inputs       map[string]string // by name, that of the first test case
	failed       int               // records, as the file counts them
	derived      int               // trials that were made of counts
	contracts    int               // of counts
	line, column int               // of the first
}

func (rd *reader) record(v jsonwalk.Value) { rd.named(get(v, rd.test).Text(), v) }

func (rd *reader) named(test string, v jsonwalk.Value) {
	t := envelope.Trial{Key: envelope.Key{Suite: get(v, rd.Format.suite).Text(), Test: test, Variant: get(v, rd.of).Text()}}
	why := ""
	if test == "" {
		why = cmp.Or(rd.unnamed, "it has no "+rd.test)
	} else {
		why = rd.judge(rd, &t, v)
	}
	if why != "" {
		v.Reject(why)
		return
	}
	if rd.score != "" {
		t.Score = get(v, rd.score).Number()
	}
	if rd.cost != "" {
		t.CostUSD = get(v, rd.cost).Amount()
	}
	if rd.tokens != "" {
		t.Tokens = get(v, rd.tokens).Count()
	}
	for _, path := range rd.labels {
		trialfields.Label(&t, path, get(v, path).Text())
	}
	switch {
	case t.Attempt.OK:
	case rd.once:
		t.Attempt = envelope.Some[int32](0)
	default:
		t.Attempt = rd.to.Attempts.Next(t.Key)
	}
	rd.to.Trial(&t)
}

// get is what is at a path, absent where there is none.
func get(v jsonwalk.Value, path string) jsonwalk.Value {
	if path == "" {
		return jsonwalk.Value{}
	}
	return v.Get(strings.Split(path, ".")...)
}

// EveryEvalEver reads *_samples.jsonl of Every Eval Ever, schema instance_level_eval.
//
// An evaluation is a suite, a sample a test and the model its variant; repeated samples are
// attempts. A correct answer passes; otherwise a sample with an error is an error.
var EveryEvalEver = Format{
	Sniff: func(head []byte) bool {
		keys := jsonwalk.FirstLineKeys(head)
		return keys.Has("evaluation_id", "sample_id") && keys.HasAny("schema_version", "interaction_type", "model_id")
	},
	keys: []string{"sample_id"}, suite: "evaluation_name", test: "sample_id", of: "model_id", tokens: "token_usage.total_tokens",
	judge: judgeSample,
}

func judgeSample(_ *reader, t *envelope.Trial, v jsonwalk.Value) (notCounted string) {
	of := v.Get("evaluation")
	correct, said := of.Get("is_correct").Bool(), v.Get("error").Text()
	t.Score = of.Get("score").Number()
	t.Status = trialfields.PassFail(correct)
	switch {
	case said != "" && t.Status != envelope.Pass:
		t.Status, t.Message = envelope.Error, failure.Reason(said, 3)
		if failure.TimedOut(said) || said == "timeout" {
			t.ErrorClass = envelope.ClassTimeout
		}
	case t.Status == "" && !t.Score.OK:
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "nobody scored it"
	}
	t.DurationMS = v.Get("performance", "latency_ms").Amount()
	t.ToolCalls = of.Get("tool_calls_count").Index()
	if messages := v.Get("messages"); messages.Present() {
		t.Transcript = conversation.Turns(messages)
		return ""
	}
	t.Transcript = []envelope.Turn{conversation.Say("user", v.Get("input", "raw").Text())}
	for answer := range v.Get("output", "raw").Items() {
		t.Transcript = append(t.Transcript, conversation.Say("assistant", answer.Text()))
	}
	return ""
}

// GAIA reads answers to the questions of GAIA, one on each line, as Open Deep Research
// (huggingface/smolagents, Apache-2.0) and many other agents write them.
//
// GAIA's scorer adds is_correct; an answer without it has no verdict. Each file is a run,
// and a question that is answered again has attempts.
var GAIA = Format{
	// Its steps may be longer than a head, and id and verdict stand behind them.
	Sniff: func(head []byte) bool {
		return jsonwalk.FirstLineKeys(head).Has("question", "augmented_question", "prediction")
	},
	keys: []string{"task_id", "augmented_question"}, test: "task_id", of: "agent_name",
	judge: func(_ *reader, t *envelope.Trial, v jsonwalk.Value) string {
		judgeAnswer(t, v)
		t.DurationMS = jsonwalk.Between(v.Get("start_time"), v.Get("end_time"))
		if counts := v.Get("token_counts"); counts.IsObject() { // zeros where counting broke
			sum := counts.Get("input").Count().V + counts.Get("output").Count().V
			t.Tokens = envelope.Opt[int64]{V: sum, OK: sum > 0}
		}
		trialfields.Label(t, "level", v.Get("task").Text())
		return ""
	},
}

// judgeAnswer sets the status of the trial. An agent that stopped without an answer is an
// error, which counts, as in GAIA.
func judgeAnswer(t *envelope.Trial, v jsonwalk.Value) {
	correct, answer, broke := v.Get("is_correct").Bool(), v.Get("prediction").String(), v.Get("agent_error").String()
	t.Status = trialfields.PassFail(correct)
	switch {
	case t.Status == envelope.Pass:
		return
	case t.Status == "":
		t.Status, t.ErrorClass = envelope.Error, envelope.ClassPreValidation
		t.Message = "nobody scored it: it has no is_correct, which GAIA's scorer tells of prediction and true_answer"
	case broke != "":
		t.Status, t.Message = envelope.Error, failure.Reason(broke, 3)
	default:
		t.Message = "expected " + jsonwalk.Short(failure.FirstLine(v.Get("true_answer").String())) + ", answered " +
			jsonwalk.Short(failure.FirstLine(answer))
	}
	if v.Get("iteration_limit_exceeded").Bool().V {
		t.RawStatus = "iteration limit exceeded"
	}
	trialfields.AddCheck(t, envelope.Check{Name: "near correct", Status: trialfields.PassFail(v.Get("is_near_correct").Bool())}, "")
	t.Output = words.Head(answer, 4<<10)
}

// HELM reads per_instance_stats.json of HELM (Apache-2.0), the instances of a run.
//
// An instance is a test, its perturbation the variant, and train_trial_index the number of
// the trial (trials have different examples in the prompt). Scenario and model are only in
// the name of the folder. The first metric of preferredMetrics decides.
var HELM = Format{
	Sniff: func(head []byte) bool {
		keys, inArray := jsonwalk.Keys(head)
		return inArray && keys.Has("instance_id", "stats")
	},
	records: func(rd *reader, _ jsonwalk.KeySet) any { return jsonwalk.Objects(rd.record) },
	test:    "instance_id", of: "perturbation.name",
	judge: judgeMeans,
}

// preferredMetrics are metrics of which 1 is right.
var preferredMetrics = [...]string{"exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match",
	"chain_of_thought_correctness",
	"final_number_exact_match", "math_equiv_chain_of_thought", "math_equiv", "code_eval_acc", "pass", "ifeval_strict_accuracy"}

func judgeMeans(_ *reader, t *envelope.Trial, v jsonwalk.Value) (notCounted string) {
	means := map[string]envelope.Opt[float64]{}
	for one := range v.Get("stats").Items() {
		name := one.Get("name", "name").Text()
		if mean := one.Get("mean"); mean.Present() && !means[name].OK {
			means[name] = mean.Number()
		}
	}
	prompt, answer := means["num_prompt_tokens"], means["num_completion_tokens"]
	if !answer.OK {
		answer = means["num_output_tokens"]
	}
	if sum := prompt.V + answer.V; (prompt.OK || answer.OK) && sum >= 0 && sum < 1<<53 {
		t.Tokens = envelope.Some(int64(sum))
	}
	if s := means["inference_runtime"]; s.OK {
		t.DurationMS = trialfields.Milliseconds(s.V, 1000)
	}
	for _, name := range preferredMetrics {
		score := means[name]
		if !score.OK {
			continue
		}
		t.Score, t.Labels = score, []envelope.Label{{Name: "metric", Value: name}}
		t.Status = trialfields.PassFail(envelope.Some(score.V >= 1))
		if t.Status == envelope.Fail {
			t.Message = fmt.Sprintf("%s %v", name, score.V)
		}
		return ""
	}
	t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "no metric of which 1 is right"
	return ""
}

// Meson reads meson-logs/testlog.json of Meson: a line for each program that it ran as a test.
//
// Meson's JUnit has no failure for timeouts, unexpected passes and programs that crashed after
// TAP output. This file has no line for the single points of a program.
var Meson = Format{
	Sniff: func(head []byte) bool {
		keys := jsonwalk.FirstLineKeys(head)
		_, known := programOutcomes[keys["result"]]
		return known && keys.Has("name", "stdout")
	},
	keys: []string{"result"}, test: "name", unnamed: noProgram, judge: judgeProgram,
}

const noProgram = "it is not a test of Meson with a name and a result"

// programOutcome is what a result of Meson means for a trial.
type programOutcome struct {
	status     envelope.Status
	class, why string // why: where nothing else says it
}

// programOutcomes are the results of tests that ended (TestResult in mesonbuild/mtest.py).
var programOutcomes = map[string]programOutcome{
	"OK":             {status: envelope.Pass},
	"EXPECTEDFAIL":   {status: envelope.Pass},
	"SKIP":           {status: envelope.Skip},
	"IGNORED":        {status: envelope.Skip},
	"FAIL":           {status: envelope.Fail, why: "its output reports a failure or an unexpected pass"},
	"UNEXPECTEDPASS": {status: envelope.Fail, why: "it passed, and was expected to fail"},
	"ERROR":          {status: envelope.Error, why: "its output is incomplete, or does not follow its protocol"},
	"TIMEOUT":        {status: envelope.Error, class: envelope.ClassTimeout, why: "it took too long"},
	"INTERRUPT":      {status: envelope.Error, class: envelope.ClassInfrastructure, why: "it was interrupted"},
}

// judgeProgram takes how a program ended, and parts "project:suite+suite / name", as Meson names it.
func judgeProgram(_ *reader, t *envelope.Trial, v jsonwalk.Value) string {
	result := v.Get("result").Text()
	as, known := programOutcomes[result]
	if !known {
		return noProgram
	}
	if suite, test, parted := strings.Cut(t.Test, " / "); parted && test != "" {
		t.Suite, t.Test = suite, test
	}
	t.Status, t.RawStatus, t.ErrorClass = as.status, result, as.class
	t.DurationMS, t.StartedAt = v.Get("duration").Millis(float64(time.Second/time.Millisecond)), instant(v.Get("starttime").Amount())
	if as.status == envelope.Fail || as.status == envelope.Error {
		said := v.Get("stderr").Text()
		t.Message = strings.TrimSuffix(as.with(v.Get("returncode").Number())+": "+failure.Reason(said, 1), ": ")
		t.Output = failure.Together(said, v.Get("stdout").Text())
	}
	return ""
}

// with is why a test did not pass whose program ended with that code, below 0 by a signal.
func (o programOutcome) with(code envelope.Opt[float64]) string {
	switch {
	case o.class != "" || o.why != "" && code.V == 0:
		return o.why
	case !code.OK:
		return "it failed"
	case code.V < 0:
		return fmt.Sprintf("killed by signal %.0f", -code.V)
	}
	return fmt.Sprintf("ended with exit code %.0f", code.V)
}

func instant(seconds envelope.Opt[float64]) time.Time {
	const most = 1 << 33 // far beyond any run
	if !seconds.OK || seconds.V > most {
		return time.Time{}
	}
	whole, part := math.Modf(seconds.V)
	return time.Unix(int64(whole), int64(part*float64(time.Second))).UTC()
}

// OpenHands reads instance_results of the OpenHands Index (OpenHands/openhands-index-results):
// one file for each benchmark, such as SWE-bench, SWT-bench, Commit0 or GAIA, with costs.
//
// The files only say whether an instance was resolved. One that crashed or was never submitted
// is false, like one that failed. One without a result is null: the index counts it as not
// resolved. Each file is a run.
var OpenHands = Format{
	Sniff:   func(head []byte) bool { return firstInstance().Match(head) },
	records: func(rd *reader, _ jsonwalk.KeySet) any { return jsonwalk.Keyed(rd.named) }, cost: "cost", once: true,
	unnamed: unresolved,
	judge: func(_ *reader, t *envelope.Trial, v jsonwalk.Value) string {
		resolved := v.Get("resolved")
		if !resolved.There() {
			return unresolved
		}
		switch outcome := resolved.Bool(); {
		case !outcome.OK:
			t.Status, t.Message = envelope.Error, "nobody said whether it was resolved"
		case outcome.V:
			t.Status, t.RawStatus = envelope.Pass, "resolved"
		default:
			t.Status, t.RawStatus, t.Message = envelope.Fail, "unresolved", "not resolved"
		}
		return ""
	},
}

const unresolved = "it does not say whether it was resolved"

// firstInstance is how a file begins: an id, and of it cost and outcome and nothing else.
var firstInstance = regex.Of(`^\s*\{\s*"[^"\\]+"\s*:\s*\{\s*("cost"\s*:\s*[-+.\deEnul]+\s*,\s*"resolved"\s*:\s*(true|false|null)|"resolved"\s*:\s*(true|false|null)\s*,\s*"cost"\s*:\s*[-+.\deEnul]+)\s*\}`)

// WebArena reads eval_result.json of WebArena-Verified (Apache-2.0): one attempt at one task.
//
// A task with the status error was not judged completely; the assertions of its evaluators say
// why. Runs are folders, so each file is a run.
var WebArena = Format{
	Sniff: func(head []byte) bool {
		keys, inArray := jsonwalk.Keys(head)
		return !inArray && keys.Has("task_id", "intent_template_id", "sites", "status", "evaluators_results")
	},
	records: document, test: "task_id", score: "score", labels: []string{"intent_template_id", "task_revision"}, once: true,
	unnamed: "its task_id is missing or neither a string nor a number",
	judge:   judgeTask,
}

// taskStatuses are how a task, an evaluator or an assertion ended. A task may match in part,
// which its score says as well.
var taskStatuses = map[string]envelope.Status{"success": envelope.Pass, "failure": envelope.Fail, "partial_match": envelope.Fail,
	"error": envelope.Error}

func judgeTask(_ *reader, t *envelope.Trial, v jsonwalk.Value) string {
	known := false
	t.RawStatus = v.Get("status").Text()
	if t.Status, known = taskStatuses[t.RawStatus]; !known {
		return "its status is not success, failure, partial_match or error"
	}
	t.Suite = strings.Join(v.Get("sites").Strings(), "+") // most have one
	why := v.Get("error_msg").String()
	for evaluator := range v.Get("evaluators_results").Items() {
		c := evaluatorCheck(evaluator)
		trialfields.AddCheck(t, c, "evaluator")
		if c.Status == envelope.Pass || t.Status == envelope.Pass {
			continue
		}
		why = cmp.Or(why, c.Reason)
		if actual := evaluator.Get("actual"); t.Output == "" && actual.Present() {
			t.Output = words.Head(actual.String(), 4<<10)
		}
	}
	if t.Status != envelope.Pass {
		t.Message = words.Lead(failure.FirstLine(cmp.Or(why, t.RawStatus)), 500)
	}
	return ""
}

// evaluatorCheck is what an evaluator says, with the assertions that did not hold.
func evaluatorCheck(v jsonwalk.Value) envelope.Check {
	c := envelope.Check{Name: v.Get("evaluator_name").Text(), Status: taskStatuses[v.Get("status").Text()], Score: v.Get("score").Number()}
	var reasons []string
	if broken := v.Get("error_msg").String(); broken != "" {
		reasons = append(reasons, broken)
	}
	for assertion := range v.Get("assertions").Items() {
		if taskStatuses[assertion.Get("status").Text()] == envelope.Pass {
			continue
		}
		why := append([]string{assertion.Get("error_msg").String()}, assertion.Get("assertion_msgs").Strings()...)
		reasons = append(reasons, assertion.Get("assertion_name").String()+": "+strings.TrimSpace(strings.Join(why, " ")))
	}
	c.Reason = strings.Join(reasons, "\n")
	return c
}
