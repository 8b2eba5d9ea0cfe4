// Package why finds what goes wrong in a test, as every report shows it.
package why

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/cause"
	"tribunal/internal/words"
)

// FailedCheck stands before the name of a check, which alone says what should be.
const FailedCheck = "failed check: "

// Named is the name of what went wrong, of a check with FailedCheck before it.
func Named(t *envelope.Test, name string) string {
	_, check := t.Checks[name]
	return words.If(check, FailedCheck) + name
}

// FailedChecks are the checks that a trial failed, each with its reason: those of which
// something is known that its message does not say.
func FailedChecks(t *envelope.Test, d *envelope.Detail) (all []string) {
	for _, name := range t.CheckNames() {
		reason, c := d.Reasons[name], t.Rows.Checks().Of(name)
		if reason == "" || strings.Contains(d.Message, reason) || c == nil {
			continue
		}
		if o := c.At(d.Trial); o == envelope.Failed || o == envelope.Errored {
			all = append(all, name+": "+reason)
		}
	}
	return all
}

// Reason is one reason of a test's failures, and how many of its trials have it.
type Reason struct {
	Trials  int
	Rows    []int  // of these trials, from 0 on; none where the reason is a named cause
	Class   string // of the error, where it has one
	Message string // the line that speaks, or what several have in common; empty without one
	Varies  bool   // the trials have different messages
	Detail  *envelope.Detail
	Example *envelope.Detail // of a trial with a named cause
	name    string           // of that cause
}

// Text is the reason in words.
func (w *Reason) Text() string {
	return cmp.Or(strings.TrimSuffix(strings.TrimPrefix(w.Class+": "+w.Message, ": "), ": "), "no message")
}

// Whole is the message as the trial gave it, and the reason in words where none was kept.
func (w *Reason) Whole() string {
	if w.Detail != nil && strings.TrimSpace(w.Detail.Message) != "" {
		return w.Detail.Message
	}
	return w.Message
}

// Spoken are the reasons of a test without those of which nothing is known. Where no
// trial counts, its verdict says more than all but what the trials said themselves.
func Spoken(e *envelope.Envelope, t *envelope.Test) []Reason {
	return slices.DeleteFunc(All(e, t), func(w Reason) bool {
		if t.Trials.Counted == 0 {
			return w.Detail == nil || strings.TrimSpace(w.Detail.Message) == ""
		}
		return w.Message == "" && w.Class == "" && (w.Detail == nil || strings.TrimSpace(w.Detail.Output) == "")
	})
}

// All are the reasons of the failing trials of a test, the most frequent first, or where
// no trial counts, of those that are excluded or skipped. Each has the message of the first trial
// whose texts were kept.
func All(e *envelope.Envelope, t *envelope.Test) []Reason {
	type group struct {
		reason int32
		class  string
	}
	var all []Reason
	at := map[group]int{}
	known := map[string]bool{} // causes that have a name
	for _, c := range e.Summary.Causes {
		for _, of := range t.Causes {
			if c.By == "name" && of.ID == c.ID {
				known[c.Label] = true
				all = append(all, Reason{Trials: of.Trials, Message: Named(t, c.Label), name: c.Label})
			}
		}
	}
	where := func(row int) int {
		reason, ok := t.Rows.Reason().At(row)
		if !ok {
			reason = -1
		}
		g := group{reason, t.Rows.ErrorClass().At(row)}
		i, seen := at[g]
		if !seen {
			i = len(all)
			at[g] = i
			all = append(all, Reason{Class: g.class})
			if reason >= 0 {
				all[i].Message = cause.Line(e.Reasons[reason].First)
			}
		}
		return i
	}
	says := func(row int) bool {
		o := t.Rows.Outcome[row]
		return (o == envelope.Failed || o == envelope.Errored || t.Trials.Counted == 0) && !hasNamed(e, t, row, known)
	}
	for row := range t.Rows.Outcome {
		if says(row) {
			w := &all[where(row)]
			w.Trials, w.Rows = w.Trials+1, append(w.Rows, row)
		}
	}
	kept := map[int]int{} // details by reason
	for i := range t.Details {
		d := &t.Details[i]
		if d.Trial < 0 || d.Trial >= len(t.Rows.Outcome) {
			continue
		}
		if !says(d.Trial) {
			for k := range all {
				if w := &all[k]; w.name != "" && w.Example == nil && hasNamed(e, t, d.Trial, map[string]bool{w.name: true}) {
					w.Example = d
				}
			}
			continue
		}
		i, line := where(d.Trial), cause.Line(cause.ReasonText(d.Message, d.Output))
		kept[i]++
		w := &all[i]
		w.Varies = w.Varies || w.Detail != nil && line != "" && line != w.Message
		if w.Detail == nil {
			w.Detail = d
			if line != "" {
				w.Message = line
			}
			if names := FailedChecks(t, d); w.Message == "" && len(names) > 0 {
				w.Message = FailedCheck + strings.Join(names, "; ")
			}
		}
	}
	for g, i := range at {
		if w := &all[i]; g.reason >= 0 && w.Trials > 1 {
			r := &e.Reasons[g.reason]
			if w.Varies = w.Varies || kept[i] < w.Trials && r.Largest() != r.First; w.Varies {
				w.Message = (&cause.Reason{Key: r.Key, First: r.First, Last: r.Largest()}).Label()
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return b.Trials - a.Trials })
	return all
}

func hasNamed(e *envelope.Envelope, t *envelope.Test, row int, named map[string]bool) bool {
	if len(named) == 0 {
		return false
	}
	if reason, ok := t.Rows.Reason().At(row); ok &&
		slices.ContainsFunc(e.Reasons[reason].Names, func(name string) bool { return named[name] }) {
		return true
	}
	return slices.ContainsFunc(t.Rows.Checks(), func(c envelope.CheckColumn) bool {
		o := c.At(row)
		return named[c.Name] && (o == envelope.Failed || o == envelope.Errored)
	})
}

// Unusable counts what is wrong in an input: errors, or else the warnings that a strict policy does not accept.
func Unusable(n int, problems []envelope.Problem) string {
	if slices.ContainsFunc(problems, func(p envelope.Problem) bool { return p.Severity == envelope.SeverityError }) {
		return words.Plural(n, "error", "errors") + " in the input"
	}
	return words.Plural(n, "warning", "warnings") + " in the input under --strict"
}
