package native

import "testing"

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"test":"a","status":"pass"}`, true, "a trial"},
		{`{"score":1,"test":"a"}` + "\n", true, "a trial by its score"},
		{`{"category":1,"x":2,"test":"a"}`, true, "a trial by its category, with a field of its own"},
		{`{"test":"a","checks":[{"name":"cites","status":"pass"}]}`, true, "a trial by its checks"},
		{`{"test":"a","checks":3}`, false, "checks that are a number"},
		{"building...\n\n" + `{"test":"a","status":"pass"}` + "\n", true, "a log line first"},
		{`{"broken` + "\n" + `{"test":"a","status":"pass"}`, true, "a broken line first"},
		{"\uFEFF" + `{"test":"a","status":"pass"}`, true, "a byte order mark"},
		{`{"type":"run","name":"n"}`, true, "a header"},
		{`{"schema":"tribunal/trials/v1","type":"run"}`, true, "the schema says so"},
		{`{"schema":"tribunal/trials/v1"`, true, "the schema says so, cut"},
		{`{"suite":"s","test":"a","attempt":0,"output":"very long`, true, "cut, three fields of ours"},
		{`{"test":"a","outpu`, false, "cut too early"},
		{`{"test":"a"}`, false, "nothing says how it ended"},
		{`{"type":"run"}`, false, "anybody's run"},
		{`{"schema":"tribunal/trials/v2","test":"a","status":"pass"}`, false, "a later version"},
		{`{"type":1,"test":"a","status":"pass"}`, false, "a type that is none"},
		{``, false, "nothing"},
		{`hello`, false, "a text"},
		{`[{"test":"a","status":"pass"}]`, false, "a document"},
		{`{` + "\n" + ` "test":"a",` + "\n", false, "a document over several lines"},
		{`{"schema":"tribunal/envelope/v1","run":{},"tests":[{"test":"a","status":"pass"}]}`, false, "an envelope"},
		{`{"schema":"tribunal/envelope/v1","type":"header","run":{},"policy":{}}` + "\n", false, "an envelope in lines"},
		{`{"type":"test","suite":"s","test":"a","status":"pass","rows":{}}` + "\n", false, "a line of an envelope"},
		{`{"Time":"2024-01-01T00:00:00Z","Action":"run","Package":"p","Test":"T"}`, false, "go test -json"},
		{`{"pytest_version":"8.0","$report_type":"SessionStart"}`, false, "pytest-reportlog"},
		{`{"meta":{"protocolVersion":"1"}}`, false, "Cucumber Messages"},
		{`{ "type": "suite", "event": "started", "test_count": 3 }`, false, "libtest"},
		{`{ "type": "test", "event": "ok", "name": "a", "exec_time": 0.1 }`, false, "libtest"},
		{`{"spec":{"completion_fns":["x"],"eval_name":"e","run_id":"1"}}`, false, "OpenAI evals"},
		{`{"run_id":"1","event_id":0,"sample_id":"a","type":"match","data":{}}`, false, "OpenAI evals"},
		{`{"testIdx":0,"promptIdx":0,"testCase":{},"success":true,"score":1}`, false, "promptfoo"},
		{`{"doc_id":0,"doc":{},"resps":[["x"]],"filtered_resps":["x"],"acc":1.0}`, false, "lm-eval"},
		{`{"timestamp":"x","test_id":"a","suite":"s","score":1,"target":"t"}`, false, "AgentV"},
		{`{"evalId":"e","results":{"version":3}}`, false, "promptfoo"},
		{`{"config":{},"suites":[],"stats":{}}`, false, "Playwright"},
		{`{"numTotalTests":1,"testResults":[]}`, false, "Jest"},
		{`{"reportFormat":"CTRF","results":{"tests":[{"name":"a","status":"passed"}]}}`, false, "CTRF"},
		{`{"created":1,"exitcode":0,"summary":{},"tests":[]}`, false, "pytest-json-report"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}
