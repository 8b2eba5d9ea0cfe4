package ctest

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
		"gen_ctest3.25_Test.xml": {"ok": "P", "bad": "F", "slow": "F", "none": "E", "off": "S"},
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
		{"gen_ctest3.25_Test.xml", envelope.Trial{Key: envelope.Key{Test: "bad"}, Status: envelope.Fail, DurationMS: envelope.Some(77.4801), Message: "exit value 1"}},
		{"gen_ctest3.25_Test.xml", envelope.Trial{Key: envelope.Key{Test: "none"}, Status: envelope.Error, RawStatus: "notrun", ErrorClass: envelope.ClassPreValidation, Message: "Unable to find executable", Output: "Unable to find executable: nowhere_to_be_found"}},
		{"gen_ctest3.25_Test.xml", envelope.Trial{Key: envelope.Key{Test: "off"}, Status: envelope.Skip, Message: "Disabled"}},
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
		{site(`<Test Status="failed"><Name>a</Name><Path>./sub/x</Path><Results><NamedMeasurement name="Exit Code"><Value>Timeout</Value></NamedMeasurement></Results></Test>`), []string{"sub/x/a #0 fail timeout"}, nil, "a timeout, in a folder"},
		{site(`<Test Status="failed"><Name>a</Name><Results><NamedMeasurement name="Exit Code"><Value>SEGFAULT</Value></NamedMeasurement></Results></Test>`), []string{"a #0 error crash"}, nil, "the process died"},
		{site(`<Test Status="passed"><Name>a</Name></Test><Test Status="passed"/>`), []string{"a #0 pass"}, []string{"malformed-record 1:59"}, "no name"},
		{site(`<Test Status="odd"><Name>a</Name></Test>`), []string{"a #0 error odd"}, nil, "a word that nobody knows is no pass"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzCTest(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, site(`<Test Status="failed"><Name>a</Name><Results><Measurement><Value encoding="base64">eA==</Value></Measurement></Results></Test>`))
}

func site(tests string) string { return `<Site><Testing>` + tests + `</Testing></Site>` }
