package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/each"
	"tribunal/internal/jsontext"
)

// The types of lines. A trial has none.
const (
	typeRun    = "run"
	typeTests  = "tests"
	typeStart  = "start"
	typeHeld   = "held"
	typeBeyond = "beyond"
	typeCut    = "cut"
	typeEnded  = "ended"
	typeResume = "resume"
	typeSetup  = "setup"
	typeNote   = "note"
	typeEnd    = "end"
)

// version is the version of the line types that only journals have.
const version = 1

type wireRun struct {
	Type   string `json:"type"`
	Schema string `json:"schema"`
	envelope.Header
	Policy  envelope.Effective `json:"policy"`
	Journal int                `json:"journal"`
	Plan    string             `json:"plan"`
	Seed    int64              `json:"seed"`
	Boot    string             `json:"boot,omitempty"`
}

// wireTrial is a trial as a line has it: in the order of its keys, with labels as an object.
type wireTrial struct {
	envelope.Trial
	Labels      map[string]string     `json:"labels,omitempty"`
	Checks      []envelope.Check      `json:"checks,omitempty"`
	Transcript  []envelope.Turn       `json:"transcript,omitzero"`
	Attachments []envelope.Attachment `json:"attachments,omitempty"`
}

// wireOf returns a trial with redacted texts. Names are not redacted, because resuming
// needs them.
func wireOf(t *envelope.Trial, redact func(string) string) wireTrial {
	w := wireTrial{Trial: *t, Checks: slices.Clone(t.Checks), Transcript: envelope.CloneTurns(t.Transcript),
		Attachments: slices.Clone(t.Attachments)}
	w.StartedAt = t.StartedAt.UTC()
	for _, text := range []*string{&w.ErrorClass, &w.RawStatus, &w.Message, &w.Output} {
		*text = redact(*text)
	}
	for _, l := range t.Labels {
		each.Put(&w.Labels, l.Name, redact(l.Value))
	}
	for i := range w.Checks {
		w.Checks[i].Reason = redact(w.Checks[i].Reason)
	}
	for i := range w.Transcript {
		w.Transcript[i].Edit(redact, assigned(redact))
	}
	for i := range w.Attachments {
		w.Attachments[i].Edit(redact)
	}
	return w
}

// assigned redacts a named value, because the name may show that it is a secret.
func assigned(redact func(string) string) func(name, value string) string {
	return func(name, value string) string {
		shown := redact(value)
		if rest, same := strings.CutPrefix(redact(name+"="+value), name+"="); same && shown == value {
			return rest
		}
		return shown
	}
}

// encode returns the JSON of a line; a long list of tests has several. It rejects names
// that are not UTF-8, because JSON would change them.
func encode(l Line, redact func(string) string) ([][]byte, error) {
	switch l := l.(type) {
	case Tests:
		return encodeTests(l)
	case Start:
		l.At = l.At.UTC()
		return one(typeStart, l.Key, l)
	case Trial:
		return trial("", l.Trial, redact)
	case Held:
		return trial(typeHeld, l.Trial, redact)
	case Beyond:
		return trial(typeBeyond, l.Trial, redact)
	case Cut:
		return one(typeCut, l.Key, l)
	case Ended:
		if !l.How.Known() {
			return nil, fmt.Errorf("test %s: no test ends as %q", l.Key, l.How)
		}
		return one(typeEnded, l.Key, l)
	case Resume:
		l.At = l.At.UTC()
		return one(typeResume, envelope.Key{}, l)
	case Setup:
		l.At = l.At.UTC()
		return one(typeSetup, envelope.Key{}, l)
	case Note:
		if l.Code == "" || l.Message == "" {
			return nil, fmt.Errorf("a note %q without a code or words", l.Code+l.Message)
		}
		return one(typeNote, l.Key, l)
	case End:
		return one(typeEnd, envelope.Key{}, l)
	}
	return nil, fmt.Errorf("a line of type %T", l)
}

func trial(kind string, t *envelope.Trial, redact func(string) string) ([][]byte, error) {
	switch {
	case t == nil || t.Test == "":
		return nil, errors.New("a trial without a test")
	case !t.Attempt.OK:
		return nil, fmt.Errorf("a trial of %s without its attempt", t.Key)
	case t.Status == "" && !t.Score.OK && !t.Category.OK && len(t.Checks) == 0:
		return nil, fmt.Errorf("attempt %d of %s has no status, score, category or checks", t.Attempt.V+1, t.Key)
	}
	return one(kind, t.Key, wireOf(t, redact))
}

