package flat

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// DeepEval is the test runs of DeepEval (confident-ai, Apache-2.0): .latest_test_run.json, and
// those with the test cases at the top, which are .latest_run_full.json and the
// test_run_*.json of DEEPEVAL_RESULTS_FOLDER.
//
// DeepEval keeps one trial a file: it overwrites the latest ones with every run, and adds a
// test_run to its folder. The test passes when DeepEval says so, for every metric has a
// threshold of its own. The price of evaluating is not that of the tested model and is left
// out.
var DeepEval = Format{
	Sniff: func(head []byte) bool {
		keys, inArray := jsonwalk.Keys(head)
		if inArray || keys.Has("testRunData") {
			return !inArray
		}
		if at := firstCase().FindSubmatchIndex(head); at != nil && keys.HasAny("testCases", "conversationalTestCases") {
			first, _ := jsonwalk.Keys(head[at[2]:])
			return first.Has("name") && first.HasAny("metricsData", "actualOutput")
		}
		return keys.Has("testCases", "conversationalTestCases")
	},
	records: func(rd *reader, _ jsonwalk.KeySet) any {
		cases := jsonwalk.Objects(func(v jsonwalk.Value) { rd.named(rd.caseName(v), v) })
		run := jsonwalk.Members{"testCases": cases, "conversationalTestCases": cases,
			"testFailed": func(v jsonwalk.Value) { rd.failed = int(v.Count().V) },
			"testFile":   func(v jsonwalk.Value) { rd.suite = v.Text() }}
		document := maps.Clone(run)
		document["testRunData"] = run
		return document
	},
	unnamed: "its name is missing or neither a string nor a number",
	judge:   judgeCase,
	end:     func(rd *reader, _ bool) { rd.to.Counted(rd.failed, "test cases") },
}

// firstCase is where the test cases of a run begin.
var firstCase = regex.Of(`"(?:testCases|conversationalTestCases)"\s*:\s*(\[\s*\{)`)

func judgeCase(rd *reader, t *envelope.Trial, v jsonwalk.Value) string {
	t.Suite = rd.suite
	t.DurationMS, t.CostUSD = v.Get("runDuration").Millis(1000), v.Get("tokenCost").Amount()
	verdict := v.Get("success").Bool()
	failed, broken := metrics(t, v.Get("metricsData"))
	switch {
	case verdict.OK && verdict.V:
		t.Status, t.Message = envelope.Pass, ""
	case broken != "" && !failed:
		t.Status, t.ErrorClass, t.Message = envelope.Error, failure.OfJudge(broken), failure.FirstLine(broken)
	case verdict.OK:
		t.Status = envelope.Fail
	default:
		t.Status, t.ErrorClass, t.RawStatus, t.Message = envelope.Error, envelope.ClassPreValidation, "unscored", "never evaluated"
	}
	if t.Status != envelope.Pass {
		t.Output = v.Get("actualOutput").String()
	}
	t.Transcript = caseTranscript(v)
	return ""
}

// caseName is the name of a test case. Cases of a parametrised test have one name, so the
// input is added to the names of all but the first.
func (rd *reader) caseName(v jsonwalk.Value) string {
	name, input := v.Get("name").Text(), v.Get("input").String()
	if first, seen := rd.inputs[name]; !seen {
		rd.inputs[name] = input
	} else if first != input && name != "" {
		return name + " (" + jsonwalk.Short(failure.FirstLine(input)) + ")"
	}
	return name
}

// emptyAnswer is how a metric begins to refuse an empty answer. It is what the tested model
// gave, and no fault of who measures.
const emptyAnswer = "'actual_output' cannot be empty"

