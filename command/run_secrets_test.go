package command

import "testing"

// TestSecretValues: values of variables that are called like secrets are taken out
// whole, whichever of them the environment has first.
func TestSecretValues(t *testing.T) {
	const text = "12345678 12345678-private short 9876543210"
	for _, c := range []struct {
		reason  string
		environ []string
		wanted  bool
		want    string
	}{
		{"one begins another", []string{"A_KEY=12345678", "B_TOKEN=12345678-private"}, true, "[redacted:environment] [redacted:environment] short 9876543210"},
		{"and comes first", []string{"B_TOKEN=12345678-private", "A_KEY=12345678"}, true, "[redacted:environment] [redacted:environment] short 9876543210"},
		{"short values stand in texts by chance", []string{"MY_SECRET=short"}, true, text},
		{"another name", []string{"ID=9876543210"}, true, text},
		{"in small letters", []string{"password=9876543210"}, true, "12345678 12345678-private short [redacted:environment]"},
		{"not wanted", []string{"A_KEY=12345678"}, false, text},
	} {
		if got := secretValues(c.environ, c.wanted).Replace(text); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
