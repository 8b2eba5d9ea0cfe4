package agentv

import (
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
)

// threshold is from where on a score passes where a row says nothing else; it
// is AgentV's default, and rows do not tell their own.
const threshold = 0.8

// executions are the values of execution_status.
var executions = map[string]envelope.Status{"ok": envelope.Pass, "quality_failure": envelope.Fail, "execution_error": envelope.Error}

// beforehand are the reasons for which nothing was tried.
var beforehand = map[string]bool{
	"preflight_error": true, "template_error": true, "environment_setup_error": true, "docker_setup_error": true, "clone_error": true, "dependency_failed": true,
}

// judge gives a trial its status, class and message; it reports whether there
// is anything to judge by.
func judge(t *envelope.Trial, v jsonwalk.Value) bool {
	word := field(v, "execution_status", "executionStatus").Text()
	status, known := executions[word]
	for _, name := range []string{"status", "verdict"} {
		if !known {
			word = v.Get(name).Text()
			status, known = envelope.ParseStatus(word)
		}
	}
	if !known {
		if !t.Score.OK {
			return false
		}
		word, status = "", envelope.Fail
		if t.Score.V >= threshold {
			status = envelope.Pass
		}
	}
	t.Status = status
	if word != string(status) {
		t.RawStatus = word
	}
	if status == envelope.Error {
		t.Score = envelope.Opt[float64]{} // nothing was scored; AgentV writes 0
		t.ErrorClass = class(v)
	}
	if status != envelope.Pass {
		t.Message, t.Output = reason(v), v.Get("error").String()
	}
	if t.Output == t.Message {
		t.Output = ""
	}
	return true
}

func class(v jsonwalk.Value) string {
	code, kind := v.Get("failure_reason_code").Text(), v.Get("target_error_kind").Text()
	switch {
	case strings.Contains(code, "timeout") || kind == "timeout":
		return envelope.ClassTimeout
	case beforehand[code]:
		return envelope.ClassPreValidation
	}
	return envelope.ClassInfrastructure
}

// reason is the error, or what the first grader that did not pass says.
func reason(v jsonwalk.Value) string {
	if text := failure.FirstLine(v.Get("error").String()); text != "" {
		return text
	}
	for score := range v.Get("scores").Items() {
		if passed := score.Get("pass").Bool(); passed.OK && !passed.V {
			return failure.FirstLine(score.Get("reason").Text())
		}
		if text := unmet(score.Get("assertions")); text != "" {
			return text
		}
	}
	if text := unmet(v.Get("assertions")); text != "" {
		return text
	}
	return v.Get("failure_reason_code").Text()
}

// unmet is the first assertion that did not pass.
func unmet(assertions jsonwalk.Value) string {
	for each := range assertions.Items() {
		if passed := each.Get("passed").Bool(); passed.OK && !passed.V {
			return failure.FirstLine(each.Get("text").Text())
		}
	}
	return ""
}
