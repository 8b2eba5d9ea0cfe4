package count

import (
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// mostParts bounds the values of a label that runs are split by: a label with a
// value of its own for every trial would make a run of each.
const mostParts = 100

// split deals trials to a Builder for each value of one label.
type split struct {
	label   string
	parts   map[string]*Builder
	names   map[string]bool // labels seen on trials without this one
	without int             // trials without it
	mixed   int             // trials of recorded tests whose value varies: it was not kept
	more    int             // trials of values beyond mostParts
	headed  bool            // parts have headers of their own
	listed  string          // value of the first test in a list
}

// Part is the trials with one value of the label. If Headed, it has headers of its own.
type Part struct {
	Value   string
	Builder *Builder
	Headed  bool
}

// SplitBy makes the Builder count the trials of each value of a label in a Builder of their own, see Parts; its own
// Run then holds headers, sources and problems alone. By the variant, and by suite or file where that is no label of
// the trial, tests of the parts have none. It must be called before anything is read.
func (b *Builder) SplitBy(label string) {
	b.split = &split{label: label, parts: map[string]*Builder{}, names: map[string]bool{}}
}

// Parts are the values of the label with their trials, in the order of their names.
func (b *Builder) Parts() []Part {
	values := slices.SortedFunc(maps.Keys(b.split.parts), envelope.CompareNames)
	return each.Of(values, func(value string) Part { return Part{value, b.split.parts[value], b.split.headed} })
}

// Unsplit counts the trials in no part: those without the label, those whose
// value an envelope did not keep, and those of more values than it splits.
func (b *Builder) Unsplit() (without, mixed, more int) {
	return b.split.without, b.split.mixed, b.split.more
}

// Listed is the value of the first test that an input lists before its trials, or "".
func (b *Builder) Listed() string { return b.split.listed }

// SplitNames lists what trials without the label asked for have: other labels, and the variant.
func (b *Builder) SplitNames() []string {
	return slices.SortedFunc(maps.Keys(b.split.names), envelope.CompareNames)
}

// part is the Builder of a value, nil when there are too many.
func (s *split) part(of *Builder, value string) *Builder {
	if part, ok := s.parts[value]; ok {
		return part
	}
	if len(s.parts) == mostParts {
		return nil
	}
	part := NewBuilder(of.keep, of.score)
	part.conversations = of.conversations
	secrets := *of.secrets // which takes one trial after the other
	secrets.why = part.reasons.finder(secrets.Redactor)
	part.secrets = &secrets
	s.parts[valid(value)] = part
	return part
}

func (s *split) note(name string) {
	if len(s.names) < mostParts {
		s.names[valid(name)] = true
	}
}

func (in *Input) splitTrial(t *envelope.Trial) {
	s := in.b.split
	dealt, value := *t, in.part
	if value == "" && s.label != envelope.VariantLabel {
		for _, l := range t.Labels {
			s.note(l.Name)
			if l.Name == s.label {
				value = l.Value
			}
		}
	}
	if part := s.own(&dealt.Suite, &dealt.Variant, &dealt.File); part != nil && value == "" {
		value, *part = *part, ""
	}
	in.b.trials++
	in.b.sources[in.list()].Trials++
	if value == "" {
		s.without++
		return
	}
	part := s.part(in.b, value)
	if part == nil {
		s.more++
		return
	}
	in.inputFor(part, value).Trial(&dealt)
}

// own is the part of what a test is called that the label names where no label of the
// trial does: by it, tests of different parts are the same when all else is.
func (s *split) own(suite, variant, file *string) *string {
	if *variant != "" {
		s.note(envelope.VariantLabel)
	}
	switch s.label {
	case envelope.VariantLabel:
		return variant
	case "suite":
		return suite
	case "file":
		return file
	}
	return nil
}

// inputFor is this input's door to a part.
func (in *Input) inputFor(part *Builder, value string) *Input {
	if door, ok := in.doors[value]; ok {
		return door
	}
	door := part.Input(in.name, in.format)
	door.run = in.run
	each.Put(&in.doors, strings.Clone(value), door)
	in.shareHeader(door)
	return door
}

func (in *Input) splitRecorded(run *envelope.Run) {
	s := in.b.split
	sets := map[*Builder]func(int32) int32{}
	for i := range run.Tests {
		t := run.Tests[i]
		value := in.part
		if value == "" && s.label != envelope.VariantLabel {
			value = t.Labels[s.label]
			for name := range t.Labels {
				s.note(name)
			}
		}
		if part := s.own(&t.Suite, &t.Variant, &t.File); part != nil && value == "" {
			value, *part = *part, ""
		}
		switch {
		case in.part == "" && slices.Contains(t.Varies, s.label):
			s.mixed += t.Rows.Len()
			continue
		case value == "":
			s.without += t.Rows.Len()
			continue
		}
		part := s.part(in.b, value)
		if part == nil {
			s.more += t.Rows.Len()
			continue
		}
		if sets[part] == nil {
			sets[part] = in.inputFor(part, value).mergeSources(&run.Header)
			if in.part != "" {
				part.headers, s.headed = append(part.headers, headersOf(&run.Header)...), true
			}
		}
		part.mergeRows(&t, run, sets[part])
		part.trials += t.Rows.Len()
	}
}
