package cucumber

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/gherkin"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// message is one line: one of its members is set.
type message struct {
	Meta *struct {
		CI struct {
			BuildNumber string
			Git         struct{ Revision string }
		}
	}
	GherkinDocument *struct {
		Feature struct{ Children []child }
	}
	Pickle           *pickle
	ParseError       *parseError
	TestCase         *testCase
	TestRunStarted   *struct{ Timestamp timestamp }
	TestCaseStarted  *caseStarted
	TestStepFinished *struct {
		TestCaseStartedID, TestStepID string
		TestStepResult                stepResult
	}
	TestCaseFinished *struct {
		TestCaseStartedID string
		Timestamp         timestamp
	}
	TestRunHookFinished *struct{ Result stepResult }
	Attachment          *attachment
	ExternalAttachment  *attachment
	TestRunFinished     *struct{ Success *bool }
}

// child is a scenario, or a rule with scenarios.
type child struct {
	Rule     *struct{ Children []child }
	Scenario *struct {
		node
		Examples []struct{ TableBody []node }
	}
}

// node is a place in a feature.
type node struct {
	ID       string
	Location struct{ Line int }
}

type pickle struct {
	ID, URI, Name string
	Location      *struct{ Line int } // absent before version 33 of the protocol
	AstNodeIDs    []string
	Tags          []struct{ Name string }
	Steps         []struct{ ID, Text string }
	line          int
}

type parseError struct {
	Source struct {
		URI      string
		Location struct{ Line int }
	}
	Message string
}

type testCase struct {
	ID, PickleID string
	TestSteps    []struct{ ID, PickleStepID string }
	pickle       *pickle
}

type caseStarted struct {
	ID, TestCaseID string
	Attempt        int32
	Timestamp      timestamp
}

type stepResult struct {
	Status, Message string
	Exception       struct{ Message, StackTrace string }
}

// said is what the step said, the longest form there is.
func (r *stepResult) said() string {
	return cmp.Or(r.Message, r.Exception.StackTrace, r.Exception.Message)
}

type attachment struct {
	TestCaseStartedID, Body, ContentEncoding, MediaType, FileName, URL string
}

// timestamp is a time in seconds and nanoseconds; some writers quote numbers.
type timestamp struct{ Seconds, Nanos json.Number }

// time is the instant, zero when it is not given.
func (t timestamp) time() time.Time {
	seconds, err := t.Seconds.Int64()
	nanos, nerr := t.Nanos.Int64()
	const farthest = 1 << 33 // the year 2242, as far as an instant can be kept
	if err != nil || nerr != nil || seconds < 0 || seconds > farthest {
		return time.Time{}
	}
	return time.Unix(seconds, nanos).UTC()
}

// since is the time from start to end in milliseconds, absent when one of them
// is not given.
func since(start, end time.Time) envelope.Opt[float64] {
	if start.IsZero() || end.IsZero() {
		return envelope.Opt[float64]{}
	}
	return trialfields.Duration(end.Sub(start))
}

// attempt is a test case that is running.
type attempt struct {
	*testCase
	name    string // of the test
	order   int
	number  int32
	started time.Time
	steps   gherkin.Steps
	log     strings.Builder
}

// maxLog is how much of what an attempt logs is kept, about.
const maxLog = 64 << 10

func (a *attachment) isLog() bool {
	return a.MediaType == "text/x.cucumber.log+plain" && a.ContentEncoding == "IDENTITY"
}

func (rd *reader) attempt(l *jsonwalk.Line, m *message) {
	switch {
	case m.TestCaseStarted != nil:
		rd.begin(l, m.TestCaseStarted)
	case m.TestStepFinished != nil:
		if a := rd.open[m.TestStepFinished.TestCaseStartedID]; a != nil {
			r := &m.TestStepFinished.TestStepResult
			a.steps.Add(r.Status, r.said(), a.text(m.TestStepFinished.TestStepID))
		}
	case m.Attachment != nil:
		rd.attach(m.Attachment)
	case m.ExternalAttachment != nil:
		rd.attach(m.ExternalAttachment)
	case m.TestCaseFinished != nil:
		id := m.TestCaseFinished.TestCaseStartedID
		if a := rd.open[id]; a != nil {
			delete(rd.open, id)
			rd.ended(a, m.TestCaseFinished.Timestamp.time())
		}
	}
}

func (rd *reader) ended(a *attempt, at time.Time) {
	t := a.trial()
	t.DurationMS = since(a.started, at)
	a.steps.Fill(&t)
	t.Output = strings.TrimSpace(t.Output + "\n" + a.log.String())
	rd.deliver(t)
}

// attach adds what an attempt attached: its log to what it printed, and of anything
// else where it is. What stands in the stream itself is left there.
func (rd *reader) attach(m *attachment) {
	a := rd.open[m.TestCaseStartedID]
	switch {
	case a == nil:
	case !m.isLog():
		a.steps.Attach(envelope.Attachment{Name: m.FileName, URL: m.URL, MediaType: m.MediaType})
	case a.log.Len() < maxLog:
		a.log.WriteString(failure.Ends(m.Body))
		a.log.WriteByte('\n')
	}
}

func (rd *reader) begin(l *jsonwalk.Line, s *caseStarted) {
	c := rd.cases[s.TestCaseID]
	if c == nil {
		l.Malformed(0, "an attempt at a test case that did not come before it")
		return
	}
	if c.pickle.Name == "" && c.pickle.line <= 0 {
		l.Malformed(0, "an attempt at a scenario that has neither a name nor a line is not counted")
		return
	}
	rd.running = true
	rd.order++
	rd.open[s.ID] = &attempt{testCase: c, name: rd.names[c.pickle.URI].Of(c.pickle.Name, c.pickle.line), order: rd.order, number: s.Attempt,
		started: s.Timestamp.time()}
}

// text is what a step says, "" for a hook.
func (c *testCase) text(id string) string {
	for _, s := range c.TestSteps {
		if s.ID != id {
			continue
		}
		for _, p := range c.pickle.Steps {
			if p.ID == s.PickleStepID {
				return p.Text
			}
		}
	}
	return ""
}

// trial is what is known of an attempt before it ends.
func (a *attempt) trial() envelope.Trial {
	p := a.pickle
	t := envelope.Trial{Key: envelope.Key{Suite: p.URI, Test: a.name}, Retry: a.number > 0, StartedAt: a.started, File: p.URI,
		Line: max(p.line, 0)}
	var tags []string
	for _, tag := range p.Tags {
		tags = append(tags, tag.Name)
	}
	trialfields.Tags(&t, tags)
	return t
}
