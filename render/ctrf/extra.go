package ctrf

import (
	"encoding/json"
	"fmt"

	"tribunal/envelope"
)

// extra is CTRF's place for what it has no word for.
type extra struct {
	Tribunal json.RawMessage `json:"tribunal"`
}

// runFacts are the keys of the json form of an envelope, but its tests.
type runFacts struct {
	Schema   string              `json:"schema"`
	Run      *envelope.RunHeader `json:"run"`
	Policy   *envelope.Effective `json:"policy"`
	Summary  *envelope.Summary   `json:"summary"`
	Metrics  []envelope.Metric   `json:"metrics,omitempty"`
	Suites   []envelope.Suite    `json:"suites,omitempty"`
	Steps    []envelope.Step     `json:"steps,omitempty"`
	Texts    []string            `json:"texts,omitempty"`
	Reasons  []envelope.Reason   `json:"reasons,omitempty"`
	Gate     *envelope.Gate      `json:"gate"`
	Problems []envelope.Problem  `json:"problems,omitempty"`
}

func runExtra(e *envelope.Envelope) json.RawMessage {
	return exact(runFacts{Schema: envelope.Schema, Run: &e.Run, Policy: &e.Policy, Summary: &e.Summary,
		Metrics: e.Metrics, Suites: e.Suites, Steps: e.Steps, Texts: e.Texts, Reasons: e.Reasons, Gate: &e.Gate, Problems: e.Problems})
}

// exactTest is a test whose rows name the reasons of the run.
func exactTest(t *envelope.Test) json.RawMessage {
	rows, err := t.Rows.AppendInRun(nil)
	if err != nil {
		return exact(t)
	}
	return exact(struct {
		*envelope.Test
		Rows json.RawMessage `json:"rows"`
	}{t, rows})
}

// exact is a value as it is read back, in plain ASCII: hostile characters are
// there, but as escapes that nothing obeys. Numbers that JSON has no form for
// (NaN, infinities) would fail it; then it says what is missing.
func exact(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"incomplete": err.Error()})
	}
	return ascii(b)
}

// ascii escapes, in JSON, everything beyond ASCII, DEL, and the # of commands
// for build servers. These occur in strings only.
func ascii(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, r := range string(b) {
		switch {
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r >= 0x7f, r == '#':
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, byte(r))
		}
	}
	return out
}
