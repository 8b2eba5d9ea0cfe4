// Package mcptest reads test records in the style of mcptest, rows that are named `name #k`, or `name [model] #k`, for
// run k of a test, and what the program of that name for agents writes with `mcptest run --json`.
//
// The exact keys are not published, so the reader is lenient: a record a line, or a document with the records in tests or
// results; a verdict under status, verdict, outcome or result, or a truth under passed. A number behind a name is a run
// only when several rows share the name before it: a lone `bug #42` keeps its number.
package mcptest

import (
	"io"
	"maps"
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts records of this style.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if isRecord(keys) || !inArray && keys.Has("passed") && keys.Has("failed") && keys.Has("total") && keys.Has("cases") {
		return true
	}
	if at := firstRecord().FindSubmatchIndex(head); at != nil && !inArray {
		first, _ := jsonwalk.Keys(head[at[2]:])
		return isRecord(first)
	}
	return false
}

// isRecord: a name, a verdict, and either the rule that is tested or a run in
// the name.
func isRecord(keys jsonwalk.KeySet) bool {
	verdict := keys.Has("passed") || keys.HasAny(verdictNames...)
	return keys.Has("name") && verdict && (keys.Has("rule_id", "severity") || runName().MatchString(keys["name"]))
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: to, held: map[string]*held{}}
	keys, inArray := jsonwalk.Keys(head)
	records := jsonwalk.Objects(rd.record)
	var err error
	switch {
	case inArray:
		err = jsonwalk.Read(whole, to, records)
	case isRecord(keys):
		err = jsonwalk.Lines(whole, to, rd.record, "passed", "rule_id")
	default:
		err = jsonwalk.Read(whole, to, jsonwalk.Members{"tests": records, "results": records, "cases": jsonwalk.Objects(rd.one)})
	}
	rd.finish()
	return err
}

var (
	firstRecord  = regex.Of(`"(?:tests|results)"\s*:\s*(\[\s*\{)`)
	runName      = regex.Of(`^(.*?)(?: \[([^\[\]]+)\])? #([1-9][0-9]{0,8})$`)
	verdictNames = []string{"status", "verdict", "outcome", "result"}
)

type reader struct {
	to       envelope.Sink
	attempts trialfields.Attempts
	held     map[string]*held // by the name without model and number
	order    int
}

// held is the first row of a name with a number, kept back until a second one
// shows that the number is a run.
type held struct {
	trial  envelope.Trial
	name   string // as it was written
	shared bool   // there was a second one
	order  int
}

// record delivers one record, or keeps it back.
func (rd *reader) record(v jsonwalk.Value) {
	name := v.Get("name").Text()
	if name == "" {
		if v.Get("type").Text() != "summary" && !v.Get("summary").There() {
			v.Reject("it has no name")
		}
		return
	}
	t := envelope.Trial{Key: envelope.Key{Test: name}}
	if !setOutcome(&t, v) {
		v.Reject("it has no known value in status, verdict, outcome, result or passed")
		return
	}
	fill(&t, v)
	m := runName().FindStringSubmatch(name)
	if m == nil || m[1] == "" {
		rd.attempts.Send(&t, rd.to)
		return
	}
	run, _ := strconv.Atoi(m[3]) // at most nine digits
	t.Key = envelope.Key{Test: m[1], Variant: m[2]}
	t.Attempt = envelope.Some(int32(run - 1))
	rd.hold(t, name)
}

// one delivers a case of a run of agents. One with an error, which its assertions do not
// tell, was not judged.
func (rd *reader) one(v jsonwalk.Value) {
	t := envelope.Trial{Key: envelope.Key{Suite: v.Get("suite").Text(), Test: v.Get("case").Text()}}
	switch {
	case t.Test == "":
		v.Reject("it has no case")
		return
	case !setOutcome(&t, v):
		v.Reject("it has no known value in status, verdict, outcome, result or passed")
		return
	case v.Get("error").Present():
		t.Status = envelope.Error
	}
	fill(&t, v)
	trace := v.Get("trace")
	const second = 1000 // milliseconds
	t.DurationMS, t.StartedAt = trace.Get("duration_s").Millis(second), trace.Get("timestamp").Time()
	if t.Status != envelope.Pass && t.Message == "" {
		t.Message = failure.FirstLine(trace.Get("agent_error").Text())
	}
	rd.attempts.Send(&t, rd.to)
}

func (rd *reader) hold(t envelope.Trial, name string) {
	first := rd.held[t.Test]
	if first == nil {
		rd.held[t.Test] = &held{trial: t, name: name, order: rd.order}
		rd.order++
		return
	}
	if !first.shared {
		first.shared = true
		rd.to.Trial(&first.trial)
		first.trial = envelope.Trial{}
	}
	rd.to.Trial(&t)
}

// finish delivers the rows whose number nobody shared: it belongs to the name.
func (rd *reader) finish() {
	for _, h := range slices.SortedFunc(maps.Values(rd.held), func(a, b *held) int { return a.order - b.order }) {
		if !h.shared {
			h.trial.Key = envelope.Key{Test: h.name}
			rd.attempts.Send(&h.trial, rd.to)
		}
	}
}

func setOutcome(t *envelope.Trial, v jsonwalk.Value) bool {
	for _, name := range verdictNames {
		word := v.Get(name)
		if !word.IsText() {
			continue
		}
		status, known := envelope.ParseStatus(word.Text())
		if word.Text() == "inconclusive" { // of one run, that is no verdict
			status, known = envelope.Skip, true
		}
		if known {
			t.Status = status
			if word.Text() != string(status) {
				t.RawStatus = word.Text()
			}
			return true
		}
	}
	passed := v.Get("passed")
	if passed.IsBool() {
		t.Status = trialfields.PassFail(passed.Bool())
	}
	return passed.IsBool()
}

func fill(t *envelope.Trial, v jsonwalk.Value) {
	t.File, t.Line = v.Get("file").Text(), int(v.Get("line").Index().V)
	t.DurationMS, t.StartedAt = v.Get("duration_ms").Amount(), v.Get("started_at").Time()
	for _, name := range []string{"rule_id", "severity"} {
		trialfields.Label(t, name, v.Get(name).Text())
	}
	if v.Get("cache_hit").Bool().V {
		trialfields.AddLabel(t, "cache_hit", "true")
	}
	checks(t, v)
	if t.Status == envelope.Pass {
		return
	}
	text := first(v, "message", "error", "reason")
	if t.Message = failure.FirstLine(text); t.Message != text {
		t.Output = text
	}
}

// checks adds the assertions of a record, each with a verdict under the names that
// a record has for its own.
func checks(t *envelope.Trial, v jsonwalk.Value) {
	for assertion := range v.Get("assertions").Items() {
		said := envelope.Trial{}
		if !setOutcome(&said, assertion) {
			continue
		}
		c := envelope.Check{Name: first(assertion, "name", "description", "assertion", "type", "rule_id"), Status: said.Status,
			Reason: first(assertion, "message", "error", "reason")}
		if c.Status == envelope.Pass {
			c.Reason = ""
		}
		trialfields.AddCheck(t, c, "assertion")
	}
}

func first(v jsonwalk.Value, names ...string) string {
	for _, name := range names {
		if text := v.Get(name).String(); text != "" {
			return text
		}
	}
	return ""
}
