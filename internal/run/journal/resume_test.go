package journal_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
	"tribunal/read/native"
	"tribunal/verdict"
)

// outcome is what an attempt does, whenever it is started: mostly it passes, some
// fail, and the infrastructure breaks a few.
func outcome(k envelope.Key, attempt int) *envelope.Trial {
	h := fnv.New64a()
	fmt.Fprint(h, k, attempt)
	t := &envelope.Trial{Key: k, Run: runID, Attempt: envelope.Some(int32(attempt)), Status: envelope.Pass}
	switch n := h.Sum64() >> 20 % 100; {
	case n < 12:
		t.Status = envelope.Fail
	case n < 18:
		t.Status, t.ErrorClass = envelope.Error, envelope.ClassInfrastructure
	}
	return t
}

// driver runs trials that take no time and end in any order, with a journal.
type driver struct {
	t       *testing.T
	s       *runner.Scheduler
	j       *journal.Journal
	plan    runner.Plan
	random  *rand.Rand
	running []runner.Start
	over    bool
}

func (d *driver) run() {
	d.perform(d.s.Begin())
	for !d.over {
		for start, ok := d.s.Next(); ok; start, ok = d.s.Next() {
			start.Trials = slices.Clone(start.Trials)
			d.write(linesOf(d.plan, start)...)
			d.running = append(d.running, start)
		}
		i := d.random.IntN(len(d.running))
		start := d.running[i]
		d.running = slices.Delete(d.running, i, i+1)
		ended := runner.Ended{Slot: start.Slot}
		for _, p := range start.Trials {
			ended.Trials = append(ended.Trials, runner.Reported{Test: p.Test, Trial: outcome(d.plan.Tests[p.Test].Key, p.Attempt)})
		}
		d.perform(d.s.Step(ended))
	}
}

func (d *driver) perform(actions []runner.Action) {
	for _, action := range actions {
		key := func(test int) envelope.Key { return d.plan.Tests[test].Key }
		switch a := action.(type) {
		case runner.Hold:
			d.write(journal.Held{Trial: a.Trial})
		case runner.Record:
			d.write(journal.Trial{Trial: a.Trial})
		case runner.Beyond:
			d.write(journal.Beyond{Trial: a.Trial})
		case runner.Cut:
			d.write(journal.Cut{Key: key(a.Test), Attempt: a.Attempt, Try: a.Try, Why: string(a.Why)})
		case runner.End:
			d.write(journal.Ended{Key: key(a.Test), How: envelope.How(a.How)})
		case runner.Pause:
			d.perform(d.s.Step(runner.Continue{}))
		case runner.Stop:
			d.write(journal.End{How: string(a.How)})
			d.over = true
		}
	}
}

func (d *driver) write(lines ...journal.Line) {
	if err := d.j.Append(lines...); err != nil {
		d.t.Fatal(err)
	}
}

func linesOf(plan runner.Plan, s runner.Start) (lines []journal.Line) {
	for _, p := range s.Trials {
		l := journal.Start{Key: plan.Tests[p.Test].Key, Attempt: p.Attempt, Try: p.Try, At: began, ID: fmt.Sprint(s.Group, s.Number), Slot: s.Slot}
		if plan.Form != runner.Each {
			l.Number = envelope.Some(s.Number)
		}
		lines = append(lines, l)
	}
	return lines
}

// recoverRun tells a scheduler what a journal holds.
func recoverRun(j *journal.Journal, s *runner.Scheduler, plan runner.Plan) error {
	ids := map[envelope.Key]int{}
	for i, t := range plan.Tests {
		ids[t.Key] = i
	}
	return j.Replay(func(l journal.Line) error {
		switch l := l.(type) {
		case journal.Start:
			group := envelope.Key{Suite: l.Suite, Variant: l.Variant}
			if plan.Form == runner.Sweep {
				group.Suite = ""
			}
			return s.Recover(runner.Start{Slot: l.Slot, Number: l.Number.Or(l.Attempt), Group: group,
				Trials: []runner.Place{{Test: ids[l.Key], Attempt: l.Attempt, Try: l.Try}}})
		case journal.Held:
			return s.Recover(runner.Hold{Test: ids[l.Key], Trial: l.Trial})
		case journal.Trial:
			return s.Recover(runner.Record{Test: ids[l.Key], Trial: l.Trial})
		case journal.Beyond:
			return s.Recover(runner.Beyond{Test: ids[l.Key], Trial: l.Trial})
		case journal.Cut:
			return s.Recover(runner.Cut{Place: runner.Place{Test: ids[l.Key], Attempt: l.Attempt, Try: l.Try}, Why: runner.Why(l.Why)})
		case journal.Ended:
			return s.Recover(runner.End{Test: ids[l.Key], How: runner.How(l.How)})
		}
		return nil
	})
}

