package allure

import (
	"cmp"
	"slices"
	"time"

	"tribunal/envelope"
)

// deliver numbers the tries of each test.
func (rd *reader) deliver(to envelope.Sink) {
	rd.rename()
	rd.tellApart()
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

// deliverTest delivers the tries of a test, which are retries or repeats.
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
			t.Retry = retries || tries[i-1].retried
		}
		to.Trial(t)
	}
}

// numbered reports whether the tries of a test say which is which, as those of one
// report of ours do.
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

// rename gives the tries of a test that called it otherwise each time, by a title that was
// set while it ran, the name of the last one, as Allure shows them: its retries go by
// historyId alone. Some runners give one to several tests, so that these have to be of one
// full name, that is more than a line of code with a loop around it, and one set of
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

// areRetries reports tries of one historyId of which each began behind the end of one that
// did not pass.
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

// tellApart gives tests that share a name, and are not one, their full names.
func (rd *reader) tellApart() {
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
