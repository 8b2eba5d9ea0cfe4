package failure

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
)

// Crash is the class of a test whose process died in it. It counts: to end the
// process is a thing that a test can do.
const Crash = "crash"

// judged is what a failure counts as.
type judged struct {
	status envelope.Status
	class  string
}

// ofNode are the failure types of node's test runner that say more than that the
// test failed (lib/internal/test_runner/test.js).
var ofNode = map[string]judged{
	"testTimeoutFailure": {envelope.Fail, envelope.ClassTimeout},
	"cancelledByParent":  {envelope.Error, envelope.ClassInfrastructure},
	"testAborted":        {envelope.Error, envelope.ClassInfrastructure},
	"hookFailed":         {envelope.Error, envelope.ClassPreValidation},
}

// OwnOfNode reports whether a failure type of node's test runner says that a
// suite failed by itself, as by a hook, and not only through its tests.
func OwnOfNode(failureType string) bool {
	return failureType != "" && failureType != "subtestsFailed" && failureType != "cancelledByParent"
}

// OfNode sets what a failure type of node's test runner says of a trial that
// failed; other words say nothing.
func OfNode(t *envelope.Trial, failureType string) {
	if j, ok := ofNode[failureType]; ok {
		t.Status, t.ErrorClass = j.status, j.class
	}
}

// OfProvider is the class of what a provider of models says when it gives no
// answer.
func OfProvider(text string) string {
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
