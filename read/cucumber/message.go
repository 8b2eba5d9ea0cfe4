package cucumber

import (
	"encoding/json"
	"time"

	"tribunal/envelope"
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
	if r.Message != "" {
		return r.Message
	}
	if r.Exception.StackTrace != "" {
		return r.Exception.StackTrace
	}
	return r.Exception.Message
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
	return trialfields.Milliseconds(float64(end.Sub(start)), 1.0/float64(time.Millisecond))
}
