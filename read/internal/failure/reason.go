// Package failure tells why a test failed: the short reason out of a long text,
// and the class of the failure where words that only runners write give it away.
//
// It exists because runners give a whole stack trace where a report shows one line, and because the words of one runner
// come in several formats: those of node's test runner and of Mocha as TAP and JUnit, those of Jest and Vitest as JSON
// as well. It leaves out what a format says in fields of its own and words that anybody may write. It drops nothing
// from the text itself, which goes to the output of the trial; control characters are the business of who renders it.
package failure

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/redact"
	"tribunal/internal/regex"
	"tribunal/internal/words"
)

// FirstLine is the first line of a text that says anything, however long.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// most is how many bytes a reason may have.
const most = 500

// Reason is the first n lines of a text that are not blank, without the blanks around them.
func Reason(text string, n int) string {
	var room [2 * most]byte
	return cut(string(lines(room[:0], text, n)))
}

// Memory is what reasons are made in by a reader of very many, which hands on one at a time.
type Memory struct{ said []byte }

// Reason is [Reason], until the next one is made.
func (m *Memory) Reason(text string, n int) string {
	m.said = lines(m.said[:0], text, n)
	return cut(jsontext.InPlace(m.said))
}

func lines(said []byte, text string, n int) []byte {
	for n > 0 && text != "" && len(said) < most {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if n--; len(said) > 0 {
			said = append(said, '\n')
		}
		said = append(said, line[:min(len(line), most+redact.Beyond)]...)
	}
	return said
}

