package envelope

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestNoCommands: nothing that a build server obeys in a log comes to the wire,
// in any part of an envelope, and what was written reads back as it was.
func TestNoCommands(t *testing.T) {
	for _, s := range []string{"##[error]x", "a ###[group]", "##vso[task]", "##teamcity[x]", "##VSO[", "##", "#", "## Title", "a#b", "#[1]", "####[x"} {
		written := appendString(nil, s)
		if bytes.Contains(written, []byte("##[")) || bytes.Contains(bytes.ToLower(written), []byte("##vso[")) || bytes.Contains(written, []byte("##teamcity[")) {
			t.Errorf("%q is written %s", s, written)
		}
		var back string
		if err := json.Unmarshal(written, &back); err != nil || back != s {
			t.Errorf("%q is read back as %q (%v)", s, back, err)
		}
		if want, _ := json.Marshal(s); !beginsCommand(s) && !strings.Contains(s, "##[") && !bytes.Equal(written, want) {
			t.Errorf("%q is written %s for no reason", s, written)
		}
		if disarmed := DisarmJSON([]byte(`{"` + s + `":1}`)); string(disarmed) != `{`+string(written)+`:1}` {
			t.Errorf("%q is disarmed to %s", s, disarmed)
		}
	}
	const bad = "##[error]"
	e := &Envelope{Run: RunHeader{Header: Header{Name: bad}}, Gate: Gate{Reasons: []string{bad}}, Problems: []Problem{{Severity: SeverityError, Message: bad}},
		Tests: []Test{{Key: Key{Test: bad}, Labels: map[string]string{bad: bad}, Rows: &Rows{}, Details: []Detail{{Message: bad, Output: bad}}}}}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"json": func(b *bytes.Buffer) error { return EncodeJSON(b, e) }, "ndjson": func(b *bytes.Buffer) error { return EncodeNDJSON(b, e) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil || strings.Contains(b.String(), "##") || strings.Count(b.String(), `\u0023#[error]`) != 8 {
			t.Errorf("%s (%v): %s", name, err, b.String())
		}
	}
}
