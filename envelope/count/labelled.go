package count

import (
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
)

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

// key is the key of a test with the variant of the input.
func (in *Input) key(k envelope.Key) envelope.Key {
	if in.variant != "" {
		k.Variant = strings.TrimSpace(in.variant + " " + k.Variant)
	}
	return k
}

// labels are the labels of a trial, and those of the input.
func (in *Input) labels(own map[string]string) map[string]string {
	if len(in.given) == 0 {
		return own
	}
	all := maps.Clone(own)
	for _, l := range in.added(nil) {
		if all == nil {
			all = map[string]string{}
		}
		all[l.Name] = l.Value
	}
	return all
}

// added are the labels of a trial, and those of the input. The variant and what names the
// part are none.
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

// gives reports whether the input gives another value of a label.
func (in *Input) gives(own envelope.Label) bool {
	return slices.ContainsFunc(in.given, func(l envelope.Label) bool { return l.Name == own.Name })
}

// labelled is a trial with the labels of the input.
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
