package allure

import (
	"cmp"
	"slices"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// around are the fixtures that failed: what runners did before and after tests. A hook behind all tests of a suite,
// or a set-up of one that never began, can fail a run of which every test passed.
type around struct {
	fixtures []*fixture
	shown    map[string]*fixture // of a generated report, which shows one with each of its tests
}

type fixture struct {
	children []string // the identities of its tests
	result   *result
}

func (a *around) take(container jsonwalk.Value) {
	for _, when := range []string{"befores", "afters"} {
		for v := range container.Get(when).Items() {
			if isBroken(v) {
				a.fixtures = append(a.fixtures, &fixture{container.Get("children").Strings(), broken(document{v, ofResult, ""})})
			}
		}
	}
}

// takeGlobals takes the errors of a run that are of no test.
func (a *around) takeGlobals(errors jsonwalk.Value) {
	for v := range errors.Items() {
		a.fixtures = append(a.fixtures, &fixture{result: broken(document{v, ofGlobal, ""})})
	}
}

// takeShown takes the fixtures that a report of Allure 2 shows with a test.
func (a *around) takeShown(test string, v jsonwalk.Value) {
	for _, when := range []string{"beforeStages", "afterStages"} {
		for v := range v.Get(when).Items() {
			if !isBroken(v) {
				continue
			}
			stage := document{v, ofReport2, ""}
			id := stage.Get("name").String() + "\n" + stage.Get("time", "start").String() + "\n" + stage.message()
			if a.shown[id] == nil {
				a.shown[id] = &fixture{result: broken(stage)}
				a.fixtures = append(a.fixtures, a.shown[id])
			}
			a.shown[id].children = append(a.shown[id].children, test)
		}
	}
}

func isBroken(v jsonwalk.Value) bool { return failed(statuses[v.Get("status").String()]) }

func broken(d document) *result {
	r := &result{}
	r.trial = envelope.Trial{Key: envelope.Key{Test: "[" + cmp.Or(d.Get("name").String(), "fixture") + "]"}, Status: envelope.Error}
	clock := d.Get(d.clock...)
	r.times(clock.Get("start").Amount(), clock.Get("stop").Amount())
	r.explain(d.message(), d.trace(), d.files())
	r.trial.Message = cmp.Or(r.trial.Message, "the fixture failed, and none of its tests did")
	return r
}

// unexplained are the fixtures that failed though none of their tests did: pytest and others
// say so of a test as well. Where its tests are not there, any that failed explains it.
func (a *around) unexplained(results []*result) (out []*result) {
	if len(a.fixtures) == 0 {
		return nil
	}
	of := make(map[string]*result, len(results))
	for _, r := range results {
		of[r.id] = r
	}
	slices.SortStableFunc(a.fixtures, func(a, b *fixture) int { return cmp.Compare(min(len(b.children), 1), min(len(a.children), 1)) })
	for _, f := range a.fixtures {
		if len(f.children) == 0 && len(out) > 0 {
			continue // a global error says again what a hook did
		}
		var its []*result
		for _, id := range f.children {
			if r := of[id]; r != nil {
				its = append(its, r)
			}
		}
		if len(its) > 0 {
			f.result.trial.Suite = its[0].trial.Suite
		}
		if !explained(its, results) {
			out = append(out, f.result)
		}
	}
	return out
}

// explained reports whether tests say that a fixture around them failed. Those that are all skipped say so as well: a
// fixture skips its tests by what it throws in Java, and one of pytest may fail where a test is to fail (xfail). Only
// allure-jest calls skipped what a hook that failed kept from being run.
func explained(its, all []*result) bool {
	if len(its) == 0 {
		return slices.ContainsFunc(all, (*result).failed)
	}
	return slices.ContainsFunc(its, (*result).failed) ||
		!slices.ContainsFunc(its, func(r *result) bool { return r.trial.Status != envelope.Skip || r.jest })
}

func (r *result) failed() bool { return failed(r.trial.Status) }

func failed(status envelope.Status) bool { return status == envelope.Fail || status == envelope.Error }

// document is a result, or a try in a generated report, which has the same in other places.
type document struct {
	jsonwalk.Value
	places
	id string
}

// places are the paths to what kinds of documents have in different places.
type places struct{ clock, message, trace, attachments []string }

var (
	ofResult  = places{nil, []string{"statusDetails", "message"}, []string{"statusDetails", "trace"}, []string{"attachments"}}
	ofReport2 = places{[]string{"time"}, []string{"statusMessage"}, []string{"statusTrace"}, []string{"testStage", "attachments"}}
	ofGlobal  = places{nil, []string{"message"}, []string{"trace"}, nil}
	ofReport3 = places{nil, []string{"error", "message"}, []string{"error", "trace"}, []string{"attachments"}}
)

// documentOf tells what a document is by what its identity is called.
func documentOf(v jsonwalk.Value) document {
	for _, kind := range []struct {
		name string
		places
	}{{"uuid", ofResult}, {"uid", ofReport2}, {"id", ofReport3}} {
		if id := v.Get(kind.name); id.Present() {
			return document{v, kind.places, id.String()}
		}
	}
	return document{v, ofResult, ""}
}

// ofReport2 reports whether it is a try in a report that Allure 2 generated.
func (d document) ofReport2() bool { return d.clock != nil }

func (d document) message() string { return d.Get(d.places.message...).String() }
func (d document) trace() string   { return d.Get(d.places.trace...).String() }

// files are those that a try left. Reports of Allure 3 have them behind a link.
func (d document) files() (files []string) {
	for a := range d.Get(d.attachments...).Items() {
		link := a.Get("link")
		files = append(files, attachment(cmp.Or(a.Get("name").String(), link.Get("name").String()),
			cmp.Or(a.Get("source").String(), link.Get("originalFileName").String())))
	}
	return files
}

// attachment is a line on a file that a try left.
func attachment(name, source string) string { return "attachment: " + name + " (" + source + ")" }

// emitResults numbers the tries of each test.
func (rd *reader) emitResults(to envelope.Sink) {
	rd.rename()
	rd.useFullNames()
	slices.SortStableFunc(rd.results, func(a, b *result) int {
		return cmp.Or(a.trial.Key.Compare(b.trial.Key), a.trial.StartedAt.Compare(b.trial.StartedAt))
	})
	var tests [][]*result
	fewest := len(rd.results)
	for from := 0; from < len(rd.results); from += len(tests[len(tests)-1]) {
		until := from + 1
		for until < len(rd.results) && rd.results[until].trial.Key == rd.results[from].trial.Key {
			until++
		}
		tests = append(tests, rd.results[from:until])
		if rd.results[from].history != "" { // a fixture has none
			fewest = min(fewest, until-from)
		}
	}
	for _, tries := range tests {
		deliverTest(to, tries, len(tries) > fewest && areRetries(tries))
	}
}

func deliverTest(to envelope.Sink, tries []*result, retries bool) {
	if slices.ContainsFunc(tries, func(r *result) bool { return r.own && !r.verdict }) {
		tries = slices.DeleteFunc(slices.Clone(tries), func(r *result) bool { return r.own && r.verdict })
	}
	if numbered(tries) { // some of them may have no time
		slices.SortFunc(tries, func(a, b *result) int { return cmp.Compare(a.place, b.place) })
	}
	for i := range tries {
		t := &tries[i].trial
		t.Attempt = envelope.Some(int32(i))
		if i > 0 && !tries[i].own {
			t.Retry = retries || tries[i-1].retried || tries[i].again
		}
		to.Trial(t)
	}
}

// numbered reports whether the tries of a test say which is which, as those of one report of ours do.
func numbered(tries []*result) bool {
	taken := map[int]bool{}
	for _, r := range tries {
		if !r.own || r.place <= 0 || taken[r.place] {
			return false
		}
		taken[r.place] = true
	}
	return true
}

// rename gives the tries of a test that called it otherwise each time, by a title that was set while it ran, the name
// of the last one, as Allure shows them: its retries go by historyId alone. Some runners give one to several tests,
// so that these have to be of one full name, that is more than a line of code with a loop around it, and one set of
// parameters, and one behind the other until one passed.
func (rd *reader) rename() {
	of := map[string][]*result{}
	for _, r := range rd.results {
		if r.history != "" && r.fullName != "" && r.trial.Line == 0 && !r.own {
			id := r.history + "\n" + r.fullName + "\n" + r.varied
			of[id] = append(of[id], r)
		}
	}
	for _, tries := range of {
		slices.SortStableFunc(tries, func(a, b *result) int { return a.trial.StartedAt.Compare(b.trial.StartedAt) })
		if last := tries[len(tries)-1]; areRetries(tries) {
			for _, r := range tries {
				r.trial.Key = last.trial.Key
			}
		}
	}
}

// areRetries reports tries of one historyId of which each began behind the end of one that did not pass.
func areRetries(tries []*result) bool {
	for i := range tries[1:] {
		if tries[i].history == "" || tries[i].history != tries[i+1].history {
			return false
		}
		before, next := &tries[i].trial, &tries[i+1].trial
		end := before.StartedAt.Add(time.Duration(before.DurationMS.V) * time.Millisecond)
		if before.Status == envelope.Pass || before.Status == envelope.Skip || before.StartedAt.IsZero() || next.StartedAt.Before(end) {
			return false
		}
	}
	return true
}

// useFullNames gives different tests that share a name their full names.
func (rd *reader) useFullNames() {
	first, shared := map[envelope.Key]string{}, map[envelope.Key]bool{}
	for _, r := range rd.results {
		if id, seen := first[r.trial.Key]; seen && id != r.fullName {
			shared[r.trial.Key] = true
		}
		first[r.trial.Key] = r.fullName
	}
	for _, r := range rd.results {
		if shared[r.trial.Key] && r.fullName != "" {
			r.trial.Suite, r.trial.Test = "", r.fullName
		}
	}
}