func scheduler(t *testing.T, plan runner.Plan) *runner.Scheduler {
	t.Helper()
	s := must(runner.New(plan))(t)
	return s
}

func reportOf(t *testing.T, text []byte) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("journal.ndjson", "native")
	succeed(t, native.Read(bytes.NewReader(text), in))
	in.Close()
	carried := b.Policies()
	policy := must(verdict.Resolve(verdict.Asked(carried[0])))(t)
	env := must(verdict.Seal(b.Run(policy.OnConflict, 5), policy))(t)
	return env
}

// streams are the trials of each test, in their order.
func streams(e *envelope.Envelope) map[string]string {
	out := map[string]string{}
	for i := range e.Tests {
		t := &e.Tests[i]
		var s strings.Builder
		for row := range t.Rows.Len() {
			attempt, _ := t.Rows.Attempt().At(row)
			fmt.Fprintf(&s, "%d:%v ", attempt, t.Rows.Outcome[row])
		}
		out[t.Key.String()] = s.String()
	}
	return out
}

// TestEveryPrefixOfAJournal: wherever a journal ends, its report counts of each
// test the trials up to the first attempt that has not ended, and the run that goes
// on from there comes to the trials and verdicts of one that runs one at a time
// and never died.
func TestEveryPrefixOfAJournal(t *testing.T) {
	for name, policy := range map[string]envelope.Policy{
		"anytime": {Rule: "anytime", Threshold: envelope.Some(0.9)},
		"all":     {Rule: "all"},
	} {
		for form, words := range map[runner.Form]string{runner.Each: "each", runner.Batch: "batch", runner.Sweep: "sweep"} {
			t.Run(name+" "+words, func(t *testing.T) { everyPrefix(t, policy, form) })
		}
	}
}

func everyPrefix(t *testing.T, layer envelope.Policy, form runner.Form) {
	policy := must(verdict.Resolve(layer))(t)
	plan := runner.Plan{Policy: policy, Form: form, Trials: 12, Places: 4, InfraRetries: 3}
	h := header()
	h.Plan.Policy = policy
	for _, name := range []string{"a", "b", "c"} {
		key := envelope.Key{Suite: "s", Test: name}
		plan.Tests = append(plan.Tests, runner.Test{Key: key})
		h.Plan.Tests = append(h.Plan.Tests, journal.Test{Key: key, Trials: 12})
	}
	alone := plan
	alone.Places = 1
	want := journalOf(t, alone, h, nil, rand.New(rand.NewPCG(1, 1)))
	final := reportOf(t, want)
	random := rand.New(rand.NewPCG(5, 8))
	whole := journalOf(t, plan, h, nil, random)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for n := 1; n < len(lines); n++ {
		prefix := bytes.Join(lines[:n], nil)
		report := reportOf(t, prefix)
		holdsPrefix(t, report, lines[:n])
		if n < 2 {
			continue // the list of tests is written with the run
		}
		text := journalOf(t, plan, h, prefix, random)
		nothingTwice(t, text)
		again := reportOf(t, text)
		for key, stream := range streams(final) {
			if got := streams(again)[key]; got != stream {
				t.Fatalf("%s, after %d lines: %s, want %s", key, n, got, stream)
			}
		}
		for i := range final.Tests {
			if a, b := &again.Tests[i], &final.Tests[i]; a.Status != b.Status || a.Ended != b.Ended {
				t.Fatalf("%s, after %d lines: %s, %s, want %s, %s", a.Key, n, a.Status, a.Ended, b.Status, b.Ended)
			}
		}
	}
}

