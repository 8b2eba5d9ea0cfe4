package gate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/suggest"
	"tribunal/reliability"
)

// hidden are keys of a test that dot paths cannot use, such as its trials.
var hidden = []string{"-", "rows", "details", "transcripts"}

// path is a list of names (strings) and numbers (ints). It is not joined, because names of labels may have dots and digits.
type path []any

var plainName = regex.Of(`\A[A-Za-z_][A-Za-z0-9_]*\z`)

// String returns the path as a gate has it: a.b, a.b[5] or a["b.c"].
func (p path) String() string {
	var b strings.Builder
	for i, part := range p {
		name, isName := part.(string)
		switch {
		case !isName:
			fmt.Fprintf(&b, "[%v]", part)
		case i == 0:
			b.WriteString(name)
		case plainName().MatchString(name):
			b.WriteString("." + name)
		default:
			fmt.Fprintf(&b, "[%q]", name)
		}
	}
	return b.String()
}

func (p path) names() []string { return each.Of(p, func(part any) string { return fmt.Sprint(part) }) }

// whole is the value of a path that stands for 100 %: 100 or 1, and 0 for a number that is no rate.
func (p path) whole() float64 {
	switch names := p.names(); {
	case names[0] == "reliability" && !slices.Contains(names, "runs"):
		return 100
	case names[0] == "metrics" && len(names) > 1 && !slices.ContainsFunc(reliability.Metrics(), func(m reliability.Metric) bool {
		return strings.HasPrefix(names[1], m.Name) && slices.Contains(m.Params, "w")
	}), slices.Contains(names, "rate") && slices.Contains([]string{"value", "lo", "hi"}, names[len(names)-1]) &&
		!slices.Contains(names, "score"):
		return 1
	}
	return 0
}

// target is a dot path and a value of its type. If it ends in .*, open checks the
// rest of the path of a gate. A * in the middle matches any one name.
type target struct {
	path string
	zero any
	open func(head, rest path) error
}

// covers reports whether a path matches the target, and for an open target where the open part of the path starts.
func (t target) covers(p path) (open int, ok bool) {
	names := strings.Split(t.path, ".")
	if len(p) < len(names) {
		return 0, false
	}
	for i, name := range names {
		if name == "*" && i == len(names)-1 {
			return i, true
		}
		if name == "*" {
			if _, isName := p[i].(string); !isName {
				return 0, false
			}
			continue
		}
		if p[i] != any(name) {
			return 0, false
		}
	}
	return len(p), len(p) == len(names)
}

// exclusionClasses are the classes of excluded trials. A gate on another class would always hold or never, so it is rejected.
var exclusionClasses = []string{
	string(envelope.Skip), envelope.ClassInfrastructure, envelope.ClassPreValidation, envelope.ClassEmptyRun,
	envelope.ClassIdleTimeout, envelope.ClassCostLimit, envelope.ClassErrorRate,
}

func checkClass(head, rest path) error {
	if len(rest) == 1 && slices.Contains(exclusionClasses, fmt.Sprint(rest[0])) {
		return nil
	}
	err := suggest.Unknown("class of excluded trials", strings.Join(rest.names(), "."), exclusionClasses)
	return fmt.Errorf("%w (a name with a dash is written %s)", err, append(slices.Clone(head), envelope.ClassIdleTimeout))
}

// checkLabel accepts any one name. A label is never a number or an object.
func checkLabel(head, rest path) error {
	if _, isName := rest[0].(string); isName && len(rest) == 1 {
		return nil
	}
	whole := strings.Join(rest.names(), ".")
	return fmt.Errorf("%s is not a label; did you mean %s[%q]?", append(slices.Clone(head), rest...), head, whole)
}

func testTargets() []target { return targets(reflect.TypeFor[envelope.Test](), "") }

func names(ts []target) []string { return each.Of(ts, func(t target) string { return t.path }) }

func walk(v reflect.Value, names []string) (any, bool) {
	v, ok := present(v)
	if !ok || len(names) == 0 {
		return leaf(v, ok)
	}
	switch v.Kind() {
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Struct {
			if of := v.MapIndex(reflect.ValueOf(names[0])); of.IsValid() {
				return walk(of, names[1:])
			}
			return nil, false
		}
		return entry(v, strings.Join(names, "."))
	case reflect.Struct:
		if f, ok := fieldOf(v, names[0]); ok {
			return walk(f, names[1:])
		}
	}
	return nil, false
}

// present dereferences pointers and Opts.
func present(v reflect.Value) (reflect.Value, bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return v, false
		}
		v = v.Elem()
	}
	if isOpt(v.Type()) {
		return v.FieldByName("V"), v.FieldByName("OK").Bool()
	}
	return v, true
}

