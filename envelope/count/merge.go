package count

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/words"
)

// Run finishes counting: it sorts the trials of each test, merges duplicates and resolves
// conflicts, as the effective policy says. Do not use the Builder afterwards.
func (b *Builder) Run(onConflict string, keepDetails int) *envelope.Run {
	run := &envelope.Run{Header: resumeHeader(mergeHeaders(b.headers), b.resumedHeader)}
	run.Header.Sources, b.rank = b.sortSources()
	found := collisions{conflicts: map[[2]int]int{}, replaced: map[[2]int]int{}, duplicates: map[[2]int]int{}, repeated: map[[2]int]int{}}
	run.Tests = b.settleAll(onConflict, keepDetails, &found)
	run.Steps, run.Reasons = b.numberSteps(run.Tests), b.numberReasons(run.Tests)
	if len(run.Tests) > 0 {
		uses := b.countSets(run.Tests)
		numbers, shared := b.numberSets(uses)
		run.Header.SharedSources = shared
		for i := range run.Tests {
			renumber(run.Tests[i].Rows, numbers)
		}
		b.countDuplicates(uses, &found)
	}
	b.report(&found, run.Header.Sources, onConflict)
	b.reportRepaired(run.Tests)
	if len(b.headers) > 1 {
		b.checkPlans(run)
	}
	if len(run.Header.Headers) > 1 && (b.split == nil || !b.split.headed) && strings.Contains(run.Header.Commit, ", ") {
		b.problems.add(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeHeaders, Stage: envelope.StageCount,
			Message: "inputs come from different commits: " + run.Header.Commit})
	}
	elsewhere := func(t *envelope.Test) bool { return len(t.Endings) > 0 && t.Endings[0].Elsewhere && t.Rows.Len() == 0 }
	if b.everyShard && len(run.Header.Headers) == 0 && envelope.AnyTest(run.Tests, elsewhere) {
		b.problems.add(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodePlanned, Stage: envelope.StageCount,
			Message: "only one of several shards is here: find the other journals, or name the file of this one"})
	}
	b.restore(run)
	run.Problems = b.problems.list()
	return run
}

func (b *Builder) settleAll(onConflict string, keepDetails int, found *collisions) []envelope.Test {
	order := b.keyOrder()
	tests, rows := make([]envelope.Test, len(order)), make([]envelope.Rows, len(order))
	// Rows lie in the order of the tests, in which all that follows goes through them. Where tests
	// have many, rows of tests that arrived side by side stay so, or each is fetched from afar.
	const few = 8
	lay, at := order, func(i, _ int) int { return i }
	if b.arrivals.count > few*len(order) {
		lay, at = slices.Sorted(slices.Values(order)), func(_, n int) int { return n }
	}
	eachTest(order, func(i, n int) {
		tl := b.tests[n]
		tests[i] = envelope.Test{Key: tl.Key, File: tl.file, Line: tl.line, Rows: &rows[at(i, n)]}
		tl.end = &tests[i]
		tl.details.prune(keepDetails, b.rowsOf(tl))
		tl.conversations.prune(b.conversations, b.rowsOf(tl))
	})
	l := b.arrivals.rowsByTest(rows, lay)
	if b.arrivals.insides() {
		eachTest(order, func(i, n int) { b.putInsides(tests[i].Rows, l.rows(at(i, n))) })
	}
	settled := make([]bool, len(order))
	eachTest(order, func(i, n int) {
		settled[i] = b.settleInOrder(b.tests[n], keepDetails, func(arrival int) int { return l.row(at(i, n), arrival) })
	})
	for i, n := range order {
		if !settled[i] {
			b.settle(b.tests[n], onConflict, keepDetails, found, func(arrival int) int { return l.row(at(i, n), arrival) })
		}
	}
	if endings := b.endings(func(n uint32) *envelope.Rows { return b.tests[n].end.Rows }); endings != nil {
		eachTest(order, func(i, n int) { tests[i].Endings = envelope.JoinEndings(endings[uint32(n)]) })
	}
	return tests
}

// eachTest works on several tests in parallel, in their order.
func eachTest(order []int, do func(i, n int)) {
	const stretch = 256
	parallel.Spans(len(order), stretch, func(from, to int) {
		for i := from; i < to; i++ {
			do(i, order[i])
		}
	})
}

