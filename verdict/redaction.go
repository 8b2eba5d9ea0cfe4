package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/redact"
	"tribunal/internal/words"
)

func checkRedact(p envelope.Policy) error {
	if len(p.RedactPatterns) == 0 && len(p.RedactFields) == 0 {
		return nil
	}
	_, err := redact.New(redactRules(p))
	return err
}

// redactRules leaves out patterns of which only the kind is known.
func redactRules(p envelope.Policy) redact.Rules {
	rules := redact.Rules{Fields: p.RedactFields}
	for _, r := range p.RedactPatterns {
		if r.Pattern != "" {
			rules.Patterns = append(rules.Patterns, redact.Pattern{Kind: r.Kind, Regexp: r.Pattern})
		}
	}
	return rules
}

// redacted takes the secrets out of a run and of its policy, and says what was taken out. The run
// that comes in is not changed; it is what comes back when it holds no secret.
//
// Names decide the order of trials and which of them are the same. When one changed, the run is counted again from what
// is left of it: that is what happens to an envelope that is read back, and reading one back must change nothing.
func redacted(run *envelope.Run, policy envelope.Effective) (*envelope.Run, envelope.Effective, []envelope.Problem, error) {
	if !policy.Redact.Or(true) {
		return run, policy, nil, nil
	}
	r, err := redact.New(redactRules(policy.Policy))
	if err != nil {
		return nil, policy, nil, err
	}
	held := suspects(run, r, len(policy.RedactPatterns) == 0 && len(policy.RedactFields) == 0)
	numbers := numberNames(run, held, r)
	secrets := &runRedactor{name: func(s string) string { return numbers.name(s, r) }, text: r.Text, label: r.Label, only: held}
	secrets.words = secrets.mapWords
	known := append(r.Kinds(), each.Of(policy.RedactPatterns, func(p envelope.RedactPattern) string { return p.Kind })...)
	policy.Policy = secrets.policy(policy.Policy)
	policy.RedactPatterns = edited(secrets, policy.RedactPatterns, func(p *envelope.RedactPattern) {
		if r.Text(p.Pattern) != p.Pattern {
			p.Pattern, p.Kind, secrets.changed = "", cmp.Or(p.Kind, redact.KindPattern), true
		}
	})
	secrets.renamed = false
	run = secrets.whyFailed(secrets.run(run))
	if secrets.renamed {
		run, held = recount(run, policy), nil
	}
	return run, policy, countMarkers(run, policy.Policy, known, held), nil
}

// Hide takes the secrets out of a name that stands beside a sealed run and not in it, under the policy of its envelope.
func Hide(name string, policy envelope.Policy) (string, error) {
	hide, err := Hider(policy)
	if err != nil {
		return "", err
	}
	return hide(name), nil
}

// Hider takes the secrets out of texts, under a policy. It may be called by several goroutines.
func Hider(policy envelope.Policy) (func(string) string, error) {
	if !policy.Redact.Or(true) {
		return func(s string) string { return s }, nil
	}
	r, err := redact.New(redactRules(policy))
	if err != nil {
		return nil, err
	}
	redactors := sync.Pool{New: func() any { return r.Another() }}
	return func(s string) string {
		r := redactors.Get().(*redact.Redactor)
		defer redactors.Put(r)
		return r.Text(s)
	}, nil
}

// suspects marks the tests that hold a secret, or what stands for one: nearly always none. They are found several at a
// time. Under the rules known to all, what was clear when it was counted is not looked at again.
func suspects(run *envelope.Run, r *redact.Redactor, knownToAll bool) []bool {
	tests := run.Tests
	held := make([]bool, len(tests))
	lookers := sync.Pool{New: func() any {
		l := newSecretFinder(r.Another())
		l.texts, l.trusts = run.Texts, knownToAll
		return l
	}}
	parallel.Spans(len(tests), spanTests, func(from, to int) {
		l := lookers.Get().(*secretFinder)
		for i := from; i < to; i++ {
			held[i] = l.suspects(tests[i])
		}
		lookers.Put(l)
	})
	return held
}

// secretFinder looks for secrets in tests and changes none. It keeps its memory from
// test to test, and what it knows of the words they share.
type secretFinder struct {
	runRedactor
	trusts bool // what is clear
	marked bool // whether something stands for a secret in the test
	marks  map[*envelope.Dictionary]bool
}

