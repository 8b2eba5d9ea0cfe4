// Package bep reads the Build Event Protocol of Bazel as JSON, what --build_event_json_file writes.
//
// A target is a test; a shard of one that has several is a test of its own. --runs_per_test gives repeats,
// --flaky_test_attempts retries. A target that was not built, or not run, is an error. The cases in a target are in its
// test.xml, which package junit reads.
package bep

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a stream of events.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	const near = 1 << 10
	return keys.Has("id") && keys.HasAny("started", "progress", "testResult", "testSummary", "configured", "completed", "aborted",
		"pattern") &&
		keys["id"] == "" && bytes.Contains(head[:min(len(head), near)], []byte(`"id":{"`))
}

// Read reads one stream.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, targets: map[string]*target{}, configurations: map[string]string{}}
	err := jsonwalk.Lines(r, to, rd.event, "testResult", "testSummary", "configured", "completed", "aborted", "finished")
	rd.emitResults()
	return err
}

type reader struct {
	to             *runfailure.Watch
	header         envelope.Header
	targets        map[string]*target
	order          []*target
	configurations map[string]string // what they are called, by id
	broken         []string          // what was not built
	exit           string            // how the build ended
	code           int64
	events, line   int
	ended          bool
}

type target struct {
	label     string
	isTest    bool
	built     bool
	why       string // it was not built, or not run
	skipped   bool
	overall   string
	results   []result
	configs   map[string]bool
	shards    int64
	completed bool
}

type result struct {
	run, shard, attempt int64
	config              string
	trial               envelope.Trial
}

func (rd *reader) target(label string) *target {
	t := rd.targets[label]
	if t == nil {
		t = &target{label: label, configs: map[string]bool{}}
		rd.targets[label] = t
		rd.order = append(rd.order, t)
	}
	return t
}

func (rd *reader) event(v jsonwalk.Value) {
	rd.events++
	rd.line, _ = v.Place()
	if last := v.Get("lastMessage"); last.Present() {
		rd.ended = last.Bool().V
	}
	id := v.Get("id")
	for kind, of := range id.Members() {
		label := ""
		if of.IsObject() {
			label = of.Get("label").Text()
		}
		switch kind {
		case "started":
			started := v.Get("started")
			rd.header.ID = started.Get("uuid").Text()
			rd.header.StartedAt = started.Get("startTime").Text()
		case "configuration":
			rd.configurations[of.Get("id").Text()] = v.Get("configuration", "mnemonic").Text()
		case "targetConfigured":
			if label != "" {
				t := rd.target(label)
				t.isTest = t.isTest || v.Get("configured", "testSize").Present()
			}
		case "targetCompleted":
			if label != "" {
				rd.completed(rd.target(label), v)
			}
		case "buildFinished":
			exit := v.Get("finished", "exitCode")
			rd.exit, rd.code = exit.Get("name").Text(), exit.Get("code").Count().V
		case "testResult":
			if label == "" {
				v.Reject("its test result has no label")
				continue
			}
			rd.result(rd.target(label), of, v)
		case "testSummary":
			if label != "" {
				t := rd.target(label)
				t.isTest, t.overall = true, v.Get("testSummary", "overallStatus").Text()
				rd.aborted(t, v)
			}
		}
	}
}

func (rd *reader) completed(t *target, v jsonwalk.Value) {
	t.completed = true
	t.built = t.built || v.Get("completed", "success").Bool().V
	t.why = cmp.Or(v.Get("completed", "failureDetail", "message").Text(), t.why)
	rd.aborted(t, v)
}

func (rd *reader) aborted(t *target, v jsonwalk.Value) {
	of := v.Get("aborted")
	if !of.Present() {
		return
	}
	const most = 20
	if reason := of.Get("reason").Text(); reason != "SKIPPED" && len(rd.broken) < most {
		rd.broken = append(rd.broken, strings.TrimSpace(t.label+": "+reason+" "+of.Get("description").Text()))
	}
	t.skipped = t.skipped || of.Get("reason").Text() == "SKIPPED"
	t.why = cmp.Or(t.why, strings.TrimSpace(of.Get("reason").Text()+": "+of.Get("description").Text()))
}

// outcome is what a word of the protocol means for a trial.
func outcome(word string) (status envelope.Status, class string) {
	switch word {
	case "PASSED", "FLAKY":
		return envelope.Pass, ""
	case "FAILED":
		return envelope.Fail, ""
	case "TIMEOUT":
		return envelope.Fail, envelope.ClassTimeout
	case "FAILED_TO_BUILD":
		return envelope.Error, envelope.ClassPreValidation
	}
	return envelope.Error, envelope.ClassInfrastructure
}

