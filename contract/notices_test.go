package contract_test

import (
	"bytes"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/render"
)

// TestEveryFormatSaysWhatTheGateSays: that nothing was judged, or proved, stands in
// every report but the tables, which have a row per test or trial and no gate.
func TestEveryFormatSaysWhatTheGateSays(t *testing.T) {
	env := golden{streams: []string{"hostile"}, policy: envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}}.envelope(t)
	if len(env.Gate.Notices) != 2 {
		t.Fatalf("%q: want NOTHING PROVED and NOTHING CAN PASS", env.Gate.Notices)
	}
	for _, f := range render.Formats {
		if slices.Contains([]string{"csv", "csv-trials"}, f.Name) {
			continue
		}
		var page bytes.Buffer
		if err := f.Write(&page, env, render.Settings{Options: f.Defaults()}); err != nil {
			t.Fatal(err)
		}
		for _, n := range env.Gate.Notices {
			if !bytes.Contains(page.Bytes(), []byte(n.Says)) {
				t.Errorf("%s does not say %s", f.Name, n.Says)
			}
		}
	}
}
