package journal_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/internal/run/journal"
	readenvelope "tribunal/read/envelope"
	"tribunal/read/native"
	"tribunal/verdict"
)

// input is an input of a report.
type input struct {
	name string
	text []byte
}

func merged(t *testing.T, inputs ...input) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	for _, in := range inputs {
		to, read := b.Input(in.name, "native"), native.Read
		if readenvelope.Sniff(in.text) {
			read = readenvelope.Read
		}
		succeed(t, read(bytes.NewReader(in.text), to))
		to.Close()
	}
	policy := must(verdict.Resolve(verdict.Asked(b.Policies()[0])))(t)
	env := must(verdict.Seal(b.Run(policy.OnConflict, 5), policy))(t)
	return env
}

func jsonOf(t *testing.T, e *envelope.Envelope) []byte {
	t.Helper()
	var b bytes.Buffer
	succeed(t, wire.EncodeJSON(&b, e))
	return b.Bytes()
}

func ndjsonOf(t *testing.T, e *envelope.Envelope) []byte {
	t.Helper()
	var b bytes.Buffer
	succeed(t, wire.EncodeNDJSON(&b, e))
	return b.Bytes()
}

// shard is the journal of one of three shards, of six tests with three trials of
// three each, but for the last test of the third, before which the cost limit was reached,
// and the one before it, of which two were run.
func shard(t *testing.T, number int) input {
	t.Helper()
	h := header()
	h.Run.ID = fmt.Sprintf("%s-%d", runID, number)
	policy := must(verdict.Resolve(h.Plan.Policy.Policy))(t)
	h.Plan.Policy = policy
	var lines []journal.Line
	for i := range 6 {
		key := envelope.Key{Suite: "s", Test: fmt.Sprint(i)}
		h.Plan.Tests = append(h.Plan.Tests, journal.Test{Key: key, Trials: 3, Elsewhere: i/2 != number})
		if i/2 != number {
			continue
		}
		trials, how := 3, envelope.EndedFull
		if number == 2 {
			trials, how = 2*(5-i), envelope.EndedCost
		}
		for attempt := range trials {
			trial := passed(key.Test, attempt)
			trial.Run = h.Run.ID
			lines = append(lines, journal.Trial{Trial: trial})
		}
		lines = append(lines, journal.Ended{Key: key, How: how})
	}
	dir := filepath.Join(t.TempDir(), "run")
	j := must(journal.Create(dir, h))(t)
	defer j.Close()
	succeed(t, j.Commit(append(lines, journal.End{How: journal.Finished})...))
	text := must(os.ReadFile(j.Path()))(t)
	return input{fmt.Sprintf("shard-%d.ndjson", number), text}
}

// TestShards: journals of shards are one run in whatever order and by whatever way
// they come together, also more than once, and a missing one is seen.
func TestShards(t *testing.T) {
	a, b, c := shard(t, 0), shard(t, 1), shard(t, 2)
	whole := merged(t, a, b, c)
	want := jsonOf(t, whole)
	kept := func(ins ...input) input { return input{"kept.json", jsonOf(t, merged(t, ins...))} }
	line := func(ins ...input) input { return input{"kept.ndjson", ndjsonOf(t, merged(t, ins...))} }
	for how, ins := range map[string][]input{
		"another order":              {c, a, b},
		"json of each":               {kept(b), kept(a), kept(c)},
		"json of two and a journal":  {kept(c, a), b},
		"ndjson of two, and json":    {line(b, c), kept(a)},
		"its own json":               {kept(a, b, c)},
		"its own ndjson":             {line(a, b, c)},
		"json of a merge of a merge": {kept(kept(kept(a), b), line(c))},
	} {
		if got := jsonOf(t, merged(t, ins...)); !bytes.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", how, got, want)
		}
	}
	statuses := func(e *envelope.Envelope) string {
		var all []string
		for i := range e.Tests {
			all = append(all, fmt.Sprint(e.Tests[i].Status, " ", e.Tests[i].Ended, " ", e.Tests[i].Trials.Planned.V))
		}
		return strings.Join(all, ", ")
	}
	for _, c := range []struct {
		reason string
		run    *envelope.Envelope
		want   string
	}{
		{"all of them", whole, "pass full 3, pass full 3, pass full 3, pass full 3, pass cost 3, error cost 3"},
		{"one alone", merged(t, a), "pass full 3, pass full 3, skip  3, skip  3, skip  3, skip  3"},
		{"one is missing", merged(t, a, c), "pass full 3, pass full 3, error  3, error  3, pass cost 3, error cost 3"},
		{"delivered twice, as it is and in an envelope", merged(t, a, kept(a), b, c), "pass full 3, pass full 3, pass full 3, pass full 3, pass cost 3, error cost 3"},
	} {
		if got := statuses(c.run); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

// TestKeysOfTheEnvelope: of one journal, the end of a test is a word and its trials
// a number; nothing more.
func TestKeysOfTheEnvelope(t *testing.T) {
	text := string(jsonOf(t, merged(t, shard(t, 2))))
	for _, want := range []string{`"test":"4","status":"pass","kind":"passed","flaky":false,"cost_limited":true,"ended":"cost","verdict"`, `"trials":{"planned":3,"total":2,`,
		`"test":"0","status":"skip","kind":"skipped","flaky":false,"endings":[{"trials":3,"elsewhere":true}],"verdict"`, `"reason":"not run: the cost limit was reached"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

// TestEarlierCopy: of a journal that went on and a copy from before, what was said
// last of a test holds, whichever is read first.
func TestEarlierCopy(t *testing.T) {
	now := shard(t, 0)
	copied := strings.Replace(string(now.text), `"how":"full"`, `"how":"cut"`, 1) // test 0 was cut off, and gone on with
	before := input{"before.ndjson", []byte(copied)}
	for _, ins := range [][]input{{now, before}, {before, now}} {
		if e := merged(t, ins...); e.Tests[0].Ended != envelope.EndedFull || e.Tests[0].Trials.Planned.V != 3 || e.Tests[0].Trials.Total != 3 {
			t.Errorf("%s first: ended %s with %d of %d trials", ins[0].name, e.Tests[0].Ended, e.Tests[0].Trials.Total, e.Tests[0].Trials.Planned.V)
		}
	}
}
