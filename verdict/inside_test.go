package verdict

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
)

// writtenOf is the envelope of trials that came in this order, and of envelopes.
func writtenOf(t *testing.T, p envelope.Policy, trials []envelope.Trial, envelopes ...[]byte) []byte {
	t.Helper()
	b, err := NewBuilder(p)
	if err != nil {
		t.Fatal(err)
	}
	if trials != nil {
		in := b.Input("trials", "native")
		for i := range trials {
			in.Trial(&trials[i])
		}
		in.Close()
	}
	for _, text := range envelopes {
		rec, err := wire.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		b.Input("again", "envelope").Recorded(rec)
	}
	env, err := Judge(b, p)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(encoded(t, env))
}

// talks are trials of three tests with conversations, some of which say the same at length, and checks that some lack.
func talks(r *rand.Rand) []envelope.Trial {
	var out []envelope.Trial
	prompt := strings.Repeat("be kind to everybody. ", 20)
	for n := range 36 {
		t := envelope.Trial{Key: envelope.Key{Test: fmt.Sprint("t", n%3)}, Attempt: envelope.Some(int32(n / 3)), Status: []envelope.Status{envelope.Pass, envelope.Fail, envelope.Error, ""}[r.IntN(4)]}
		t.Checks = []envelope.Check{{Name: "polite", Status: envelope.Pass}, {Name: "short", Score: envelope.Some(r.Float64()), Reason: "because"}}[:1+r.IntN(2)]
		if r.IntN(5) > 0 {
			t.Transcript = []envelope.Turn{{Role: "system", Text: prompt}, {Role: "user", Text: fmt.Sprint("number ", r.IntN(9))},
				{Role: "assistant", Reasoning: strings.Repeat(fmt.Sprint(r.IntN(2)), 300), ToolCalls: []envelope.ToolCall{{ID: fmt.Sprint(n), Name: "look", Arguments: fmt.Sprintf(`{"b":%d,"a":"x"}`, r.IntN(3))}, {Name: "end"}}}}
		}
		out = append(out, t)
	}
	return out
}

// TestInsidesMerge: whatever the order and the shards, the same trials give the same
// bytes, read back, merged, and merged with themselves.
func TestInsidesMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, p := range []envelope.Policy{{}, {KeepTranscripts: "1"}, {KeepTranscripts: "all"}, {KeepTranscripts: "none"}} {
		trials := talks(r)
		want := writtenOf(t, p, trials)
		r.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		if got := writtenOf(t, p, trials); !bytes.Equal(got, want) {
			t.Fatalf("keep %q: in another order\n%s\nwant\n%s", p.KeepTranscripts, got, want)
		}
		a, b := writtenOf(t, p, trials[:15]), writtenOf(t, p, trials[15:])
		for reason, got := range map[string][]byte{
			"read back": writtenOf(t, envelope.Policy{}, nil, want), "merged": writtenOf(t, envelope.Policy{}, nil, a, b), "the other way round": writtenOf(t, envelope.Policy{}, nil, b, a), "a shard and trials": writtenOf(t, p, trials[15:], a),
			"merged with itself": writtenOf(t, envelope.Policy{}, nil, want, want),
		} {
			if !bytes.Equal(got, want) {
				t.Fatalf("keep %q, %s:\n%s\nwant\n%s", p.KeepTranscripts, reason, got, want)
			}
		}
	}
}

// ofTrials is the envelope of some trials under the default policy.
func ofTrials(t *testing.T, trials ...envelope.Trial) *envelope.Envelope {
	t.Helper()
	rec, err := wire.Decode(bytes.NewReader(writtenOf(t, envelope.Policy{}, trials)))
	if err != nil {
		t.Fatal(err)
	}
	return rec.Envelope
}

// TestNothingInsideLeaks: a secret is taken out wherever it stands, and no digest tells whether a guess is right.
func TestNothingInsideLeaks(t *testing.T) {
	const secret = "hunter2hunter2"
	trial := func(status envelope.Status, secret string) envelope.Trial {
		said := "password=" + secret
		return envelope.Trial{Key: envelope.Key{Test: "a"}, Status: status,
			Checks:      []envelope.Check{{Name: "knows " + said, Status: envelope.Fail, Reason: said}},
			Attachments: []envelope.Attachment{{Name: said, URL: "https://me:" + secret + "@example.org/"}},
			Transcript: []envelope.Turn{{Role: "user", Text: said, Reasoning: said, Agent: said, Attachments: []envelope.Attachment{{Path: said}}},
				{Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: said, Name: "log in with " + said, Arguments: `{"deep":[{"password":"` + secret + `"}],"` + said + `":1}`}, {Name: "say", Arguments: said}}}}}
	}
	text := writtenOf(t, envelope.Policy{}, []envelope.Trial{trial(envelope.Fail, secret), trial(envelope.Pass, secret)})
	if bytes.Contains(text, []byte("hunter2")) {
		t.Errorf("it is still there: %s", text)
	}
	a, b := ofTrials(t, trial(envelope.Pass, secret)), ofTrials(t, trial(envelope.Pass, "hunter3hunter3"))
	if !slices.Equal(a.Steps, b.Steps) {
		t.Errorf("steps tell one secret from another: %v %v", a.Steps, b.Steps)
	}
	for _, status := range []envelope.Status{envelope.Pass, envelope.Fail} {
		a, b := ofTrials(t, trial(status, secret)), ofTrials(t, trial(status, "hunter3hunter3"))
		if x, y := a.Tests[0].Rows.Digest().Opt(0), b.Tests[0].Rows.Digest().Opt(0); !x.OK || x != y {
			t.Errorf("%s: the digest of the row tells one secret from another: %v %v", status, x, y)
		}
	}
}

// TestSharedSecretsAreTakenOutOfEach: a long text is searched for secrets once and stands in
// conversations of many tests; its secret is taken out of each, and counted in each.
func TestSharedSecretsAreTakenOutOfEach(t *testing.T) {
	prompt, tests := strings.Repeat("be kind to everybody. ", 20), 3*spanTests
	for _, told := range []string{prompt + "password=hunter2hunter2", prompt + "password=[redacted:password]"} {
		var trials []envelope.Trial
		for i := range tests {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: fmt.Sprint(i)}, Status: envelope.Pass,
				Transcript: []envelope.Turn{{Role: "system", Text: prompt}, {Role: "user", Text: told}}})
		}
		env := ofTrials(t, trials...)
		if got := strings.Join(env.Texts, "\n"); len(env.Texts) != 2 || strings.Contains(got, "hunter2") || !strings.Contains(got, "password=[redacted:") {
			t.Errorf("the texts of the run are %q", got)
		}
		at := slices.IndexFunc(env.Problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeRedacted })
		if at < 0 || env.Problems[at].Count != tests {
			t.Errorf("%d conversations have a secret each, told is %+v", tests, env.Problems)
		}
	}
}