// metrics takes the score, when there is one metric, and the reasons of those that did
// not pass. It says whether one that decides failed, which those that could not be
// measured do not take back, and the error of one of these.
func metrics(t *envelope.Trial, data jsonwalk.Value) (failed bool, broken string) {
	var reasons []string
	n := 0
	for metric := range data.Items() {
		n++
		name, score := metric.Get("name").Text(), metric.Get("score").Number()
		metricCheck(t, metric)
		if t.Score = score; score.OK {
			trialfields.AddLabel(t, "metric."+name, metric.Get("score").Text())
		}
		decides := !metric.Get("flaky").Bool().V // one that is said to be flaky fails no test case
		fault, passed := metric.Get("error").String(), metric.Get("success").Bool()
		switch {
		case fault != "" && !strings.HasPrefix(fault, emptyAnswer):
			if decides {
				broken = name + ": " + fault
			}
		case passed.OK && !passed.V:
			failed = failed || decides
			reasons = append(reasons, strings.TrimSuffix(name+": "+failure.FirstLine(cmp.Or(metric.Get("reason").Text(), fault)), ": "))
		}
	}
	if n != 1 {
		t.Score = envelope.Opt[float64]{} // there is no score of a test with several metrics
	}
	t.Message = failure.FirstLine(strings.Join(reasons, "; "))
	return failed, broken
}

// metricCheck makes a check of a metric. One that could not be measured is an error, and
// one that was left out for want of its inputs a skip; DeepEval writes both down as
// not successful, or not at all.
func metricCheck(t *envelope.Trial, metric jsonwalk.Value) {
	c := envelope.Check{Name: metric.Get("name").Text(), Status: trialfields.PassFail(metric.Get("success").Bool()),
		Score: metric.Get("score").Number(), Reason: metric.Get("reason").String()}
	switch broken := metric.Get("error").String(); {
	case broken != "":
		c.Status, c.Reason = envelope.Error, broken
	case metric.Get("skipped").Bool().V, c.Status == "" && !c.Score.OK:
		c.Status = envelope.Skip
	}
	trialfields.AddCheck(t, c, "metric")
}

// caseTranscript is the turns of a conversational test case, or what was asked and
// answered in any other.
func caseTranscript(v jsonwalk.Value) []envelope.Turn {
	var turns []envelope.Turn
	for turn := range v.Get("turns").Items() {
		role, text := turn.Get("role").Text(), turn.Get("content").String()
		if role == "" && text == "" || len(turns) >= conversation.MostTurns {
			continue
		}
		turns = append(turns, conversation.Called(turn.Get("toolsCalled"))...)
		turns = append(turns, conversation.Say(role, text))
	}
	if len(turns) > 0 {
		return turns
	}
	if input := v.Get("input"); input.Present() {
		turns = append(turns, conversation.Say(envelope.RoleUser, input.String()))
	}
	turns = append(turns, conversation.Called(v.Get("toolsCalled"))...)
	if answer := v.Get("actualOutput"); answer.Present() {
		turns = append(turns, conversation.Say(envelope.RoleAssistant, answer.String()))
	}
	return turns
}

// OpenAIEvals is output items of runs of OpenAI's Evals API: the pages that
// /v1/evals/ID/runs/ID/output_items answers, or the items alone, in a list or a line each.
//
// The API is where these runs are kept, and its answers are what people save. An item is a
// trial of the row of the data source that it was made of; the same row again is another
// attempt. Its status is what the API says, or else that of its graders. The logs of the
// older program oaieval are another format.
var OpenAIEvals = Format{
	Sniff: func(head []byte) bool {
		keys, inArray := jsonwalk.Keys(head)
		if keys["object"] == "eval.run.output_item" {
			return true
		}
		return !inArray && keys.Has("data") && (keys["object"] == "list" || keys["object"] == "") && outputItem().Match(head) ||
			keys.Has("datasource_item_id", "results") && keys.HasAny("run_id", "eval_id")
	},
	records: func(rd *reader, keys jsonwalk.KeySet) any {
		return func(t *jsonwalk.Text) error {
			switch {
			case t.Next() == '[':
				return t.Objects(rd.record)
			case keys.HasAny("datasource_item_id", "datasource_item", "results"):
				return t.Sequence(rd.record)
			}
			return t.Members(jsonwalk.Members{"data": jsonwalk.Objects(rd.record), "has_more": func(v jsonwalk.Value) {
				if v.IsBool() && v.Bool().V {
					v.Warn("more-pages", "this page is not the whole run: more items follow; unless you name their pages as well, "+
						"fetch those after its last_id")
				}
			}})
		}
	},
	test: "datasource_item_id", of: "sample.model",
	judge: judgeItem,
}

