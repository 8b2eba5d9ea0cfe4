package native

import (
	"bytes"

	"tribunal/envelope"
)

// Sniff reports whether head, the first bytes of an input, looks like a trial
// stream: some line in it is a trial or a header. The last line may be cut.
func Sniff(head []byte) bool {
	s, rec := &scanner{}, &record{}
	for len(head) > 0 {
		text, rest, ended := bytes.Cut(head, []byte("\n"))
		head = rest
		start, isRecord := begin(text)
		if !isRecord {
			continue
		}
		s.reset(text)
		s.pos = start
		rec.parse(s)
		cut := s.failed && !ended && s.fault.at >= len(text)
		if (!s.failed || cut) && rec.ours(cut) {
			return true
		}
	}
	return false
}

// ours reports whether a record belongs to this format. Of a record that is cut
// before what would prove it, three fields of ours and none of others are proof
// enough.
func (r *record) ours(cut bool) bool {
	if r.foreign() != nil {
		return false
	}
	if r.present.has(fieldSchema) && r.values[fieldSchema].text == envelope.TrialSchema {
		return true
	}
	if r.kind() == typeRun {
		return r.met&headerFields&^markFields != 0
	}
	if r.kind() != typeTrial {
		return false // a line of an envelope has a test and a status, too
	}
	if r.otherwiseTyped() {
		return false // by the names of its fields it can be read all the same
	}
	checked := r.present.has(fieldChecks) && r.values[fieldChecks].kind == kindArray
	if r.present.has(fieldTest) && (checked || r.present&outcomeFields != 0) {
		return true
	}
	const few = 3
	return cut && len(r.unknown) == 0 && r.met&^trialFields == 0 && r.met.count() >= few
}

// numberFields hold numbers in this format.
var numberFields = setOf(fieldAttempt, fieldScore, fieldCategory, fieldDurationMS, fieldSetupMS, fieldCostUSD, fieldSetupCostUSD, fieldTokens, fieldToolCalls)

// otherwiseTyped reports whether the record has the names of this format, and a number
// for a test or texts for numbers, as programs write them that know no types.
func (r *record) otherwiseTyped() bool {
	if r.present.has(fieldTest) && r.values[fieldTest].kind == kindNumber {
		return true
	}
	for f := range fieldCount {
		if numberFields.has(f) && r.present.has(f) && r.values[f].kind == kindString {
			return true
		}
	}
	return false
}