// TestDigests: what two ways to write the same arguments have in common. The digest of {} is known from elsewhere: printf {} | sha256sum.
func TestDigests(t *testing.T) {
	digest := func(arguments string) string {
		return ofTrials(t, envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Transcript: []envelope.Turn{{ToolCalls: []envelope.ToolCall{{Name: "f", Arguments: arguments}}}}}).Steps[0].Digest
	}
	if got := digest("{}"); got != "44136fa355b3678a" {
		t.Errorf("{}: %s", got)
	}
	for _, same := range [][]string{
		{"{}", "", " ", "null", " { } "},
		{`{"a":1,"b":"x"}`, `{ "b" : "x", "a" : 1.0 }`, `{"a":1e0,"b":"\u0078"}`, `{"a":2,"a":1,"b":"x"}`, `{"a":10e-1,"b":"x"}`},
		{`{"n":12345678901234567890}`, `{"n":12345678901234567890.0}`, `{"n":1234567890123456789e1}`},
		{`{"n":0}`, `{"n":-0.0}`, `{"n":0e5}`}, {`{"n":0.001}`, `{"n":1e-3}`}, {`{"n":1e999}`, `{"n":10e998}`},
	} {
		for _, other := range same[1:] {
			if digest(other) != digest(same[0]) {
				t.Errorf("%q and %q are told apart", same[0], other)
			}
		}
	}
	for _, pair := range [][2]string{{`{"n":12345678901234567890}`, `{"n":12345678901234567891}`}, {`{"n":1}`, `{"n":"1"}`}, {`{"a":[1,2]}`, `{"a":[2,1]}`}, {`{a}`, `{b}`}, {`{"a":null}`, `{}`}} {
		if digest(pair[0]) == digest(pair[1]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}

// TestCuts: of what is too long the beginning, the end and a word on the rest are kept.
func TestCuts(t *testing.T) {
	trial := envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Fail}
	for n := range 300 {
		trial.Transcript = append(trial.Transcript, envelope.Turn{Role: "assistant", Text: fmt.Sprint(n, strings.Repeat("x", 2000)), ToolCalls: []envelope.ToolCall{{Name: fmt.Sprint("f", n)}}})
		trial.Checks = append(trial.Checks, envelope.Check{Name: fmt.Sprint("c", n), Status: envelope.Pass, Reason: "r"})
	}
	e := ofTrials(t, trial)
	test := &e.Tests[0]
	turns, kept := e.Transcript(test, 0)
	gaps, left, size := 0, 0, 0
	for _, turn := range turns {
		size += len(turn.Text)
		if left += turn.LeftOut; turn.LeftOut > 0 {
			gaps++
		}
	}
	if !kept || gaps != 1 || left != 300-(len(turns)-1) || size > 256<<10 || size < 200<<10 || !strings.HasPrefix(turns[0].Text, "0x") || !strings.HasPrefix(turns[len(turns)-1].Text, "299x") {
		t.Errorf("%d turns of %d bytes, %d left out in %d gaps", len(turns), size, left, gaps)
	}
	steps, _ := test.Rows.Steps().At(0)
	if total, _ := test.Rows.StepsTotal().At(0); len(steps) != 256 || total != 300 {
		t.Errorf("%d steps of %d", len(steps), total)
	}
	told := slices.ContainsFunc(e.Problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeManyChecks && p.Count == 100 })
	if len(test.Checks) != 200 || len(test.Details[0].Reasons) != 200 || !told {
		t.Errorf("%d checks, %d reasons, %v", len(test.Checks), len(test.Details[0].Reasons), e.Problems)
	}
	huge := ofTrials(t, envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Fail, Transcript: []envelope.Turn{{Text: "a"}, {Text: strings.Repeat("x", 1<<20)}, {Text: "b"}}})
	if turns, _ := huge.Transcript(&huge.Tests[0], 0); len(turns) != 3 || turns[0].Text != "a" || turns[1].LeftOut != 1 || turns[2].Text != "b" {
		t.Errorf("one turn that is too long: %d turns", len(turns))
	}
}

