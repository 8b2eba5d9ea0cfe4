package trialfields

import (
	"reflect"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestAddCheck(t *testing.T) {
	var got envelope.Trial
	AddCheck(&got, envelope.Check{Name: "says nothing"}, "x")
	AddCheck(&got, envelope.Check{Name: " cites a source\nand which ", Status: envelope.Pass, Reason: " yes\n"}, "x")
	AddCheck(&got, envelope.Check{Score: envelope.Some(0.5)}, "metric")
	AddCheck(&got, envelope.Check{Name: strings.Repeat("ä", 200), Status: PassFail(envelope.Some(false))}, "x")
	want := []envelope.Check{{Name: "cites a source", Status: envelope.Pass, Reason: "yes"}, {Name: "metric", Score: envelope.Some(0.5)}, {Name: strings.Repeat("ä", 80) + "…", Status: envelope.Fail}}
	if !reflect.DeepEqual(got.Checks, want) {
		t.Errorf("got %+v\nwant %+v", got.Checks, want)
	}
	if PassFail(envelope.Opt[bool]{}) != "" || PassFail(envelope.Some(true)) != envelope.Pass {
		t.Error("what nobody said is no status")
	}
}

// TestInsideIsBounded: a trial that goes on forever must not take memory forever.
func TestInsideIsBounded(t *testing.T) {
	var got envelope.Trial
	Attach(&got, envelope.Attachment{})
	for range 5000 {
		AddCheck(&got, envelope.Check{Name: "a", Status: envelope.Pass}, "x")
		Attach(&got, envelope.Attachment{Name: "a"})
	}
	if len(got.Checks) != maxChecks || len(got.Attachments) != maxAttachments {
		t.Errorf("%d checks, %d attachments", len(got.Checks), len(got.Attachments))
	}
}
