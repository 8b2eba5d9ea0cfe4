package verdict

import (
	"tribunal/envelope"
	"tribunal/internal/parallel"
)

// shareTexts puts long texts that stand in several conversations, or several times in
// one, into the list of the run, in the order of their first use.
func shareTexts(env *envelope.Envelope, texts []string) {
	with := withConversations(env.Tests)
	if len(with) == 0 {
		return
	}
	sums := parallel.All(len(with), func(n int) []envelope.TextSum {
		var all []envelope.TextSum
		t := &env.Tests[with[n]]
		for i := range t.Transcripts {
			all = append(all, t.Transcripts[i].LongTexts(texts)...)
		}
		return all
	})
	places, first := placesOf(sums)
	env.Texts = make([]string, len(first))
	if len(first) == 0 {
		env.Texts = nil
	}
	place := func(sum envelope.TextSum) (int, bool) {
		at, shared := places[sum]
		return at, shared
	}
	parallel.All(len(with), func(n int) struct{} {
		t := &env.Tests[with[n]]
		own := make([]envelope.Transcript, len(t.Transcripts)) // the run keeps its own
		for i := range t.Transcripts {
			own[i] = t.Transcripts[i].Share(texts, place, func(at int) *string {
				if first[at] == n && env.Texts[at] == "" {
					return &env.Texts[at]
				}
				return nil
			})
		}
		t.Transcripts = own
		return struct{}{}
	})
}

// withConversations are the tests of which conversations are kept.
func withConversations(tests []envelope.Test) (with []int) {
	for i := range tests {
		if len(tests[i].Transcripts) > 0 {
			with = append(with, i)
		}
	}
	return with
}

// placesOf are the places of the texts that stand more than once, and of each the
// test where it stands first.
func placesOf(sums [][]envelope.TextSum) (places map[envelope.TextSum]int, first []int) {
	times := map[envelope.TextSum]int{}
	for _, of := range sums {
		for _, sum := range of {
			times[sum]++
		}
	}
	places = map[envelope.TextSum]int{}
	for n, of := range sums {
		for _, sum := range of {
			if _, known := places[sum]; !known && times[sum] > 1 {
				places[sum] = len(first)
				first = append(first, n)
			}
		}
	}
	return places, first
}
