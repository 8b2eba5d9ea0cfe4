package serenity

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestShapes(t *testing.T) {
	const steps = `"testSteps":[{"description":"x","startTime":1,"result":"SUCCESS"},{"description":"y","startTime":1,"result":"SUCCESS"}]`
	const broken = `"testSteps":[{"description":"x","startTime":1,"result":"SUCCESS"},{"description":"y","startTime":1,"result":"ERROR"}]`
	rows := func(a, b string) string {
		return `"dataTable":{"rows":[{"values":[1],"result":"` + a + `"},{"values":[2],"result":"` + b + `"}]}`
	}
	for _, c := range []struct {
		text           string
		want, reported []string
		reason         string
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
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Reported(), c.want, c.reported)
		}
	}
	s := readtest.Text(t, Read, `{"name":"a",`+steps+`,"result":"SUCCESS","tags":[{"name":"Retries: 1000000000","type":"unstable test"}]}`)
	if len(s.Trials) != 1000+1 {
		t.Errorf("%d trials of a number nobody believes", len(s.Trials))
	}
}
