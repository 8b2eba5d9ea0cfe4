// Package livecodebench reads the *_eval_all.json of LiveCodeBench (MIT), of all of its
// scenarios.
//
// It exists because that file has every sample of every problem with its grade, which
// pass@k is made of, and the file beside it (*_eval.json) has no names of problems. Model
// and scenario stand only in the path of the file.
package livecodebench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a graded problem. Its statement and its outputs may
// be longer than a head, and the grades stand behind them.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return inArray && (keys.Has("question_id", "graded_list") ||
		keys.Has("question_id", "contest_id", "contest_date") && keys.HasAny("question_content", "function_name"))
}

// Read reads one file, a problem at a time.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to}
	return jsonwalk.Read(r, to, jsonwalk.Objects(rd.problem))
}

type reader struct {
	to       envelope.Sink
	attempts trialfields.Attempts
}

func (rd *reader) problem(v jsonwalk.Value) {
	key := keyOf(v)
	grades := v.Get("graded_list")
	switch {
	case key.Test == "":
		v.Reject("it has neither id nor question_id")
		return
	case !grades.IsArray():
		v.Reject("it has no graded_list: outputs are graded with --evaluate, into *_eval_all.json")
		return
	}
	answers, metadata := slices.Collect(v.Get("code_list").Items()), slices.Collect(v.Get("metadata").Items())
	if len(answers) == 0 {
		answers = slices.Collect(v.Get("pred_list").Items())
	}
	n := 0
	for grade := range grades.Items() {
		t := envelope.Trial{Key: key, Attempt: rd.attempts.Next(key), Status: trialfields.PassFail(grade.Bool())}
		if t.Status == "" {
			t.Status, t.Message = envelope.Error, "its grade is neither true nor false"
		}
		if t.Status != envelope.Pass {
			t.Output = failure.Ends(at(answers, n).String())
		}
		if t.Status == envelope.Fail {
			explain(&t, at(metadata, n))
		}
		for _, name := range [...]string{"difficulty", "platform"} {
			trialfields.Label(&t, name, v.Get(name).Text())
		}
		rd.to.Trial(&t)
		n++
	}
	if n == 0 {
		v.Reject("its graded_list is empty")
	}
}

// keyOf names a problem. Of code to be run in mind and of outputs to be foretold there are
// several to a question, which is what tells them apart.
func keyOf(v jsonwalk.Value) envelope.Key {
	question := v.Get("question_id").Text()
	if id := v.Get("id").Text(); id != "" {
		return envelope.Key{Test: id}
	}
	if id := v.Get("test_id").Text(); id != "" && question != "" {
		return envelope.Key{Test: question, Variant: "test " + id}
	}
	return envelope.Key{Test: question}
}

// explain says why a solution failed, which the grader keeps as JSON in a text.
func explain(t *envelope.Trial, metadata jsonwalk.Value) {
	var said struct {
		Code    int    `json:"error_code"`
		Message string `json:"error_message"`
		Error   string `json:"error"`
		Output  any    `json:"output"`
		Wanted  any    `json:"expected"`
	}
	if json.Unmarshal([]byte(metadata.String()), &said) != nil {
		return
	}
	t.Message = failure.FirstLine(said.Message)
	switch {
	case said.Code == tookTooLong:
		t.ErrorClass = envelope.ClassTimeout
	case said.Error != "":
		t.Message += ": " + jsonwalk.Short(failure.FirstLine(said.Error))
	case t.Message == "Wrong Answer": // others have both in their message
		t.Message = fmt.Sprintf("Wrong Answer: %s != %s", short(said.Output), short(said.Wanted))
	}
}

// tookTooLong is the code of the grader for a solution that reached its time limit.
const tookTooLong = -3

func short(v any) string { return jsonwalk.Short(failure.FirstLine(fmt.Sprint(v))) }

func at(all []jsonwalk.Value, n int) jsonwalk.Value {
	if n < len(all) {
		return all[n]
	}
	return jsonwalk.Value{}
}
