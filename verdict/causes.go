package verdict

import (
	"cmp"
	"slices"

	"tribunal/envelope"
	"tribunal/envelope/cause"
	"tribunal/internal/parallel"
	"tribunal/internal/verdict/parting"
)

// groupCauses says what went wrong in how many tests.
func groupCauses(env *envelope.Envelope) {
	items := slices.ContainsFunc(env.Reasons, func(r envelope.Reason) bool { return len(r.Names) > 0 })
	g := grouping{env: env, names: speakingNames(env, items), items: items, byKey: map[cause.Key]int{}}
	for i := range env.Tests {
		t := &env.Tests[i]
		if t.Trials.Passed == t.Trials.Counted {
			continue
		}
		for row, outcome := range t.Rows.Outcome {
			if outcome == envelope.Failed || outcome == envelope.Errored {
				g.add(i, row)
			}
		}
	}
	g.finish()
}

// grouping collects the reasons of failing trials.
type grouping struct {
	env     *envelope.Envelope
	names   map[string]bool // that are causes
	items   bool            // readers name what went wrong
	reasons []cause.Reason
	first   []place // the first trial of each reason
	byKey   map[cause.Key]int
}

type place struct{ test, row int }

func (g *grouping) add(test, row int) {
	t, named := &g.env.Tests[test], false
	if len(g.names) > 0 {
		eachName(g.env, g.items, t, row, func(name string) {
			if g.names[name] {
				named = true
				g.share(cause.Named(name), "", "", test, row)
			}
		})
	}
	if named {
		return
	}
	id, ok := t.Rows.Reason().At(row)
	if !ok || g.env.Reasons[id].Key == "" {
		g.share(cause.Class(t.Rows.ErrorClass().At(row)), "", "", test, row)
	} else if r := &g.env.Reasons[id]; r.Key != cause.Subtest {
		g.share(r.Key, r.First, r.Largest(), test, row)
	}
}

// share counts a trial for a reason. Tests come in order.
func (g *grouping) share(k cause.Key, first, last string, test, row int) {
	at, known := g.byKey[k]
	if !known {
		at = len(g.reasons)
		g.byKey[k] = at
		g.reasons = append(g.reasons, cause.Reason{Key: k, First: first, Last: last})
		g.first = append(g.first, place{test, row})
	}
	r := &g.reasons[at]
	if first != "" {
		r.First, r.Last = min(r.First, first), max(r.Last, last)
	}
	if n := len(r.Tests); n > 0 && r.Tests[n-1].Test == test {
		r.Tests[n-1].Trials++
		return
	}
	r.Tests = append(r.Tests, cause.Share{Test: test, Trials: 1})
}

func (g *grouping) finish() {
	s := &g.env.Summary
	for i, c := range cause.Group(g.reasons) {
		first := place{test: len(g.env.Tests)}
		for _, k := range c.Keys {
			at := g.byKey[k]
			if p := g.first[at]; cmp.Or(cmp.Compare(p.test, first.test), cmp.Compare(p.row, first.row)) < 0 {
				first = p
			}
			for _, share := range g.reasons[at].Tests {
				addCause(&g.env.Tests[share.Test], c.ID, share.Trials)
			}
		}
		const mostCauses = 50 // how many causes a summary lists
		if i >= mostCauses {
			if s.OtherCauses == nil {
				s.OtherCauses = &envelope.OtherCauses{}
			}
			s.OtherCauses.Causes++
			s.OtherCauses.Trials += c.Trials
			continue
		}
		t := &g.env.Tests[first.test]
		s.Causes = append(s.Causes, envelope.Cause{ID: c.ID, Label: c.Label, By: c.By, Tests: c.Tests, Trials: c.Trials,
			First: envelope.Place{Key: t.Key, Trial: first.row, File: t.File, Line: t.Line}})
	}
	for i := range g.env.Tests {
		if causes := g.env.Tests[i].Causes; len(causes) > 1 {
			slices.SortStableFunc(causes, func(a, b envelope.TestCause) int { return b.Trials - a.Trials })
		}
	}
}

