package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tribunal/envelope"
)

// Differences compares what an envelope said was derived from its trials with
// what is derived from them now under the same policy. Words (reasons, notes)
// are not compared. Every difference is a problem: the numbers of the report
// are the new ones, and it says so.
func Differences(input string, recorded, now *envelope.Envelope) []envelope.Problem {
	var found []envelope.Problem
	say := func(what string, fields []string) {
		if len(fields) > 0 {
			found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRecorded, Input: input,
				Message: fmt.Sprintf("%s: recorded %s not what its trials give; the report shows what they give", what, strings.Join(fields, ", "))})
		}
	}
	say("summary", differing(recorded.Summary, now.Summary))
	say("gate", differing(recorded.Gate, now.Gate))
	say("metrics", differingMetrics(recorded.Metrics, now.Metrics))
	if len(recorded.Suites) != len(now.Suites) {
		say("suites", []string{"number is"})
	}
	for i := range min(len(recorded.Suites), len(now.Suites)) {
		say("suite "+now.Suites[i].Name, differing(recorded.Suites[i], now.Suites[i]))
	}
	for i := range recorded.Tests {
		if i >= len(now.Tests) || recorded.Tests[i].Key != now.Tests[i].Key {
			say("tests", []string{"order"})
			break
		}
		say("test "+now.Tests[i].Key.String(), differing(recorded.Tests[i], now.Tests[i]))
	}
	return found
}

// differingMetrics names the metrics that differ, each once.
func differingMetrics(recorded, now []envelope.Metric) []string {
	if len(recorded) != len(now) {
		return []string{"number is"}
	}
	var names []string
	for i := range now {
		a, b := recorded[i], now[i]
		equal := bytes.Equal(written(a.Params), written(b.Params))
		a.Params, b.Params = nil, nil
		if name := b.Name + " is"; !(equal && len(differing(a, b)) == 0) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// written is the parameters as an envelope holds them: numbers read back are of
// another type.
func written(params map[string]any) []byte {
	text, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	return text
}

// words are the fields that hold text for people, or that follow from the
// derived fields beside them.
var words = map[string]bool{"Reason": true, "Reasons": true, "Note": true, "Rows": true, "Details": true, "Changes": true}

// differing names the fields in which two values of one type differ.
func differing(recorded, now any) []string {
	var fields []string
	a, b := reflect.ValueOf(recorded), reflect.ValueOf(now)
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if words[f.Name] || same(a.Field(i), b.Field(i)) {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, strings.TrimSpace(name+" is"))
	}
	return fields
}

func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !words[a.Type().Field(i).Name] && !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Map, reflect.Slice:
		return a.Len() == 0 && b.Len() == 0 || reflect.DeepEqual(a.Interface(), b.Interface())
	}
	return a.Equal(b)
}
