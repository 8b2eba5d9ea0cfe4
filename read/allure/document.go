package allure

import (
	"cmp"

	"tribunal/read/internal/jsonwalk"
)

// document is a result, or a try in a generated report, which has the same in other
// places.
type document struct {
	jsonwalk.Value
	places
	id string
}

// places are the paths to what kinds of documents have in different places.
type places struct{ clock, message, trace, attachments []string }

var (
	ofResult  = places{nil, []string{"statusDetails", "message"}, []string{"statusDetails", "trace"}, []string{"attachments"}}
	ofReport2 = places{[]string{"time"}, []string{"statusMessage"}, []string{"statusTrace"}, []string{"testStage", "attachments"}}
	ofReport3 = places{nil, []string{"error", "message"}, []string{"error", "trace"}, []string{"attachments"}}
)

// documentOf tells what a document is by what its identity is called.
func documentOf(v jsonwalk.Value) document {
	for _, kind := range []struct {
		name string
		places
	}{{"uuid", ofResult}, {"uid", ofReport2}, {"id", ofReport3}} {
		if id := v.Get(kind.name); id.Present() {
			return document{v, kind.places, id.String()}
		}
	}
	return document{v, ofResult, ""}
}

// ofReport2 reports whether it is a try in a report that Allure 2 generated.
func (d document) ofReport2() bool { return d.clock != nil }

func (d document) message() string { return d.Get(d.places.message...).String() }
func (d document) trace() string   { return d.Get(d.places.trace...).String() }

// files are those that a try left.
func (d document) files() (files []string) {
	for a := range d.Get(d.attachments...).Items() {
		files = append(files, attachment(attached(a)))
	}
	return files
}

// attachment is a line on a file that a try left.
func attachment(name, source string) string { return "attachment: " + name + " (" + source + ")" }

// attached is the name of a file that a try left, and where it is.
func attached(v jsonwalk.Value) (name, source string) {
	link := v.Get("link") // in reports of Allure 3
	return cmp.Or(v.Get("name").String(), link.Get("name").String()), cmp.Or(v.Get("source").String(), link.Get("originalFileName").String())
}
