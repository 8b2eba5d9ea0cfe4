package harbor

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// outcome is what the statistics of a job say of one trial.
type outcome struct {
	rewards   rewards
	exception string
}

// job delivers the trials that the statistics of a job name.
func (rd *reader) job(v jsonwalk.Value) {
	header := envelope.Header{ID: v.Get("id").Text(), PlannedTrials: v.Get("n_total_trials").Count()}
	if !v.Get("started_at").Time().IsZero() { // nearly always without a zone
		header.StartedAt = v.Get("started_at").Text()
	}
	rd.to.Header(header, nil)
	trials := 0
	for name, eval := range v.Get("stats", "evals").Members() {
		trials += rd.eval(name, eval)
	}
	if trials > 0 {
		v.Warn("job-statistics", "these trials come from the statistics of a job, without durations and costs; name the result.json of its trials instead")
	}
}

// eval delivers the trials of one agent, model and dataset. Retries of the job
// are gone from the statistics.
func (rd *reader) eval(name string, eval jsonwalk.Value) int {
	outcomes := map[string]outcome{}
	for reward, values := range eval.Get("reward_stats").Members() {
		for text, trials := range values.Members() {
			for trial := range trials.Items() {
				name := trial.Text()
				if outcomes[name].rewards == nil {
					outcomes[name] = outcome{rewards: rewards{}}
				}
				outcomes[name].rewards[reward] = trialfields.Finite(text) // a key
			}
		}
	}
	for exception, trials := range eval.Get("exception_stats").Members() {
		for trial := range trials.Items() {
			was := outcomes[trial.Text()]
			was.exception = exception
			outcomes[trial.Text()] = was
		}
	}
	delete(outcomes, "") // what was no name
	names := make([]string, 0, len(outcomes))
	for trial := range outcomes {
		names = append(names, trial)
	}
	slices.Sort(names)
	for _, trial := range names {
		rd.tellSeveral(eval, outcomes[trial].rewards)
		rd.fromStatistics(name, trial, outcomes[trial])
	}
	return len(names)
}

func (rd *reader) fromStatistics(eval, name string, o outcome) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Test: task(name), Variant: eval}, Labels: []envelope.Label{{Name: "trial", Value: name}}}
	t.Attempt = rd.attempts.Next(t.Key)
	judge(t, o.rewards, o.exception)
	rd.to.Trial(t)
}

// task is the name of a trial without its random suffix.
func task(name string) string {
	if at := strings.LastIndex(name, "__"); at > 0 {
		return name[:at]
	}
	return name
}