func (rd *reader) result(t *target, id, v jsonwalk.Value) {
	r := result{run: id.Get("run").Count().Or(1), shard: id.Get("shard").Count().Or(1), attempt: id.Get("attempt").Count().Or(1),
		config: id.Get("configuration", "id").Text()}
	of := v.Get("testResult")
	if !of.Present() {
		t.isTest = true
		rd.aborted(t, v)
		return
	}
	t.isTest, t.configs[r.config] = true, true
	t.shards = max(t.shards, r.shard)
	one := &r.trial
	word := of.Get("status").Text()
	one.Status, one.ErrorClass = outcome(word)
	if word != "PASSED" && word != "FAILED" {
		one.RawStatus = word
	}
	if one.Status != envelope.Pass {
		one.Message = failure.Reason(of.Get("statusDetails").Text(), 3)
	}
	one.DurationMS = duration(of)
	one.StartedAt = began(of)
	one.Retry = r.attempt > 1
	if of.Get("cachedLocally").Bool().V || of.Get("executionInfo", "cachedRemotely").Bool().V {
		trialfields.AddLabel(one, "cached", "true")
	}
	trialfields.Label(one, "strategy", of.Get("executionInfo", "strategy").Text())
	for file := range of.Get("testActionOutput").Items() {
		trialfields.Attach(one, envelope.Attachment{Name: file.Get("name").Text(), URL: file.Get("uri").Text()})
	}
	t.results = append(t.results, r)
}

// duration is that of an attempt: a text such as 1.5s, or milliseconds in a text.
func duration(of jsonwalk.Value) envelope.Opt[float64] {
	for _, text := range []string{of.Get("testAttemptDuration").Text(), of.Get("testAttemptDurationMillis").Text() + "ms"} {
		if d, err := time.ParseDuration(text); err == nil {
			return trialfields.Duration(d)
		}
	}
	return envelope.Opt[float64]{}
}

func began(of jsonwalk.Value) time.Time {
	if at := of.Get("testAttemptStart").Time(); !at.IsZero() {
		return at.UTC()
	}
	d, err := time.ParseDuration(of.Get("testAttemptStartMillisEpoch").Text() + "ms")
	if err != nil || d <= 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(d)).UTC()
}

func (rd *reader) emitResults() {
	rd.to.Head(rd.header)
	for _, t := range rd.order {
		slices.SortStableFunc(t.results, func(a, b result) int {
			return cmp.Or(cmp.Compare(a.config, b.config), cmp.Compare(a.shard, b.shard), cmp.Compare(a.run, b.run),
				cmp.Compare(a.attempt, b.attempt))
		})
		for i := range t.results {
			r := &t.results[i]
			one := &r.trial
			one.Test = t.label
			if t.shards > 1 {
				one.Test = fmt.Sprintf("%s (shard %d of %d)", t.label, r.shard, t.shards)
			}
			if len(t.configs) > 1 {
				one.Variant = cmp.Or(rd.configurations[r.config], r.config[:min(len(r.config), 8)])
			}
			rd.to.Send(one)
		}
		if len(t.results) == 0 {
			rd.without(t)
		}
	}
	rd.finished()
	if rd.events > 0 && !rd.ended {
		runfailure.Truncated(rd.to, rd.line, "the events end before the build did: what came before is counted")
	}
}

// Exit codes of bazel test: bazel.build/run/scripts#exit-codes.
const exitTestsFailed, exitNoTests = 3, 4

// finished says what is wrong with how the build ended: beside tests that failed, whatever
// makes its exit code may have kept tests from being run.
func (rd *reader) finished() {
	says := fmt.Sprintf("the build ended with %s (exit code %d)", cmp.Or(rd.exit, "no name"), rd.code)
	switch rd.code {
	case 0:
	case exitTestsFailed:
		rd.to.Explain(says + ", and none of its tests failed")
	case exitNoTests:
		rd.to.Fail(envelope.ClassEmptyRun, says)
	default:
		rd.to.Fail(envelope.ClassPreValidation, says+": tests may be missing", strings.Join(rd.broken, "\n"))
	}
}

// without delivers a test of which there is no result. One that was only built is
// none.
func (rd *reader) without(t *target) {
	one := envelope.Trial{Key: envelope.Key{Test: t.label}, Attempt: envelope.Some[int32](0), Status: envelope.Error, RawStatus: t.overall,
		ErrorClass: envelope.ClassInfrastructure, Message: failure.Reason(t.why, 3)}
	switch {
	case !t.isTest || t.built && t.overall == "" && t.why == "" || !t.completed && t.overall == "" && t.why == "":
		return
	case t.skipped:
		one.Status, one.ErrorClass = envelope.Skip, ""
	case !t.built:
		one.ErrorClass = envelope.ClassPreValidation
	}
	if one.Message == "" && one.Status == envelope.Error {
		one.Message = "the target has no result: it was not built, or not run"
	}
	rd.to.Trial(&one)
}
