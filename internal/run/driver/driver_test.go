package driver

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
)

func template(t *testing.T, argv ...string) *Template {
	t.Helper()
	made, err := NewTemplate(argv)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestArgv: a value is put into its argument, and never splits it or is looked at
// again.
func TestArgv(t *testing.T) {
	v := Values{Test: "a/b (c)", Suite: "s", Variant: "gpt {test}", Attempt: 3, Seed: 99, Dir: "/d", Out: "/o", ID: "r.1", Run: "r",
		Tests: []string{"x y", "z.w"}, Labels: map[string]string{"tier": "slow"}}
	for _, c := range []struct {
		reason     string
		argv, want []string
	}{
		{"one argument with blanks and brackets", []string{"p", "--case={test}"}, []string{"p", "--case=a/b (c)"}},
		{"a value is no template", []string{"{variant}"}, []string{"gpt {test}"}},
		{"several in one", []string{"{suite}:{attempt}:{seed}:{dir}{out}:{id}:{run}"}, []string{"s:3:99:/d/o:r.1:r"}},
		{"an argument for each test", []string{"p", "{tests}", "q"}, []string{"p", "x y", "z.w", "q"}},
		{"one expression for one", []string{"{test:regex}"}, []string{`^a/b \(c\)$`}},
		{"one expression for all", []string{"-run={tests:regex}"}, []string{`-run=^x y$|^z\.w$`}},
		{"braces", []string{"{{test}", "${{HOME}"}, []string{"{test}", "${HOME}"}},
		{"a label", []string{"{label.tier}"}, []string{"slow"}},
		{"an empty argument stays", []string{"p", ""}, []string{"p", ""}},
	} {
		if got := template(t, c.argv...).Argv(v); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestCostTold: the last line of what a setup wrote tells its cost, where it is an
// object that has it.
func TestCostTold(t *testing.T) {
	for _, c := range []struct {
		reason, stdout, want string
	}{
		{"nothing", "", "{0 false} <nil>"},
		{"words", "up in 4 s\n", "{0 false} <nil>"},
		{"the last line", "up\n{\"cost_usd\":1}\n{\"id\":3,\"cost_usd\":0.25}\n\n", "{0.25 true} <nil>"},
		{"free", `{"cost_usd":0}`, "{0 true} <nil>"},
		{"unknown", `{"cost_usd":null}`, "{0 false} <nil>"},
		{"another object", `{"cost":3}`, "{0 false} <nil>"},
		{"a list", `[{"cost_usd":1}]`, "{0 false} <nil>"},
		{"not the last", "{\"cost_usd\":1}\nready\n", "{0 false} <nil>"},
		{"no number", `{"cost_usd":"$3"}`, `{0 false} cost_usd is "$3" and is not counted: print a number of dollars, 0 or more`},
		{"less than nothing", `{"cost_usd":-1}`, `{0 false} cost_usd is -1 and is not counted: print a number of dollars, 0 or more`},
	} {
		cost, err := reportedCost(c.stdout)
		if got := fmt.Sprint(cost, " ", err); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

func TestTemplatesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		reason string
		argv   []string
		says   string
	}{
		{"misspelt", []string{"{tset}"}, "did you mean {test}"},
		{"the words of another tool", []string{"{}"}, "write {{ for a {"},
		{"JSON", []string{`{"a": 1}`}, "write {{ for a {"},
		{"not closed", []string{"{test"}, "write {{ for a {"},
		{"part of an argument", []string{"--all={tests}"}, "{tests:regex}"},
		{"a start for each and for several", []string{"{test}", "{tests}"}, "choose one"},
	} {
		if _, err := NewTemplate(c.argv); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}

// TestSpelling: a runner that wants names written otherwise gets them so.
func TestSpelling(t *testing.T) {
	tests := []runner.Test{{Key: envelope.Key{Test: "a"}}, {Key: envelope.Key{Test: "b"}}}
	v := Values{Test: "a", Tests: []string{"a", "b"}}
	v.spell(map[string]func(runner.Test) string{"test:regex": func(t runner.Test) string { return "<" + t.Test + ">" }}, tests)
	if got := template(t, "{test:regex}", "{test}").Argv(v); !slices.Equal(got, []string{"<a>", "a"}) {
		t.Errorf("%q", got)
	}
	if got := template(t, "{tests:regex}").Argv(v); !slices.Equal(got, []string{"<a>|<b>"}) {
		t.Errorf("%q", got)
	}
	v = Values{Test: "a", Tests: []string{"a", "b"}}
	v.spell(map[string]func(runner.Test) string{"test": func(t runner.Test) string { return "test(=" + t.Test + ")" }}, tests)
	if got := template(t, "{tests}").Argv(v); !slices.Equal(got, []string{"test(=a)", "test(=b)"}) {
		t.Errorf("%q", got)
	}
}

// TestSeeds: the first 31 bits of SHA-256, of which the numbers were computed by
// Python's hashlib; two variants meet the same seed.
func TestSeeds(t *testing.T) {
	if got := SeedOf(7, "", "refund", 0); got != 65311225 {
		t.Errorf("%d", got)
	}
	if got := SeedOf(7, "s", "a/b (c)", 12); got != 801465647 {
		t.Errorf("%d", got)
	}
}

func TestExitCodes(t *testing.T) {
	r := &Run{ExitCodes: map[int]string{3: "skip", 42: envelope.ClassInfrastructure}}
	for _, c := range []struct {
		end    process.End
		status envelope.Status
		class  string
	}{
		{process.End{Code: 0}, envelope.Pass, ""},
		{process.End{Code: 1}, envelope.Fail, ""},
		{process.End{Code: 74}, envelope.Fail, ""},
		{process.End{Code: 75}, envelope.Error, "infrastructure"},
		{process.End{Code: 76}, envelope.Fail, ""},
		{process.End{Code: 77}, envelope.Skip, ""},
		{process.End{Code: 78}, envelope.Fail, ""},
		{process.End{Code: 123}, envelope.Fail, ""},
		{process.End{Code: 124}, envelope.Error, "timeout"},
		{process.End{Code: 125}, envelope.Error, "infrastructure"},
		{process.End{Code: 126}, envelope.Error, "pre-validation"},
		{process.End{Code: 127}, envelope.Error, "pre-validation"},
		{process.End{Code: 128}, envelope.Fail, ""},
		{process.End{Code: 255}, envelope.Fail, ""},
		{process.End{Code: -1, Signal: "SEGV"}, envelope.Fail, "signal:SEGV"},
		{process.End{Code: -1, Signal: "KILL"}, envelope.Fail, "signal:KILL"},
		{process.End{Code: 0, Why: process.Timeout}, envelope.Error, "timeout"},
		{process.End{Code: -1, Signal: "KILL", Why: process.OutputLimit}, envelope.Error, "output"},
		{process.End{Code: 3}, envelope.Skip, ""},
		{process.End{Code: 42}, envelope.Error, "infrastructure"},
	} {
		if got := r.byExit(c.end); got.Status != c.status || got.ErrorClass != c.class {
			t.Errorf("%+v: %s %q, want %s %q", c.end, got.Status, got.ErrorClass, c.status, c.class)
		}
	}
	for _, word := range settings.Meanings {
		if _, ok := meanings[word]; !ok {
			t.Errorf("%q may be said of an exit code, and means nothing", word)
		}
	}
}

// TestAskedFor: what an output says of the test that was asked for.
func TestAskedFor(t *testing.T) {
	trial := func(suite, test, variant string, status envelope.Status, message string) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Suite: suite, Test: test, Variant: variant}, Status: status, Message: message}
	}
	missing := envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassPreValidation, Message: "asked for, not reported"}
	for _, c := range []struct {
		reason  string
		trials  []envelope.Trial
		key     envelope.Key
		status  envelope.Status
		message string
	}{
		{"by its names", []envelope.Trial{trial("s", "a", "", envelope.Pass, "")}, envelope.Key{Suite: "s", Test: "a"}, envelope.Pass, ""},
		{"another test", []envelope.Trial{trial("s", "ab", "", envelope.Pass, "")}, envelope.Key{Suite: "s", Test: "a"}, envelope.Error, "not reported"},
		{"another suite", []envelope.Trial{trial("r", "a", "", envelope.Pass, "")}, envelope.Key{Suite: "s", Test: "a"}, envelope.Error, "not reported"},
		{"without a suite", []envelope.Trial{trial("s", "a", "", envelope.Pass, "")}, envelope.Key{Test: "a"}, envelope.Pass, ""},
		{"by its node id", []envelope.Trial{trial("tests.test_shop.TestCart", "test_sync[a.b]", "", envelope.Pass, "")}, envelope.Key{Test: "tests/test_shop.py::TestCart::test_sync[a.b]"}, envelope.Pass, ""},
		{"by the node id of another class", []envelope.Trial{trial("tests.test_shop.TestCart", "test_sync", "", envelope.Pass, "")}, envelope.Key{Test: "tests/test_shop.py::TestOther::test_sync"}, envelope.Error, "not reported"},
		{"of two suites, nobody knows which", []envelope.Trial{trial("s", "a", "", envelope.Pass, ""), trial("r", "a", "", envelope.Pass, "")}, envelope.Key{Test: "a"}, envelope.Error, "s/a, r/a"},
		{"of two browsers, one of which fails", []envelope.Trial{trial("s", "a", "firefox", envelope.Fail, ""), trial("s", "a", "chromium", envelope.Pass, "")}, envelope.Key{Suite: "s", Test: "a"}, envelope.Error, "chromium"},
		{"tried again by the runner: the last counts, and the others are told", []envelope.Trial{trial("", "a", "", envelope.Fail, "no luck"), {Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Retry: true}}, envelope.Key{Test: "a"}, envelope.Pass, "fail: no luck"},
		{"two tests of one name: the one that failed counts, and the other is told", []envelope.Trial{trial("", "a", "", envelope.Fail, "no luck"), trial("", "a", "", envelope.Pass, "")}, envelope.Key{Test: "a"}, envelope.Fail, "pass"},
		{"a subtest that failed is told", []envelope.Trial{trial("p", "T/sub", "", envelope.Fail, "unlucky"), trial("p", "T", "", envelope.Fail, "")}, envelope.Key{Suite: "p", Test: "T"}, envelope.Fail, "sub: fail: unlucky"},
		{"nothing at all", nil, envelope.Key{Test: "a"}, envelope.Error, "not reported"},
	} {
		got := countedOf(matching(indexTrials(c.trials).of(c.key), c.key), missing)
		if got.Status != c.status || !strings.Contains(got.Message, c.message) {
			t.Errorf("%s: %s %q, want %s %q", c.reason, got.Status, got.Message, c.status, c.message)
		}
	}
}

