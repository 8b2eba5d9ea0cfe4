package junit

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/text"
)

const (
	nameLimit = 1000 // bytes of a name
	noSuite   = "(no suite)"
	noName    = "(unnamed)"
)

// suiteName is the name of a testsuite and the classname of its cases. Two
// suites never share one: a name that cannot be shown as it is, or that looks
// like one made here, is marked.
func suiteName(s string) string {
	if s == "" {
		return noSuite
	}
	shown := shorten(safe(s))
	if shown != s || s == noSuite || s == ownSuite || looksMarked(s) {
		return mark(shown, "suite", s)
	}
	return shown
}

// caseName is the name of a testcase in its suite: the test and [variant].
// Whether it is marked depends on the key alone, so that no other test, present
// today and gone tomorrow, renames this one. Names without a mark are all
// different, and a marked one ends in the hash of its key.
func caseName(classname string, k envelope.Key) string {
	full := k.Test
	if k.Variant != "" {
		full += " [" + k.Variant + "]"
	}
	shown := shorten(safe(full))
	if shown == "" || shown != full || looksMarked(full) || looksVaried(k) || straddles(classname, shown) {
		return mark(shown, k.Suite, k.Test, k.Variant)
	}
	return shown
}

// looksVaried reports a key whose name could be that of a test with another
// variant: "a [b]" without a variant, or a variant with " [" inside.
func looksVaried(k envelope.Key) bool {
	if k.Variant == "" {
		return strings.HasSuffix(k.Test, "]") && strings.Contains(k.Test, " [")
	}
	return strings.Contains(k.Variant, " [")
}

// straddles reports a name that, joined with its classname the way GitLab does
// (suite_classname_name), reads the same as a name in a longer suite: "a_x"
// and suite "a" is "x" and suite "a_a". Of two such names, the one in the
// shorter suite is the one marked.
func straddles(classname, name string) bool {
	key := classname + "_" + classname + "_" + name
	for n := len(classname) + 1; 2*n+1 < len(key); n++ {
		if key[n] == '_' && key[2*n+1] == '_' && key[:n] == key[n+1:2*n+1] {
			return true
		}
	}
	return false
}

var markEnd = regex.Of(`~[0-9a-f]{12}$`)

func looksMarked(s string) bool {
	const size = 13 // of the end of a mark
	return len(s) >= size && s[len(s)-size] == '~' && markEnd().MatchString(s[len(s)-size:])
}

// mark puts a hash of the original words behind a name.
func mark(shown string, words ...string) string {
	h := sha256.New()
	for _, w := range words {
		sum := sha256.Sum256([]byte(w)) // of one size, so that no word runs into the next
		h.Write(sum[:])
	}
	if shown == "" {
		shown = noName
	}
	return shown + " ~" + hex.EncodeToString(h.Sum(nil)[:6])
}

func shorten(name string) string { return text.CutLine(name, nameLimit) }
