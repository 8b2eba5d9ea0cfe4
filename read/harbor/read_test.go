package harbor

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestTrial(t *testing.T) {
	s := readtest.File(t, Read, "testdata/trial.json")
	want := envelope.Trial{
		Key: envelope.Key{Suite: "terminal-bench", Test: "build-pmars", Variant: "claude-code/anthropic/claude-sonnet"}, Attempt: envelope.Some[int32](0),
		Status: envelope.Fail, RawStatus: "AgentTimeoutError", ErrorClass: "timeout", Score: envelope.Some(0.0), DurationMS: envelope.Some(900000.0), SetupMS: envelope.Some(60000.0),
		CostUSD: envelope.Some(0.25), Tokens: envelope.Some[int64](1050), Message: "Agent execution timed out after 900.0 seconds", Output: "Traceback",
		StartedAt: time.Date(2025, 11, 1, 10, 0, 0, 0, time.UTC), Labels: []envelope.Label{{Name: "reward.style", Value: "0.5"}},
	}
	if len(s.Trials) != 1 || !reflect.DeepEqual(s.Trials[0], want) || len(s.Problems) != 0 {
		t.Errorf("\n got %#v\nwant %#v\n%v", s.Trials, want, s.Problems)
	}
}

func TestJob(t *testing.T) {
	s := readtest.File(t, Read, "testdata/job.json")
	const variant = " [claude-code__claude-sonnet__terminal-bench]"
	want := []string{"a" + variant + " #0 pass", "a" + variant + " #1 pass AgentTimeoutError timeout", "b" + variant + " #0 fail", "b" + variant + " #1 error RewardFileNotFoundError infrastructure"}
	if !slices.Equal(s.Lines(), want) || !slices.Equal(s.Told(), []string{"job-statistics 1:1"}) {
		t.Errorf("%q, %v", s.Lines(), s.Problems)
	}
	if h := s.Headers[0]; h.ID != "job-1" || h.PlannedTrials.V != 5 || h.StartedAt != "" {
		t.Errorf("%#v", h)
	}
}

func TestShapes(t *testing.T) {
	const several = "several-rewards 1:1"
	cases := []struct{ rest, line, told, reason string }{
		{`"verifier_result":{"rewards":{"reward":1.0}},"exception_info":{"exception_type":"AgentTimeoutError"}`, "t #0 pass AgentTimeoutError timeout", "", "out of time, and passed"},
		{`"verifier_result":{"rewards":{"reward":0}},"exception_info":{"exception_type":"NonZeroAgentExitCodeError"}`, "t #0 fail NonZeroAgentExitCodeError NonZeroAgentExitCodeError", "", "verified: the failure is the agent's own, and counts"},
		{`"verifier_result":null,"exception_info":{"exception_type":"VerifierTimeoutError","exception_message":"m"}`, "t #0 error VerifierTimeoutError timeout", "", "never verified"},
		{`"verifier_result":null,"exception_info":{"exception_type":"AgentSetupTimeoutError"}`, "t #0 error AgentSetupTimeoutError pre-validation", "", "never began"},
		{`"verifier_result":null,"exception_info":null`, "t #0 error infrastructure", "", "nobody judged, and nobody says why"},
		{`"verifier_result":{"rewards":{"score":1}}`, "t #0 pass", "", "the only reward"},
		{`"verifier_result":{"rewards":{"a":1,"b":0}}`, "t #0 fail", several, "two rewards, neither named reward: one of them is no pass"},
		{`"verifier_result":{"rewards":{"a":1,"b":1}}`, "t #0 pass", several, "whichever decides, it passed"},
		{`"verifier_result":{"rewards":{"a":0,"reward":1}}`, "t #0 pass", "", "the one named reward"},
		{`"verifier_result":{"rewards":{}}`, "t #0 error infrastructure", "", "no reward at all"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"task_name":"t","trial_name":"t__x",`+c.rest+`}`)
		if !slices.Equal(s.Lines(), []string{c.line}) || strings.Join(s.Told(), ", ") != c.told {
			t.Errorf("%s: %q, %v, want %q, %q", c.reason, s.Lines(), s.Problems, c.line, c.told)
		}
	}
	for text, told := range map[string][]string{
		`{"task_name":"","trial_name":"x","agent_info":1}`: {"malformed-record 1:1"},
		`{"task_name":"a","trial_name":"x","agent_`:        {"truncated-line 1:42"},
		`{"n_total_trials":-1,"stats":{"evals":{}}}`:       {"ignored-field 1:1"},
	} {
		if s := readtest.Text(t, Read, text); len(s.Trials) != 0 || !slices.Equal(s.Told(), told) {
			t.Errorf("%s: %q %v", text, s.Told(), s.Problems)
		}
	}
}

// TestRewardsOfAJob: reward_stats has an object for each reward, whatever it is called.
func TestRewardsOfAJob(t *testing.T) {
	const job = `{"id":"j","n_total_trials":3,"stats":{"evals":{"e":{"reward_stats":`
	for _, c := range []struct{ stats, lines, told string }{
		{`{"accuracy":{"1.0":["a__1"],"0.0":["a__2"]}}`, "a [e] #0 pass, a [e] #1 fail", "job-statistics 1:1"},
		{`{"x":{"1.0":["a__1","a__2"]},"y":{"1.0":["a__1"],"0.0":["a__2"]}}`, "a [e] #0 pass, a [e] #1 fail", "several-rewards 1:1, job-statistics 1:1"},
	} {
		s := readtest.Text(t, Read, job+c.stats+`}}}}`)
		if strings.Join(s.Lines(), ", ") != c.lines || strings.Join(s.Told(), ", ") != c.told {
			t.Errorf("%s: %q, %q %v", c.stats, s.Lines(), s.Told(), s.Problems)
		}
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"id":"x","task_name":"a","trial_name":"a__x","trial_uri":"u","task_id":{"pa`, true, "cut"},
		{`{"id":"x","n_total_trials":3,"stats":{"n_`, true, "a job, cut"},
		{`{"trial_name":"a.1-of-1","task_id":"a","is_resolved":true}`, false, "Terminal-Bench 1"},
		{`{"task_name":"a","score":1}`, false, "anything"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzHarbor(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }
