package sarif

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

// result is one element of results, in the order it is written.
type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type message struct {
	Text string `json:"text"`
}

// words is a message, which must not be empty. SARIF makes links of [x](y) in
// plain messages too, so that pair of signs is parted.
func words(s string) message {
	s = strings.ReplaceAll(text.Line(s), "](", "] (")
	if s = text.CutLine(s, messageLimit); s == "" {
		s = "(nothing was said)"
	}
	return message{s}
}

// resultOf is a note for a test that is excused: its alert stays, and stops no
// merge.
func resultOf(t *envelope.Test) result {
	r := result{
		RuleID: rules[t.Status].id, RuleIndex: rules[t.Status].index, Level: rules[t.Status].level,
		Message: words(describe(t)), Locations: []location{locate(t)},
		Fingerprints: fingerprints(rules[t.Status].id, t.Suite, t.Test, t.Variant),
	}
	if t.Excused() {
		r.Level = "note"
	}
	return r
}

// runResult says what is wrong beside the tests.
func runResult(of envelope.Status, says string) result {
	r := rules[of]
	return result{RuleID: r.id, RuleIndex: r.index, Level: r.level, Message: words(says),
		Locations: []location{place(madeUp("", "run"), 1)}, Fingerprints: fingerprints(r.id)}
}

// describe is a test in one line: name, status, k of n, rate, reason, and what
// the first trial that did not pass said.
func describe(t *envelope.Test) string {
	s := fmt.Sprintf("%s: %s, %d/%d trials passed", name(t.Key), t.Status, t.Trials.Passed, t.Trials.Counted)
	if r := t.Rate.PerProtocol; r != nil {
		s += ", rate " + strconv.FormatFloat(r.Value, 'f', 3, 64)
	}
	if reason := text.CutLine(text.Line(t.Verdict.Reason), nameLimit); reason != "" {
		s += ": " + reason
	}
	for i := range t.Details {
		if said := text.Line(t.Details[i].Message); said != "" {
			return s + "; trial " + strconv.Itoa(t.Details[i].Trial+1) + ": " + said
		}
	}
	return s
}

func name(k envelope.Key) string {
	if s := text.CutLine(text.Line(k.String()), nameLimit/2); s != "" {
		return s
	}
	return "(unnamed)"
}

// fingerprints hold the only one GitHub looks at. Despite its name it is made
// of the key and the rule: an alert stays the same one when its test moves to
// another line or its rate changes, and a worse verdict is a new alert.
func fingerprints(words ...string) map[string]string {
	sum := standing.Digest(words...)
	return map[string]string{"primaryLocationLineHash": hex.EncodeToString(sum[:])}
}
