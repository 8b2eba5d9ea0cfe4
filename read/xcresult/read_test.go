package xcresult

import (
	"maps"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand; a retry is one, and so is no row of arguments.
func TestSamples(t *testing.T) {
	s := readtest.File(t, Read, "testdata/xcode16.json")
	const suite = "ShopTests.CartTests/"
	want := map[string]string{suite + "testAdds()": "P", suite + "testFails()": "F", suite + "testFlaky()": "Fp", suite + "testSkips()": "S", suite + "testKnown()": "P",
		suite + "rows(n:) [1]": "P", suite + "rows(n:) [2]": "F"}
	if !maps.Equal(s.Strips(), want) || len(s.Problems) > 0 {
		t.Errorf("%v %+v", s.Strips(), s.Problems)
	}
	if f := s.Find(t, "testFails()", 0); f.File != "CartTests.swift" || f.Line != 12 || f.Message != `XCTAssertEqual failed: ("2") is not equal to ("3")` || f.DurationMS != envelope.Some(250.0) {
		t.Errorf("%+v", f)
	}
	if f := s.Find(t, "testFlaky()", 0); f.Message != "boom" || f.DurationMS.V != 500 {
		t.Errorf("%+v", f)
	}
	s = readtest.Text(t, Read, `{"testNodes":[{"nodeType":"Test Case","name":"a","children":[{"nodeType":"Device","name":"iPhone","result":"Passed"},{"nodeType":"Device","name":"iPad","result":"unknown"}]},{"nodeType":"Test Case"}]}`)
	if want := map[string]string{"a [iPhone]": "P", "a [iPad]": "E"}; !maps.Equal(s.Strips(), want) || len(s.Problems) != 1 {
		t.Errorf("%v %+v", s.Strips(), s.Problems)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzXCResult(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "[{}]", `{"testNodes":[{"nodeType":"Test Case","name":"a","children":[{"nodeType":"Device"}]}]}`)
}
