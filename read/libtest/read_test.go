package libtest

import (
	"testing"

	"tribunal/envelope"
)

func TestNames(t *testing.T) {
	cases := []struct {
		name, suite, test string
		runs              int32
		reason            string
	}{
		{"tests::a", "", "tests::a", 1, "libtest"},
		{"p::b$tests::a", "p::b", "tests::a", 1, "nextest"},
		{"p::b$tests::a#3", "p::b", "tests::a", 3, "run three times"},
		{"p::b@stress-4$tests::a", "p::b", "tests::a", 1, "the fifth repeat"},
		{"p::b@stress-4$tests::a#2", "p::b", "tests::a", 2, "both"},
		{"tests::a#3", "", "tests::a#3", 1, "a # of its own"},
		{"p$a#x", "p", "a#x", 1, "no number"},
		{"src/lib.rs - f (line $3)", "", "src/lib.rs - f (line $3)", 1, "a test in the docs"},
	}
	for _, c := range cases {
		if runs, key := parse(c.name); runs != c.runs || key != (envelope.Key{Suite: c.suite, Test: c.test}) {
			t.Errorf("%s: %q gives %d %+v", c.reason, c.name, runs, key)
		}
	}
}
