// Package evalplus reads eval_results.json of EvalPlus (Apache-2.0), which samples
// solutions of HumanEval+ and MBPP+ many times and runs them.
//
// It exists because a file has every sample of every task, which pass@k is made of. A
// sample passes where it passes the tests of the dataset and those that EvalPlus added,
// as it is counted there ("base + extra"); where only those of the dataset were run,
// these decide. Model and temperature stand only in the name of the file or its folder.
package evalplus

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with results: under the name of a task stand the samples,
// or before 2024 what came of each.
func Sniff(head []byte) bool { return jsonwalk.DocumentKeys(head).Has("date", "hash", "eval") }

// Read reads one file, a task at a time.
func Read(r io.Reader, to envelope.Sink) error {
	return jsonwalk.Read(r, to, jsonwalk.Members{"eval": func(t *jsonwalk.Text) error {
		return t.Object(func(id string) error {
			rd := &reader{key: keyOf(id), to: to}
			if t.Next() == '[' {
				return t.Objects(rd.sample)
			}
			return t.One(rd.older)
		})
	}})
}

// keyOf makes a suite of the dataset that a task is of: HumanEval/0.
func keyOf(id string) envelope.Key {
	if dataset, number, ok := strings.Cut(id, "/"); ok && number != "" {
		return envelope.Key{Suite: dataset, Test: number}
	}
	return envelope.Key{Test: cmp.Or(id, "(unnamed)")}
}

type reader struct {
	key   envelope.Key
	count int32
	to    envelope.Sink
}

func (rd *reader) sample(v jsonwalk.Value) {
	if !v.Get("base_status").Present() && !v.Get("plus_status").Present() {
		rd.count++
		v.Reject("it has neither base_status nor plus_status")
		return
	}
	base := ranTests{"base", v.Get("base_status"), lastOf(v.Get("base_fail_tests"))}
	plus := ranTests{"plus", v.Get("plus_status"), lastOf(v.Get("plus_fail_tests"))}
	rd.deliver(base, plus, v.Get("solution"))
}

// older reads the samples of a task as they were written before February 2024: two lists, of
// the status and the outcomes of single tests of each sample. That of the added tests is
// empty where they were not run.
func (rd *reader) older(v jsonwalk.Value) {
	base, plus := v.Get("base"), v.Get("plus")
	samples, added := listed(base), listed(plus)
	if len(samples) == 0 {
		v.Reject("it has no readable samples")
		return
	}
	if len(added) > 0 && len(added) != len(samples) {
		v.Reject(fmt.Sprintf("%d samples ran the tests of the dataset, and %d those that were added", len(samples), len(added)))
		return
	}
	for i, status := range samples {
		plus := ranTests{name: "plus"}
		if len(added) > 0 {
			plus.status = added[i]
		}
		rd.deliver(ranTests{name: "base", status: status}, plus, jsonwalk.Value{})
	}
}

// listed are the statuses in a list of [status, outcomes].
func listed(results jsonwalk.Value) (statuses []jsonwalk.Value) {
	for result := range results.Items() {
		statuses = append(statuses, result.First())
	}
	return statuses
}

// ranTests is what came of the tests of one kind.
type ranTests struct {
	name   string
	status jsonwalk.Value // absent or null where they were not run
	failed jsonwalk.Value // the input of one that failed
}

func (rd *reader) deliver(base, plus ranTests, solution jsonwalk.Value) {
	t := envelope.Trial{Key: rd.key, Attempt: envelope.Some(rd.count), Status: envelope.Pass}
	rd.count++
	base.judge(&t)
	if plus.status.Present() {
		plus.judge(&t)
	}
	if t.Status != envelope.Pass {
		t.Output = failure.Ends(solution.String())
	}
	rd.to.Trial(&t)
}

// judge takes what came of the tests: everything but their passing fails the sample, as
// EvalPlus counts it, also no status at all.
func (r *ranTests) judge(t *envelope.Trial) {
	c := envelope.Check{Name: r.name, Status: envelope.Fail}
	switch status := r.status.String(); status {
	case "pass", "success":
		c.Status = envelope.Pass
	case "timeout", "timed out":
		t.ErrorClass, c.Reason = envelope.ClassTimeout, "took too long"
	case "fail", "failed":
		c.Reason = "failed"
	default:
		c.Reason = fmt.Sprintf("status %q", jsonwalk.Short(status))
	}
	if c.Status == envelope.Fail {
		if r.failed.There() {
			c.Reason += " on " + jsonwalk.Short(r.failed.String())
		}
		if t.Status == envelope.Pass {
			t.Status, t.Message = envelope.Fail, r.name+" tests: "+c.Reason
		}
	}
	trialfields.AddCheck(t, c, "")
}

// lastOf is the last of a list: EvalPlus stops at the first test that fails, unless it is
// asked for details.
func lastOf(list jsonwalk.Value) (last jsonwalk.Value) {
	for v := range list.Items() {
		last = v
	}
	return last
}
