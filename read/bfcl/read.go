// Package bfcl reads score files of the Berkeley Function Calling Leaderboard (Apache-2.0).
//
// It exists because a score file has a line of totals and behind it the tests that failed,
// and those alone: which tests passed is known only together with the result file of the
// same category, which has all of them and no verdicts. The result file is taken from where
// the leaderboard keeps it, or from behind the score file in the same input. Unless both
// agree on how many tests there are, none is counted: half of a score file is no pass rate.
// Tests are held until then, a few KiB each.
package bfcl

import (
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a line of totals.
func Sniff(head []byte) bool {
	return jsonwalk.FirstLineKeys(head).Has("accuracy", "correct_count", "total_count")
}

// ReadIn reads a score file with its result file behind it, or in its folder: open opens a
// file by its path from there, and is nil where there is none.
func ReadIn(r io.Reader, to envelope.Sink, open func(path string) (io.ReadCloser, error)) error {
	rd := &reader{to: to, open: open}
	err := jsonwalk.Lines(r, to, rd.line, "id", "correct_count")
	if err == nil {
		rd.finish()
	}
	return err
}

type reader struct {
	to       envelope.Sink
	open     func(path string) (io.ReadCloser, error)
	attempts trialfields.Attempts
	score    *score
}

// score is a score file, and what is known of its result file.
type score struct {
	line, column   int
	total, correct int64
	failed         map[string]envelope.Trial
	order          []string // of the tests that failed
	model, suite   string
	tried          []tried
	broken         bool // it was told that it is not counted
}

// tried is a test of a result file.
type tried struct {
	id         string
	durationMS envelope.Opt[float64]
	tokens     envelope.Opt[int64]
	calls      envelope.Opt[int32]
}

// mostTests is how many tests a category may have; the largest has some thousand.
const mostTests = 100_000

func (rd *reader) line(v jsonwalk.Value) {
	switch {
	case v.Get("total_count").Present() && v.Get("correct_count").Present():
		rd.finish()
		line, column := v.Place()
		s := &score{line: line, column: column, failed: map[string]envelope.Trial{}}
		total, correct := v.Get("total_count").Count(), v.Get("correct_count").Count()
		s.total, s.correct = total.V, correct.V
		rd.score = s
		if !total.OK || !correct.OK || s.correct > s.total {
			rd.refuse("its correct_count is not a whole number from 0 to its total_count")
		}
	case rd.score == nil:
		v.Reject("a score file must begin with its line of totals")
	case v.Get("valid").Present():
		rd.failure(v)
	default:
		rd.result(v)
	}
}

func (rd *reader) failure(v jsonwalk.Value) {
	s, id := rd.score, v.Get("id").Text()
	valid := v.Get("valid").Bool()
	switch {
	case id == "" || !valid.OK || valid.V:
		line, _ := v.Place()
		rd.refuse(fmt.Sprintf("line %d has no id, or its valid is not false", line))
		return
	case len(s.order) == mostTests:
		rd.refuse(fmt.Sprintf("it has more than %d tests", mostTests))
		return
	}
	s.model, s.suite = v.Get("model_name").Text(), v.Get("test_category").Text()
	t := envelope.Trial{Status: envelope.Fail}
	why, kind := v.Get("error"), v.Get("error_type").Text()
	if why.IsObject() {
		kind, why = why.Get("error_type").Text(), why.Get("error_message")
	}
	if first := why.First(); first.There() {
		why = first
	}
	t.Message = words.Lead(failure.FirstLine(why.String()), 500)
	answer := v.Get("model_result_raw")
	if !answer.Present() {
		answer = v.Get("model_result")
	}
	t.Output = words.Head(answer.String(), 4<<10)
	trialfields.Label(&t, "error_type", kind)
	if strings.HasPrefix(t.Output, noAnswer) {
		t.Status = envelope.Error
	}
	if _, twice := s.failed[id]; !twice {
		s.order = append(s.order, id)
	}
	s.failed[id] = t
}

// noAnswer begins the text that replaces the answer if a model gave none. The leaderboard
// counts it as wrong, whatever the reason.
const noAnswer = "Error during inference: "

func (rd *reader) result(v jsonwalk.Value) {
	s, id := rd.score, v.Get("id").Text()
	if id == "" || !v.Get("result").There() {
		v.Reject("it has no id or no result")
		return
	}
	if len(s.tried) == mostTests {
		rd.refuse(fmt.Sprintf("it has more than %d tests", mostTests))
		return
	}
	one := tried{id: id}
	in, some := sum(v.Get("input_token_count"))
	out, more := sum(v.Get("output_token_count"))
	if n := in + out; (some || more) && n >= 0 && n < 1<<53 {
		one.tokens = envelope.Some(int64(n))
	}
	if latency, is := sum(v.Get("latency")); is {
		one.durationMS = trialfields.Milliseconds(latency, 1000)
	}
	if answer := v.Get("result"); answer.IsArray() {
		one.calls = envelope.Some(calls(answer))
	}
	s.tried = append(s.tried, one)
}

// sum is a number, or all numbers of the turns and steps of a test.
func sum(v jsonwalk.Value) (total float64, is bool) {
	if v.IsNumber() {
		n := v.Number()
		return n.V, n.OK
	}
	if v.IsArray() {
		for each := range v.Items() {
			n, some := sum(each)
			total, is = total+n, is || some
		}
	}
	return total, is
}

func calls(v jsonwalk.Value) (n int32) {
	if v.IsObject() {
		return 1
	}
	if v.IsArray() {
		for each := range v.Items() {
			n += calls(each)
		}
	}
	return n
}

// refuse tells once that no test of the score file is counted.
func (rd *reader) refuse(why string) {
	s := rd.score
	if s.broken {
		return
	}
	s.broken = true
	rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: s.line, Column: s.column,
		Message: "the score file is not counted: " + why})
}