// TestChecksDecide: checks alone decide a trial, votes a check; a trial that says how it ended is not overruled.
func TestChecksDecide(t *testing.T) {
	pass, fail, skip := envelope.Check{Name: "a", Status: envelope.Pass}, envelope.Check{Name: "b", Status: envelope.Fail}, envelope.Check{Name: "c", Status: envelope.Skip}
	score := func(v float64) envelope.Check { return envelope.Check{Name: "s", Score: envelope.Some(v)} }
	vote := func(n int32, s envelope.Status) envelope.Check {
		return envelope.Check{Name: "v", Status: s, Vote: envelope.Some(n)}
	}
	for _, c := range []struct {
		status envelope.Status
		checks []envelope.Check
		want   string
		reason string
	}{
		{"", []envelope.Check{pass, skip}, "P", "all that are not skipped pass"},
		{"", []envelope.Check{pass, fail}, "F", "one fails"},
		{"", []envelope.Check{skip}, "S", "none but skipped ones"},
		{"", []envelope.Check{score(0.5)}, "P", "a score at the threshold"},
		{"", []envelope.Check{pass, score(0.4)}, "F", "a score below it"},
		{envelope.Pass, []envelope.Check{fail}, "P", "the runner decides"},
		{envelope.Fail, []envelope.Check{pass}, "F", "the runner decides"},
		{"", []envelope.Check{vote(0, envelope.Pass), vote(1, envelope.Fail), vote(2, envelope.Pass)}, "P", "a majority"},
		{"", []envelope.Check{vote(0, envelope.Pass), vote(1, envelope.Fail)}, "F", "a tie"},
	} {
		e := ofTrials(t, envelope.Trial{Key: envelope.Key{Test: "a"}, Status: c.status, Checks: c.checks})
		if got := e.Tests[0].Rows.Outcome.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
	names := ofTrials(t, envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Checks: []envelope.Check{pass, pass, {Name: "a #2", Status: envelope.Fail}, {Name: "a", Status: envelope.Fail}}}).Tests[0].CheckNames()
	if want := []string{"a #2 #2", "a #3", "a", "a #2"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}

func TestGatesOnChecks(t *testing.T) {
	trials := []envelope.Trial{{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Checks: []envelope.Check{{Name: "cites a source", Status: envelope.Pass, Score: envelope.Some(0.7)}}}, {Key: envelope.Key{Test: "b"}, Status: envelope.Pass}}
	for expr, want := range map[string]envelope.Status{
		`checks["cites a source"].passed == 1`: envelope.Pass, `checks["cites a source"].rate.lo >= 0.8`: envelope.Fail, `checks["cites a source"].score.mean > 0.6`: envelope.Pass, `checks["another"].n > 0`: envelope.Fail,
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("x", "native")
		for i := range trials {
			in.Trial(&trials[i])
		}
		in.Close()
		env, err := Judge(b, envelope.Policy{Gates: []envelope.GateExpr{{Name: "g", Expr: expr}}})
		if err != nil || env.Gate.Gates[0].Status != want {
			t.Errorf("%s: %+v %v, want %s", expr, env.Gate, err, want)
		}
	}
	for _, bad := range []string{`checks["a"] > 1`, `checks.a.b > 1`, `checks[1].n > 0`} {
		if _, err := Resolve(envelope.Policy{Gates: []envelope.GateExpr{{Name: "g", Expr: bad}}}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// TestWordingTellsDeliveriesApart: what was said is what tells two conversations of one number apart, also where it is
// as long; said alike it is one trial delivered twice. Attachments alone are worth keeping.
func TestWordingTellsDeliveriesApart(t *testing.T) {
	says := func(text, reason, file string) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Fail, Attempt: envelope.Some(int32(0)), Attachments: []envelope.Attachment{{Path: file}},
			Checks:     []envelope.Check{{Name: "c", Status: envelope.Fail, Reason: reason}},
			Transcript: []envelope.Turn{{Role: envelope.RoleSystem, Text: "be kind"}, {Role: envelope.RoleAssistant, Text: text}}}
	}
	for _, c := range []struct {
		reason        string
		first, second envelope.Trial
		want          int
	}{
		{"the same", says("Lyon", "no", "a.png"), says("Lyon", "no", "a.png"), 1},
		{"another word of four letters", says("Lyon", "no", "a.png"), says("Nice", "no", "a.png"), 2},
		{"another reason of two letters", says("Lyon", "no", "a.png"), says("Lyon", "ok", "a.png"), 2},
		{"another file", says("Lyon", "no", "a.png"), says("Lyon", "no", "b.png"), 2},
	} {
		if got := ofTrials(t, c.first, c.second).Summary.Trials.Total; got != c.want {
			t.Errorf("%s: %d trials, want %d", c.reason, got, c.want)
		}
	}
	alone := envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Fail, Attachments: []envelope.Attachment{{Path: "a.png"}}}
	if d := ofTrials(t, alone).Tests[0].Details; len(d) != 1 || len(d[0].Attachments) != 1 {
		t.Errorf("a trial with nothing but a file has the details %+v", d)
	}
}
