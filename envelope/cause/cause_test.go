package cause

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// labelled.json has 421 messages of 33 files, what a person said is one cause (label),
// and what a second implementation of the definition makes of them (want, causes).
type labelled struct {
	Source   string
	Messages []struct{ Test, Message, Class, Label, Want string }
	Causes   []struct {
		ID, By, Label string
		Tests, Trials int
	}
}

func load(t *testing.T) []labelled {
	t.Helper()
	data, err := os.ReadFile("testdata/labelled.json")
	if err != nil {
		t.Fatal(err)
	}
	var files []labelled
	if err := json.Unmarshal(data, &files); err != nil {
		t.Fatal(err)
	}
	return files
}

// reasonsOf are the reasons of a file, and the key of each message.
func reasonsOf(file labelled) (reasons []Reason, keys []Key) {
	f := Finder{Redact: func(s string) string { return s }}
	at, tests := map[Key]int{}, map[string]int{}
	for _, m := range file.Messages {
		k := f.Of(m.Test, m.Message)
		if k == "" {
			k = Class(m.Class)
		}
		keys = append(keys, k)
		if _, ok := at[k]; !ok {
			at[k] = len(reasons)
			reasons = append(reasons, Reason{Key: k, First: m.Message, Last: m.Message})
		}
		if _, ok := tests[m.Test]; !ok {
			tests[m.Test] = len(tests)
		}
		r := &reasons[at[k]]
		r.First, r.Last = min(r.First, m.Message), max(r.Last, m.Message)
		r.Tests = append(r.Tests, Share{tests[m.Test], 1})
	}
	return reasons, keys
}

func TestSecondImplementationAgrees(t *testing.T) {
	for _, file := range load(t) {
		reasons, keys := reasonsOf(file)
		rand.Shuffle(len(reasons), func(i, j int) { reasons[i], reasons[j] = reasons[j], reasons[i] })
		got := Group(reasons)
		id := map[Key]string{}
		for i, c := range got {
			if i >= len(file.Causes) {
				t.Errorf("%s: a cause too many: %+v", file.Source, c)
				continue
			}
			want := file.Causes[i]
			by := strings.NewReplacer("text", "message", "test", "message").Replace(c.By)
			if c.ID != want.ID || c.Label != want.Label || by != want.By || c.Tests != want.Tests || c.Trials != want.Trials {
				t.Errorf("%s: cause %d:\ngot  %+v\nwant %+v", file.Source, i, c, want)
			}
			for _, k := range c.Keys {
				id[k] = c.ID
			}
		}
		if len(got) < len(file.Causes) {
			t.Errorf("%s: %d causes, want %d", file.Source, len(got), len(file.Causes))
		}
		for i, m := range file.Messages {
			if id[keys[i]] != m.Want {
				t.Errorf("%s: %q: cause %s, want %s", file.Source, m.Message, id[keys[i]], m.Want)
			}
		}
	}
}

// TestLabels measures against people's labels: pairwise F1 over the messages of each file.
func TestLabels(t *testing.T) {
	var both, ours, theirs float64
	for _, file := range load(t) {
		reasons, keys := reasonsOf(file)
		of := map[Key]int{}
		for i, c := range Group(reasons) {
			for _, k := range c.Keys {
				of[k] = i
			}
		}
		for i, a := range file.Messages {
			for j, b := range file.Messages[:i] {
				one, person := of[keys[i]] == of[keys[j]], a.Label == b.Label
				switch {
				case one && person:
					both++
				case one:
					ours++
				case person:
					theirs++
				}
			}
		}
	}
	if f1 := 2 * both / (2*both + ours + theirs); f1 < 0.9 {
		t.Errorf("pairwise F1 is %.3f, want 0.90 at least", f1)
	} else {
		t.Logf("pairwise F1 %.3f", f1)
	}
}
