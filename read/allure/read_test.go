package allure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: twelve files, counted by hand from their names, historyIds and times:
// two tests were tried again.
func TestSamples(t *testing.T) {
	want := map[string]string{
		"cart/adds an item": "P", "cart/is flaky": "Ffp", "cart/always fails": "Ee", "cart/compares": "F", "cart/times out": "E",
		"cart/is pending": "S", "cart/is skipped": "S", "cart/discounts/apply": "P", "cart/discounts/throws a string": "E",
	}
	s := readtest.File(t, Read, "testdata/gen_allure-mocha3.seq.json")
	if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %v %q\nwant %v", got, s.Problems, want)
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_allure-mocha3.seq.json")
	got := s.Find(t, "times out", 0)
	if !strings.HasPrefix(got.Output, "Error: Timeout of 20ms exceeded.") {
		t.Errorf("%q", got.Output)
	}
	got.Output = ""
	want := envelope.Trial{Key: envelope.Key{Suite: "cart", Test: "times out"}, Attempt: envelope.Some[int32](0), Status: envelope.Error, RawStatus: "broken", ErrorClass: envelope.ClassTimeout,
		Message:    `Timeout of 20ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. (/home/dev/shop/test/a.spec.js)`,
		DurationMS: envelope.Some(22.0), StartedAt: time.UnixMilli(1795374464544).UTC(), File: "test/a.spec.js"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if first := s.Find(t, "is flaky", 0); first.StartedAt.After(s.Find(t, "is flaky", 2).StartedAt) {
		t.Error("tries stand in the order in which they began, not in that of their files")
	}
}

func one(more string) string {
	return `{"uuid":"u","stage":"finished","labels":[{"name":"suite","value":"s"}],` + more + `}`
}

func withFixture(child, when, status string) string {
	return `{"uuid":"c","children":["` + child + `"],"` + when + `":[{"name":"close","status":"` + status + `","statusDetails":{"message":"Error: still open"}}]}`
}

// other is a test with one result: those that have more may have been tried again.
var other = one(`"name":"other","historyId":"o","status":"passed"`)

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{one(`"name":"a","historyId":"h","status":"passed","start":2`) + one(`"name":"a","historyId":"h","status":"failed","start":1`) + other, []string{"s/a #0 fail", "s/a #1 pass retry", "s/other #0 pass"}, nil, "behind each other, in any order"},
		{one(`"name":"a","historyId":"h","status":"passed","start":2`) + one(`"name":"a","historyId":"h","status":"failed","start":1`), []string{"s/a #0 fail", "s/a #1 pass"}, nil, "no other test has fewer: retries or repeats, and repeats hide no failure"},
		{one(`"name":"a","historyId":"h","status":"failed","start":1,"stop":5`) + one(`"name":"a","historyId":"h","status":"passed","start":2,"stop":6`) + other, []string{"s/a #0 fail", "s/a #1 pass", "s/other #0 pass"}, nil, "side by side: no retry begins before the try it repeats has ended"},
		{one(`"name":"a","historyId":"h","status":"passed","start":1`) + one(`"name":"a","historyId":"h","status":"failed","start":2`) + one(`"name":"a","historyId":"h","status":"passed","start":3`) + other,
			[]string{"s/a #0 pass", "s/a #1 fail", "s/a #2 pass", "s/other #0 pass"}, nil, "a run in a loop: what follows a pass is a repeat, so the others are as well"},
		{one(`"name":"a","historyId":"h","status":"passed","start":1`) + one(`"name":"a","historyId":"h","status":"failed","start":2`), []string{"s/a #0 pass", "s/a #1 fail"}, nil, "nothing is tried again after a pass: repeats"},
		{one(`"name":"a","historyId":"h","fullName":"x.js: a","status":"passed"`) + one(`"name":"a","historyId":"i","fullName":"y.js: a","status":"failed"`), []string{"x.js: a #0 pass", "y.js: a #0 fail"}, nil, "two tests of one name"},
		{one(`"name":"t[1]","status":"passed","parameters":[{"name":"n","value":"1"},{"name":"seed","value":"9","excluded":true},{"name":"k","value":"z","mode":"hidden"},{"name":"mode","value":"'fast'"}]`),
			[]string{"s/t[1] [mode='fast'] #0 pass"}, nil, "parameters, but those excluded, hidden, or in the name"},
		{one(`"name":"a","stage":"running"`), []string{"s/a #0 error infrastructure"}, nil, "a test that never ended"},
		{one(`"name":"a","status":"unknown"`), []string{"s/a #0 error unknown infrastructure"}, nil, "Allure does not know: in its report it is the word for a result without a status (convert in Allure2Plugin.java)"},
		{one(`"name":"a","status":"nice"`), []string{"s/a #0 error nice"}, nil, "a word that nobody knows is no pass"},
		{one(`"status":"passed"`), nil, []string{"malformed-record 1:1"}, "no name"},
		{one(`"name":"","historyId":"h","status":"passed","start":1`) + one(`"name":"","historyId":"h","status":"failed","start":2`), []string{"s/(unnamed) #0 pass", "s/(unnamed) #1 fail"}, nil, "no name, as of WebdriverIO's hooks, and a test all the same"},
		{`{"uuid":"c","children":["u"],"name":"fixture","stage":"x","labels":[]}`, nil, nil, "a container"},
		{one(`"name":"a","status":"passed"`) + withFixture("u", "afters", "broken"), []string{"s/[close] #0 error", "s/a #0 pass"}, nil, "allure-jest of an afterAll that threw, which fails the file behind its tests (environmentFactory.ts)"},
		{one(`"name":"a","status":"passed"`) + withFixture("u", "befores", "passed"), []string{"s/a #0 pass"}, nil, "a fixture that passed"},
		{one(`"name":"a","status":"failed"`) + withFixture("u", "afters", "broken"), []string{"s/a #0 fail"}, nil, "allure-pytest says of the test as well that its fixture failed"},
		{one(`"name":"a","status":"skipped"`) + withFixture("u", "befores", "failed"), []string{"s/a #0 skip"}, nil, "pytest: a test that is to fail (xfail), whose fixture did; TestNG: a SkipException in a set-up"},
		{strings.Replace(one(`"name":"a","status":"skipped"`), `"labels":[`, `"labels":[{"name":"framework","value":"jest"},`, 1) + withFixture("u", "befores", "broken"), []string{"s/[close] #0 error", "s/a #0 skip"}, nil,
			"allure-jest calls skipped what a failed hook kept from running, for which Jest fails (environmentFactory.ts, handleTestScopeStop)"},
		{withFixture("gone", "befores", "broken"), []string{"[close] #0 error"}, nil, "no test began"},
		{one(`"name":"a","status":"broken"`) + withFixture("gone", "befores", "broken"), []string{"s/a #0 error broken"}, nil, "allure-junit-platform writes a result for a class that failed"},
		{one(`"name":"a","status":"passed"`) + withFixture("u", "afters", ""), []string{"s/a #0 pass"}, nil, "a fixture of which nothing is said"},
		{"\x1e" + one(`"name":"a","status":"passed"`) + "\x1e{\"uuid\":\n\x1e" + one(`"name":"b","status":"failed"`), []string{"s/a #0 pass", "s/b #0 fail"}, []string{"truncated-line 2:1"}, "a file that is cut spoils no other"},
		{one(`"name":"a","status":"passed"`)[:40], nil, []string{"truncated-line 1:41"}, "one that is cut"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Problems, c.want, c.told)
		}
	}
}

