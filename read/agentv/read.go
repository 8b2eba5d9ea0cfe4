// Package agentv reads the results of AgentV (EntityProcess/agentv, MIT): the
// rows of its index.jsonl in three generations, and its summary.json.
//
// It exists because each generation says something else of repeats: the first
// has attempts, version 4 ran several and kept one score, version 5 has samples.
// A row that stands for several trials is counted as one, labelled aggregated,
// with a warning. AgentV's own pass rate counts samples whose infrastructure
// broke as failures; here they have their class. Of the files beside the index
// those with conversations are read, and others, such as sample-N/result.json, left
// out.
package agentv

import (
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts rows or a summary.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray {
		return false
	}
	return isSummary(keys) || isRow(keys)
}

// Summarises reports whether head starts a summary: the samples it lists are in
// the index beside it.
func Summarises(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && isSummary(keys)
}

func isRow(keys jsonwalk.KeySet) bool {
	return keys.HasAny("test_id", "testId") && keys.HasAny("target") && keys.HasAny("score") &&
		keys.HasAny("scores", "samples", "attempts", "execution_status", "executionStatus", "assertions", "timestamp")
}

func isSummary(keys jsonwalk.KeySet) bool {
	return keys.HasAny("index_path") && keys.HasAny("tests", "infra_failures")
}

// Read reads one input by itself.
func Read(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, nil) }

// ReadIn reads one file. Run opens the files of the run that it names, below the
// folder of the run and nowhere else; it is nil where there is none. The error is
// that of r.
func ReadIn(r io.Reader, to envelope.Sink, run func(path string) (io.ReadCloser, error)) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: to, run: run}
	keys, _ := jsonwalk.Keys(head)
	var err error
	if isSummary(keys) {
		err = jsonwalk.Document(whole, to, rd.summary)
		to.Header(rd.header, nil)
	} else {
		err = jsonwalk.Lines(whole, to, rd.row, "test_id", "testId")
		rd.heldToSummary()
	}
	rd.tellAggregated()
	return err
}

type reader struct {
	to           envelope.Sink
	header       envelope.Header
	attempts     trialfields.Attempts
	aggregated   int   // rows that stand for several trials
	line, column int   // the first of them
	several      bool  // the row is one: its checks are those of one of its trials
	alone        bool  // the row has one trial: its paths are those of the trial
	samples      int64 // of the rows read
	last         int   // the line of the last row
	run          func(path string) (io.ReadCloser, error)
	trial        envelope.Trial
}

// summaryName is the file beside an index that counts what is in it.
const summaryName = "summary.json"

// heldToSummary tells of an index that has fewer samples than its summary counts. Lines may
// end anywhere, and where the index is read the summary is not.
func (rd *reader) heldToSummary() {
	if rd.run == nil || rd.samples == 0 {
		return
	}
	file, err := rd.run(summaryName)
	if err != nil {
		return
	}
	defer file.Close()
	counted := int64(0)
	_ = jsonwalk.Document(file, jsonwalk.Silent{}, func(t *jsonwalk.Text) error {
		return t.Object(func(key string) error {
			if key != "counts" {
				return nil
			}
			v, err := t.Value()
			counted = v.Get("total_samples").Count().V
			return err
		})
	})
	if counted > rd.samples {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeTruncated, Line: rd.last, Column: 1,
			Message: fmt.Sprintf("the index has %d samples but %s in its folder counts %d; results are missing; get a whole copy of the index", rd.samples, summaryName, counted)})
	}
}

// aggregate marks the trial as one that stands for several.
func (rd *reader) aggregate(v jsonwalk.Value) {
	if rd.aggregated++; rd.aggregated == 1 {
		rd.line, rd.column = v.Place()
	}
	rd.trial.Labels = append(rd.trial.Labels, envelope.Label{Name: "aggregated", Value: "true"})
}

func (rd *reader) tellAggregated() {
	if rd.aggregated > 0 {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: "aggregated", Line: rd.line, Column: rd.column, Count: rd.aggregated,
			Message: fmt.Sprintf("%d rows hold only the score over all their trials; each is counted as one trial", rd.aggregated)})
	}
}

// summary reads a summary.json.
func (rd *reader) summary(t *jsonwalk.Text) error {
	return t.Object(func(key string) error {
		switch key {
		case "tests":
			return t.Objects(rd.test)
		case "run_id", "counts":
			v, err := t.Value()
			if err == nil && key == "run_id" {
				rd.header.ID = v.Text()
			} else if err == nil {
				rd.header.PlannedTrials = v.Get("total_samples").Count()
			}
			v.Tell()
			return err
		}
		return nil
	})
}
