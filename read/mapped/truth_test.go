package mapped

import (
	"strings"
	"testing"

	"tribunal/envelope"
)

// labelSink keeps the labels that come, "" for none.
type labelSink struct {
	sink
	labels []envelope.Status
}

func (t *labelSink) Trial(trial *envelope.Trial) {
	t.labels = append(t.labels, trial.Truth)
	t.sink.Trial(trial)
}

// TestTruth: a label is a word of a status that says pass or fail, or a truth value as
// spreadsheets have it; an empty cell is none, and any other word an error with its line.
func TestTruth(t *testing.T) {
	m, err := Parse("test=.test,status=.judge,truth=.human", "")
	if err != nil {
		t.Fatal(err)
	}
	var got labelSink
	if err := m.Read(strings.NewReader("test,judge,human\na,pass,\na,pass,fail\na,fail,Yes\na,pass,0\na,pass,maybe\na,pass,skip\n"), &got); err != nil {
		t.Fatal(err)
	}
	want := []envelope.Status{"", envelope.Fail, envelope.Pass, envelope.Fail}
	if len(got.labels) != len(want) {
		t.Fatalf("%q, want %q", got.labels, want)
	}
	for i := range want {
		if got.labels[i] != want[i] {
			t.Errorf("label %d is %q, want %q", i, got.labels[i], want[i])
		}
	}
	if len(got.problems) != 2 || !strings.Contains(got.problems[0], `"maybe" is not a label`) || !strings.Contains(got.problems[1], `"skip" is not a label`) {
		t.Errorf("problems %q", got.problems)
	}
}