// ofAllure2 and ofAllure3 are tries in the reports that Allure 2.13 to 2.30 and 3 generate.
func ofAllure2(uid, status string, start int, more string) string {
	return fmt.Sprintf(`{"uid":"%s","name":"pays","fullName":"shop.CartTest.pays","historyId":"h","time":{"start":%d,"stop":%d,"duration":5},"status":"%s","flaky":false,"newFailed":false,`+
		`"beforeStages":[],"afterStages":[],"labels":[{"name":"suite","value":"cart"},{"name":"feature","value":"pay"}],"parameters":[{"name":"card","value":"visa"}],"parameterValues":["visa"]%s}`, uid, start, start+5, status, more)
}

func ofAllure3(id, status string, start int, more string) string {
	return fmt.Sprintf(`{"id":"%s","name":"pays","start":%d,"stop":%d,"duration":5,"status":"%s","fullName":"shop.CartTest.pays","flaky":false,"muted":false,"known":false,"historyId":"h",`+
		`"labels":[{"name":"suite","value":"cart"},{"name":"feature","value":"pay"}],"groupedLabels":{"suite":["cart"],"feature":["pay"]},"parameters":[{"name":"card","value":"visa","hidden":false,"excluded":false,"masked":false},{"name":"token","value":"******","masked":true}],"titlePath":[]%s}`, id, start, start+5, status, more)
}