// keyOrder is the numbers of the tests in the order of their keys. It sorts suites first and
// then their tests, because the names of one suite are close together in memory, and names
// beside numbers, because a comparison through the tests waits for memory four times.
func (b *Builder) keyOrder() []int {
	type suite struct {
		name     string
		from, to int // its tests in the order; to is where its next one goes
	}
	numbers, of := map[string]int{}, make([]uint32, len(b.tests))
	var suites []suite
	for n, tl := range b.tests {
		at, ok := numbers[tl.Suite]
		if !ok {
			at = len(suites)
			numbers[tl.Suite], suites = at, append(suites, suite{name: tl.Suite})
		}
		of[n] = uint32(at)
		suites[at].to++
	}
	sorted := each.Index(len(suites))
	slices.SortFunc(sorted, func(i, j int) int { return envelope.CompareNames(suites[i].name, suites[j].name) })
	begin := 0
	for _, at := range sorted {
		s := &suites[at]
		s.from, s.to, begin = begin, begin, begin+s.to
	}
	type named struct {
		test   string
		number int
	}
	names, order := make([]named, len(b.tests)), make([]int, len(b.tests))
	for n, at := range of {
		names[suites[at].to] = named{b.tests[n].Test, n}
		suites[at].to++
	}
	const stretches = 64
	parallel.Spans(len(suites), 1+len(suites)/stretches, func(from, to int) {
		for _, s := range suites[from:to] {
			slices.SortFunc(names[s.from:s.to], func(x, y named) int {
				if c := envelope.CompareNames(x.test, y.test); c != 0 {
					return c
				}
				return envelope.CompareNames(b.tests[x.number].Variant, b.tests[y.number].Variant)
			})
			for i := s.from; i < s.to; i++ {
				order[i] = names[i].number
			}
		}
	})
	return order
}

// collisions counts trials with the same (run, attempt), by pair of sources.
type collisions struct {
	conflicts, replaced, duplicates map[[2]int]int
	repeated                        map[[2]int]int // by the input that repeats others
}

// settleInOrder handles rows that come in canonical order, as nearly all do, and reports whether these do.
func (b *Builder) settleInOrder(tl *tally, keep int, row func(arrival int) int) bool {
	if tl.merged != nil && (tl.end.Rows.Len() > 0 || !inOrder(tl.merged)) {
		return false
	}
	before := b.join(tl)
	if !inOrder(tl.end.Rows) {
		return false
	}
	tl.finish(keep, func(arrival int) int { return rowAfter(arrival, before, row) })
	return true
}

// settle puts the rows of one test in canonical order. row maps an arrival to its row.
func (b *Builder) settle(tl *tally, onConflict string, keep int, found *collisions, row func(arrival int) int) {
	before := b.join(tl)
	place := func(arrival int) int { return rowAfter(arrival, before, row) }
	if !inOrder(tl.end.Rows) {
		places := b.sort(tl, onConflict, found)
		place = func(arrival int) int { return places[rowAfter(arrival, before, row)] }
	}
	tl.finish(keep, place)
}

// finish sets what does not depend on other tests, and frees memory. place maps an arrival to its final row.
func (tl *tally) finish(keep int, place func(arrival int) int) {
	tl.end.Details, tl.end.DetailsClear = tl.details.settle(keep, place)
	tl.details = detailKeeper{}
	tl.end.Transcripts, tl.end.ConversationsClear = tl.conversations.settle(place)
	tl.conversations = nil
	tl.settleLabels()
}

// sort sorts rows, merges duplicates and resolves conflicts. It returns the final place of
// each row, -1 for a removed one.
func (b *Builder) sort(tl *tally, onConflict string, found *collisions) (place []int) {
	rows := tl.end.Rows
	order := canonical(rows)
	place = make([]int, len(order))
	kept := make([]int, 0, len(order))
	var sources envelope.Column[int32]
	for at := 0; at < len(order); {
		end := at + 1
		for end < len(order) && rows.SamePosition(order[at], order[end]) {
			end++
		}
		b.clashed = b.clashed || b.secrets.unpublished && end > at+1
		group := b.distinct(rows, order[at:end])
		if len(group) > 1 {
			group = b.resolve(group, onConflict, place, found)
		}
		for _, g := range group {
			for _, row := range g.arrivals {
				place[row] = len(kept)
			}
			sources.Put(len(kept), envelope.Opt[int32]{V: g.sources, OK: g.sources != 0})
			kept = append(kept, g.arrivals[0])
		}
		at = end
	}
	all := rows.Columns()
	picked := all.Pick(kept)
	picked.Source = sources
	tl.end.Rows = picked.Rows()
	if onConflict == envelope.ConflictReplace && !inOrder(tl.end.Rows) { // a run began with a trial that is gone
		again := b.sort(tl, onConflict, found)
		for i, at := range place {
			if at >= 0 {
				place[i] = again[at]
			}
		}
	}
	return place
}

// delivered is one trial and the equal rows it arrived as.
type delivered struct {
	arrivals []int
	sources  int32
}

// distinct merges equal rows of one position. group is sorted.
func (b *Builder) distinct(rows *envelope.Rows, group []int) []delivered {
	var out []delivered
	for start := 0; start < len(group); {
		end := start + 1
		for end < len(group) && sameContent(rows, group[start], group[end]) {
			end++
		}
		out = append(out, delivered{arrivals: group[start:end], sources: b.sourcesOf(rows, group[start:end])})
		start = end
	}
	return out
}

