package standing

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

	// OwnSuite is that of results which stand for no test.
	OwnSuite = "(tribunal)"
)

// SuiteName is the name of a suite in a report. Two suites never share one: a name that
// a format cannot show as it is, or that looks like one made here, is marked. clean is a
// name as the format takes it.
func SuiteName(s string, clean func(string) string) string {
	if s == "" {
		return noSuite
	}
	shown := text.CutLine(clean(s), nameLimit)
	if shown != s || s == noSuite || s == OwnSuite || looksMarked(s) {
		return mark(shown, "suite", s)
	}
	return shown
}

// TestName is the name of a test in the suite of that name: the test and [variant].
// Whether it is marked depends on the key alone, so that no other test, present
// today and gone tomorrow, renames this one. Names without a mark are all
// different, and a marked one ends in the hash of its key.
func TestName(suite string, k envelope.Key, clean func(string) string) string {
	full := k.Test
	if k.Variant != "" {
		full += " [" + k.Variant + "]"
	}
	shown := text.CutLine(clean(full), nameLimit)
	if shown == "" || shown != full || looksMarked(full) || looksVaried(k) || straddles(suite, shown) {
		return mark(shown, k.Suite, k.Test, k.Variant)
	}
	return shown
}

const within = " › " // between a suite and its test

// FullName is the name of a test where a report has no suites: suite › test [variant].
func FullName(k envelope.Key, clean func(string) string) string {
	suite := SuiteName(k.Suite, clean)
	name := TestName(suite, k, clean)
	before := name
	if k.Suite != "" {
		before, name = suite, suite+within+name
	}
	if strings.Contains(before, within) && !looksMarked(name) { // it could be that of another suite
		name = mark(name, k.Suite, k.Test, k.Variant)
	}
	return name
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
	if strings.IndexByte(name, '_') < 0 { // that of the longer suite's name ends in this name
		return false
	}
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
