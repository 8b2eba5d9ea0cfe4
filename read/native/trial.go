package native

import "tribunal/envelope"

// wrong is a field that cannot be read and why.
type wrong struct {
	field  field
	at     int
	reason string
}

func (w wrong) text() string { return names[w.field] + ": " + w.reason }

// columns say how each field of a trial is read. A field of the identity makes
// the whole record malformed when it cannot be read: without it, the trial
// would count for another test.
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
		t.Adaptive.OK = v.kind == kindBool
		return setFlag(&t.Adaptive.V, v)
	}},
	{fieldMessage, false, func(t *envelope.Trial, v value) string { return setText(&t.Message, v) }},
	{fieldOutput, false, func(t *envelope.Trial, v value) string { return setText(&t.Output, v) }},
	{fieldFile, false, func(t *envelope.Trial, v value) string { return setText(&t.File, v) }},
	{fieldLine, false, setLine},
	{fieldStartedAt, false, func(t *envelope.Trial, v value) string { return setTime(&t.StartedAt, v) }},
}

// setRawStatus keeps the runner's word when the status is not that word itself.
func setRawStatus(t *envelope.Trial, v value) string {
	word := ""
	why := setText(&word, v)
	if t.RawStatus == "" && word != string(t.Status) {
		t.RawStatus = word
	}
	return why
}

// setLine takes line 0 as unknown.
func setLine(t *envelope.Trial, v value) string {
	line := envelope.Opt[int32]{}
	why := setCount(&line, v)
	t.Line = int(line.V)
	return why
}

// fill makes a trial of a record. malformed says why there is none; left are
// the fields that the trial comes without.
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

// decides reports whether the field alone says how the trial ended.
func (r *record) decides(f field) bool {
	switch f {
	case fieldScore:
		return !r.present.has(fieldStatus)
	case fieldCategory:
		return !r.present.has(fieldStatus) && !r.present.has(fieldScore)
	}
	return false
}

// incomplete says what a trial cannot do without.
func (r *record) incomplete(t *envelope.Trial) *wrong {
	switch {
	case !r.present.has(fieldTest):
		return &wrong{field: fieldTest, at: r.at, reason: "missing; a trial needs the name of its test"}
	case t.Test == "":
		return &wrong{field: fieldTest, at: r.values[fieldTest].at, reason: "empty; a trial needs the name of its test"}
	case r.present&(outcomeFields|1<<fieldChecks) == 0:
		return &wrong{field: fieldStatus, at: r.at, reason: "missing; a trial needs one of status, score, category and checks" + r.meant("status")}
	}
	return nil
}
