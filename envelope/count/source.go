package count

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// sourceSets numbers the sets of sources that delivered a trial, nearly all of
// them sets of one. Set 0 is the first source alone.
type sourceSets struct {
	sets [][]int32
	ids  map[string]int32
	of   []int32 // number+1 of the set of one source, by source
}

func (s *sourceSets) single(source int32) int32 {
	for int(source) >= len(s.of) {
		s.of = append(s.of, 0)
	}
	if s.of[source] == 0 {
		s.of[source] = s.id([]int32{source}) + 1
	}
	return s.of[source] - 1
}

func (s *sourceSets) id(set []int32) int32 {
	set = slices.Sorted(slices.Values(set))
	var name []byte
	for _, v := range set {
		name = append(strconv.AppendInt(name, int64(v), 36), ' ')
	}
	if id, ok := s.ids[string(name)]; ok {
		return id
	}
	id := int32(len(s.sets))
	s.sets = append(s.sets, set)
	s.ids[string(name)] = id
	return id
}

// union is the set of all. A source that delivered the trial more than once is in it twice, however often it did.
func (s *sourceSets) union(ids []int32) int32 {
	times := map[int32]int{}
	for _, id := range ids {
		for _, source := range s.sets[id] {
			times[source]++
		}
	}
	var set []int32
	for source, n := range times {
		for range min(n, 2) {
			set = append(set, source)
		}
	}
	return s.id(set)
}

func (b *Builder) source(input, format string) int32 {
	name := envelope.Source{Input: valid(input), Format: format}
	id, ok := b.byName[name]
	if !ok {
		id = int32(len(b.sources))
		b.sources = append(b.sources, name)
		b.byName[name] = id
	}
	return id
}

// sortSources returns the sources by name, and for each source its place there.
func (b *Builder) sortSources() (sorted []envelope.Source, rank []int32) {
	order := each.Index(len(b.sources))
	slices.SortFunc(order, func(i, j int) int {
		x, y := b.sources[i], b.sources[j]
		return cmp.Or(envelope.CompareNames(x.Input, y.Input), strings.Compare(x.Format, y.Format))
	})
	sorted, rank = make([]envelope.Source, len(order)), make([]int32, len(order))
	for at, i := range order {
		sorted[at], rank[i] = b.sources[i], int32(at)
	}
	return sorted, rank
}

// ranked is the set by place in the sorted list of sources.
func (b *Builder) ranked(id int32) []int {
	set := each.Of(b.sets.sets[id], func(source int32) int { return int(b.rank[source]) })
	slices.Sort(set)
	return set
}

func (b *Builder) countSets(tests []envelope.Test) []int {
	uses := make([]int, len(b.sets.sets))
	for i := range tests {
		rows := tests[i].Rows
		if rows.Len() == 0 {
			continue // of a run without any trial there is no set
		}
		sources := rows.Source()
		if sources == nil {
			uses[0] += rows.Len()
			continue
		}
		for r := range rows.Len() {
			id, _ := sources.At(r)
			uses[id]++
		}
	}
	return uses
}

// numberSets gives every source set its number on the wire: the place of its source in the sorted list, or for a set
// of several its place behind that list. It returns these numbers and the sets of several.
func (b *Builder) numberSets(uses []int) (numbers []int32, shared [][]int) {
	numbers = make([]int32, len(b.sets.sets))
	var several []int
	for id, set := range b.sets.sets {
		if len(set) == 1 {
			numbers[id] = b.rank[set[0]]
		} else if uses[id] > 0 { // else it was a step on the way to a larger set
			several = append(several, id)
		}
	}
	slices.SortFunc(several, func(x, y int) int { return slices.Compare(b.ranked(int32(x)), b.ranked(int32(y))) })
	for i, id := range several {
		numbers[id] = int32(len(b.rank) + i)
		shared = append(shared, b.ranked(int32(id)))
	}
	return numbers, shared
}

func renumber(rows *envelope.Rows, numbers []int32) {
	sources := rows.Source()
	if rows.Len() == 0 || sources == nil && numbers[0] == 0 {
		return
	}
	var out envelope.Column[int32]
	for i := range rows.Len() {
		id, _ := sources.At(i)
		out.Put(i, envelope.Opt[int32]{V: numbers[id], OK: numbers[id] != 0})
	}
	rows.PutSources(out)
}

// Label gives all trials of the input labels, in place of their own of these names. The
// variant goes before the one that a trial has. Where trials are dealt by one of the
// labels, it only names the part. It is called before anything is read.
func (in *Input) Label(labels []envelope.Label) {
	in.given = labels
	for _, l := range labels {
		switch split := in.b.split; {
		case split != nil && split.label == l.Name:
			in.part = l.Value
		case l.Name == envelope.VariantLabel:
			in.variant = l.Value
		}
	}
}

func (in *Input) key(k envelope.Key) envelope.Key {
	if in.variant != "" {
		k.Variant = strings.TrimSpace(in.variant + " " + k.Variant)
	}
	return k
}

func (in *Input) labels(own map[string]string) map[string]string {
	if len(in.given) == 0 {
		return own
	}
	all := maps.Clone(own)
	for _, l := range in.added(nil) {
		each.Put(&all, l.Name, l.Value)
	}
	return all
}

// added are the labels of a trial, and those of the input. The variant and what names the part are none.
func (in *Input) added(own []envelope.Label) []envelope.Label {
	if len(in.given) == 0 {
		return own
	}
	all := slices.DeleteFunc(slices.Clone(own), in.gives)
	for _, l := range in.given {
		if l.Name != envelope.VariantLabel && (in.b.split == nil || l.Name != in.b.split.label) {
			all = append(all, l)
		}
	}
	return all
}

func (in *Input) gives(own envelope.Label) bool {
	return slices.ContainsFunc(in.given, func(l envelope.Label) bool { return l.Name == own.Name })
}

func (in *Input) labelled(t *envelope.Trial) *envelope.Trial {
	if len(in.given) == 0 {
		return t
	}
	out := *t
	out.Key, out.Labels = in.key(t.Key), in.added(t.Labels)
	return &out
}

// labelledRun is a recorded run with the labels of the input. The one that was read stays as
// it is, as its verdicts are checked.
func (in *Input) labelledRun(run *envelope.Run) *envelope.Run {
	if len(in.given) == 0 {
		return run
	}
	out := *run
	out.Header.Labels, out.Header.Headers = in.labels(run.Header.Labels), slices.Clone(run.Header.Headers)
	for i := range out.Header.Headers {
		out.Header.Headers[i].Labels = in.labels(out.Header.Headers[i].Labels)
	}
	out.Tests = slices.Clone(run.Tests)
	for i := range out.Tests {
		t := &out.Tests[i]
		t.Key, t.Labels = in.key(t.Key), in.labels(t.Labels)
		t.Details = slices.Clone(t.Details)
		for j := range t.Details {
			t.Details[j].Labels = in.labels(t.Details[j].Labels)
		}
		t.Varies = slices.DeleteFunc(slices.Clone(t.Varies), func(name string) bool { return in.gives(envelope.Label{Name: name}) })
	}
	return &out
}
