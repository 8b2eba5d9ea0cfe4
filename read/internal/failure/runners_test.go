package failure

import (
	"testing"

	"tribunal/envelope"
)

func TestTimedOut(t *testing.T) {
	for _, c := range []struct {
		message string
		want    bool
		reason  string
	}{
		{"thrown: \"Exceeded timeout of 5000 ms for a test.\nAdd a timeout value", true, "Jest 29, JSON"},
		{"Error: thrown: \"Exceeded timeout of 30 ms for a hook.", true, "Jest 30.5.2"},
		{"Error: Test timed out in 30ms.\nIf this is a long-running test", true, "Vitest 2.1.9, JSON"},
		{"Hook timed out in 10ms.", true, "Vitest, a hook"},
		{"Timeout of 20ms exceeded. For async tests and hooks, ensure", true, "Mocha 12.0.3"},
		{"Test timeout of 100ms exceeded.", true, "Playwright 1.65.1"},
		{"Error: function timed out, ensure the promise resolves within 5000 milliseconds", true, "cucumber-js 12.9.0"},
		{"test timed out after 20ms", true, "node 20"},
		{"Failed: Timeout (>1.0s) from pytest-timeout.", true, "pytest-timeout"},
		{"expect(log).toContain(\"Test timed out in 30ms\")", false, "words of a test"},
		{"Timeout", false, "a word anybody may write"},
		{"", false, "nothing"},
	} {
		if got := TimedOut(c.message); got != c.want {
			t.Errorf("TimedOut(%q) = %t: %s", c.message, got, c.reason)
		}
	}
}

func TestOfNode(t *testing.T) {
	for _, c := range []struct {
		failureType string
		status      envelope.Status
		class       string
		reason      string
	}{
		{"testTimeoutFailure", envelope.Fail, envelope.ClassTimeout, "it ran too long"},
		{"cancelledByParent", envelope.Error, "", "it did not end, as nobody awaited it"},
		{"hookFailed", envelope.Error, "", "it did not start, by what the suite does around it"},
		{"testCodeFailure", envelope.Fail, "own", "the test itself: what was known stays"},
		{"", envelope.Fail, "own", "no word"},
	} {
		got := envelope.Trial{Status: envelope.Fail, ErrorClass: "own"}
		OfNode(&got, c.failureType)
		if got.Status != c.status || got.ErrorClass != c.class {
			t.Errorf("%q: %s %q: %s", c.failureType, got.Status, got.ErrorClass, c.reason)
		}
	}
}

// TestOfProvider: words of the services of OpenAI, Anthropic and Google and of promptfoo's
// providers, as their documents and sources have them.
func TestOfProvider(t *testing.T) {
	const ofService, ofTheTest = envelope.ClassInfrastructure, ""
	for _, c := range []struct{ text, want, reason string }{
		{"API error: 503 upstream unavailable", ofService, "down"},
		{"API error: 429 Too Many Requests\n{\"error\":{}}", ofService, "too fast"},
		{"API call error: Error: Request failed after 4 retries: TypeError: fetch failed (Cause: Error: read ECONNRESET)", ofService, "no way there"},
		{"Error code: 429 - {'error': {'code': 'insufficient_quota'}}", ofService, "no money, from Python"},
		{"RateLimitExhaustedError: x", ofService, "too fast, in a name"},
		{"no route to host", ofService, "no network"},
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, ofService, "Anthropic"},
		{"OpenAI API key is not set. Set the OPENAI_API_KEY environment variable", ofService, "no key"},
		{"HTTP call failed with status 503 Service Unavailable: x", ofService, "a gateway before what is tested"},
		{"HTTP call failed with status 429 Too Many Requests: x", ofService, "and one that slows down"},
		{"server_error: The server had an error", ofService, "OpenAI's Evals API"},
		{"API error: 500 Internal Server Error", ofService, "OpenAI broke"},
		{"Bedrock API error: ThrottlingException: Too many tokens, please wait before trying again.", ofService, "Bedrock, too fast"},
		{"ServiceUnavailableException: Bedrock is unable to process your request.", ofService, "Bedrock, down"},
		{"429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'Resource has been exhausted (e.g. check quota).'}}", ofService, "Vertex"},
		{"API error: 400 Bad Request\n{\"message\":\"Your credit balance is too low to access the Anthropic API.\"}", ofService, "no money, by a status of bad requests"},
		{"Evaluation timed out after 1500ms", envelope.ClassTimeout, "too slow"},

		{"API error: 400 Bad Request\n{\"error\":{\"code\":\"context_length_exceeded\"}}", ofTheTest, "the prompt is too long"},
		{"HTTP call failed with status 500 Internal Server Error: x", ofTheTest, "what is tested broke"},
		{"TypeError: fetch failed (Cause: Error: connect ECONNREFUSED 127.0.0.1:3000)", ofTheTest, "what is tested is down"},
		{"HTTP call failed with status 404 Not Found: x", ofTheTest, "what is tested is not there"},
		{"Error running Python script: Python error: KeyError: 'billing'\nTraceback", ofTheTest, "an agent that breaks"},
		{"TypeError: Cannot read properties of undefined (reading '503')", ofTheTest, "a number is no status"},
		{"content_filter: the response was filtered", ofTheTest, "what it was asked"},
		{"Error running Python script: Python error: KeyError: 'rate_limit'", ofTheTest, "an agent that breaks at a word of services"},
		{"AssertionError: expected the answer to name the rate limit", ofTheTest, "an assertion about one"},
		{"AttributeError: module 'openai' has no attribute 'InternalServerError'", ofTheTest, "code that is wrong"},
		{"Python error: ConnectionRefusedError: [Errno 111] Connection refused", ofTheTest, "a tool of the agent is down"},
		{"TypeError: fetch failed (Cause: AggregateError [ECONNREFUSED]: )", ofTheTest, "what is tested is down, by two addresses"},
		{"HTTPConnectionPool(host='localhost', port=8000): Connection aborted", ofTheTest, "what is tested died"},
		{"Request failed with status code 500", ofTheTest, "an agent behind HTTP that breaks"},
		{"MCP error -32000: Connection closed", ofTheTest, "a tested server of tools that ends"},
		{"Error: write EPIPE", ofTheTest, "a tested program that ends"},
		{"Error code: 400 - {'error': {'message': 'Invalid schema for tool rate_limit'}}", ofTheTest, "a tool that is described wrongly"},
		{"boom", ofTheTest, "nobody knows"},
	} {
		if got := OfProvider(c.text); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.reason, c.text, got, c.want)
		}
	}
}
