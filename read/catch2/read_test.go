package catch2

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand.
func TestSamples(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"gen_catch2.13.xml": {"c/adds": "F", "c/throws": "F"},
		"v3.xml":            {"shop-tests/adds": "P", "shop-tests/checks": "F", "shop-tests/later": "S", "shop-tests/dies": "E"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %v %q\nwant %v", name, got, s.Problems, want)
		}
	}
}

// TestFields: what the file says of single tests.
func TestFields(t *testing.T) {
	first := envelope.Some[int32](0)
	for _, c := range []struct {
		file string
		want envelope.Trial
	}{
		{"gen_catch2.13.xml", envelope.Trial{Key: envelope.Key{Suite: "c", Test: "adds"}, Status: envelope.Fail, File: "../c.cc", Line: 3, Message: "CHECK( 1==2 ) with expansion 1 == 2",
			Output: "../c.cc:3: a: CHECK( 1==2 ) with expansion 1 == 2", Labels: []envelope.Label{{Name: "tags", Value: "fast"}}}},
		{"v3.xml", envelope.Trial{Key: envelope.Key{Suite: "shop-tests", Test: "checks"}, Status: envelope.Fail, DurationMS: envelope.Some(500.0), File: "tests/cart.cpp", Line: 9,
			Message: "REQUIRE( total() == 2 ) with expansion 3 == 2", Output: "i := 3\ntests/cart.cpp:12: outer › inner: REQUIRE( total() == 2 ) with expansion 3 == 2"}},
		{"v3.xml", envelope.Trial{Key: envelope.Key{Suite: "shop-tests", Test: "dies"}, Status: envelope.Error, ErrorClass: "crash", File: "tests/cart.cpp", Line: 30,
			Message: "the program ended inside of this test", Output: "tests/cart.cpp:31: FatalErrorCondition: SIGSEGV - Segmentation violation signal"}},
	} {
		c.want.Attempt = first
		if diff := cmp.Diff(c.want, readtest.File(t, Read, "testdata/"+c.file).Find(t, c.want.Test, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.want.Test, diff)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{`<Catch name="p"><TestCase name="a"><OverallResult success="true"/></TestCase><TestCase name="a"><OverallResult success="false"/></TestCase></Catch>`, []string{"p/a #0 pass", "p/a #1 fail"}, nil, "repeats"},
		{`<Catch name="p"><TestCase><OverallResult success="true"/></TestCase></Catch>`, nil, []string{"malformed-record 1:17"}, "no name"},
		{`<Catch name="p"><TestCase name="a"><OverallResult success="true"/></TestCase><TestCase`, []string{"p/a #0 pass"}, []string{"unreadable-input 1:87"}, "cut"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzCatch2(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `<Catch2TestRun name="p"><TestCase name="a"><Section name="s"><Expression success="false"/></Section></TestCase></Catch2TestRun>`)
}