func newSecretFinder(r *redact.Redactor) *secretFinder {
	l := &secretFinder{marks: map[*envelope.Dictionary]bool{}}
	l.name = func(s string) string { l.check(s); return r.Text(s) }
	l.text = func(s string) string { l.check(s); return r.Again(s) }
	l.label = func(name, value string) string { l.check(value); return r.Label(name, value) }
	l.words = func(w envelope.Words, rows int) envelope.Words {
		d := w.Dictionary()
		if _, known := l.marks[d]; !known {
			l.marks[d] = holdsMarker(d)
		}
		l.marked = l.marked || l.marks[d]
		return l.mapWords(w, rows)
	}
	return l
}

func (l *secretFinder) check(s string) { l.marked = l.marked || redact.HoldsMark(s) }

func (l *secretFinder) suspects(t envelope.Test) bool {
	l.marked, l.changed = false, false
	if l.trusts && t.DetailsClear {
		for _, d := range t.Details {
			l.detailNames(&d)
		}
		t.Details = nil
	}
	if l.trusts && t.ConversationsClear {
		t.Transcripts = nil
	}
	l.tally(&t)
	return l.marked || l.changed
}

// recount counts a run again under the names it has now.
func recount(run *envelope.Run, policy envelope.Effective) *envelope.Run {
	read := *run
	read.Problems = slices.DeleteFunc(slices.Clone(run.Problems), func(p envelope.Problem) bool { return p.Stage != "" })
	b := count.NewBuilder(count.KeepAll, policy.ScoreThreshold.V)
	b.Input("", "").Recorded(&envelope.Recorded{Run: &read})
	out := b.Run(policy.OnConflict, count.KeepAll)
	if len(run.Header.Sources) == 0 {
		out.Header.Sources = run.Header.Sources
	}
	return out
}

// holdsMarker looks at each word once, however many rows have it.
func holdsMarker(d *envelope.Dictionary) bool {
	any := false
	d.Map(func(word string) string {
		any = any || redact.HoldsMark(word)
		return word
	})
	return any
}

// countMarkers counts what stands for secrets, by kind. It counts in the texts as they are now and not while they are
// replaced, so that an envelope that is read back, or merged of others, says the same. A name counts once, however many
// tests or trials carry it. Only some tests are looked at, all when only is nil.
func countMarkers(run *envelope.Run, policy envelope.Policy, known []string, only []bool) []envelope.Problem {
	counts, seen, numbered := map[string]int{}, map[string]bool{}, 0
	text := func(s string) string {
		redact.Markers(s, func(kind string, _ bool) { counts[kind]++ })
		return s
	}
	name := func(s string) string {
		if redact.HoldsMark(s) && !seen[s] {
			seen[s] = true
			text(s)
			has := false // the number of one that differs from others in its secrets alone
			if redact.Markers(s, func(_ string, is bool) { has = has || is }); has {
				numbered++
			}
		}
		return s
	}
	counter := &runRedactor{name: name, text: text, label: func(_, value string) string { return text(value) }, only: only}
	marked := map[*envelope.Dictionary]bool{}
	counter.words = func(w envelope.Words, rows int) envelope.Words {
		any, known := marked[w.Dictionary()]
		if !known {
			any = holdsMarker(w.Dictionary())
			marked[w.Dictionary()] = any
		}
		for i := 0; any && i < rows; i++ {
			name(w.At(i))
		}
		return w
	}
	counter.policy(policy)
	counter.run(run)
	slices.Sort(known)
	var out []envelope.Problem
	for _, kind := range slices.Compact(known) {
		if n := counts[kind]; n > 0 {
			out = append(out, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRedacted, Stage: envelope.StageJudge, Count: n,
				Message: fmt.Sprintf("%s of the kind %s redacted", words.Plural(n, "secret", "secrets"), kind)})
		}
	}
	if numbered > 0 {
		out = append(out, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeNumbered, Stage: envelope.StageJudge,
			Count: numbered,
			Message: fmt.Sprintf("names that differ only in secrets are numbered (%d); another run may number them differently, so keep secrets "+
				"out of names", numbered)})
	}
	return out
}
