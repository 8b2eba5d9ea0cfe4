// Package tau2 reads the results.json of tau2-bench (sierra-research, MIT), in
// both layouts: with the simulations inside, and with an index of them whose
// conversations stand in files of their own.
//
// It exists because these files hold several trials of every task, and because
// tau2 gives reward 0 to whatever did not end well: a run that timed out or
// whose simulated user broke measured nothing. The files simulations/<id>.json
// are left out: they do not say domain or model, and the index has their trials.
package tau2

import (
	"io"
	"math"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts a results.json.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	has := func(name string) bool { _, ok := keys[name]; return ok }
	if inArray || !has("info") {
		return false
	}
	// A head may be cut in info or in tasks, before the simulations.
	return has("simulations") || has("simulation_index") || has("timestamp") && (has("tasks") || len(keys) == 2)
}

// Read reads one file, a simulation at a time. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, attempts: trialfields.Attempts{}}
	err := jsonwalk.Document(r, to, func(t *jsonwalk.Text) error {
		return t.Object(func(key string) error { return rd.member(t, key) })
	})
	if rd.trials > 0 && rd.tasks > 0 && rd.tasks < math.MaxInt32 && rd.trials < math.MaxInt32 {
		rd.header.PlannedTrials = envelope.Some(rd.tasks * rd.trials)
	}
	to.Header(rd.header, nil)
	return err
}

type reader struct {
	to            envelope.Sink
	known         bool // info has been read
	told          bool
	source        string // the member that holds the trials
	suite, model  string
	tasks, trials int64
	header        envelope.Header
	attempts      trialfields.Attempts
	trial         envelope.Trial
}

func (rd *reader) member(t *jsonwalk.Text, key string) error {
	switch key {
	case "info":
		v, err := t.Value()
		if err == nil && v.Present() {
			rd.info(v)
			v.Tell()
		}
		return err
	case "timestamp":
		v, err := t.Value()
		if !v.Time().IsZero() { // nearly always without a zone: nobody knows when
			rd.header.StartedAt = v.Text()
		}
		return err
	case "tasks":
		return t.Objects(func(jsonwalk.Value) { rd.tasks++ })
	case "simulations", "simulation_index":
		return t.Objects(func(v jsonwalk.Value) {
			if rd.source == "" {
				rd.source = key
			}
			if rd.source == key { // a file with both says everything twice
				rd.simulation(v)
			}
		})
	}
	return nil
}

func (rd *reader) info(v jsonwalk.Value) {
	rd.known = true
	rd.suite = v.Get("environment_info", "domain_name").Text()
	rd.model = v.Get("agent_info", "llm").Text()
	if rd.model == "" {
		rd.model = v.Get("agent_info", "implementation").Text()
	}
	rd.trials = v.Get("num_trials").Count().V
	rd.header.Name, rd.header.Commit = rd.suite, v.Get("git_commit").Text()
	rd.header.Labels = map[string]string{}
	for name, value := range map[string]jsonwalk.Value{"agent": v.Get("agent_info", "implementation"), "user_model": v.Get("user_info", "llm"), "seed": v.Get("seed")} {
		if word := value.Text(); word != "" {
			rd.header.Labels[name] = word
		}
	}
}