// finish delivers the tests of the score file that was read.
func (rd *reader) finish() {
	s := rd.score
	if s == nil || s.broken {
		rd.score = nil
		return
	}
	if len(s.tried) == 0 && s.correct > 0 {
		rd.find()
	}
	passed := int64(0)
	for _, one := range s.tried {
		if _, failed := s.failed[one.id]; !failed {
			passed++
		}
	}
	switch failed := int64(len(s.order)); {
	case failed != s.total-s.correct:
		rd.refuse(fmt.Sprintf("its totals say that %d of %d tests failed, but it lists %d; is it cut off?", s.total-s.correct, s.total, failed))
	case len(s.tried) == 0 && s.correct > 0:
		rd.refuse("the names of its passed tests are in the result file, which is not in result/MODEL next to the folder score; use: " +
			"cat SCORE RESULT | tribunal report")
	case len(s.tried) > 0 && (passed != s.correct || int64(len(s.tried)) != s.total):
		rd.refuse(fmt.Sprintf("it says that %d of %d tests passed, but the result file has %d, of which %d did not fail; use the result "+
			"file of the same run: cat SCORE RESULT | tribunal report", s.correct, s.total, len(s.tried), passed))
	}
	if !s.broken {
		rd.emitTried(s)
	}
	rd.score = nil
}

func (rd *reader) emitTried(s *score) {
	if len(s.tried) == 0 { // all failed
		for _, id := range s.order {
			s.tried = append(s.tried, tried{id: id})
		}
	}
	for _, one := range s.tried {
		t, failed := s.failed[one.id]
		if !failed {
			t = envelope.Trial{Status: envelope.Pass}
		}
		t.Key = envelope.Key{Suite: s.suite, Test: one.id, Variant: s.model}
		if s.suite == "" {
			t.Suite = category(one.id)
		}
		t.DurationMS, t.Tokens, t.ToolCalls = one.durationMS, one.tokens, one.calls
		rd.attempts.Send(&t, rd.to)
	}
}

// category is the part of the name of a test before its number.
func category(id string) string {
	for i := range len(id) {
		if id[i] == '_' && i+1 < len(id) && '0' <= id[i+1] && id[i+1] <= '9' {
			return id[:i]
		}
	}
	return ""
}

// groups are the folders of categories below that of a model, since version 4.
var groups = []string{"non_live", "live", "multi_turn", "agentic", "format_sensitivity"}

// find reads the result file where the leaderboard keeps it: score/MODEL/GROUP/X_score.json
// is scored of result/MODEL/GROUP/X_result.json.
func (rd *reader) find() {
	s := rd.score
	if rd.open == nil || s.model == "" || s.suite == "" || strings.ContainsAny(s.model+s.suite, `/\`) || s.model == ".." {
		return
	}
	paths := []string{fmt.Sprintf("../../result/%s/BFCL_v3_%s_result.json", s.model, s.suite)}
	for _, group := range groups {
		paths = append(paths, fmt.Sprintf("../../../result/%s/%s/BFCL_v4_%s_result.json", s.model, group, s.suite))
	}
	for _, path := range paths {
		file, err := rd.open(path)
		if err != nil {
			continue // it is not there; finish says where it was looked for
		}
		results := &reader{to: jsonwalk.Silent{}, score: &score{}}
		err = jsonwalk.Lines(file, jsonwalk.Silent{}, results.result, "id")
		file.Close()
		if err == nil && !results.score.broken {
			s.tried = results.score.tried
			return
		}
	}
}