// journalOf is the journal of a run that went on behind some lines.
func journalOf(t *testing.T, plan runner.Plan, h journal.Header, before []byte, random *rand.Rand) []byte {
	t.Helper()
	dir := must(os.MkdirTemp(t.TempDir(), "run"))(t)
	d := &driver{t: t, s: scheduler(t, plan), plan: plan, random: random}
	if before == nil {
		d.j = must(journal.Create(dir, h))(t)
	} else {
		succeed(t, os.WriteFile(filepath.Join(dir, journal.FileName), before, 0o600))
		d.j = must(journal.Open(dir))(t)
	}
	defer d.j.Close()
	if before != nil {
		succeed(t, d.j.Check(h.Plan))
		succeed(t, recoverRun(d.j, d.s, plan))
		d.write(journal.Resume{At: began})
	}
	d.run()
	text := must(os.ReadFile(d.j.Path()))(t)
	return text
}

// nothingTwice: what has ended is not started again, also when it is still held.
func nothingTwice(t *testing.T, text []byte) {
	t.Helper()
	ended := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		test, attempt, ok := attemptIn(line)
		where := fmt.Sprint(test, " ", attempt)
		switch {
		case !ok:
		case strings.HasPrefix(line, `{"type":"held"`) || strings.HasPrefix(line, `{"suite"`):
			ended[where] = true
		case strings.HasPrefix(line, `{"type":"start"`) && ended[where]:
			t.Fatalf("attempt %s was started again in\n%s", where, text)
		}
	}
}

// attemptIn is the test and attempt that a line is about.
func attemptIn(line string) (test string, attempt int, ok bool) {
	at := strings.Index(line, `"test":"`)
	if at < 0 || strings.HasPrefix(line, `{"type":"tests"`) {
		return "", 0, false
	}
	if i := strings.Index(line, `"attempt":`); i >= 0 {
		fmt.Sscanf(line[i:], `"attempt":%d`, &attempt)
	}
	return "s/" + line[at+8:at+9], attempt, true
}

// holdsPrefix holds the report of some lines against a count of the lines
// themselves: attempt k is in it when 0 to k-1 are, and when it was recorded.
func holdsPrefix(t *testing.T, report *envelope.Envelope, lines [][]byte) {
	t.Helper()
	recorded, ended := map[string]int{}, map[string]map[int]bool{}
	for _, line := range lines[1:] {
		text := string(line)
		test, attempt, ok := attemptIn(text)
		if !ok {
			continue
		}
		if ended[test] == nil {
			ended[test] = map[int]bool{}
		}
		if strings.HasPrefix(text, `{"suite"`) {
			recorded[test]++
			ended[test][attempt] = true
		} else if strings.HasPrefix(text, `{"type":"held"`) {
			ended[test][attempt] = true
		}
	}
	for i := range report.Tests {
		test := &report.Tests[i]
		n, reach := test.Rows.Len(), 0
		for ended[test.Key.String()][reach] {
			reach++
		}
		if n != recorded[test.Key.String()] || n > reach {
			t.Fatalf("%s, after %d lines: %d trials in the report, %d recorded, %d ended one after the other", test.Key, len(lines), n, recorded[test.Key.String()], reach)
		}
		for row := range n {
			if attempt, _ := test.Rows.Attempt().At(row); int(attempt) != row {
				t.Fatalf("%s, after %d lines: attempt %d at place %d", test.Key, len(lines), attempt, row)
			}
		}
		if n == 0 && test.Status != envelope.Error {
			t.Fatalf("%s, after %d lines: %s without a trial", test.Key, len(lines), test.Status)
		}
	}
	interrupted := slices.ContainsFunc(report.Problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeInterrupted })
	if end := bytes.HasPrefix(lines[len(lines)-1], []byte(`{"type":"end"`)); interrupted == end {
		t.Fatalf("after %d lines: interrupted %v", len(lines), interrupted)
	}
}
