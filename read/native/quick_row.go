package native

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/decimal"
	"tribunal/internal/jsontext"
)

// row adds a row to a batch for the values of a record.
type row struct {
	values values
	tests  tests
	named  *knownTest               // the test of the record, if its names are where they were the last time
	words  map[string]envelope.Word // by their JSON text
	trial  envelope.Trial           // the texts of a trial that did not pass
	facts  []byte                   // file, line and labels of the record
	said   jsontext.Said            // strings that had escapes
}

// add adds the trial of the record to a batch. It returns false to give up.
func (r *row) add(m *jsontext.Part, to *count.Batch) bool {
	v := &r.values
	if !r.isNamed() || v.present&outcomeFields == 0 || !v.marked(m.B) {
		return false
	}
	status, raw, ok := v.status(m.B)
	if !ok {
		return false
	}
	truth, ok := v.truth(m.B)
	if !ok {
		return false
	}
	started, ok := v.started(m.B)
	if !ok {
		return false
	}
	r.said.Reset()
	test := r.test(m, to)
	n := to.Add(test.ref, envelope.GivenOf(status))
	r.numbers(n, &to.Rows)
	if truth != "" {
		to.Rows.Truth.Set(n, truth)
	}
	if started.OK {
		to.Rows.StartedAt.Set(n, started.V)
	}
	r.word(&to.Rows.Run, n, v.text(m.B, fieldRun), to)
	r.word(&to.Rows.RawStatus, n, raw, to)
	r.word(&to.Rows.ErrorClass, n, v.text(m.B, fieldErrorClass), to)
	r.describe(m, test, to)
	if status != envelope.Pass {
		r.explain(m, test, status, to)
	} else if v.present.has(fieldLabels) {
		to.Passed(&test.passed, r.labels)
	}
	return true
}

func (r *row) isNamed() bool {
	v := &r.values
	if r.named != nil {
		return r.named.given == v.present&nameFields
	}
	return v.present.has(fieldTest) && v.texts[fieldTest].begin < v.texts[fieldTest].end
}

// text returns the part between the quotes of a string, nil if it is absent.
func (v *values) text(text []byte, f field) []byte {
	if v.present.has(f) {
		return text[v.texts[f].begin:v.texts[f].end]
	}
	return nil
}

// marked reports whether type and schema of the record, if any, are those of a trial.
func (v *values) marked(text []byte) bool {
	kind, schema := v.text(text, fieldType), v.text(text, fieldSchema)
	return (!v.present.has(fieldType) || string(kind) == typeTrial) && (!v.present.has(fieldSchema) || string(schema) == envelope.TrialSchema)
}

// status returns how the trial ended, and the runner's own word if it differs.
func (v *values) status(text []byte) (status envelope.Status, raw []byte, ok bool) {
	word := v.text(text, fieldStatus)
	switch string(word) {
	case "pass":
		status = envelope.Pass
	case "fail":
		status = envelope.Fail
	case "error":
		status = envelope.Error
	case "skip":
		status = envelope.Skip
	default:
		if status, ok = envelope.ParseStatus(jsontext.InPlace(word)); !ok && v.present.has(fieldStatus) {
			return "", nil, false
		}
		raw = word
	}
	if own := v.text(text, fieldRawStatus); len(raw) == 0 && string(own) != string(status) {
		raw = own
	}
	return status, raw, bytes.IndexByte(raw, '\\') < 0
}

func (v *values) truth(text []byte) (truth envelope.Status, ok bool) {
	if !v.present.has(fieldTruth) {
		return "", true
	}
	truth = envelope.Status(v.text(text, fieldTruth))
	return truth, truth == envelope.Pass || truth == envelope.Fail
}