func (b *Builder) sourcesOf(rows *envelope.Rows, arrivals []int) int32 {
	first, _ := rows.Source().At(arrivals[0])
	if len(arrivals) == 1 {
		return first
	}
	ids := make([]int32, len(arrivals))
	for i, arrival := range arrivals {
		ids[i], _ = rows.Source().At(arrival)
	}
	return b.sets.union(ids)
}

// resolve handles different trials with the same (run, attempt).
func (b *Builder) resolve(group []delivered, onConflict string, place []int, found *collisions) []delivered {
	if onConflict != envelope.ConflictReplace {
		for _, d := range group[1:] {
			found.conflicts[b.pair(group[0], d)]++
		}
		return group
	}
	last := slices.MaxFunc(group, func(x, y delivered) int {
		return cmp.Or(cmp.Compare(slices.Max(b.sets.sets[x.sources]), slices.Max(b.sets.sets[y.sources])),
			cmp.Compare(slices.Max(x.arrivals), slices.Max(y.arrivals)))
	})
	for _, d := range group {
		if d.arrivals[0] == last.arrivals[0] {
			continue
		}
		found.replaced[b.pair(d, last)]++
		for _, arrival := range d.arrivals {
			place[arrival] = -1
		}
	}
	return []delivered{last}
}

func (b *Builder) pair(x, y delivered) [2]int {
	i, j := b.ranked(x.sources)[0], b.ranked(y.sources)[0]
	return [2]int{min(i, j), max(i, j)}
}

// countDuplicates counts duplicates by the first source of a trial and each further one.
func (b *Builder) countDuplicates(uses []int, found *collisions) {
	repeats := map[int]bool{} // by place in the sorted list of sources
	for id := range b.repeating {
		repeats[int(b.rank[id])] = true
	}
	for id, n := range uses {
		if n == 0 || len(b.sets.sets[id]) == 1 {
			continue
		}
		set := b.ranked(int32(id))
		if i := slices.IndexFunc(set, func(at int) bool { return repeats[at] }); i >= 0 && len(set) == 2 && repeats[set[0]] != repeats[set[1]] {
			found.repeated[[2]int{set[i], set[i]}] += n
			continue
		}
		for _, other := range set[1:] {
			found.duplicates[[2]int{set[0], other}] += n
		}
	}
}

// report makes one problem of each pair of inputs with collisions.
func (b *Builder) report(found *collisions, sources []envelope.Source, onConflict string) {
	severity := envelope.SeverityWarning
	if onConflict == envelope.ConflictError {
		severity = envelope.SeverityError
	}
	b.reportPairs(found.duplicates, sources, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeDuplicate,
		Stage: envelope.StageCount},
		"%s delivered more than once %s: counted once")
	b.reportPairs(found.repeated, sources, envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeDuplicate,
		Stage: envelope.StageCount},
		"%s %s have inputs of their own as well: counted once")
	b.reportPairs(found.conflicts, sources, envelope.Problem{Severity: severity, Code: envelope.CodeConflict, Stage: envelope.StageCount},
		"%s %s: same test, run and attempt as another trial, but different content, so all count; give each process its own \"run\"")
	b.reportPairs(found.replaced, sources, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeReplaced},
		"%s %s: same test, run and attempt as another trial, but different content: the last input won")
}

func (b *Builder) reportPairs(pairs map[[2]int]int, sources []envelope.Source, p envelope.Problem, format string) {
	for of, n := range pairs {
		where := "in " + sources[of[0]].Input + words.If(of[0] != of[1], " and "+sources[of[1]].Input)
		p.Count, p.Message = n, fmt.Sprintf(format, words.Plural(n, "trial", "trials"), where)
		b.problems.add(p)
	}
}

// distinctPolicies has each policy once. A policy that asks for exactly what another input was
// judged under is the same.
func distinctPolicies(ps []envelope.Carried) []envelope.Carried {
	text := func(c envelope.Carried) string {
		if c.Held != nil {
			return textOf(c.Held)
		}
		return textOf(c.Asked)
	}
	out := slices.Clone(ps)
	var files []string // which do not make policies differ
	for i := range out {
		files = append(files, setFile(&out[i], ""))
	}
	place := func(c envelope.Carried) string { return text(c) + map[bool]string{true: " asked"}[c.Held == nil] }
	slices.SortFunc(out, func(a, b envelope.Carried) int { return strings.Compare(place(a), place(b)) })
	out = slices.CompactFunc(out, func(a, b envelope.Carried) bool { return text(a) == text(b) })
	if len(out) == 1 {
		setFile(&out[0], sideBySide(files))
	}
	return out
}

// setFile replaces the file name of a policy, in a copy, and returns the old one.
func setFile(c *envelope.Carried, name string) (was string) {
	if c.Held != nil {
		held := *c.Held
		was, held.Config = held.Config, name
		c.Held = &held
		return was
	}
	asked := *c.Asked
	was, asked.Config = asked.Config, name
	c.Asked = &asked
	return was
}