// cut keeps the head of a reason, whole characters only.
func cut(s string) string {
	switch {
	case len(s) >= most:
		return words.Lead(s, most)
	case utf8.ValidString(s): // as good as always, and this is the faster way to see it
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Together is what several texts say, those that say anything, with a blank line between them.
func Together(texts ...string) string {
	var said []string
	for _, text := range texts {
		if text = strings.Trim(text, "\r\n"); strings.TrimSpace(text) != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n\n")
}

// Longer is a text that says more than the reason that was made of it, "" for any other.
func Longer(text, reason string) string { return words.If(strings.TrimSpace(text) != reason, text) }

// side is how many bytes of each end of an output are kept.
const side = 32 << 10

// Ends is the head and the tail of a long output, more than a report keeps of it, so that readers that must hold trials
// back hold little. One that is not long stays as it is, in the memory where it lies.
func Ends(text string) string {
	if len(text) <= 2*side {
		return text
	}
	head, tail := text[:side], text[len(text)-side:]
	return strings.ToValidUTF8(fmt.Sprintf("%s\n… %d bytes left out …\n%s", head, len(text)-2*side, tail), "")
}

// ofNode are the failure types of node's test runner that say more than that the
// test failed (lib/internal/test_runner/test.js).
var ofNode = map[string]struct {
	status envelope.Status
	class  string
}{
	"testTimeoutFailure": {envelope.Fail, envelope.ClassTimeout},
	"cancelledByParent":  {envelope.Error, ""}, // it was not awaited, or what is around it failed
	"testAborted":        {envelope.Error, ""}, // by its own signal
	"hookFailed":         {envelope.Error, ""},
}

// OwnOfNode reports whether a failure type of node's test runner says that a
// suite failed by itself, as by a hook, and not only through its tests.
func OwnOfNode(failureType string) bool {
	return failureType != "" && failureType != "subtestsFailed" && failureType != "cancelledByParent"
}

// LateOfNode matches the comment of node's test runner on a failure after the end of its
// test, for which it exits with 1.
var LateOfNode = regex.Of(`^#? (?:Error|Warning): (?:Test "|A resource ).*generated asynchronous activity after the test ended`)

// OfNode sets what a failure type of node's test runner says of a trial that failed; other words say nothing.
func OfNode(t *envelope.Trial, failureType string) {
	if j, ok := ofNode[failureType]; ok {
		t.Status, t.ErrorClass = j.status, j.class
	}
}

// OfProvider is the class of what is said where no answer came, "" where that may be the
// doing of what is tested: a prompt that is too long, a request that is refused, an agent
// that breaks. Only what services and the way to them say of themselves is surely none.
func OfProvider(text string) string {
	class := OfJudge(text)
	if class == envelope.ClassInfrastructure && (!ofService().MatchString(text) || isOfTested(text)) {
		return ""
	}
	return class
}

// ofService is what services of models say of rates, quotas and keys, and that they are down, and what the way to them
// says. Of a 500, only theirs is: an agent behind HTTP that breaks says the same.
var ofService = regex.Of(`(?i)\b(?:` + strings.Join([]string{
	`(?:API error|HTTP(?:[ /][0-9.]+| error)?|status(?: code)?|error code)[ :=(]*(?:401|402|403|429|50[1-9]|5[1-9][0-9])\b`, // API error: 503
	`(?:API error|error code)[ :=(]*500\b`,
	`(?:429 too many|502 bad|503 service|504 gateway)`,
	`rate[ _-]?limit`, `too many (?:requests|tokens, please wait)`, `insufficient_quota`, `exceeded your current quota`, `quota exceeded`,
	`credit balance`,
	`authentication_error`, `permission_error`, `(?:invalid|incorrect|missing|no) api key`, `api key (?:is )?(?:not set|missing|invalid)`,
	`invalid_api_key`, `overloaded(?:_error)?\b`, `service unavailable`, `temporarily unavailable`, `bad gateway`, `server_error`, `api_error`,
	`upstream connect error`,
	`RESOURCE_EXHAUSTED`, `resource (?:has been )?exhausted`, // Google
	`(?:Throttling|ServiceUnavailable|ModelNotReady|InternalServer|UnrecognizedClient|ExpiredToken)Exception`, // Bedrock
	`ECONN(?:RESET|ABORTED)`, `ENOTFOUND`, `EAI_AGAIN`, `EHOSTUNREACH`, `ENETUNREACH`, `CERT_[A-Z_]+`, `socket hang up`, `fetch failed`,
	`no route to host`, `no such host`, `network (?:error|is unreachable)`, `connection (?:error|reset|aborted)`,
	`APIConnectionError`, `InternalServerError`, `ServiceUnavailableError`, `AuthenticationError`, // as classes are called
}, "|") + `)`)

// ofTested is what programs say that are tested, whatever words of services stand beside it: an error of their code, a
// request that is refused for what is in it, promptfoo's provider "http" whose application broke, and that nothing
// answers, or nothing but this machine, where no service of others is.
var ofTested = regex.Of(`(?i)(?:` + strings.Join([]string{
	`\bHTTP call failed with status (?:4(?:[013-9][0-9]|2[0-8])|500)\b`,
	`\b(?:API error|error code)[ :=(]*4(?:00|04|13|22)\b`,
	`\b(?:Assertion|Attribute|Import|Index|Key|ModuleNotFound|Name|Reference|Syntax|Type|Value)Error\b`,
	`CONN(?:ECTION[_ ]?)?REFUSED`, `\bMCP error\b`,
	`\blocalhost\b`, `\b127\.[0-9]+\.[0-9]+\.[0-9]+\b`, `\[?::1\]?:[0-9]`,
}, "|") + `)`)

// isOfTested reports whether a text has such words. Node calls a way that is broken a
// TypeError, and Anthropic a request bad that nobody paid for.
func isOfTested(text string) bool {
	text = strings.ReplaceAll(text, "TypeError: fetch failed", "")
	return ofTested().MatchString(text) && !strings.Contains(text, "credit balance is too low")
}

// OfJudge is the class of what broke a judge of answers, which is never the doing of what it judges.
func OfJudge(text string) string {
	text = strings.ToLower(text)
	if strings.Contains(text, "timed out") || strings.Contains(text, "timeout") {
		return envelope.ClassTimeout
	}
	return envelope.ClassInfrastructure
}

// timedOut is how messages of runners start for a test that took too long.
var timedOut = regex.Of(`^(?:Error: )?(?:` + strings.Join([]string{
	`thrown: "Exceeded timeout of \d`,                           // Jest
	`(?:Test|Hook) timed out in \d`,                             // Vitest
	`Timeout of \d+ms exceeded`,                                 // Mocha
	`Test timeout of \d+ms exceeded`,                            // Playwright
	`function timed out, ensure the promise resolves within \d`, // Cucumber
	`test timed out after \d`,                                   // JUnit 4, and node
	`Failed: Timeout [>(]`,                                      // pytest-timeout
}, "|") + `)`)

// TimedOut reports whether a message is that of a test that took too long. What
// stands somewhere inside a message, anybody may have written.
func TimedOut(message string) bool { return timedOut().MatchString(message) }