func isOpt(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Opt[")
}

func leaf(v reflect.Value, ok bool) (any, bool) {
	if !ok {
		return nil, false
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Struct, reflect.Slice, reflect.Map:
		causes, ok := v.Interface().([]envelope.Cause)
		return len(causes), ok // number of listed causes
	}
	return v.Interface(), true
}

// entry returns a value of a map. A missing count of a known class is 0; any other missing value is absent.
func entry(m reflect.Value, name string) (any, bool) {
	if v := m.MapIndex(reflect.ValueOf(name)); v.IsValid() {
		return v.Interface(), true
	}
	if m.Type().Elem().Kind() == reflect.Int && slices.Contains(exclusionClasses, name) {
		return 0, true
	}
	return nil, false
}

func fieldOf(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if in, ok := fieldOf(v.Field(i), key); ok {
				return in, true
			}
			continue
		}
		if jsonKey(f) == key && !slices.Contains(hidden, key) {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func jsonKey(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// targets lists the paths that walk can follow from a type.
func targets(t reflect.Type, prefix string) []target {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isOpt(t) {
		t = t.Field(0).Type
	}
	switch t.Kind() {
	case reflect.Map:
		if t.Elem().Kind() == reflect.Struct {
			return targets(t.Elem(), prefix+".*")
		}
		check := checkLabel
		if t.Elem().Kind() == reflect.Int {
			check = checkClass
		}
		return []target{{prefix + ".*", reflect.Zero(t.Elem()).Interface(), check}}
	case reflect.Slice:
		if t == reflect.TypeFor[[]envelope.Cause]() {
			return []target{{path: prefix, zero: 0}}
		}
		return nil
	case reflect.Struct:
		return fieldTargets(t, prefix)
	case reflect.String:
		return []target{{path: prefix, zero: ""}}
	}
	return []target{{path: prefix, zero: reflect.Zero(t).Interface()}}
}

func fieldTargets(t reflect.Type, prefix string) []target {
	var out []target
	for i := range t.NumField() {
		f := t.Field(i)
		switch key := jsonKey(f); {
		case f.Anonymous:
			out = append(out, fieldTargets(f.Type, prefix)...)
		case slices.Contains(hidden, key) || key == "":
		case prefix == "":
			out = append(out, targets(f.Type, key)...)
		default:
			out = append(out, targets(f.Type, prefix+"."+key)...)
		}
	}
	return out
}

// runTargets lists the dot paths into the run.
func runTargets() []target {
	return append(targets(reflect.TypeFor[envelope.Summary](), "summary"), target{"metrics.*", 0.0, checkMetric},
		target{path: "run.name", zero: ""}, target{path: "run.id", zero: ""}, target{path: "run.commit", zero: ""},
		target{path: "run.planned_trials", zero: int64(0)}, target{path: "run.setup_ms", zero: 0.0},
		target{path: "run.setup_cost_usd", zero: 0.0}, target{"run.labels.*", "", checkLabel})
}

// metricSides are the suffixes of names of metrics, for the value and the bounds of its interval.
var metricSides = []string{"", "_lo", "_hi"}

// checkMetric checks the name of a metric, and that it has a k if and only if needed.
func checkMetric(head, rest path) error {
	var known, bounds []string
	for _, m := range reliability.Metrics() {
		for _, side := range metricSides {
			if rest[0] == any(m.Name+side) {
				return checkK(append(slices.Clone(head), rest[0]), rest[1:], slices.Contains(m.Params, "k"))
			}
			bounds = append(bounds, m.Name+side)
		}
		known = append(known, m.Name)
	}
	if near := suggest.Near(fmt.Sprint(rest[0]), bounds); len(near) > 0 {
		known = near
	}
	return suggest.Unknown("metric", fmt.Sprint(rest[0]), known)
}

func checkK(metric, rest path, has bool) error {
	switch {
	case !has && len(rest) == 0:
		return nil
	case !has:
		return fmt.Errorf("%s has no k: write %s alone", metric, metric)
	case len(rest) == 1:
		if k, isNumber := rest[0].(int); isNumber && k >= 1 {
			return nil
		}
	}
	return fmt.Errorf("%s needs a k of 1 or more: write, for example, %s[4]", metric, metric)
}

// runValue returns the value of a path into the run. A metric is metrics.NAME, or
// metrics.NAME[k] with a k. Its bounds are metrics.NAME_lo and metrics.NAME_hi.
func runValue(e *envelope.Envelope, p path) (any, bool) {
	names := p.names()
	switch names[0] {
	case "summary":
		v, ok := walk(reflect.ValueOf(e.Summary), names[1:])
		if other := e.Summary.OtherCauses; other != nil && names[1] == "causes" {
			v = v.(int) + other.Causes
		}
		return v, ok
	case "run":
		return walk(reflect.ValueOf(e.Run), names[1:])
	}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		if m.Variant != "" || !slices.Equal(metricK(m), names[2:]) {
			continue
		}
		for j, v := range []envelope.Opt[float64]{m.Value, m.Lo, m.Hi} {
			if names[1] == m.Name+metricSides[j] {
				return v.V, v.OK
			}
		}
	}
	return nil, false
}

// metricK returns the part of a path after the name of the metric.
func metricK(m *envelope.Metric) []string {
	if k, ok := m.Params["k"]; ok {
		return []string{fmt.Sprint(k)}
	}
	return nil
}