// TestGenerated: the numbers of a generated report are those of the results it was made
// from. Tries that it hides are trials, and what earlier runs gave is none.
func TestGenerated(t *testing.T) {
	for version, text := range map[string]string{
		"2": "\x1e" + ofAllure2("b", "passed", 2000, `,"hidden":false,"retry":false,"extra":{"retries":[{"uid":"a","status":"broken"}],"history":{"items":[{"uid":"z","status":"failed"}]}}`) +
			"\x1e" + ofAllure2("a", "broken", 1000, `,"hidden":true,"retry":true,"statusMessage":"Test timed out in 3000ms.","statusTrace":"at Cart.pay","testStage":{"attachments":[{"name":"log","source":"l.txt"}]}`),
		"3, new": "\x1e" + ofAllure3("b", "passed", 2000, `,"isRetry":false,"retry":true,"retries":[{"id":"a","status":"broken"}],"history":[{"status":"failed"}],"error":{}`) +
			"\x1e" + ofAllure3("a", "broken", 1000, `,"isRetry":true,"retry":false,"error":{"message":"Test timed out in 3000ms.","trace":"at Cart.pay"},"attachments":[{"link":{"id":"9f","name":"log","originalFileName":"l.txt"},"type":"attachment"}]`),
		"3, old": "\x1e" + ofAllure3("b", "passed", 2000, `,"hidden":false,"retry":true,"retries":[{"id":"a","status":"broken"}],"history":[{"status":"failed"}],"error":{}`) +
			"\x1e" + ofAllure3("a", "broken", 1000, `,"hidden":true,"retry":false,"error":{"message":"Test timed out in 3000ms.","trace":"at Cart.pay"},"attachments":[{"link":{"id":"9f","name":"log","originalFileName":"l.txt"},"type":"attachment"}]`),
	} {
		if !Sniff([]byte(text)) {
			t.Errorf("Allure %s: not told by its keys", version)
		}
		s := readtest.Text(t, Read, text+"\x1e"+other)
		if got, want := s.Lines(), []string{"cart/pays [card=visa] #0 error broken timeout", "cart/pays [card=visa] #1 pass retry", "s/other #0 pass"}; !slices.Equal(got, want) {
			t.Errorf("Allure %s: got %q\nwant %q", version, got, want)
		}
		first := s.Find(t, "pays [card=visa]", 0)
		want := envelope.Trial{Key: envelope.Key{Suite: "cart", Test: "pays [card=visa]"}, Attempt: envelope.Some[int32](0), Status: envelope.Error, RawStatus: "broken", ErrorClass: envelope.ClassTimeout,
			Message: "Test timed out in 3000ms.", Output: "at Cart.pay\n\nattachment: log (l.txt)", DurationMS: envelope.Some(5.0), StartedAt: time.UnixMilli(1000).UTC(), Labels: []envelope.Label{{Name: "feature", Value: "pay"}}}
		if diff := cmp.Diff(want, first); diff != "" {
			t.Errorf("Allure %s (-want +got):\n%s", version, diff)
		}
	}
}

