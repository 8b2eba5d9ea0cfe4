package gitlab

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

const descriptionLimit = 2000 // bytes

// class is what an entry says of a test.
type class struct{ name, severity string }

// classOf is the class of a test, if it is listed.
func classOf(t *envelope.Test, o Options) (c class, listed bool) {
	if t.Excused() {
		return class{"quarantined", "info"}, true
	}
	switch t.Status {
	case envelope.Pass:
		return class{"flaky", "minor"}, t.Flaky
	case envelope.Skip:
		return class{}, false
	case envelope.Fail:
		return class{"fail", "major"}, true
	case envelope.Inconclusive:
		return class{"inconclusive", "info"}, o.Inconclusive != Omit
	}
	return class{"error", "critical"}, true
}

// testEntry is the entry of a test, judged by the policy of a file.
func testEntry(t *envelope.Test, c class, file string) entry {
	said := describe(t, c)
	if file != "" {
		said += "; " + file
	}
	e := newEntry(c, said, t.Suite, t.Test, t.Variant)
	from, line := standing.Origin(t)
	e.Location = location{Path: relative(from), Lines: lines{Begin: max(1, line)}}
	if e.Location.Path == "" {
		e.Location = location{Path: madeUp(t.Suite, t.Test), Lines: lines{Begin: 1}}
	}
	return e
}

// runEntry says what is to be said beside the tests, or is wrong there.
func runEntry(c class, says string, key ...string) entry {
	e := newEntry(c, says, key...)
	e.Location = location{Path: madeUp("", "run"), Lines: lines{Begin: 1}}
	return e
}

func newEntry(c class, description string, key ...string) entry {
	return entry{
		Type: "issue", CheckName: "tribunal/" + c.name, Severity: c.severity, Categories: []string{"Bug Risk"},
		Description: text.CutLine(text.Line(description), descriptionLimit),
		Fingerprint: fingerprint(append([]string{"tribunal", c.name}, key...)...),
	}
}

// describe is a test in one line: name, class, k of n, rate, reason.
func describe(t *envelope.Test, c class) string {
	name := text.CutLine(text.Line(t.Key.RunnerName()), descriptionLimit/2)
	s := fmt.Sprintf("%s: %s, %d/%d trials passed", name, c.name, t.Trials.Passed, t.Trials.Counted)
	if r := t.Rate.PerProtocol; r != nil {
		s += ", rate " + strconv.FormatFloat(r.Value, 'f', 3, 64)
	}
	if reason := text.Line(t.Verdict.Reason); reason != "" {
		s += ": " + reason
	}
	return s
}

// fingerprint is a SHA-256 in hex of the words.
func fingerprint(words ...string) string {
	sum := standing.Digest(words...)
	return hex.EncodeToString(sum[:])
}
