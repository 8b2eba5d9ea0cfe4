package native

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
)

// sink keeps everything it is given, as copies.
type sink struct {
	trials   []envelope.Trial
	headers  []envelope.Header
	policies []*envelope.Carried
	problems []envelope.Problem
}

func (s *sink) Trial(t *envelope.Trial) {
	c := *t
	for _, text := range []*string{&c.Suite, &c.Test, &c.Variant, &c.Run, &c.RawStatus, &c.ErrorClass, &c.Message, &c.Output, &c.File} {
		*text = strings.Clone(*text)
	}
	c.Labels = nil
	for _, l := range t.Labels {
		c.Labels = append(c.Labels, envelope.Label{Name: strings.Clone(l.Name), Value: strings.Clone(l.Value)})
	}
	c.Transcript = envelope.CloneTurns(t.Transcript)
	s.trials = append(s.trials, c)
}

func (s *sink) Header(h envelope.Header, p *envelope.Carried) {
	s.headers, s.policies = append(s.headers, h), append(s.policies, p)
}

func (s *sink) Recorded(*envelope.Recorded) { panic("a trial stream holds no envelope") }

func (s *sink) Problem(p envelope.Problem) { s.problems = append(s.problems, p) }

// told is the problems in short: severity, code, line:column, count.
func (s *sink) told() []string {
	var out []string
	for _, p := range s.problems {
		text := fmt.Sprintf("%s %s %d:%d", p.Severity, p.Code, p.Line, p.Column)
		if p.Count > 0 {
			text += fmt.Sprintf(" x%d", p.Count)
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// readText reads a stream from memory.
func readText(text string) *sink {
	s := &sink{}
	if err := Read(strings.NewReader(text), s); err != nil {
		panic(err) // memory does not fail
	}
	return s
}
