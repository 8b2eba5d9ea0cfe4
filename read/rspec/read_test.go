package rspec

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
		"gen_rspec3.json": {
			"spec/cart_spec.rb/cart adds": "P", "spec/cart_spec.rb/cart fails": "F", "spec/cart_spec.rb/cart raises": "E", "spec/cart_spec.rb/cart is pending": "S", "spec/cart_spec.rb/cart is skipped": "S",
			"spec/cart_spec.rb/cart fixed": "F", "spec/cart_spec.rb/cart discounts applies 1": "P", "spec/cart_spec.rb/cart discounts applies 2": "F",
		},
		"gen_rspec3_load_error.json": {"[run]": "E"},
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
		{"gen_rspec3.json", envelope.Trial{Key: envelope.Key{Suite: "spec/cart_spec.rb", Test: "cart is pending"}, Status: envelope.Skip, RawStatus: "pending", DurationMS: envelope.Some(0.046297), File: "spec/cart_spec.rb", Line: 5, Message: "not yet"}},
		{"gen_rspec3.json", envelope.Trial{Key: envelope.Key{Suite: "spec/cart_spec.rb", Test: "cart fixed"}, Status: envelope.Fail, DurationMS: envelope.Some(0.060204), File: "spec/cart_spec.rb", Line: 7,
			Message: "Expected example to fail since it is pending, but it passed.",
			Output:  "RSpec::Core::Pending::PendingExampleFixedError: Expected example to fail since it is pending, but it passed.\n\n./spec/cart_spec.rb:7"}},
	} {
		c.want.Attempt = first
		if diff := cmp.Diff(c.want, readtest.File(t, Read, "testdata/"+c.file).Find(t, c.want.Test, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.want.Test, diff)
		}
	}
}

// TestPrints: specs print where the report goes, in front of it without a line end, and
// behind it. Places stay those of the file.
func TestPrints(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_rspec3_prints.json")
	if want := map[string]string{"spec/a_spec.rb/cart adds": "P", "spec/a_spec.rb/cart fails": "F"}; !maps.Equal(s.Strips(), want) {
		t.Errorf("%v", s.Strips())
	}
	if len(s.Problems) != 1 || s.Problems[0].Code != envelope.CodeNoise || s.Problems[0].Count != 3 || s.Problems[0].Line != 1 {
		t.Errorf("%+v", s.Problems)
	}
	s = readtest.Text(t, Read, "x\n{ y {\"version\":\"3\",\"examples\":[{\"status\":\"passed\"}]}\n")
	if !slices.Equal(s.Told(), []string{"malformed-record 2:32", "noise 1:1"}) {
		t.Errorf("%q", s.Told())
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{`{"version":"3","examples":[{"full_description":"a","status":"passed"},{"full_description":"a","status":"failed"}]}`, []string{"a #0 pass", "a #1 fail"}, nil, "repeats"},
		{`{"version":"3","examples":[{"status":"passed"}]}`, nil, []string{"malformed-record 1:28"}, "no description"},
		{`{"version":"3","examples":[{"full_description":"a","status":"odd"}]}`, nil, []string{"malformed-record 1:28"}, "a status of another world"},
		{`{"version":"3","examples":[],"summary":{"errors_outside_of_examples_count":1}}`, []string{"[run] #0 error pre-validation"}, nil, "an error without its message"},
		{`{"version":"3","examples":[{"full_description":"a","status":"passed"},{"full`, []string{"a #0 pass"}, []string{"unreadable-input 1:71"}, "cut"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzRSpec(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `{"version":"3","examples":[{"description":"a","status":"failed","exception":{}}]}`)
}
