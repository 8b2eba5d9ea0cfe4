package read

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// described is all that a reader said: a line for each trial, header and problem, with the
// fields that are not empty, and below a trial what is inside of it.
func described(s *readtest.Sink) string {
	var b strings.Builder
	for i, h := range s.Headers {
		describe(&b, "", "header", h)
		if s.Policies[i] != nil {
			policy, _ := json.Marshal(s.Policies[i])
			fmt.Fprintf(&b, "  policy %s\n", policy)
		}
	}
	for _, t := range s.Trials {
		line := fmt.Sprintf("trial %s #%d %s", onOneLine(t.Key.String()), t.Attempt.Or(-1), t.Status)
		if strings.Count(t.Key.String(), "/") > 1 || strings.Contains(t.Suite+t.Test, " [") || t.Suite == "" && strings.Contains(t.Test, "/") {
			line += fmt.Sprintf(" Suite=%q Test=%q", t.Suite, t.Test) // the key alone may be read in two ways
		}
		t.Key, t.Attempt, t.Status = envelope.Key{}, envelope.Opt[int32]{}, ""
		describe(&b, "", line, t)
	}
	if s.Reports > 0 {
		fmt.Fprintf(&b, "%d reports of ours\n", s.Reports)
	}
	for _, p := range s.Problems {
		line := fmt.Sprintf("%s %s %d:%d: %s", p.Severity, p.Code, p.Line, p.Column, onOneLine(p.Message))
		p.Severity, p.Code, p.Line, p.Column, p.Message = "", "", 0, 0, ""
		describe(&b, "", line, p)
	}
	return b.String()
}

// describe writes the fields of a struct that say anything: on the line what is short, and
// below it the rest.
func describe(b *strings.Builder, indent, line string, value any) {
	v, below := reflect.ValueOf(value), []func(){}
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if !v.Type().Field(i).IsExported() || f.IsZero() || isAbsent(f.Interface()) {
			continue
		}
		switch f.Kind() {
		case reflect.Slice:
			if f.Type().Elem().Kind() != reflect.Struct {
				line += fmt.Sprintf(" %s=%q", name, f.Interface())
				continue
			}
			below = append(below, func() {
				for n := range f.Len() {
					describe(b, indent+"  ", strings.ToLower(strings.TrimSuffix(name, "s")), f.Index(n).Interface())
				}
			})
		default:
			if text := scalar(f.Interface()); len(text) <= 60 || indent != "" {
				line += " " + name + "=" + text
			} else {
				below = append(below, func() { fmt.Fprintf(b, "%s  %s=%s\n", indent, name, text) })
			}
		}
	}
	fmt.Fprintln(b, indent+strings.TrimRight(line, " "))
	for _, write := range below {
		write()
	}
}

func isAbsent(value any) bool {
	opt, is := value.(interface{ IsZero() bool })
	return is && opt.IsZero()
}

func scalar(value any) string {
	switch v := reflect.ValueOf(value); {
	case v.Type() == reflect.TypeFor[time.Time]():
		return value.(time.Time).UTC().Format(time.RFC3339Nano)
	case v.Kind() == reflect.Struct: // envelope.Opt
		return fmt.Sprint(v.Field(0).Interface())
	case v.Kind() == reflect.String:
		return quoted(v.String())
	}
	return fmt.Sprint(value)
}

// quoted is a text, of a long one the beginning and what tells it from others.
func quoted(text string) string {
	const long = 400
	if len(text) <= long {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%q… of %d bytes, %.4x", text[:long], len(text), sha256.Sum256([]byte(text)))
}

// onOneLine is a text on one line.
func onOneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return quoted(s)
	}
	return s
}