// TestCandidates: whatever an output names its tests, those that are looked at for one
// tell what all of them tell.
func TestCandidates(t *testing.T) {
	var keys []envelope.Key
	for _, suite := range []string{"", "a", "a/b"} {
		for _, test := range []string{"a", "b", "a/b", "b/c", "a/b/c", "/", "a/"} {
			for _, variant := range []string{"", "v"} {
				keys = append(keys, envelope.Key{Suite: suite, Test: test, Variant: variant})
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var trials []envelope.Trial
		for i := range random.IntN(12) {
			status := []envelope.Status{envelope.Pass, envelope.Fail, envelope.Skip}[random.IntN(3)]
			trials = append(trials, envelope.Trial{Key: keys[random.IntN(len(keys))], Status: status, Message: fmt.Sprint(i)})
		}
		some := indexTrials(trials)
		for _, key := range keys {
			if got, want := matching(some.of(key), key), matching(trials, key); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s among %+v: %+v, want %+v", key, trials, got, want)
			}
		}
	}
}

// TestCandidatesAreFew: of a batch of any number of tests as many are looked at as there
// are, and not all of them for each.
func TestCandidatesAreFew(t *testing.T) {
	var trials []envelope.Trial
	for i := range 1000 {
		trials = append(trials, envelope.Trial{Key: envelope.Key{Suite: "s", Test: fmt.Sprintf("T/%d", i)}, Status: envelope.Fail})
	}
	looked, some := 0, indexTrials(trials)
	for _, trial := range trials {
		looked += len(some.of(trial.Key))
	}
	if looked != len(trials) {
		t.Errorf("%d trials were looked at for %d tests", looked, len(trials))
	}
}

func TestParseList(t *testing.T) {
	got, err := ParseList(strings.NewReader("a\n\n  b c \r\n{\"suite\":\"s\",\"test\":\"d\",\"labels\":{\"tier\":\"slow\"}}\n"))
	if err != nil || len(got) != 3 || got[1].Test != "b c" || got[2].Suite != "s" || got[2].Labels["tier"] != "slow" {
		t.Errorf("%+v, %v", got, err)
	}
	for text, says := range map[string]string{
		"a\nb\na\n":                            "line 3: a is listed in line 1 already",
		"{\"test\":\"a\",\"status\":\"pass\"}": "unknown field",
		"{}":                                   `no "test"`,
		"{\"test\":1}":                         "line 1: test: a JSON number does not fit here; print a record such as",
		"{":                                    "line 1: the JSON is cut off",
	} {
		if _, err := ParseList(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"{test}", "{{", "{tests}", "a{seed}b{{c}", "{label.x}"} {
		f.Add(seed, "a {test} b")
	}
	f.Fuzz(func(t *testing.T, arg, test string) {
		made, err := NewTemplate([]string{arg})
		if err != nil {
			return
		}
		if got := made.Argv(Values{Test: test, Tests: []string{test}}); len(got) != 1 {
			t.Errorf("%q became %q", arg, got)
		}
	})
}

func FuzzParseList(f *testing.F) {
	f.Add("a\n{\"test\":\"b\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		tests, err := ParseList(strings.NewReader(text))
		for _, test := range tests {
			if err == nil && test.Test == "" {
				t.Errorf("a test without a name in %q", text)
			}
		}
	})
}

// TestAddedVariables: what a runner needs in its environment is filled in like its
// command, stands behind what is inherited, and is not hidden with what is ours.
func TestAddedVariables(t *testing.T) {
	added, err := NewTemplate([]string{"REPORT={out}", "PLAIN=1"})
	if err != nil {
		t.Fatal(err)
	}
	e := Environment{Inherited: []string{"REPORT=elsewhere", "TRIBUNAL_OUT=outer"}, Added: added, Hide: true, Cookie: "C"}
	want := []string{"REPORT=elsewhere", "REPORT=/o/out", "PLAIN=1"}
	if got := e.of(e.passed(), "run", 0, Values{Out: "/o/out"}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	e.Hide = false
	if got := e.of(e.passed(), "run", 0, Values{Out: "/o/out"}); !slices.Equal(got[:len(want)], want) || !slices.Contains(got, "TRIBUNAL_OUT=/o/out") {
		t.Errorf("%q", got)
	}
}

// TestRoomForArguments: on Linux an argument of 128 KiB with its zero byte is refused
// (execve(2), MAX_ARG_STRLEN), one that is shorter by one is not.
func TestRoomForArguments(t *testing.T) {
	for _, c := range []struct {
		reason, system string
		argv           []string
		want           bool
	}{
		{"the longest", "linux", []string{"p", strings.Repeat("x", 131071)}, true},
		{"one byte more", "linux", []string{"p", strings.Repeat("x", 131072)}, false},
		{"many that are short each", "linux", strings.Split(strings.Repeat("x ", 1<<20), " "), false},
		{"a line of Windows", "windows", []string{"p", strings.Repeat("x", 32_767)}, false},
		{"macOS bounds their sum", "darwin", []string{"p", strings.Repeat("x", 131072)}, true},
	} {
		if got := argumentLimitsOf(c.system).takes(c.argv); got != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestPendingHoldsOnlyWhatRan: what is remembered of a journal's starts is as many
// as ran at once, or a run of 200,000 trials takes 80 MB to be gone on with.
func TestPendingHoldsOnlyWhatRan(t *testing.T) {
	p := pending{byID: map[string]*lostStart{}, byAttempt: map[attemptKey]*lostStart{}}
	key := func(test int) envelope.Key { return envelope.Key{Test: fmt.Sprint("t", test)} }
	const batches, size = 50, 4
	for n := range batches { // each ends in reverse when the next one has begun
		for test := range size {
			p.begin(journal.Start{Key: key(test), Attempt: n, ID: fmt.Sprint("start", n)})
		}
		for test := size - 1; n > 0 && test >= 0; test-- {
			if s := p.end(key(test), n-1); s == nil || s.ID != fmt.Sprint("start", n-1) {
				t.Fatalf("t%d, attempt %d, ended as one of %+v", test, n-1, s)
			}
		}
		if len(p.byID) != 1 || len(p.byAttempt) != size {
			t.Fatalf("%d starts and %d trials are remembered after %d, want 1 and %d", len(p.byID), len(p.byAttempt), n+1, size)
		}
	}
	if p.end(key(0), 0) != nil {
		t.Error("a trial that has ended ends again")
	}
	p.begin(journal.Start{Key: envelope.Key{Variant: "v"}, ID: "first"}) // of a sweep, which lists the tests
	p.end(key(1), batches-1)
	left := p.left()
	if len(left) != 2 || left[0].ID != fmt.Sprint("start", batches-1) || left[0].open != size-1 || len(left[0].keys) != size || left[1].ID != "first" || left[1].open != 1 {
		t.Errorf("left are %+v", left)
	}
}
