package helm

import (
	"maps"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand. exact_match comes before the one that is more lenient.
func TestSamples(t *testing.T) {
	s := readtest.File(t, Read, "testdata/per_instance_stats.json")
	if want := map[string]string{"id1": "PF", "id1 [robustness]": "F", "id2": "E"}; !maps.Equal(s.Strips(), want) || len(s.Problems) > 0 {
		t.Errorf("%v %+v", s.Strips(), s.Problems)
	}
	if one := s.Trials[0]; one.Tokens.V != 23 || one.DurationMS.V != 250 || one.Score != envelope.Some(1.0) || one.Labels[0].Value != "exact_match" {
		t.Errorf("%+v", one)
	}
	if two := s.Trials[3]; two.ErrorClass != envelope.ClassPreValidation {
		t.Errorf("%+v", two)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzHELM(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "[{}]", `{"testNodes":[{"nodeType":"Test Case","name":"a","children":[{"nodeType":"Device"}]}]}`)
}