// started returns when the trial started, absent for Go's zero time.
func (v *values) started(text []byte) (ns envelope.Opt[int64], ok bool) {
	if !v.present.has(fieldStartedAt) {
		return ns, true
	}
	var t time.Time
	if t.UnmarshalText(v.text(text, fieldStartedAt)) != nil {
		return ns, false
	}
	if t.IsZero() {
		return ns, true
	}
	year := t.UTC().Year()
	return envelope.Some(t.UnixNano()), year >= firstYear && year <= lastYear
}

func (r *row) numbers(n int, rows *envelope.Columns) {
	v := &r.values
	if v.present.has(fieldAttempt) {
		rows.Attempt.Set(n, int32(v.counts[fieldAttempt]))
	}
	if v.present.has(fieldScore) {
		rows.Score.Set(n, v.amounts[fieldScore])
	}
	if v.present.has(fieldCategory) {
		rows.Category.Set(n, int32(v.counts[fieldCategory]))
	}
	if v.present.has(fieldDurationMS) {
		rows.DurationMS.Set(n, v.amounts[fieldDurationMS])
	}
	if v.present.has(fieldSetupMS) {
		rows.SetupMS.Set(n, v.amounts[fieldSetupMS])
	}
	if v.present.has(fieldCostUSD) {
		rows.CostUSD.Set(n, v.amounts[fieldCostUSD])
	}
	if v.present.has(fieldSetupCostUSD) {
		rows.SetupCost.Set(n, v.amounts[fieldSetupCostUSD])
	}
	if v.present.has(fieldTokens) {
		rows.Tokens.Set(n, v.counts[fieldTokens])
	}
	if v.present.has(fieldToolCalls) {
		rows.ToolCalls.Set(n, int32(v.counts[fieldToolCalls]))
	}
	if v.present.has(fieldRetry) && v.counts[fieldRetry] == 1 {
		rows.Retry.Set(n)
	}
}

func (r *row) word(column *envelope.Words, n int, raw []byte, to *count.Batch) {
	if len(raw) == 0 {
		return
	}
	w, known := r.words[string(raw)]
	if !known {
		w = to.Word(r.said.Text(raw))
		r.words[string(raw)] = w
	}
	column.Set(n, w)
}

func (r *row) test(m *jsontext.Part, to *count.Batch) *knownTest {
	if r.named != nil {
		r.tests.last = r.named
		return r.named
	}
	v := &r.values
	return r.tests.find(v, m, func() (count.TestRef, bool) {
		return to.Test(envelope.Key{Suite: r.said.Text(v.text(m.B, fieldSuite)), Test: r.said.Text(v.text(m.B, fieldTest)),
			Variant: r.said.Text(v.text(m.B, fieldVariant))})
	})
}

// describe passes on file, line and labels of the test, unless they are those of its last record.
func (r *row) describe(m *jsontext.Part, test *knownTest, to *count.Batch) {
	v := &r.values
	if v.present&(1<<fieldFile|1<<fieldLabels) == 0 {
		return
	}
	line := int64(0)
	if v.present.has(fieldLine) {
		line = v.counts[fieldLine]
	}
	file := v.text(m.B, fieldFile)
	r.facts = binary.AppendUvarint(append(append(r.facts[:0], file...), '"'), uint64(line))
	r.facts = append(r.facts, v.text(m.B, fieldLabels)...)
	if bytes.Equal(test.facts, r.facts) {
		return
	}
	test.facts, test.passed = append(test.facts[:0], r.facts...), envelope.Opt[int64]{}
	to.Describe(test.ref, r.said.Text(file), int(line), r.labels())
}

// explain passes on the texts of a trial that did not pass.
func (r *row) explain(m *jsontext.Part, test *knownTest, status envelope.Status, to *count.Batch) {
	v := &r.values
	if v.present&(1<<fieldMessage|1<<fieldOutput|1<<fieldLabels|1<<fieldErrorClass) == 0 {
		return
	}
	output := v.text(m.B, fieldOutput)
	r.trial = envelope.Trial{Status: status, Message: r.said.Text(v.text(m.B, fieldMessage)), Labels: r.labels()}
	if !to.LooksAt(&test.ref) {
		r.trial.Output = r.said.FirstLine(output)
	}
	if r.trial.Output == "" || count.Repeats(r.trial.Output, r.trial.Message) {
		r.trial.Output = r.said.Text(output)
	}
	to.Explain(&test.ref, &r.trial)
}

