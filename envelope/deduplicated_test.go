package envelope

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

const spoken = `{"trial":3,"turns":[{"role":"system","text":"%[1]s"},{"role":"assistant","text":"%[2]d","reasoning":"%[1]s"}]}`

func conversation(prompt string, n int) []Turn {
	return []Turn{{Role: RoleSystem, Text: prompt}, {Role: RoleAssistant, Text: fmt.Sprint(n), Reasoning: prompt}}
}

// A prompt that came before is kept beside the conversation, which says the same.
func TestRepeatedTextsAreKeptOnce(t *testing.T) {
	var r Repeated
	prompt := strings.Repeat("Ask \n\"first\". ", 100)
	quoted := strings.Repeat(`Ask \n\"first\". `, 100)
	for n := range 3 {
		tr := r.Transcript(3, conversation(strings.Clone(prompt), n))
		if got, want := string(tr.AppendJSON(nil)), fmt.Sprintf(spoken, quoted, n); got != want {
			t.Errorf("conversation %d: %s\nwant %s", n, got, want)
		}
		if turns := tr.Turns(nil); turns[0].Text != prompt || turns[1].Reasoning != prompt || turns[1].Text != fmt.Sprint(n) {
			t.Errorf("conversation %d: %v", n, turns)
		}
		alone := NewTranscript(3, conversation(prompt, n))
		if tr.Compare(&alone) != 0 {
			t.Errorf("conversation %d differs from itself", n)
		}
		if first, last := tr.long[0], tr.long[1]; (first.from < first.to) != (n == 0) || last.from < last.to {
			t.Errorf("conversation %d: %+v", n, tr.long)
		}
	}
}

// What a place was given stands as its number, wherever the text is kept.
func TestRepeatedTextsAreShared(t *testing.T) {
	var r Repeated
	prompt := strings.Repeat("x", LeastShared)
	for n := range 2 {
		tr, texts := r.Transcript(3, conversation(prompt, n)), make([]string, 8)
		shared := tr.Share(nil, func(TextSum) (int, bool) { return 7, true }, func(at int) *string { return &texts[at] })
		want := fmt.Sprintf(strings.ReplaceAll(spoken, `"%[1]s"`, "%[1]s"), `{"text_ref":7}`, n)
		if got := string(shared.AppendJSON(nil)); got != want || texts[7] != prompt || shared.MostRef() != 8 {
			t.Errorf("conversation %d: %s, text %q", n, got, texts[7])
		}
		if got, want := string(tr.AppendJSON(nil)), fmt.Sprintf(spoken, prompt, n); got != want {
			t.Errorf("conversation %d was changed: %s", n, got)
		}
	}
}

// Texts are forgotten when there are many, which nothing that was packed notices; and
// what is packed on one core is read on another.
func TestManyRepeatedTexts(t *testing.T) {
	var r Repeated
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for n := range mostRepeated + 2 {
				prompt := fmt.Sprintf("%0*d", LeastShared, n)
				tr := r.Transcript(3, conversation(prompt, n))
				if n%1000 == 0 {
					if got, want := string(tr.AppendJSON(nil)), fmt.Sprintf(spoken, prompt, n); got != want {
						t.Errorf("conversation %d: %s", n, got)
					}
				}
			}
		})
	}
	all.Wait()
	if len(r.by) > mostRepeated {
		t.Errorf("%d texts are remembered", len(r.by))
	}
}
