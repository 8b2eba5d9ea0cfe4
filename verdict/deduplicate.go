package verdict

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/internal/redact"
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

func withConversations(tests []envelope.Test) (with []int) {
	for i := range tests {
		if len(tests[i].Transcripts) > 0 {
			with = append(with, i)
		}
	}
	return with
}

// placesOf are the places of the texts that stand more than once, and of each the test where it stands first.
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

// numbering keeps names apart that differ in their secrets alone. A marker says nothing of its secret, so that two such
// names would be one: of two tests one would be made, of two trials a trial delivered twice. These are numbered, and
// only these, so that a name is the same in every run that has one of them.
type numbering map[string]int

// roles are what names are the names of. Names of different things may be the same.
type role int

const (
	ofSuites role = iota
	ofTests
	ofVariants
	ofRuns
	ofLabels
	ofInputs
	ofHeaders
	ofChecks
	ofTools
	roles
)

// numberNames looks at every name of a run that identifies something; held marks the tests that hold a secret.
func numberNames(run *envelope.Run, held []bool, r *redact.Redactor) numbering {
	seen := [roles]map[string]string{} // what it becomes, by name
	for i := range seen {
		seen[i] = map[string]string{}
	}
	see := func(of role, name string) {
		if _, known := seen[of][name]; !known {
			seen[of][name] = r.Text(name)
		}
	}
	for _, h := range slices.Concat(run.Header.Headers, []envelope.Header{run.Header.Header}) {
		for _, name := range []string{h.Name, h.ID, h.Commit} {
			see(ofHeaders, name)
		}
	}
	for _, s := range run.Header.Sources {
		see(ofInputs, s.Input)
	}
	for _, s := range run.Steps {
		see(ofTools, s.Name)
	}
	for i := range run.Tests {
		if !held[i] {
			continue
		}
		t := &run.Tests[i]
		see(ofSuites, t.Suite)
		see(ofTests, t.Test)
		see(ofVariants, t.Variant)
		for row := range t.Rows.Len() {
			see(ofRuns, t.Rows.Run().At(row))
		}
		for name := range t.Labels {
			see(ofLabels, name)
		}
		for _, name := range t.Varies {
			see(ofLabels, name)
		}
		for c := range t.Rows.Checks() {
			see(ofChecks, t.Rows.Checks()[c].Name)
		}
	}
	return numberAlike(seen[:])
}

// numberAlike gives numbers to the names that would be one. Their order is that of their digests
// and not their own, in which a name put there on purpose would halve the room for guesses; it
// depends on nothing but the names, so that the order of inputs does not matter.
func numberAlike(seen []map[string]string) numbering {
	names, meet := map[string]map[string]bool{}, map[string]bool{}
	for _, of := range seen {
		first := map[string]bool{}
		for name, becomes := range of {
			if name == becomes {
				continue
			}
			if names[becomes] == nil {
				names[becomes] = map[string]bool{}
			}
			names[becomes][name] = true
			meet[becomes] = meet[becomes] || first[becomes]
			first[becomes] = true
		}
	}
	out := numbering{}
	for becomes, of := range names {
		if !meet[becomes] {
			continue
		}
		sorted := slices.SortedFunc(maps.Keys(of), func(x, y string) int {
			a, b := sha256.Sum256([]byte(x)), sha256.Sum256([]byte(y))
			return bytes.Compare(a[:], b[:])
		})
		for i, name := range sorted {
			out[name] = i + 1
		}
	}
	return out
}

// name is a name without its secrets, with its number when it has one.
func (n numbering) name(name string, r *redact.Redactor) string {
	shown := r.Text(name)
	if number, ok := n[name]; ok {
		shown = redact.Number(shown, number)
	}
	return shown
}
