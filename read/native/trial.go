package native

import (
	"math"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

type wrong struct {
	field  field
	at     int
	reason string
}

func (w wrong) text() string { return names[w.field] + ": " + w.reason }

// columns are the fields of a trial and how to read them. A record is malformed if a field
// of its identity cannot be read, because its trial would count for another test.
var columns = [...]struct {
	field    field
	identity bool
	set      func(*envelope.Trial, value) string
}{
	{fieldSuite, true, func(t *envelope.Trial, v value) string { return setText(&t.Suite, v) }},
	{fieldTest, true, func(t *envelope.Trial, v value) string { return setText(&t.Test, v) }},
	{fieldVariant, true, func(t *envelope.Trial, v value) string { return setText(&t.Variant, v) }},
	{fieldAttempt, true, func(t *envelope.Trial, v value) string { return setCount(&t.Attempt, v) }},
	{fieldRun, true, func(t *envelope.Trial, v value) string { return setText(&t.Run, v) }},
	{fieldStatus, true, setStatus},
	{fieldRawStatus, false, setRawStatus},
	{fieldTruth, true, setTruth},
	{fieldScore, false, func(t *envelope.Trial, v value) string { return setNumber(&t.Score, v) }},
	{fieldCategory, false, func(t *envelope.Trial, v value) string { return setCount(&t.Category, v) }},
	{fieldDurationMS, false, func(t *envelope.Trial, v value) string { return setAmount(&t.DurationMS, v) }},
	{fieldSetupMS, false, func(t *envelope.Trial, v value) string { return setAmount(&t.SetupMS, v) }},
	{fieldCostUSD, false, func(t *envelope.Trial, v value) string { return setAmount(&t.CostUSD, v) }},
	{fieldSetupCostUSD, false, func(t *envelope.Trial, v value) string { return setAmount(&t.SetupCostUSD, v) }},
	{fieldTokens, false, func(t *envelope.Trial, v value) string { return setCount(&t.Tokens, v) }},
	{fieldToolCalls, false, func(t *envelope.Trial, v value) string { return setCount(&t.ToolCalls, v) }},
	{fieldErrorClass, false, func(t *envelope.Trial, v value) string { return setText(&t.ErrorClass, v) }},
	{fieldRetry, false, func(t *envelope.Trial, v value) string { return setFlag(&t.Retry, v) }},
	{fieldAdaptive, false, func(t *envelope.Trial, v value) string {
		t.Adaptive.OK = v.kind == 't'
		return setFlag(&t.Adaptive.V, v)
	}},
	{fieldMessage, false, func(t *envelope.Trial, v value) string { return setText(&t.Message, v) }},
	{fieldOutput, false, func(t *envelope.Trial, v value) string { return setText(&t.Output, v) }},
	{fieldFile, false, func(t *envelope.Trial, v value) string { return setText(&t.File, v) }},
	{fieldLine, false, setLine},
	{fieldStartedAt, false, func(t *envelope.Trial, v value) string { return setTime(&t.StartedAt, v) }},
}

// setRawStatus keeps the runner's word if it differs from the status.
func setRawStatus(t *envelope.Trial, v value) string {
	word := ""
	why := setText(&word, v)
	if t.RawStatus == "" && word != string(t.Status) {
		t.RawStatus = word
	}
	return why
}

// setLine reads a line; 0 is unknown.
func setLine(t *envelope.Trial, v value) string {
	line := envelope.Opt[int32]{}
	why := setCount(&line, v)
	t.Line = int(line.V)
	return why
}

// fill makes a trial from a record. malformed is why there is none; left are the fields
// that cannot be read.
func (r *record) fill(t *envelope.Trial, left []wrong) (_ []wrong, malformed *wrong) {
	*t = envelope.Trial{Labels: t.Labels[:0]}
	for i := range columns {
		c := &columns[i]
		if !r.present.has(c.field) {
			continue
		}
		v := r.values[c.field]
		why := c.set(t, v)
		if why == "" {
			continue
		}
		w := wrong{field: c.field, at: v.at, reason: why}
		if c.identity || r.decides(c.field) {
			return left, &w
		}
		left = append(left, w)
	}
	return left, r.incomplete(t)
}

// decides reports whether no other field gives the outcome of the trial.
func (r *record) decides(f field) bool {
	switch f {
	case fieldScore:
		return !r.present.has(fieldStatus)
	case fieldCategory:
		return !r.present.has(fieldStatus) && !r.present.has(fieldScore)
	}
	return false
}

// incomplete returns what the trial lacks, or nil.
func (r *record) incomplete(t *envelope.Trial) *wrong {
	switch {
	case !r.present.has(fieldTest):
		return &wrong{field: fieldTest, at: r.at, reason: "missing; a trial needs the name of its test"}
	case t.Test == "":
		return &wrong{field: fieldTest, at: r.values[fieldTest].at, reason: "empty; a trial needs the name of its test"}
	case r.present&(outcomeFields|1<<fieldChecks) == 0:
		return &wrong{field: fieldStatus, at: r.at,
			reason: "missing; a trial needs one of status, score, category and checks" + r.meant("status")}
	}
	return nil
}

// The set functions return why the value does not fit, or "".

func setText(to *string, v value) string {
	if v.kind != '"' {
		return mismatch(v, "a string")
	}
	*to = v.text
	return ""
}

func setNumber(to *envelope.Opt[float64], v value) string {
	if v.kind != '0' {
		return mismatch(v, "a number")
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil {
		return shorten(v.text) + " is out of range"
	}
	*to = envelope.Some(f)
	return ""
}

func setAmount(to *envelope.Opt[float64], v value) string {
	amount := envelope.Opt[float64]{}
	if why := setNumber(&amount, v); why != "" {
		return why
	}
	if amount.V < 0 {
		return shorten(v.text) + " is negative"
	}
	*to = amount
	return ""
}

// setCount accepts integers from 0, also as 3.0 or 1e3, like JSON Schema.
func setCount[T int32 | int64](to *envelope.Opt[T], v value) string {
	if v.kind != '0' {
		return mismatch(v, "an integer")
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(v.text, 64)
		if ferr == nil && f != math.Trunc(f) {
			return shorten(v.text) + " is not an integer"
		}
		if ferr != nil || math.Abs(f) > 1<<53 {
			return shorten(v.text) + " is out of range"
		}
		n = int64(f)
	}
	if n < 0 {
		return shorten(v.text) + " is negative"
	}
	if int64(T(n)) != n {
		return shorten(v.text) + " is out of range"
	}
	*to = envelope.Some(T(n))
	return ""
}

func setFlag(to *bool, v value) string {
	if v.kind != 't' {
		return mismatch(v, "true or false")
	}
	*to = v.text == "true"
	return ""
}

// The years that fit into nanoseconds since 1970.
const firstYear, lastYear = 1678, 2261

// setTime takes Go's zero time, 0001-01-01, as unknown.
func setTime(to *time.Time, v value) string {
	if v.kind != '"' {
		return mismatch(v, "a string with a date and time")
	}
	var t time.Time
	if t.UnmarshalText([]byte(v.text)) != nil {
		return quoted(v.text) + " is not a time like 2026-03-14T02:00:00Z (RFC 3339)"
	}
	if t.IsZero() {
		return ""
	}
	if y := t.UTC().Year(); y < firstYear || y > lastYear {
		return quoted(v.text) + " is outside the years 1678 to 2261"
	}
	*to = t
	return ""
}

const statusWords = "pass, passed, ok, success, fail, failed, failure, borderline, error, errored, skip, skipped, pending"

func setStatus(t *envelope.Trial, v value) string {
	if v.kind != '"' {
		return mismatch(v, "a string such as pass or fail")
	}
	status, known := envelope.ParseStatus(v.text)
	if !known {
		return suggest.Unknown("status", shorten(v.text), strings.Split(statusWords, ", ")).Error()
	}
	t.Status = status
	if v.text != string(status) {
		t.RawStatus = v.text
	}
	return ""
}

// setTruth accepts words of a status for pass or fail, and categories.
func setTruth(t *envelope.Trial, v value) string {
	if v.kind != '"' && v.kind != '0' {
		return mismatch(v, "pass, fail or a category from 0 to 9")
	}
	truth, known := envelope.ParseTruth(v.text)
	if !known {
		return quoted(v.text) + " is not a label; use pass, fail or a category from 0 to 9"
	}
	t.Truth = truth
	return ""
}

func mismatch(v value, want string) string {
	return want + " is expected, not " + jsontext.KindName(v.kind)
}

// quoted returns a text from the input for a message: short, on one line.
func quoted(s string) string { return words.Quote(s, 60) }

// shorten returns a copy of the start of a text.
func shorten(s string) string { return words.Head(s, 60) }

// labels appends the labels of an object to dst. Numbers and booleans are kept as their
// JSON text. It reports labels that cannot be read.
func (rd *reader) labels(dst []envelope.Label) []envelope.Label {
	v := rd.rec.values[fieldLabels]
	if v.kind != '{' {
		rd.leave(wrong{field: fieldLabels, at: v.at, reason: mismatch(v, "an object of strings")})
		return dst
	}
	for m := range jsontext.Members(rd.text[v.at:v.end], nil) {
		name, label := rd.said.Text(m.Key[1:len(m.Key)-1]), valueOf(m.Raw, &rd.said)
		switch label.at = cap(rd.text) - cap(m.Raw); {
		case label.kind == 0:
		case label.kind == '{' || label.kind == '[':
			rd.leave(wrong{field: fieldLabels, at: label.at, reason: "the label " + quoted(name) + ": " + mismatch(label, "a string")})
		default:
			dst = append(dst, envelope.Label{Name: name, Value: label.text})
		}
	}
	return dst
}
