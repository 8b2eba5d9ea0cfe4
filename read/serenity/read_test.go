package serenity

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const paying = "features/shop/paying.feature/Paying for <what>"

// TestSamples: as the files say; the report of Serenity counts a test that passed after all once.
func TestSamples(t *testing.T) {
	for name, want := range map[string][]string{
		"outline.json": {paying + " (example 1) #0 pass SUCCESS", paying + " (example 2) #0 fail FAILURE", paying + " (example 3) #0 error PENDING pre-validation"},
		"retried.json": {"shop.SendTest/should_send_the_cart #0 fail", "shop.SendTest/should_send_the_cart #1 fail retry", "shop.SendTest/should_send_the_cart #2 pass SUCCESS retry"},
		"failed.json":  {"shop.EmptyTest/should_empty_the_cart #0 error COMPROMISED"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %q %q\nwant %q", name, got, s.Told(), want)
		}
	}
}

func TestFields(t *testing.T) {
	const file = "features/shop/paying.feature"
	labels := func(example string) []envelope.Label {
		return []envelope.Label{{Name: "tags", Value: "smoke"}, {Name: "example", Value: example}}
	}
	s := readtest.File(t, Read, "testdata/outline.json")
	want := []envelope.Trial{
		{Key: envelope.Key{Suite: file, Test: "Paying for <what> (example 1)"}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, RawStatus: "SUCCESS",
			DurationMS: envelope.Some(640.0), StartedAt: time.Date(2025, 3, 7, 8, 15, 2, 250e6, time.UTC), File: file, Labels: labels("tea, 3"),
			Checks: []envelope.Check{{Name: "Given a cart with tea", Status: envelope.Pass}, {Name: "Then 3 is to be paid", Status: envelope.Pass}}},
		{Key: envelope.Key{Suite: file, Test: "Paying for <what> (example 2)"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail, RawStatus: "FAILURE",
			DurationMS: envelope.Some(700.0), StartedAt: time.Date(2025, 3, 7, 8, 15, 3, 0, time.UTC), File: file, Labels: labels("milk, 2"),
			Message: "expected: 2 but was: 3", Output: "expected: 2 but was: 3",
			Checks: []envelope.Check{{Name: "Given a cart with milk", Status: envelope.Pass}, {Name: "Then 2 is to be paid", Status: envelope.Fail, Reason: "expected: 2 but was: 3"}}},
		{Key: envelope.Key{Suite: file, Test: "Paying for <what> (example 3)"}, Attempt: envelope.Some[int32](0), Status: envelope.Error, RawStatus: "PENDING", ErrorClass: envelope.ClassPreValidation,
			DurationMS: envelope.Some(10.0), StartedAt: time.Date(2025, 3, 7, 8, 15, 4, 0, time.UTC), File: file, Labels: labels("air, 0"),
			Message: "pending: Given a cart with air",
			Checks:  []envelope.Check{{Name: "Given a cart with air", Status: envelope.Error}, {Name: "Then 0 is to be paid", Status: envelope.Skip}}},
	}
	if diff := cmp.Diff(want, s.Trials); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got := readtest.File(t, Read, "testdata/failed.json").Trials[0]
	if got.Message != "no answer from the shop" || got.Output != "no answer from the shop\n\n\tat shop.Cart.empty(Cart.java:7)" ||
		!got.StartedAt.Equal(time.UnixMilli(1425438520500)) || got.DurationMS.V != 410 || len(got.Checks) != 3 || got.File != "" {
		t.Errorf("%+v", got)
	}
	tries := readtest.File(t, Read, "testdata/retried.json").Trials
	if tries[0].Message != "Sends the cart: connection refused" || tries[1].Message != "Sends the cart: gone" || len(tries[2].Checks) != 1 || tries[2].DurationMS.V != 930 || tries[0].DurationMS.OK {
		t.Errorf("%+v", tries)
	}
}

func TestShapes(t *testing.T) {
	const steps = `"testSteps":[{"description":"x","startTime":1,"result":"SUCCESS"},{"description":"y","startTime":1,"result":"SUCCESS"}]`
	const broken = `"testSteps":[{"description":"x","startTime":1,"result":"SUCCESS"},{"description":"y","startTime":1,"result":"ERROR"}]`
	rows := func(a, b string) string {
		return `"dataTable":{"rows":[{"values":[1],"result":"` + a + `"},{"values":[2],"result":"` + b + `"}]}`
	}
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{`{"name":"a",` + steps + `,"result":"PENDING","testSource":"Cucumber","manual":true}`, []string{"a #0 skip PENDING"}, nil, "a test for people"},
		{`{"name":"a",` + steps + `,"result":"PENDING","testSource":"Cucumber","tags":[{"name":"WIP","type":"tag"}]}`, []string{"a #0 skip PENDING"}, nil, "put off"},
		{`{"name":"a",` + steps + `,"result":"PENDING","testSource":"JUnit"}`, []string{"a #0 skip PENDING"}, nil, "@Pending"},
		{`{"name":"a",` + steps + `,"result":"ABORTED"}`, []string{"a #0 skip ABORTED"}, nil, "an assumption that did not hold"},
		{`{"name":"a",` + steps + `,"result":"UNDEFINED"}`, []string{"a #0 error UNDEFINED"}, nil, "nobody knows how it ended"},
		{`{"name":"a",` + steps + `,"result":"BROKEN"}`, []string{"a #0 error BROKEN"}, nil, "a word that nobody knows"},
		{`{"name":"a",` + broken + `}`, []string{"a #0 error ERROR"}, nil, "no result: the steps say it"},
		{`{"name":"a",` + broken + `,"result":"SUCCESS"}`, []string{"a #0 error ERROR"}, nil, "a step that broke, in a test that passed"},
		{`{"name":"a",` + broken + `,"result":"IGNORED"}`, []string{"a #0 skip IGNORED"}, nil, "a test that is not to count"},
		{`{"name":"a",` + steps + `,` + rows("SUCCESS", "FAILURE") + `,"result":"FAILURE"}`, []string{"a (example 1) #0 pass SUCCESS", "a (example 2) #0 fail FAILURE"}, nil, "a failure that the row alone has"},
		{`{"name":"a",` + broken + `,` + rows("SUCCESS", "SUCCESS") + `,"result":"ERROR"}`, []string{"a (example 1) #0 pass SUCCESS", "a (example 2) #0 error ERROR"}, nil, "a failure that the step alone has"},
		{`{"name":"a",` + steps + `,` + rows("SUCCESS", "SUCCESS") + `,"result":"ERROR","testFailureMessage":"no database"}`, []string{"a #0 error ERROR"}, nil, "what failed is none of the rows"},
		{`{"name":"a",` + broken + `,"dataTable":{"rows":[{"result":"SUCCESS"}]},"result":"ERROR"}`, []string{"a #0 error ERROR"}, nil, "steps that are no rows"},
		{`{"name":"a",` + steps + `,"dataTable":{"rows":[{"result":"SUCCESS"},{"result":"FAILURE"},{"result":"SUCCESS"}]},"result":"SUCCESS"}`, []string{"a #0 fail FAILURE"}, nil, "a row that failed, in a test that passed"},
		{`{"name":"a",` + steps + `,"result":"SUCCESS","context":"chrome","userStory":{"storyName":"S","path":"s"}}`, []string{"S/a [chrome] #0 pass SUCCESS"}, nil, "a browser is another test"},
		{`{"name":"a",` + steps + `,"result":"SUCCESS","tags":[{"name":"Retries: 1000000000","type":"tag"}]}`, []string{"a #0 pass SUCCESS"}, nil, "a tag of the user's own"},
		{`{"name":"a","testSteps":[],"title":"A"}`, nil, []string{"malformed-record 1:25"}, "neither a result nor steps"},
		{`{"name":"a",` + steps, nil, []string{"unreadable-input 1:132"}, "cut before the result: all of its steps passed"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
	s := readtest.Text(t, Read, `{"name":"a",`+steps+`,"result":"SUCCESS","tags":[{"name":"Retries: 1000000000","type":"unstable test"}]}`)
	if len(s.Trials) != maxTries+1 {
		t.Errorf("%d trials of a number nobody believes", len(s.Trials))
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"name":"a","id":"b","testSteps":[{"number":1,"description":"x","duration":1,"startTime":"2`, true, "cut in the first step"},
		{`{"name":"a","id":"b","userStory":{},"featureTag":{},"title":"A","manual":false,"result":"SUCCESS"}`, true, "no steps"},
		{`{"name":"a","testSteps":[{"action":"click","description":"x"}],"result":"SUCCESS"}`, false, "a plan of a test"},
		{`[{"name":"a","testSteps":[{"description":"x","startTime":1}]}]`, false, "an array"},
		{``, false, "nothing"},
	} {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzSerenity(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `{"name":"a","testSteps":[{"description":"x","startTime":1,"result":"SUCCESS"}],"result":"SUCCESS"}`)
}