// TestFixturesOfReport: a generated report shows a fixture with each of its tests (convert in
// Allure2Plugin.java), so that it counts once, and where none of them says that it failed.
func TestFixturesOfReport(t *testing.T) {
	const down = `[{"name":"down","time":{"start":9,"stop":12,"duration":3},"status":"broken","statusMessage":"Error: still open","statusTrace":"at down"}]`
	shown := func(uid, status string) string {
		return "\x1e" + strings.Replace(ofAllure2(uid, status, 1000, ""), `"afterStages":[]`, `"afterStages":`+down, 1)
	}
	other := func(text string) string {
		return strings.NewReplacer(`"pays"`, `"refunds"`, "CartTest.pays", "CartTest.refunds", `"historyId":"h"`, `"historyId":"i"`).Replace(text)
	}
	for _, c := range []struct {
		text   string
		want   []string
		reason string
	}{
		{shown("a", "passed") + other(shown("b", "passed")), []string{"cart/[down] #0 error", "cart/pays [card=visa] #0 pass", "cart/refunds [card=visa] #0 pass"}, "two tests passed, and what is behind both failed"},
		{shown("a", "passed") + other(shown("b", "failed")), []string{"cart/pays [card=visa] #0 pass", "cart/refunds [card=visa] #0 fail"}, "a test says so as well"},
	} {
		if s := readtest.Text(t, Read, c.text); !slices.Equal(s.Lines(), c.want) || len(s.Problems) > 0 {
			t.Errorf("%s: %q %q, want %q", c.reason, s.Lines(), s.Problems, c.want)
		}
	}
}

// TestTitlesOfTries: Allure's retries go by historyId (RetryPlugin.java of Allure 2 merges by
// retryHash), and are shown under the name of the last. Tests that share one by a fault of
// their runner, and Allure hides all but one of them, are tests.
func TestTitlesOfTries(t *testing.T) {
	try := func(name, status string, start int, more string) string {
		return one(fmt.Sprintf(`"name":"%s","historyId":"h","fullName":"Cart#pays","status":"%s","start":%d,"stop":%d%s`, name, status, start, start+5, more))
	}
	param := func(value string) string { return `,"parameters":[{"name":"n","value":"` + value + `"}]` }
	for _, c := range []struct {
		text, reason string
		want         []string
	}{
		{try("pays 7", "failed", 10, "") + try("pays 9", "passed", 20, "") + other, "a title set at run time", []string{"s/other #0 pass", "s/pays 9 #0 fail", "s/pays 9 #1 pass retry"}},
		{try("pays 7", "failed", 10, param("1")) + try("pays 9", "passed", 20, param("2")), "other parameters", []string{"s/pays 7 [n=1] #0 fail", "s/pays 9 [n=2] #0 pass"}},
		{try("pays 7", "passed", 10, "") + try("pays 9", "failed", 20, ""), "nothing is tried again after a pass", []string{"s/pays 7 #0 pass", "s/pays 9 #0 fail"}},
		{try("pays 7", "failed", 10, "") + try("pays 9", "passed", 12, ""), "side by side", []string{"s/pays 7 #0 fail", "s/pays 9 #0 pass"}},
		{strings.ReplaceAll(try("pays 7", "failed", 10, "")+try("pays 9", "passed", 20, ""), "Cart#pays", "cart.spec.ts:3:5"), "a line may have a loop around it", []string{"s/pays 7 #0 fail", "s/pays 9 #0 pass"}},
		{strings.Replace(try("pays 7", "failed", 10, ""), "Cart#pays", "Cart#ships", 1) + try("pays 9", "passed", 20, ""), "another full name", []string{"s/pays 7 #0 fail", "s/pays 9 #0 pass"}},
	} {
		if got := readtest.Text(t, Read, c.text).Lines(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzAllure(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, one(`"name":"a"`)+"\x1e"+one(`"name":"a"`), ofAllure2("b", "passed", 2000, ""), ofAllure3("b", "passed", 2000, `,"isRetry":false`), "\x1e"+one(`"name":"a","start":1e300,"stop":1e301`))
}