var outputItem = regex.Of(`"object"\s*:\s*"eval\.run\.output_item"`)

func judgeItem(rd *reader, t *envelope.Trial, v jsonwalk.Value) string {
	rd.head(v)
	sample := v.Get("sample")
	t.Test = "item " + t.Test
	judgeGrades(t, v)
	if total := sample.Get("usage", "total_tokens").Count(); total.V > 0 { // 0 is nobody's answer
		t.Tokens = total
	}
	t.Transcript = append(messagesOf(sample.Get("input")), messagesOf(sample.Get("output"))...)
	if t.Status != envelope.Pass {
		output := sample.Get("output")
		t.Output = output.String()
		if text := output.Only().Get("content"); text.IsText() { // of the only message
			t.Output = text.Text()
		}
	}
	return ""
}

// head tells of which run the first item is. All items have the time at which the run began.
func (rd *reader) head(v jsonwalk.Value) {
	if rd.headed {
		return
	}
	rd.headed = true
	h := envelope.Header{ID: v.Get("run_id").Text(), Name: v.Get("eval_id").Text()}
	if at := v.Get("created_at"); at.IsNumber() {
		if s := at.Count(); s.V > 0 && s.V < 1<<40 {
			h.StartedAt = time.Unix(s.V, 0).UTC().Format(time.RFC3339)
		}
	}
	rd.to.Header(h, nil)
}

func judgeGrades(t *envelope.Trial, v jsonwalk.Value) {
	graders, failed := 0, []string(nil)
	for result := range v.Get("results").Items() {
		passed := result.Get("passed")
		if !result.IsObject() || !passed.IsBool() && passed.Present() {
			result.Leave("has an element that is not a result of a grader")
			continue
		}
		c := envelope.Check{Name: result.Get("name").Text(), Status: trialfields.PassFail(passed.Bool()), Score: result.Get("score").Number(),
			Reason: result.Get("reason").String()}
		trialfields.AddCheck(t, c, "grader")
		if c.Status != "" {
			graders++
			t.Score = c.Score
		}
		if c.Status == envelope.Fail {
			failed = append(failed, graderWords(c))
		}
	}
	if graders != 1 {
		t.Score = envelope.Opt[float64]{} // which of several scores is that of the trial nobody says
	}
	broke := v.Get("sample", "error")
	why := failure.FirstLine(strings.Trim(broke.Get("code").Text()+": "+broke.Get("message").Text(), ": "))
	switch status := v.Get("status").Text(); {
	case status == "pass" || status == "passed":
		t.Status = envelope.Pass
	case status == "fail" || status == "failed":
		t.Status, t.Message = envelope.Fail, strings.Join(failed, "; ")
	case status == "error" || status == "errored" || why != "":
		t.Status, t.Message, t.ErrorClass, t.Score = envelope.Error, why, failure.OfProvider(why), envelope.Opt[float64]{}
	case graders == 0:
		t.Status, t.RawStatus, t.ErrorClass, t.Message = envelope.Error, status, envelope.ClassPreValidation, "no grader judged it"
	case len(failed) > 0:
		t.Status, t.RawStatus, t.Message = envelope.Fail, status, strings.Join(failed, "; ")
	default:
		t.Status, t.RawStatus = envelope.Pass, status
	}
}

// graderWords are a grader that did not pass.
func graderWords(c envelope.Check) string {
	return strings.TrimPrefix(c.Name+c.Score.Text(": score ", func(score float64) string { return fmt.Sprint(score) })+
		words.Around(", ", failure.FirstLine(c.Reason), ""), ": ")
}

func messagesOf(v jsonwalk.Value) []envelope.Turn {
	if v.IsArray() {
		return conversation.Turns(v)
	}
	return nil
}

