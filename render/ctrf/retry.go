package ctrf

import "tribunal/envelope"

// retry is one element of retryAttempts. The first trial is attempt 1 and no
// retry.
type retry struct {
	Attempt  int    `json:"attempt"`
	Status   string `json:"status"`
	Duration *int64 `json:"duration,omitempty"`
	Start    *int64 `json:"start,omitempty"`
	Message  string `json:"message,omitempty"`
}

var outcomes = map[envelope.Outcome]string{
	envelope.Passed: "passed", envelope.Failed: "failed", envelope.Errored: "failed", envelope.Excluded: "other", envelope.Skipped: "skipped",
}

// retries are the trials that ran because the one before them had failed. Other
// trials are repeats and no retries.
func retries(t *envelope.Test) []retry {
	if t.Rows.Retry() == nil {
		return nil
	}
	said := map[int]string{}
	for i := range t.Details {
		said[t.Details[i].Trial] = line(t.Details[i].Message)
	}
	var out []retry
	for i, outcome := range t.Rows.Outcome {
		if i == 0 || !t.Rows.Retry().At(i) {
			continue
		}
		r := retry{Attempt: i + 1, Status: outcomes[outcome], Message: said[i]}
		if ms, ok := t.Rows.DurationMS().At(i); ok {
			d := whole(ms)
			r.Duration = &d
		}
		if ns, ok := t.Rows.StartedAt().At(i); ok {
			start := millis(ns)
			r.Start = &start
		}
		out = append(out, r)
	}
	return out
}

// flaky is what CTRF means by it: a test that passed in the end and was retried
// after a failure.
func flaky(t *envelope.Test) bool {
	return t.Status == envelope.Pass && t.Flaky && t.Rows.Retry() != nil
}
