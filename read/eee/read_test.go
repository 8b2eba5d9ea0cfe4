package eee

import (
	"maps"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand.
func TestSamples(t *testing.T) {
	s := readtest.File(t, Read, "testdata/v0.2.1_samples.jsonl")
	const model = " [meta-llama/Llama-3.2-1B]"
	if want := map[string]string{"GSM8K/g1" + model: "PF", "GSM8K/g2" + model: "E", "GSM8K/g3" + model: "P"}; !maps.Equal(s.Strips(), want) || len(s.Problems) > 0 {
		t.Errorf("%v %+v", s.Strips(), s.Problems)
	}
	if one := s.Find(t, "g1", 0); one.DurationMS.V != 12.5 || one.Tokens.V != 6 || one.Score != envelope.Some(1.0) || len(one.Transcript) != 2 {
		t.Errorf("%+v", one)
	}
	if agent := s.Find(t, "g3", 0); agent.ToolCalls.V != 1 || len(agent.Transcript) != 3 || agent.Transcript[1].ToolCalls[0].Name != "search" {
		t.Errorf("%+v", agent)
	}
	if bad := s.Find(t, "g2", 0); bad.Message != "API error: overloaded" || bad.Tokens.OK {
		t.Errorf("%+v", bad)
	}
	s = readtest.Text(t, Read, `{"evaluation_id":"e","sample_id":"a","model_id":"m","evaluation":{}}`)
	if len(s.Trials) != 1 || s.Trials[0].ErrorClass != envelope.ClassPreValidation {
		t.Errorf("nobody scored it: %+v", s.Trials)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzEEE(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "[{}]", `{"testNodes":[{"nodeType":"Test Case","name":"a","children":[{"nodeType":"Device"}]}]}`)
}