// Cerberus is the runs that cerberus (orban/cerberus, MIT) keeps in .cerberus/runs, and what
// its --json prints.
//
// Such a file has how often the contracts of a study were tried and held, and not one trial.
// The trials are made of these counts, so that rules, compare and history have numbers to
// work with; those that held are spread evenly over the others, and the last one is as the
// status says, as the file does not tell their order.
var Cerberus = Format{
	Sniff: func(head []byte) bool { return jsonwalk.DocumentKeys(head).Has("status", "studies") },
	records: func(rd *reader, _ jsonwalk.KeySet) any {
		return jsonwalk.Members{"studies": jsonwalk.Objects(rd.study)}
	},
	end: func(rd *reader, _ bool) {
		if rd.contracts > 0 {
			rd.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: "aggregated", Line: rd.line, Column: rd.column,
				Count:   rd.contracts,
				Message: words.Plural(rd.contracts, "contract has", "contracts have") + " only counts; trials are made from them, in an unknown order"})
		}
	},
}

// mostTrials bounds what a file is taken to have counted: it is a few thousand, and one
// number could ask for any.
const mostTrials = 100_000

func (rd *reader) study(v jsonwalk.Value) {
	name := v.Get("name").Text()
	if name == "" {
		v.Reject("its name is missing")
		return
	}
	given := v.Get("aborted").Bool()
	over := ""
	if given.V {
		over = fmt.Sprintf("the study was aborted: too many commands ended with an exit code other than 0 (%s of %s)", countIn(v, "errorCount"),
			countIn(v, "totalTrials"))
	}
	for c := range v.Get("contracts").Items() {
		rd.contract(name, over, v, c)
	}
	v.Report()
}

func countIn(v jsonwalk.Value, name string) string {
	if n := v.Get(name).Count(); n.OK {
		return fmt.Sprint(n.V)
	}
	return "?"
}

func (rd *reader) contract(study, over string, v, c jsonwalk.Value) {
	t := envelope.Trial{Key: envelope.Key{Suite: study, Test: c.Get("name").Text()}}
	passed, n, why := contractCounts(c)
	if t.Test == "" {
		why = "its name is missing"
	}
	if n > mostTrials-rd.derived {
		why = fmt.Sprintf("with its trials the file has more than %d, which is the limit", mostTrials)
	}
	if why != "" {
		c.Reject(fmt.Sprintf("contract %q: %s", jsonwalk.Short(t.Test), why))
		return
	}
	rd.derived += n
	if gating := c.Get("gating").Bool(); gating.OK && !gating.V {
		trialfields.AddLabel(&t, "gating", "false")
	}
	if rd.contracts++; rd.contracts == 1 {
		rd.line, rd.column = v.Place()
	}
	failedLast := c.Get("status").Text() == "fail" // the last one is as the contract, as far as there is one
	for i := range int64(n) {
		held := trialfields.Spread(i, int64(passed), int64(n))
		if failedLast {
			held = !trialfields.Spread(i, int64(n-passed), int64(n))
		}
		one := t
		if one.Status = envelope.Pass; !held {
			one.Status, one.Message = envelope.Fail, "it did not hold; cerberus keeps counts alone"
		}
		rd.to.Send(&one)
	}
	switch {
	case over != "":
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassErrorRate, over
		rd.to.Send(&t)
	case n == 0:
		t.Status, t.RawStatus, t.Message = envelope.Skip, c.Get("status").Text(), "no trial of it was made"
		rd.to.Send(&t)
	}
}

// contractCounts are how many trials of a contract passed. The rate of a judge that was
// corrected by people's labels is none of trials: the one that it judged is.
func contractCounts(c jsonwalk.Value) (passed, n int, why string) {
	trials, rate := c.Get("trialsEvaluated").Count(), c.Get("observedRate").Number()
	if judged := c.Get("judgedRate").Number(); judged.OK {
		rate = judged
	}
	switch {
	case !trials.OK:
		return 0, 0, "trialsEvaluated is not a count"
	case trials.V > math.MaxInt32:
		return 0, math.MaxInt32, ""
	case trials.V == 0:
		return 0, 0, ""
	case !rate.OK || rate.V < 0 || rate.V > 1:
		return 0, 0, "observedRate is not a rate from 0 to 1"
	}
	const near = 1e-6 // a rate of doubles misses a count by far less
	all := rate.V * float64(trials.V)
	if math.Abs(all-math.Round(all)) > near*float64(trials.V) {
		return 0, 0, fmt.Sprintf("a rate of %v does not fit a trialsEvaluated of %d", rate.V, trials.V)
	}
	return int(math.Round(all)), int(trials.V), ""
}