func (r *row) labels() []envelope.Label {
	out := r.trial.Labels[:0]
	if !r.values.present.has(fieldLabels) {
		return out
	}
	for _, l := range r.values.labels {
		switch l.kind {
		case 'n':
		case '"':
			out = append(out, envelope.Label{Name: jsontext.InPlace(l.name), Value: r.said.Text(l.value)})
		default:
			out = append(out, envelope.Label{Name: jsontext.InPlace(l.name), Value: jsontext.InPlace(l.value)})
		}
	}
	r.trial.Labels = out
	return out
}

type valueKind uint8

const (
	notOfTrial valueKind = iota // not a field of a trial
	aText
	aCount   // from 0 to what 31 bits hold
	aLarge   // from 0 to what 63 bits hold
	anAmount // from 0
	aNumber
	aFlag
	someLabels
)

var kinds = [fieldCount]valueKind{
	fieldSchema: aText, fieldType: aText, fieldSuite: aText, fieldTest: aText, fieldVariant: aText, fieldAttempt: aCount, fieldRun: aText,
	fieldStatus: aText, fieldRawStatus: aText, fieldTruth: aText, fieldScore: aNumber, fieldCategory: aCount, fieldDurationMS: anAmount,
	fieldSetupMS: anAmount,
	fieldCostUSD: anAmount, fieldSetupCostUSD: anAmount, fieldTokens: aLarge, fieldToolCalls: aCount, fieldErrorClass: aText,
	fieldRetry:   aFlag,
	fieldMessage: aText, fieldOutput: aText, fieldFile: aText, fieldLine: aCount, fieldStartedAt: aText, fieldLabels: someLabels,
}

type values struct {
	met     fields              // fields named at all
	present fields              // fields with a value other than null
	texts   [fieldCount]stretch // between the quotes; of labels, the JSON text
	counts  [fieldCount]int64   // a flag is 0 or 1
	amounts [fieldCount]float64
	labels  []rawLabel
}

// read reads the value of a field. It returns the offset after it, or -1 to give up.
func (v *values) read(m *jsontext.Part, p int, f field) (end int) {
	text := m.B
	if text[p] == ' ' {
		p = blanks(text, p)
	}
	if text[p] == 'n' {
		return jsontext.Word(text, p, "null")
	}
	v.present |= 1 << f
	switch kinds[f] {
	case aText:
		return v.readText(m, p, f)
	case aCount:
		return v.readCount(text, p, f, math.MaxInt32)
	case aLarge:
		return v.readCount(text, p, f, math.MaxInt64)
	case anAmount, aNumber:
		if text[p] == '-' && kinds[f] == anAmount {
			return -1
		}
		v.amounts[f], end = decimal.Real(text, p)
		return end
	case aFlag:
		if v.counts[f] = 0; text[p] == 't' {
			v.counts[f] = 1
			return jsontext.Word(text, p, "true")
		}
		return jsontext.Word(text, p, "false")
	}
	v.labels, end = rawLabels(m, p, v.labels[:0])
	if end > 0 {
		v.texts[f] = stretch{uint32(p), uint32(end)}
	}
	return end
}

func (v *values) readText(m *jsontext.Part, p int, f field) (end int) {
	if m.B[p] != '"' {
		return -1
	}
	if end = m.String(p); end > 0 {
		v.texts[f] = stretch{uint32(p + 1), uint32(end - 1)}
	}
	return end
}

func (v *values) readCount(text []byte, p int, f field, most int64) (end int) {
	if v.counts[f], end = decimal.Whole(text, p); v.counts[f] < 0 || v.counts[f] > most {
		return -1
	}
	return end
}
