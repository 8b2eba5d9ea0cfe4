package native

import (
	"math"

	"tribunal/internal/decimal"
	"tribunal/internal/jsontext"
)

// valueKind is what a field of a trial holds.
type valueKind uint8

const (
	foreign valueKind = iota // nothing of a trial
	aText
	aCount   // from 0 to what 31 bits hold
	aLarge   // from 0 to what 63 bits hold
	anAmount // from 0
	aNumber
	aFlag
	someLabels
)

// counts reports whether it is a whole number from 0 on, measures whether it is
// any other number.
func (k valueKind) counts() bool   { return k == aCount || k == aLarge }
func (k valueKind) measures() bool { return k == anAmount || k == aNumber }

var kinds = [fieldCount]valueKind{
	fieldSchema: aText, fieldType: aText, fieldSuite: aText, fieldTest: aText, fieldVariant: aText, fieldAttempt: aCount, fieldRun: aText,
	fieldStatus: aText, fieldRawStatus: aText, fieldTruth: aText, fieldScore: aNumber, fieldCategory: aCount, fieldDurationMS: anAmount, fieldSetupMS: anAmount,
	fieldCostUSD: anAmount, fieldSetupCostUSD: anAmount, fieldTokens: aLarge, fieldToolCalls: aCount, fieldErrorClass: aText, fieldRetry: aFlag,
	fieldMessage: aText, fieldOutput: aText, fieldFile: aText, fieldLine: aCount, fieldStartedAt: aText, fieldLabels: someLabels,
}

// values are the values of one record.
type values struct {
	met     fields              // named at all
	present fields              // other than null
	texts   [fieldCount]stretch // what is between the quotes; of labels, the JSON text
	counts  [fieldCount]int64   // a flag is 0 or 1
	amounts [fieldCount]float64
	labels  []rawLabel
}

// read reads the value of a field and returns the offset behind it, -1 for one
// that is to be looked at with care.
func (v *values) read(m *jsontext.Text, p int, f field) (end int) {
	text := m.Bytes
	if text[p] == ' ' {
		p = blanks(text, p)
	}
	if text[p] == 'n' {
		return word(text, p, "null")
	}
	v.present |= 1 << f
	switch kinds[f] {
	case aText:
		return v.readText(m, p, f)
	case aCount:
		return v.readCount(text, p, f, math.MaxInt32)
	case aLarge:
		return v.readCount(text, p, f, math.MaxInt64)
	case anAmount:
		if text[p] == '-' {
			return -1
		}
		v.amounts[f], end = decimal.Real(text, p)
		return end
	case aNumber:
		v.amounts[f], end = decimal.Real(text, p)
		return end
	case aFlag:
		if v.counts[f] = 0; text[p] == 't' {
			v.counts[f] = 1
			return word(text, p, "true")
		}
		return word(text, p, "false")
	}
	v.labels, end = rawLabels(m, p, v.labels[:0])
	if end > 0 {
		v.texts[f] = stretch{uint32(p), uint32(end)}
	}
	return end
}

func (v *values) readText(m *jsontext.Text, p int, f field) (end int) {
	if m.Bytes[p] != '"' {
		return -1
	}
	if end = m.Closing(p + 1); end < 0 {
		return -1
	}
	v.texts[f] = stretch{uint32(p + 1), uint32(end)}
	return end + 1
}

func (v *values) readCount(text []byte, p int, f field, most int64) (end int) {
	if v.counts[f], end = decimal.Whole(text, p); v.counts[f] < 0 || v.counts[f] > most {
		return -1
	}
	return end
}

// word passes over a word.
func word(text []byte, p int, w string) (end int) {
	if end = p + len(w); end <= len(text) && string(text[p:end]) == w {
		return end
	}
	return -1
}
