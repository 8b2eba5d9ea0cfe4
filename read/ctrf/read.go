// Package ctrf reads reports in the Common Test Report Format (ctrf.io).
//
// It exists because CTRF is what runners without a format of their own agree on,
// with tries before the last one in retryAttempts. Its writers do not agree on
// units: the plugin of pytest gives seconds where the specification says
// milliseconds, the reporter of Playwright gives start and stop in seconds and
// duration in milliseconds. Times are repaired where the file shows which it is.
//
// A report of package render/ctrf holds a whole envelope in its extras, and is
// read back as one, without loss; cut or damaged, nothing of it counts, for half
// of an envelope would count half of its trials.
//
// The package leaves out steps, attachments and insights.
package ctrf

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/wholerun"
)

// Codes of the problems that only this reader has.
const (
	codeAggregated = "aggregated"
	codeInferred   = "inferred-trials"
)

// reader is the reading of one document.
type reader struct {
	*jsonwalk.Text
	to            *wholerun.Watch
	tests, failed int // tests, as the summary counts them
	tool          string
	id            string
	env           environment
	start         float64
	seconds       bool // durations are seconds
	attempts      trialfields.Attempts
	said          map[string]bool
	restored      *restoring // of a report of ours
	whole         bool       // the document was read to its end
}

// environment is what the report says of the run.
type environment struct {
	ReportName string `json:"reportName"`
	Commit     string `json:"commit"`
	Branch     string `json:"branchName"`
	Build      string `json:"buildName"`
}

// Read reads one report. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &wholerun.Watch{Sink: to}, said: map[string]bool{}}
	err := jsonwalk.Strict(r, rd.to, func(d *jsonwalk.Text) error {
		rd.Text = d
		err := d.Object(rd.member)
		rd.whole = err == nil
		return err
	})
	if rd.restored != nil {
		rd.restored.end(to, rd.whole)
		return err
	}
	if rd.whole {
		rd.to.Counts(rd.tests, rd.failed, "tests")
	}
	rd.header()
	return err
}

func (rd *reader) member(key string) error {
	switch key {
	case "reportId":
		return rd.Decode(&rd.id)
	case "results":
		return rd.Object(rd.result)
	}
	return nil
}

func (rd *reader) result(key string) error {
	switch key {
	case "tool":
		tool := struct{ Name string }{}
		err := rd.Decode(&tool)
		rd.tool = tool.Name
		return err
	case "summary":
		summary := struct {
			Start         float64
			Tests, Failed int
		}{}
		err := rd.Decode(&summary)
		rd.start, rd.tests, rd.failed = summary.Start, summary.Tests, summary.Failed
		return err
	case "environment":
		return rd.Decode(&rd.env)
	case "extra":
		return rd.extra()
	case "tests":
		return rd.Array(rd.test)
	}
	return nil
}

// extra looks for the envelope of a report of ours, which stands before its tests.
func (rd *reader) extra() error {
	return rd.Object(func(key string) error {
		if key != "tribunal" || rd.restored != nil || rd.attempts.Len() > 0 {
			return nil
		}
		var facts json.RawMessage
		if err := rd.Decode(&facts); err != nil {
			return err
		}
		schema := struct{ Schema string }{}
		if json.Unmarshal(facts, &schema) == nil && schema.Schema == envelope.Schema && bytes.HasPrefix(facts, []byte("{")) {
			rd.restored = restore(facts)
		}
		return nil
	})
}

// test reads one element of tests.
func (rd *reader) test() error {
	var t test
	if err := rd.Decode(&t); err != nil {
		return err
	}
	switch own := t.Extra.Tribunal; {
	case rd.restored != nil:
		if len(own) > 0 {
			rd.restored.test(own)
		}
	case t.Name == "" || t.Status == "":
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a test without a name or a status is not counted")
	default:
		rd.trials(&t)
	}
	return nil
}

// header delivers what is known of the run.
func (rd *reader) header() {
	h := envelope.Header{Name: rd.env.ReportName, ID: rd.id, Commit: rd.env.Commit}
	if at, ok := instant(rd.start); ok {
		h.StartedAt = at.Format(time.RFC3339Nano)
	}
	for name, value := range map[string]string{"tool": rd.tool, "branch": rd.env.Branch, "build": rd.env.Build} {
		if value == "" {
			continue
		}
		if h.Labels == nil {
			h.Labels = map[string]string{}
		}
		h.Labels[name] = value
	}
	if h.Name != "" || h.ID != "" || h.Commit != "" || h.StartedAt != "" || h.Labels != nil {
		rd.to.Header(h, nil)
	}
}

// warn makes a warning once a report, at the test it was met at first.
func (rd *reader) warn(code, message string) {
	if !rd.said[message] {
		rd.said[message] = true
		rd.Problem(envelope.SeverityWarning, code, message)
	}
}
