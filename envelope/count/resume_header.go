package count

import (
	"cmp"
	"maps"

	"tribunal/envelope"
)

// ResumeHeader says of the run what holds whatever its inputs say: words that are not
// empty stand in place of theirs, labels beside or in place of theirs.
func (b *Builder) ResumeHeader(h envelope.Header) { b.resumedHeader = h }

func resumeHeader(h envelope.RunHeader, said envelope.Header) envelope.RunHeader {
	h.Name, h.ID = cmp.Or(valid(said.Name), h.Name), cmp.Or(valid(said.ID), h.ID)
	h.Commit = cmp.Or(valid(said.Commit), h.Commit)
	h.StartedAt = cmp.Or(normalTime(said.StartedAt), h.StartedAt)
	if said.PlannedTrials.OK {
		h.PlannedTrials = said.PlannedTrials
	}
	if len(said.Labels) > 0 {
		labels := maps.Clone(h.Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		for name, value := range said.Labels {
			labels[valid(name)] = valid(value)
		}
		h.Labels = labels
	}
	return h
}
