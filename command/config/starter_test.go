package config

import (
	"regexp"
	"testing"

	"tribunal/verdict"
)

// commented is a line that a first configuration shows and does not say.
var commented = regexp.MustCompile(`(?m)^# ( *(?:[a-z_]+:|- ).*)$`)

// TestStartersHold: every first configuration holds as it is written, and is read with
// everything that it shows in comments.
func TestStartersHold(t *testing.T) {
	for _, purpose := range Starters {
		text, err := Starter(purpose)
		if err != nil {
			t.Fatal(err)
		}
		for reason, text := range map[string][]byte{"as it is written": text, "with all that it shows": commented.ReplaceAll(text, []byte("$1"))} {
			c, err := Parse(FileName, text, nil)
			if err == nil {
				_, err = verdict.Resolve(c.Policy)
			}
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", purpose, reason, err, text)
			}
		}
		if len(commented.FindAll(text, -1)) == 0 {
			t.Errorf("%s: nothing is shown in comments", purpose)
		}
	}
}
