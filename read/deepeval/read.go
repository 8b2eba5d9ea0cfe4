// Package deepeval reads the test runs of DeepEval (confident-ai, Apache-2.0):
// .latest_test_run.json, and those with the test cases at the top, which are
// .latest_run_full.json and the test_run_*.json of DEEPEVAL_RESULTS_FOLDER.
//
// It exists because DeepEval keeps one trial a file: it overwrites the latest
// ones with every run, and adds a test_run to its folder. The test passes
// when DeepEval says so, for every metric has a threshold of its own. The price
// of evaluating is not that of the tested model and is left out.
package deepeval

import (
	"cmp"
	"io"
	"maps"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts such a file.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray || keys.Has("testRunData") {
		return !inArray
	}
	if at := firstCase().FindSubmatchIndex(head); at != nil && keys.HasAny("testCases", "conversationalTestCases") {
		first, _ := jsonwalk.Keys(head[at[2]:])
		return first.Has("name") && first.HasAny("metricsData", "actualOutput")
	}
	return keys.Has("testCases", "conversationalTestCases")
}

// firstCase is where the test cases of a run begin.
var firstCase = regex.Of(`"(?:testCases|conversationalTestCases)"\s*:\s*(\[\s*\{)`)

// Read reads one file, a test case at a time.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, inputs: map[string]string{}}
	cases := jsonwalk.Objects(rd.testCase)
	run := jsonwalk.Members{"testCases": cases, "conversationalTestCases": cases,
		"testFailed": func(v jsonwalk.Value) { rd.failed = int(v.Count().V) },
		"testFile":   func(v jsonwalk.Value) { rd.suite = v.Text() }}
	document := maps.Clone(run)
	document["testRunData"] = run
	err := jsonwalk.Read(r, to, document)
	rd.to.Counted(rd.failed, "test cases")
	return err
}

type reader struct {
	to     *runfailure.Watch
	failed int // test cases, as the report counts them
	suite  string
	inputs map[string]string // by name, that of the first test case
	trial  envelope.Trial
}

func (rd *reader) testCase(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Suite: rd.suite, Test: rd.name(v)}}
	if t.Test == "" {
		v.Reject("its name is missing or neither a text nor a number")
		return
	}
	t.DurationMS, t.CostUSD = v.Get("runDuration").Millis(1000), v.Get("tokenCost").Amount()
	verdict := v.Get("success").Bool()
	failed, broken := rd.metrics(v.Get("metricsData"))
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
	t.Transcript = transcript(v)
	rd.to.Send(t)
}

// name is the name of a test case. A parametrised test gives one name to cases
// with several inputs; all but the first are told apart by their input.
func (rd *reader) name(v jsonwalk.Value) string {
	name, input := v.Get("name").Text(), v.Get("input").String()
	if first, seen := rd.inputs[name]; !seen {
		rd.inputs[name] = input
	} else if first != input && name != "" {
		return name + " (" + jsonwalk.Short(failure.FirstLine(input)) + ")"
	}
	return name
}

// noAnswer is how a metric begins to refuse an empty answer. It is what the tested model
// gave, and no fault of who measures.
const noAnswer = "'actual_output' cannot be empty"

// metrics takes the score, when there is one metric, and the reasons of those that did
// not pass. It says whether one that decides failed, which those that could not be
// measured do not take back, and the error of one of these.
func (rd *reader) metrics(data jsonwalk.Value) (failed bool, broken string) {
	t := &rd.trial
	var reasons []string
	n := 0
	for metric := range data.Items() {
		n++
		name, score := metric.Get("name").Text(), metric.Get("score").Number()
		check(t, metric)
		if t.Score = score; score.OK {
			trialfields.AddLabel(t, "metric."+name, metric.Get("score").Text())
		}
		decides := !metric.Get("flaky").Bool().V // one that is said to be flaky fails no test case
		fault, passed := metric.Get("error").String(), metric.Get("success").Bool()
		switch {
		case fault != "" && !strings.HasPrefix(fault, noAnswer):
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

// check makes a check of a metric. One that could not be measured is an error, and
// one that was left out for want of its inputs a skip; DeepEval writes both down as
// not successful, or not at all.
func check(t *envelope.Trial, metric jsonwalk.Value) {
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

// transcript is the turns of a conversational test case, or what was asked and
// answered in any other.
func transcript(v jsonwalk.Value) []envelope.Turn {
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
