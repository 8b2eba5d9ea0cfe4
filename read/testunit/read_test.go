package testunit

import (
	"maps"
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestSamples: the tests of the file that was run, as they were written to end. Of the
// rows one and two only the first is below 2.
func TestSamples(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_test-unit3.5.xml")
	want := map[string]string{
		"CartTest/test_adds": "P", "CartTest/test_fails": "F", "CartTest/test_errors": "E", "CartTest/test_omits": "S", "CartTest/test_pends": "S", "CartTest/test_notes": "P",
		"CartTest::Inner/test_rows": "P", "CartTest::Inner/test_rows #2": "F",
	}
	if !maps.Equal(s.Strips(), want) || len(s.Problems) > 0 {
		t.Errorf("%v %+v", s.Strips(), s.Problems)
	}
	if f := s.Find(t, "test_fails", 0); f.File != "t.rb" || f.Line != 4 || f.Message == "" || !f.DurationMS.OK || f.StartedAt.IsZero() {
		t.Errorf("%+v", f)
	}
	if adds := s.Find(t, "test_adds", 0); adds.DurationMS.V < 0.2228 || adds.DurationMS.V > 0.2229 { // 0.000222843 seconds
		t.Errorf("%+v", adds)
	}
}

func TestShapes(t *testing.T) {
	const begin, end = `<stream><ready-test-suite/>`, `</stream>`
	const start = `<start-test><test><name>a</name></test></start-test>`
	// What the XML runner of test-unit 3.7 writes at last is whether the result of all passed
	// (finished in lib/test/unit/ui/xml/testrunner.rb), faults outside of tests included.
	const passed = start + `<test-result><test><name>a</name></test><result><test><name>a</name></test><status>success</status></result></test-result><complete-test><test><name>a</name></test><success>true</success></complete-test>`
	for text, want := range map[string][2][]string{
		begin + start: {{"a #0 error infrastructure"}, {"unreadable-input 1:80"}},
		begin + passed + `<success>false</success>` + end:                          {{"a #0 pass", "[run] #0 error infrastructure"}, nil},
		begin + passed + `<success>true</success>` + end:                           {{"a #0 pass"}, nil},
		begin + `<complete-test><test><name>a</name></test></complete-test>` + end: {nil, {"malformed-record 1:28"}},
	} {
		s := readtest.Text(t, Read, text)
		if !slices.Equal(s.Lines(), want[0]) || !slices.Equal(s.Told(), want[1]) {
			t.Errorf("%s: %q %q", text, s.Lines(), s.Told())
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzTestUnit(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "<stream><ready-test-suite/></stream>")
}
