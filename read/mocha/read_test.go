package mocha

import (
	"maps"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const file = "/home/dev/shop/test/a.spec.js/"

// TestSamples: the tests of the suite with a letter a trial, as they were written
// to end: of retries(2) the third try passes, of retries(1) both fail.
// mochawesome does not say how often a test was tried.
func TestSamples(t *testing.T) {
	mocha := map[string]string{
		file + "cart adds an item": "P", file + "cart is flaky": "Ffp", file + "cart always fails": "Ff", file + "cart compares": "F",
		file + "cart times out": "F", file + "cart is pending": "S", file + "cart is skipped": "S", file + "cart discounts apply": "P",
		file + "cart discounts throws a string": "F", file + `cart with a broken hook "before all" hook: seed for "never runs"`: "E",
	}
	awesome := maps.Clone(mocha)
	awesome[file+"cart is flaky"], awesome[file+"cart always fails"], awesome[file+"cart with a broken hook never runs"] = "P", "F", "S"
	for name, want := range map[string]map[string]string{"gen_mocha7_retries.json": mocha, "gen_mocha10_retries.json": mocha, "gen_mochawesome8.json": awesome} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 || len(s.Headers) != 1 {
			t.Errorf("%s: got %v %q\nwant %v", name, got, s.Told(), want)
		}
	}
}

// TestFields: both reports say the same of a failure.
func TestFields(t *testing.T) {
	for _, name := range []string{"gen_mocha10_retries.json", "gen_mochawesome8.json"} {
		s := readtest.File(t, Read, "testdata/"+name)
		slow := s.Find(t, "cart times out", 0)
		if slow.ErrorClass != envelope.ClassTimeout || slow.DurationMS.V < 20 || slow.File != "/home/dev/shop/test/a.spec.js" {
			t.Errorf("%s: %+v", name, slow)
		}
		hook := s.Find(t, `cart with a broken hook "before all" hook: seed for "never runs"`, 0)
		if hook.ErrorClass != "" || hook.Message != "no database" && hook.Message != "Error: no database" || hook.Output == "" {
			t.Errorf("%s: %+v", name, hook)
		}
	}
	s := readtest.File(t, Read, "testdata/gen_mocha10_retries.json")
	if last := s.Find(t, "cart always fails", 1); last.Message != "boom 2" || !last.Retry {
		t.Errorf("%+v", last)
	}
	if first := s.Find(t, "cart always fails", 0); first.DurationMS.OK || first.Retry {
		t.Errorf("nothing is known of a try that is not in the report: %+v", first)
	}
	if s.Headers[0].StartedAt != "2026-11-22T18:30:15.230Z" {
		t.Errorf("%+v", s.Headers)
	}
}

func TestShapes(t *testing.T) {
	const stats = `{"stats":{"suites":1,"tests":1,"passes":1,"pending":0,"failures":0},`
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{stats + `"passes":[{"fullTitle":"a b","file":"x.js","duration":1}],"failures":[{"fullTitle":"c","err":{"message":"m"}}],"pending":[{"title":"d"}]}`,
			[]string{"x.js/a b #0 pass", "c #0 fail", "d #0 skip"}, nil, "a report without the list of all tests"},
		{stats + `"tests":[{"fullTitle":"a","duration":1,"err":{}},{"fullTitle":"a","duration":1,"err":{"message":"m"}}],"failures":[{"fullTitle":"a","err":{"message":"m"}}],"passes":[{"fullTitle":"a"}],"pending":[]}`,
			[]string{"a #0 pass", "a #1 fail"}, nil, "a title twice: attempts, and nothing counts twice"},
		{stats + `"tests":[{"fullTitle":"a","currentRetry":-3,"duration":1,"err":{}}]}`,
			[]string{"a #0 pass"}, nil, "a number of tries that is none"},
		{stats + `"results":[{"fullFile":"x.js","tests":[{"fullTitle":"a","state":"failed","fail":true,"timedOut":true,"err":{"message":"Error: m"}},{"fullTitle":"b","skipped":true}],"beforeHooks":[{"fullTitle":"h","isHook":true,"pass":true}]}]}`,
			[]string{"x.js/a #0 fail timeout", "x.js/b #0 skip"}, nil, "mochawesome; a hook that passes is no test"},
		{stats + `"suites":{"title":"","fullFile":"","tests":[],"root":true,"suites":[{"title":"s","fullFile":"/w/x.js","tests":[{"fullTitle":"s a","duration":4,"state":"passed","pass":true,"err":{}},{"fullTitle":"s b","duration":5,"state":"failed","fail":true,"err":{"message":"m"}}]}]},"copyrightYear":2018}`,
			[]string{"/w/x.js/s a #0 pass", "/w/x.js/s b #0 fail"}, nil, "mochawesome 1 to 3: one suite at the root, as public repositories have it"},
		{"connected\n" + stats + `"tests":[{"fullTitle":"a","duration":1,"err":{}}]}` + "\nbye\n", []string{"a #0 pass"}, []string{"noise 1:1"}, "prints around the report"},
		{stats + `"tests":[{"duration":1,"err":{}}]}`, nil, []string{"malformed-record 1:78"}, "no title"},
		{stats + `"tests":[{"fullTitle":"a","duration":1,"err":{}},{"full`, []string{"a #0 pass"}, []string{"unreadable-input 1:118"}, "cut"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
	s := readtest.Text(t, Read, stats+`"tests":[{"fullTitle":"a","duration":1,"currentRetry":1000000000,"err":{}}]}`)
	if len(s.Trials) != maxTries+1 {
		t.Errorf("%d trials of a number nobody believes", len(s.Trials))
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzMocha(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `{"stats":{"suites":1,"passes":1,"pending":0},"results":[{"suites":[{"tests":[{"title":"a","pass":true}]}]}]}`)
}
