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
	"maps"
	"math"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
)

// Codes of the problems that only this reader has.
const (
	codeAggregated = "aggregated"
	codeInferred   = "inferred-trials"
)

type reader struct {
	*jsonwalk.Text
	to      *runfailure.Watch
	summary struct {
		Start         float64
		Tests, Failed int
	}
	tool     struct{ Name string }
	id       string
	env      environment
	seconds  bool // durations are seconds
	said     map[string]bool
	restored *restoring // of a report of ours
	whole    bool       // the document was read to its end
}

// environment is what the report says of the run.
type environment struct {
	ReportName string `json:"reportName"`
	Commit     string `json:"commit"`
	Branch     string `json:"branchName"`
	Build      string `json:"buildName"`
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, said: map[string]bool{}}
	err := jsonwalk.Strict(r, rd.to, func(d *jsonwalk.Text) error {
		rd.Text = d
		err := rd.report()
		rd.whole = err == nil
		return err
	})
	if rd.restored != nil {
		rd.restored.end(to, rd.whole)
		return err
	}
	if rd.whole {
		rd.to.Counts(rd.summary.Tests, rd.summary.Failed, "tests")
	}
	rd.header()
	return err
}

func (rd *reader) report() error {
	return rd.Fields(map[string]any{"reportId": &rd.id}, func(key string) error {
		if key != "results" {
			return nil
		}
		return rd.Fields(map[string]any{"tool": &rd.tool, "summary": &rd.summary, "environment": &rd.env}, func(key string) error {
			switch key {
			case "extra":
				return rd.extra()
			case "tests":
				return rd.Array(rd.test)
			}
			return nil
		})
	})
}

// extra looks for the envelope of a report of ours, which stands before its tests.
func (rd *reader) extra() error {
	return rd.Object(func(key string) error {
		if key != "tribunal" || rd.restored != nil || rd.to.Attempts.Len() > 0 {
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
	if at, ok := instant(rd.summary.Start); ok {
		h.StartedAt = at.Format(time.RFC3339Nano)
	}
	labels := map[string]string{"tool": rd.tool.Name, "branch": rd.env.Branch, "build": rd.env.Build}
	if maps.DeleteFunc(labels, func(_, value string) bool { return value == "" }); len(labels) > 0 {
		h.Labels = labels
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

// Sniff reports whether head starts with an object that says it is CTRF, or one
// whose results have a tool and a summary or tests: the plugin of pytest does
// not say it.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray || keys["reportFormat"] == "CTRF" {
		return !inArray
	}
	if !keys.Has("results") {
		return false
	}
	inside, _ := jsonwalk.Keys(results(head))
	return inside.Has("tool") && inside.HasAny("summary", "tests")
}

// results is the text from the value of the member results on.
func results(head []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(head))
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		case "results":
			if depth == 1 {
				rest := head[dec.InputOffset():]
				return bytes.TrimLeft(rest, ": \t\r\n")
			}
		}
	}
}

// secondsBelow is what no time in milliseconds is below (1973), and no time in
// seconds above (5138).
const secondsBelow = 1e11

// instant is a time since 1970 in milliseconds, or in seconds when it must be.
func instant(v float64) (time.Time, bool) {
	const most = 1e15
	if !(v > 0 && v < most) {
		return time.Time{}, false
	}
	if v < secondsBelow {
		v *= 1000
	}
	return time.UnixMicro(int64(math.Round(v * 1000))).UTC(), true
}

// times fills in when a try started and how long it took. A skipped test took no
// time that is worth a number.
func (rd *reader) times(t *envelope.Trial, y *try) {
	if at, ok := instant(y.Start); ok {
		t.StartedAt = at
	}
	if y.Duration == nil || t.Status == envelope.Skip && *y.Duration == 0 {
		return
	}
	ms := *y.Duration
	if rd.seconds || inSeconds(y) {
		ms *= 1000
	}
	const digits = 1e6 // so that 0.007 s is 7 ms and not a little more
	if ms = math.Round(ms*digits) / digits; ms < 0 || math.IsInf(ms, 0) || math.IsNaN(ms) {
		rd.warn(envelope.CodeField, "some durations are not numbers of 0 or more: they count as unknown")
		return
	}
	t.DurationMS = envelope.Some(ms)
}

// inSeconds reports a duration that is a fraction and just the difference of two
// times in seconds.
func inSeconds(y *try) bool {
	const near = 0.002
	d := *y.Duration
	return d != math.Trunc(d) && y.Start > 0 && y.Start < secondsBelow && y.Stop >= y.Start && math.Abs(y.Stop-y.Start-d) < near
}
