// Package oaiapi reads output items of runs of OpenAI's Evals API: the pages that
// /v1/evals/ID/runs/ID/output_items answers, or the items alone, in a list or a line each.
//
// It exists because the API is where these runs are kept, and its answers are what people
// save. An item is a trial of the row of the data source that it was made of; the same row
// again is another attempt. Its status is what the API says, or else that of its graders.
// The logs of the older program oaieval are another format.
package oaiapi

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// item is what every output item says of itself.
const item = "eval.run.output_item"

var said = regex.Of(`"object"\s*:\s*"eval\.run\.output_item"`)

// Sniff reports whether head starts with a page of items, or with one.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if keys["object"] == item {
		return true
	}
	return !inArray && keys.Has("data") && (keys["object"] == "list" || keys["object"] == "") && said().Match(head) ||
		keys.Has("datasource_item_id", "results") && keys.HasAny("run_id", "eval_id")
}

// Read reads pages or items.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to}
	head, whole := jsonwalk.Head(r)
	keys, inArray := jsonwalk.Keys(head)
	switch {
	case inArray:
		return jsonwalk.Read(whole, to, jsonwalk.Objects(rd.item))
	case keys.HasAny("datasource_item_id", "datasource_item", "results"):
		return jsonwalk.Documents(whole, to, rd.item)
	}
	return jsonwalk.Read(whole, to, jsonwalk.Members{"data": jsonwalk.Objects(rd.item), "has_more": func(v jsonwalk.Value) {
		if v.IsBool() && v.Bool().V {
			v.Warn("more-pages", "this is not all of the run: the page says that there are more items; ask for those behind its last_id, and name all pages")
		}
	}})
}

type reader struct {
	to       envelope.Sink
	attempts trialfields.Attempts
	headed   bool
	trial    envelope.Trial
}

func (rd *reader) item(v jsonwalk.Value) {
	id := v.Get("datasource_item_id").Text()
	if id == "" {
		v.Reject("it has no datasource_item_id")
		return
	}
	rd.head(v)
	sample := v.Get("sample")
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Test: "item " + id, Variant: sample.Get("model").Text()}}
	judge(t, v)
	if total := sample.Get("usage", "total_tokens").Count(); total.V > 0 { // 0 is nobody's answer
		t.Tokens = total
	}
	t.Transcript = append(turns(sample.Get("input")), turns(sample.Get("output"))...)
	if t.Status != envelope.Pass {
		t.Output = answer(sample.Get("output"))
	}
	rd.attempts.Send(t, rd.to)
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

func judge(t *envelope.Trial, v jsonwalk.Value) {
	graders, failed := 0, []string(nil)
	for result := range v.Get("results").Items() {
		passed := result.Get("passed")
		if !result.IsObject() || !passed.IsBool() && passed.Present() {
			result.Leave("is not a result of a grader")
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
			failed = append(failed, words(c))
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

// words are a grader that did not pass.
func words(c envelope.Check) string {
	line := c.Name
	if c.Score.OK {
		line += fmt.Sprintf(": score %v", c.Score.V)
	}
	if why := failure.FirstLine(c.Reason); why != "" {
		line += ", " + why
	}
	return strings.TrimPrefix(line, ": ")
}

// turns are messages, or a text.
func turns(v jsonwalk.Value) []envelope.Turn {
	if v.IsArray() {
		return conversation.Turns(v)
	}
	return nil
}

// answer is what was answered: the text of the only message, or all of them.
func answer(output jsonwalk.Value) string {
	if text := output.Only().Get("content"); text.IsText() {
		return text.Text()
	}
	return output.String()
}
