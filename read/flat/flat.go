// Package flat reads formats of which every record of JSON is one trial.
//
// Each is a row: where its records are, which members name the test and what they say of the
// trial. What the words of a format mean is the function of its row, in a file of its own.
package flat

import (
	"cmp"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Format is one format.
type Format struct {
	// Sniff reports whether head starts with a record.
	Sniff func(head []byte) bool

	records             records
	keys                []string // of lines: one of them is in a record behind other bytes
	suite, test, of     string   // members, as paths a.b; of is the variant
	unnamed             string   // why a record without a test does not count, if not that it has none
	cost, tokens, score string
	labels              []string // members that are labels by their names
	once                bool     // a file has each test once
	// judge says how the trial ended, or why the record is none.
	judge func(t *envelope.Trial, v jsonwalk.Value) (notCounted string)
}

// records is where the records of a format are.
type records int

const (
	lines    records = iota // an object a line
	elements                // of an array
	document                // the document is one
	members                 // of an object; their keys are the tests
)

// Read reads one file. What is wrong with it is a problem in the sink; the error is that of r.
func (f *Format) Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{Format: f, to: to}
	if f.records == lines {
		return jsonwalk.Lines(r, to, func(v jsonwalk.Value) { rd.record(get(v, f.test).Text(), v) }, f.keys...)
	}
	own := func(v jsonwalk.Value) { rd.record(get(v, f.test).Text(), v) }
	return jsonwalk.Document(r, to, func(t *jsonwalk.Text) error {
		switch f.records {
		case elements:
			return t.Objects(own)
		case members:
			return t.Object(func(key string) error {
				return t.One(func(v jsonwalk.Value) { rd.record(key, v) })
			})
		}
		return t.One(own)
	})
}

type reader struct {
	*Format
	to       envelope.Sink
	attempts trialfields.Attempts
}

func (rd *reader) record(test string, v jsonwalk.Value) {
	t := envelope.Trial{Key: envelope.Key{Suite: get(v, rd.suite).Text(), Test: test, Variant: get(v, rd.of).Text()}}
	why := ""
	if test == "" {
		why = cmp.Or(rd.unnamed, "it has no "+rd.test)
	} else {
		why = rd.judge(&t, v)
	}
	if why != "" {
		v.Reject(why)
		return
	}
	if rd.score != "" {
		t.Score = get(v, rd.score).Number()
	}
	if rd.cost != "" {
		t.CostUSD = get(v, rd.cost).Amount()
	}
	if rd.tokens != "" {
		t.Tokens = get(v, rd.tokens).Count()
	}
	for _, path := range rd.labels {
		trialfields.Label(&t, path, get(v, path).Text())
	}
	if t.Attempt = envelope.Some[int32](0); !rd.once {
		t.Attempt = rd.attempts.Next(t.Key)
	}
	rd.to.Trial(&t)
}

// get is what is at a path, absent where there is none.
func get(v jsonwalk.Value, path string) jsonwalk.Value {
	if path == "" {
		return jsonwalk.Value{}
	}
	return v.Get(strings.Split(path, ".")...)
}
