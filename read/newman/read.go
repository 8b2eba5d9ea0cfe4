// Package newman reads the JSON report of Newman, which runs collections of Postman.
//
// An execution of a request is a trial. It passes if it was answered, no script broke and no
// assertion failed. The folders around a request are the suite, its assertions are the checks.
// Attempts are by order, because an iteration may send a request several times.
package newman

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a report: the collection comes first, and what
// came of it may be far behind.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return keys.Has("collection") && (keys.Has("run") || bytes.Contains(head, []byte(`"item"`)) && bytes.Contains(head, []byte(`"request"`)))
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, places: map[string]envelope.Key{}, taken: map[envelope.Key]int{}}
	err := jsonwalk.Strict(r, to, func(d *jsonwalk.Text) error {
		return d.Members(jsonwalk.Members{"run": rd.run, "collection": func(v jsonwalk.Value) {
			rd.header.Name = v.Get("info", "name").String()
			rd.folder(v, nil)
		}})
	})
	rd.to.Counted(rd.failures, "requests")
	rd.to.Head(rd.header)
	return err
}

type reader struct {
	to       *runfailure.Watch
	header   envelope.Header
	places   map[string]envelope.Key // of requests, by their identity
	taken    map[envelope.Key]int    // how many requests have a place
	failures int                     // as the report counts them
	began    int                     // executions, as the report counts them
	read     int
}

func (rd *reader) folder(v jsonwalk.Value, around []string) {
	const maxNesting = 100 // folders in each other
	if len(around) > maxNesting {
		return
	}
	for item := range v.Get("item").Items() {
		name := item.Get("name").String()
		if item.Get("item").IsArray() {
			rd.folder(item, append(around, name))
			continue
		}
		rd.place(item.Get("id").String(), envelope.Key{Suite: strings.Join(around, "/"), Test: cmp.Or(name, "(unnamed)")})
	}
}

// place gives a request its name. Several of a folder may have one.
func (rd *reader) place(id string, key envelope.Key) envelope.Key {
	rd.taken[key]++
	if n := rd.taken[key]; n > 1 {
		key.Test = fmt.Sprintf("%s #%d", key.Test, n)
	}
	rd.places[id] = key
	return key
}

func (rd *reader) run(d *jsonwalk.Text) error {
	err := d.Members(jsonwalk.Members{
		"executions": jsonwalk.Objects(rd.execution),
		"failures":   jsonwalk.Objects(func(jsonwalk.Value) { rd.failures++ }), // for any of which Newman ends with 1
		"stats": func(v jsonwalk.Value) {
			rd.began = int(v.Get("items", "total").Index().V)
			for _, what := range []string{"requests", "assertions", "testScripts", "prerequestScripts"} {
				rd.failures += int(v.Get(what, "failed").Index().V)
			}
		},
		"timings": func(v jsonwalk.Value) {
			if at := v.Get("started").Amount(); at.OK && at.V < 1e14 {
				rd.header.StartedAt = time.UnixMilli(int64(at.V)).UTC().Format("2006-01-02T15:04:05.000Z07:00")
			}
		},
		"error": func(v jsonwalk.Value) {
			if v.Present() {
				rd.to.Fail(envelope.ClassInfrastructure, saidBy(v))
			}
		},
	})
	if err == nil && rd.began > rd.read {
		d.Problem(envelope.SeverityError, envelope.CodeTruncated,
			fmt.Sprintf("the report counts %d executions of requests and has %d: results are missing; run Newman again", rd.began, rd.read))
	}
	return err
}

func (rd *reader) execution(v jsonwalk.Value) {
	rd.read++
	id := cmp.Or(v.Get("item", "id").String(), v.Get("id").String())
	key, known := rd.places[id]
	if !known {
		key = rd.place(id, envelope.Key{Test: cmp.Or(v.Get("item", "name").String(), "(unnamed)")})
	}
	t := envelope.Trial{Key: key, Status: envelope.Pass, DurationMS: v.Get("response", "responseTime").Millis(1)}
	failed, said := assertions(&t, v.Get("assertions"))
	broke := failuresOf(v)
	switch {
	case len(broke) > 0:
		t.Status = envelope.Error
		if strings.HasSuffix(v.Get("requestError", "code").String(), "TIMEDOUT") {
			t.ErrorClass = envelope.ClassTimeout
		}
	case len(failed) > 0:
		t.Status = envelope.Fail
	}
	if t.Status != envelope.Pass {
		t.Message = failure.FirstLine(strings.Join(append(broke, failed...), "; "))
		t.Output = failure.Ends(strings.Join(append(broke, said...), "\n"))
	}
	rd.to.Send(&t)
}

// failuresOf are what kept a request from being answered, or a script of it from its end.
func failuresOf(v jsonwalk.Value) (broke []string) {
	if e := v.Get("requestError"); e.Present() {
		broke = append(broke, "the request failed: "+saidBy(e))
	}
	for _, script := range []string{"prerequestScript", "testScript"} {
		for s := range v.Get(script).Items() {
			if e := s.Get("error"); e.Present() {
				broke = append(broke, "the "+words[script]+" broke: "+saidBy(e))
			}
		}
	}
	return broke
}

// saidBy is what an error says, an object or a text.
func saidBy(e jsonwalk.Value) string {
	if e.IsText() {
		return e.String()
	}
	return cmp.Or(e.Get("message").String(), e.Get("code").String(), e.Get("name").String(), "Newman does not say why")
}

// words are what people call the scripts of a request.
var words = map[string]string{"prerequestScript": "pre-request script", "testScript": "test script"}

// assertions adds them as checks, and returns those that failed, in short and in full.
func assertions(t *envelope.Trial, v jsonwalk.Value) (failed, said []string) {
	seen := map[string]int{}
	for a := range v.Items() {
		name := a.Get("assertion").String()
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s #%d", name, seen[name])
		}
		c := envelope.Check{Name: name, Status: envelope.Pass}
		switch e := a.Get("error"); {
		case a.Get("skipped").Bool().V:
			c.Status = envelope.Skip
		case e.Present():
			c.Status, c.Reason = envelope.Fail, saidBy(e)
			failed = append(failed, name+": "+failure.FirstLine(c.Reason))
			said = append(said, name+": "+cmp.Or(e.Get("stack").String(), c.Reason))
		}
		trialfields.AddCheck(t, c, "assertion")
	}
	return failed, said
}