func encodeTests(tests Tests) (lines [][]byte, err error) {
	for _, t := range tests {
		if err := checkName(t.Key); err != nil {
			return nil, err
		}
		if t.Test == "" {
			return nil, errors.New("a test without a name")
		}
	}
	for len(tests) > 0 {
		const testsPerLine = 1000
		n := min(len(tests), testsPerLine)
		line, err := one(typeTests, envelope.Key{}, struct {
			Tests Tests `json:"tests"`
		}{tests[:n]})
		if err != nil {
			return nil, err
		}
		lines, tests = append(lines, line...), tests[n:]
	}
	return lines, nil
}

func checkName(k envelope.Key) error {
	for _, name := range []string{k.Suite, k.Test, k.Variant} {
		if !utf8.ValidString(name) {
			return fmt.Errorf("the name %q is not UTF-8; rename it", name)
		}
	}
	return nil
}

// one encodes a line with its type as the first key.
func one(kind string, k envelope.Key, v any) ([][]byte, error) {
	if err := checkName(k); err != nil {
		return nil, err
	}
	text, err := marshal(v)
	if err == nil && kind != "" {
		text = slices.Concat([]byte(`{"type":"`+kind+`",`), text[1:])
	}
	return [][]byte{text}, err
}

func marshal(v any) ([]byte, error) {
	text, err := jsontext.Marshal(v)
	return wire.DisarmJSON(append(text, '\n')), err
}

// typeOf returns the type of a line, which is its first key, or "" for a trial.
func typeOf(text []byte) (string, error) {
	if bytes.HasPrefix(text, []byte(`{"suite":`)) || bytes.HasPrefix(text, []byte(`{"test":`)) {
		return "", nil
	}
	var of struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(text, &of)
	return of.Type, err
}

// decode reads a line after the first. It returns nil for an unknown type.
func decode(text []byte) (Line, error) {
	kind, err := typeOf(text)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "":
		t, err := decodeTrial(text)
		return Trial{t}, err
	case typeHeld:
		t, err := decodeTrial(text)
		return Held{t}, err
	case typeBeyond:
		t, err := decodeTrial(text)
		return Beyond{t}, err
	case typeTests:
		l, err := into[struct{ Tests Tests }](text)
		return l.Tests, err
	case typeStart:
		return into[Start](text)
	case typeCut:
		return into[Cut](text)
	case typeEnded:
		return into[Ended](text)
	case typeResume:
		return into[Resume](text)
	case typeSetup:
		return into[Setup](text)
	case typeNote:
		return into[Note](text)
	case typeEnd:
		return into[End](text)
	case typeRun:
		return nil, errors.New("a journal holds one run, but this line begins another")
	}
	return nil, nil
}

func into[T any](text []byte) (v T, err error) {
	err = json.Unmarshal(text, &v)
	return v, err
}

func decodeTrial(text []byte) (*envelope.Trial, error) {
	w, err := into[wireTrial](text)
	if err != nil {
		return nil, err
	}
	t := &w.Trial
	t.Checks, t.Transcript, t.Attachments = w.Checks, w.Transcript, w.Attachments
	for _, name := range slices.Sorted(maps.Keys(w.Labels)) {
		t.Labels = append(t.Labels, envelope.Label{Name: name, Value: w.Labels[name]})
	}
	if t.Test == "" || !t.Attempt.OK {
		return nil, errors.New("a trial without its test or its attempt")
	}
	return t, nil
}

func decodeHeader(text []byte) (Header, string, error) {
	w, err := into[wireRun](text)
	switch {
	case err != nil || w.Type != typeRun || w.Schema != envelope.TrialSchema || w.Journal == 0:
		return Header{}, "", errors.New("a journal begins with a line of type run; restore the file, or name another journal")
	case w.Journal != version:
		return Header{}, "", fmt.Errorf("this journal has version %d, not %d; use the Tribunal that began the run", w.Journal, version)
	}
	return Header{Run: w.Header, Plan: Plan{Policy: w.Policy, Seed: w.Seed}, Boot: w.Boot}, w.Plan, nil
}
