package testng

import (
	"maps"
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand. A retried try is a failure, rows are tests, and of the
// configuration what failed is an error.
func TestSamples(t *testing.T) {
	s := readtest.File(t, Read, "testdata/results.xml")
	const class = "org.shop.CartTest/"
	want := map[string]string{class + "adds": "P", class + "flaky": "Fp", class + "rows(1)": "P", class + "rows(2)": "F", class + "later": "S", class + "tearDown": "E"}
	if !maps.Equal(s.Strips(), want) || len(s.Problems) > 0 {
		t.Errorf("%v %+v", s.Strips(), s.Problems)
	}
	if f := s.Find(t, "flaky", 0); f.Message != "expected [3] but found [2]" || f.DurationMS.V != 5 || f.StartedAt.Unix() != 1772445602 {
		t.Errorf("%+v", f)
	}
	if f := s.Find(t, "rows(2)", 0); f.Message != "java.lang.IllegalStateException" {
		t.Errorf("%+v", f)
	}
}

func TestShapes(t *testing.T) {
	s := readtest.Text(t, Read, `<testng-results><suite><test><class name="c"><test-method status="PASS"/><test-method name="a" status="PASS"/><test-method name="b" status="ODD"/><test-me`)
	if !slices.Equal(s.Lines(), []string{"c/a #0 pass", "c/b #0 error ODD"}) || !slices.Equal(s.Told(), []string{"malformed-record 1:46", "unreadable-input 1:155"}) {
		t.Errorf("%q %q", s.Lines(), s.Told())
	}
}

// TestInstances: TestNG 6.1 with a factory whose instances say their names, and with one
// name for all methods of a class; the TestNG plugin of Jenkins has such a file.
func TestInstances(t *testing.T) {
	s := readtest.Text(t, Read, `<testng-results><suite><test><class name="c">
		<test-method status="PASS" signature="one()" test-instance-name="NFS" name="one"/><test-method status="FAIL" signature="one()" test-instance-name="VMFS" name="one"/>
		<test-method status="PASS" signature="two()[pri:0]" test-instance-name="ALL" name="ALL"/><test-method status="PASS" signature="three(int)" test-instance-name="ALL" name="ALL"><params><param><value>7</value></param></params></test-method>
		<test-method status="PASS" signature="four()" test-instance-name="c" name="four"/>
		<test-method status="FAIL" test-instance-name="c" name="c"/>
		</class></test></suite></testng-results>`)
	if got, want := s.Lines(), []string{"c/one [NFS] #0 pass", "c/one [VMFS] #0 fail", "c/two [ALL] #0 pass", "c/three [ALL](7) #0 pass", "c/four #0 pass", "c/c #0 fail"}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzTestNG(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "<testng-results><test-method/></testng-results>")
}