func addCause(t *envelope.Test, id string, trials int) {
	if n := len(t.Causes); n > 0 && t.Causes[n-1].ID == id {
		t.Causes[n-1].Trials += trials
		return
	}
	t.Causes = append(t.Causes, envelope.TestCause{ID: id, Trials: trials})
}

// eachName gives the names of what went wrong in a trial: the items of its reader where it has such, else the failing checks.
func eachName(env *envelope.Envelope, items bool, t *envelope.Test, row int, give func(string)) {
	if items {
		if id, ok := t.Rows.Reason().At(row); ok {
			for _, name := range env.Reasons[id].Names {
				give(name)
			}
		}
		return
	}
	checks := t.Rows.Checks()
	for i := range checks {
		if o := checks[i].At(row); o == envelope.Failed || o == envelope.Errored {
			give(checks[i].Name)
		}
	}
}

// A name is a cause only if its share of the failing trials is so many times that of the passing ones; and where readers
// name finer items, only if not so many failing trials have it, which says nothing.
const timesAsOften, inNearlyEvery = 4, 0.8

// speakingNames are the names that failing trials have and passing ones have not.
func speakingNames(env *envelope.Envelope, items bool) map[string]bool {
	type tally struct{ failing, passing float64 }
	with := map[string]*tally{}
	var all tally
	for i := range env.Tests {
		t := &env.Tests[i]
		all.passing += float64(t.Trials.Passed)
		all.failing += float64(t.Trials.Counted - t.Trials.Passed)
		if !items && len(t.Rows.Checks()) == 0 {
			continue
		}
		for row, outcome := range t.Rows.Outcome {
			if !outcome.Counted() {
				continue
			}
			eachName(env, items, t, row, func(name string) {
				n := with[name]
				if n == nil {
					n = &tally{}
					with[name] = n
				}
				if outcome == envelope.Passed {
					n.passing++
				} else {
					n.failing++
				}
			})
		}
	}
	speaking := map[string]bool{}
	for name, n := range with {
		share := n.failing / max(1, all.failing)
		if n.failing > 0 && share >= timesAsOften*n.passing/max(1, all.passing) && !(items && share >= inNearlyEvery) {
			speaking[name] = true
		}
	}
	return speaking
}

// findDivergence sets where the trials of a test diverge, and which tools go with failures.
func findDivergence(env *envelope.Envelope) {
	if len(env.Steps) == 0 {
		return
	}
	ignore := env.Policy.IgnoreSteps
	table := parting.NewTable(env.Steps, ignore)
	trials := make([][]parting.Trial, len(env.Tests))
	parallel.Spans(len(env.Tests), spanTests, func(from, to int) {
		for i := from; i < to; i++ {
			t := &env.Tests[i]
			trials[i] = trialsWithSteps(t, table)
			t.Parting = table.Of(trials[i], env.Policy.Confidence.V, parting.ArgumentsOf(env, t, ignore))
		}
	})
	uses := parting.NewUses(table)
	for _, of := range trials {
		uses.Add(of)
	}
	env.Summary.StepsUsed = uses.Found()
}

// trialsWithSteps are the counted trials of a test of which the steps are known.
func trialsWithSteps(t *envelope.Test, table *parting.Table) (trials []parting.Trial) {
	if !t.Rows.Steps().Used() {
		return nil
	}
	for i, outcome := range t.Rows.Outcome {
		steps, known := t.Rows.Steps().At(i)
		if !known || !outcome.Counted() {
			continue
		}
		total := int(t.Rows.StepsTotal().Opt(i).Or(int32(len(steps))))
		trials = append(trials, table.Trial(i, steps, total, outcome == envelope.Passed))
	}
	return trials
}
