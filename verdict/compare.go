package verdict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
)

// Differences compares what an envelope said was derived from its trials with what is derived from them now under the
// same policy. Words (reasons, notes) and the last digits of numbers are not compared. Every difference is a problem:
// the numbers of the report are the new ones, and it says so.
func Differences(input string, recorded, now *envelope.Envelope) []envelope.Problem {
	var found []envelope.Problem
	say := func(what string, fields []string) {
		if len(fields) > 0 {
			found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRecorded, Input: input,
				Message: fmt.Sprintf("%s: the trials contradict the recorded %s; the report uses the trials", what, strings.Join(fields, ", "))})
		}
	}
	summary := now.Summary
	if recorded.Summary.Variants == nil { // written before there were any
		summary.Variants = nil
	}
	say("summary", differing(&recorded.Summary, &summary))
	say("gate", slices.DeleteFunc(differing(&recorded.Gate, &now.Gate), func(field string) bool { // tribunal convert writes exit code 0
		return field == "exit_code" && recorded.Gate.ExitCode == gate.ExitOK && recorded.Gate.Status == now.Gate.Status ||
			recorded.Gate.InputErrors < now.Gate.InputErrors // which are shown: another input is missing
	}))
	if recorded.Gate.ExitCode != gate.ExitOK && now.Gate.ExitCode == gate.ExitOK {
		found[len(found)-1].Severity = envelope.SeverityError // a report that was red does not become green unseen
	}
	say("metrics", differingMetrics(recorded.Metrics, now.Metrics))
	if len(recorded.Suites) != len(now.Suites) {
		say("suites", []string{"number"})
	}
	suites := slices.SortedStableFunc(places(recorded.Suites), func(a, b *envelope.Suite) int { return envelope.CompareNames(a.Name, b.Name) })
	for i := range min(len(suites), len(now.Suites)) {
		say(cmp.Or(words.Around("suite ", now.Suites[i].Name), "tests without a suite"), differing(suites[i], &now.Suites[i]))
	}
	tests := slices.SortedStableFunc(places(recorded.Tests), func(a, b *envelope.Test) int { return a.Key.Compare(b.Key) })
	inOrder := 0
	for inOrder < min(len(tests), len(now.Tests)) && tests[inOrder].Key == now.Tests[inOrder].Key {
		inOrder++
	}
	fields := make([][]string, inOrder)
	parallel.Spans(inOrder, spanTests, func(from, to int) {
		for i := from; i < to; i++ {
			fields[i] = differing(tests[i], &now.Tests[i])
		}
	})
	for _, g := range byFields(fields) {
		what := "test " + now.Tests[g.first].Key.RunnerName() + words.If(g.more > 0, " and "+words.Plural(g.more, "other", "others"))
		say(what, fields[g.first])
	}
	if inOrder < len(tests) {
		say("tests", []string{"order"})
	}
	return found
}

// differingTests are tests that differ in the same fields.
type differingTests struct{ first, more int }

// byFields puts tests together by the fields in which they differ: of an envelope of an earlier
// version, which derived a field in another way, that may be all of them.
func byFields(fields [][]string) []*differingTests {
	var groups []*differingTests
	of := map[string]*differingTests{}
	for i, differ := range fields {
		name := strings.Join(differ, ", ")
		switch g := of[name]; {
		case name == "":
		case g != nil:
			g.more++
		default:
			of[name] = &differingTests{first: i}
			groups = append(groups, of[name])
		}
	}
	return groups
}

// places are those of a list. What an earlier version listed byte by byte is
// looked at in the order of today: an order is not a number that trials give.
func places[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

func differingMetrics(recorded, now []envelope.Metric) []string {
	if len(recorded) != len(now) {
		return []string{"number"}
	}
	var names []string
	for i := range now {
		a, b := recorded[i], now[i]
		equal := bytes.Equal(written(a.Params), written(b.Params))
		a.Params, b.Params = nil, nil
		if name := b.Name; !(equal && len(differing(&a, &b)) == 0) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// written is the parameters as an envelope holds them: numbers read back are of another type.
func written(params map[string]any) []byte {
	text, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	return text
}

// prose are the fields that hold text for people, or that follow from the policy and the derived fields beside them.
var prose = map[string]bool{"Reason": true, "Reasons": true, "Note": true, "Rows": true, "Details": true, "Changes": true,
	"MinCoverage": true, "Transcripts": true,
	"Arguments": true,                // those of a branch are shown where a conversation of it was kept
	"Owners":    true, "Owner": true} // of the repository on the day

func differing[T any](recorded, now *T) []string {
	var fields []string
	a, b := reflect.ValueOf(recorded).Elem(), reflect.ValueOf(now).Elem()
	for _, f := range comparedFields(a.Type()) {
		if !same(a.Field(f.index), b.Field(f.index)) {
			fields = append(fields, f.name)
		}
	}
	return fields
}

func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		return !slices.ContainsFunc(comparedFields(a.Type()), func(f comparedField) bool { return !same(a.Field(f.index), b.Field(f.index)) })
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Slice:
		return sameLists(a, b)
	case reflect.Map:
		return sameMaps(a, b)
	case reflect.Float64:
		return sameNumber(a.Float(), b.Float())
	}
	return a.Equal(b)
}

func sameMaps(a, b reflect.Value) bool {
	return a.Len() == b.Len() && !slices.ContainsFunc(a.MapKeys(), func(key reflect.Value) bool {
		other := b.MapIndex(key)
		return !other.IsValid() || !same(a.MapIndex(key), other)
	})
}

func sameLists(a, b reflect.Value) bool {
	switch a.Type().Elem().Kind() {
	case reflect.Float64, reflect.Struct:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Int: // curves, which are the longest
		return slices.Equal(a.Interface().([]int), b.Interface().([]int))
	}
	return a.Len() == 0 && b.Len() == 0 || reflect.DeepEqual(a.Interface(), b.Interface())
}

// sameNumber allows for the last digits, which are others on another kind of processor: some round once where others round twice.
func sameNumber(a, b float64) bool {
	const part, least = 1e-9, 1e-12
	return math.Abs(a-b) <= max(part*max(math.Abs(a), math.Abs(b)), least)
}

// comparedField is a field that holds more than words, and its JSON key.
type comparedField struct {
	index int
	name  string
}

// fieldsOf caches the compared fields of each type.
var fieldsOf sync.Map

func comparedFields(t reflect.Type) []comparedField {
	if known, ok := fieldsOf.Load(t); ok {
		return known.([]comparedField)
	}
	var fields []comparedField
	for i := range t.NumField() {
		if f := t.Field(i); !prose[f.Name] {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields = append(fields, comparedField{i, cmp.Or(key, strings.ToLower(f.Name))})
		}
	}
	fieldsOf.Store(t, fields)
	return fields
}
