package html

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestCallsAreNumberedFromBothEnds: what is left out in the middle of a
// conversation has calls as well, so those behind it are the last of the trial.
func TestCallsAreNumberedFromBothEnds(t *testing.T) {
	calls := func(names ...string) (out []envelope.ToolCall) {
		for _, n := range names {
			out = append(out, envelope.ToolCall{Name: n})
		}
		return out
	}
	turns := []envelope.Turn{{Role: "assistant", ToolCalls: calls("a", "b")}, {LeftOut: 9}, {Role: "assistant", ToolCalls: calls("c")}, {Role: "assistant", ToolCalls: calls("d")}}
	for _, c := range []struct {
		keys   []string
		want   string
		reason string
	}{
		{[]string{"10", "11", "12", "13", "14", "15"}, "1:10,11 9 11:14 12:15", "six steps, of which two are left out"},
	} {
		var got []string
		for _, turn := range (&opener{}).newTurns(turns, c.keys) {
			if turn.Gap != "" {
				got = append(got, strings.Fields(turn.Gap)[0])
				continue
			}
			var keys []string
			for _, call := range turn.Calls {
				keys = append(keys, call.Key)
			}
			got = append(got, turn.No+":"+strings.Join(keys, ","))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

// Calls whose steps are not known are equal where name and arguments are.
func TestCallsWithoutSteps(t *testing.T) {
	call := func(name, arguments string) string {
		return (&opener{}).newTurns([]envelope.Turn{{ToolCalls: []envelope.ToolCall{{Name: name, Arguments: arguments}}}}, nil)[0].Calls[0].Key
	}
	if once, again := call("a", "{}"), call("a", "{}"); once != again || call("a", "b") == call("ab", "") || call("a", "1") == call("a", "2") {
		t.Error("a call is another than itself, or the same as another")
	}
}

// A trial makes hundreds of steps: their names must not push what follows out of view.
func TestNamesOfStepsAreFew(t *testing.T) {
	for _, c := range []struct{ names, want, reason string }{
		{"a b b c", "a|2 × b|c", "equal neighbours are one"},
		{"a b c d e f", "a|b|c|d|e|f", "as many as are shown"},
		{"a b c d e f g h", "a|b|c|…|f|g|h", "more"},
	} {
		if got := strings.Join(repeated(strings.Fields(c.names)), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

func TestArgumentsOfCalls(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{`{"b":1,"a":"x"}`, `b=1 a="x"`, "members in their order"},
		{`{"n":123456789012345678901}`, `n=123456789012345678901`, "all digits of a number"},
		{`{}`, ``, "none"},
		{``, ``, "nothing was told"},
		{`not JSON {`, `=not JSON {`, "what the model wrote where that is no JSON"},
		{`{"a":1`, `={"a":1`, "cut off"},
		{`[1,2]`, `=[1,2]`, "a list"},
	} {
		var got []string
		for _, a := range argumentsOf(c.text) {
			got = append(got, a.Key+"="+a.Value)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.reason, c.text, got, c.want)
		}
	}
}

func TestLongAnswersAreCut(t *testing.T) {
	text := func(lines int) string { return strings.Repeat("x\n", lines) }
	for _, c := range []struct {
		lines, shown, more int
		reason             string
	}{{20, 20, 0, "as many as are shown"}, {22, 22, 0, "two more are not worth a click"}, {23, 20, 3, "more"}, {500, 20, 480, "many more"}} {
		head, rest, more := cutLines(text(c.lines), 20)
		if strings.Count(head, "\n") != c.shown || more != c.more || head+rest != text(c.lines) {
			t.Errorf("%s: %d of %d lines shown, %d more, want %d and %d, and nothing lost", c.reason, strings.Count(head, "\n"), c.lines, more, c.shown, c.more)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
		ok   bool
	}{{"", 0, true}, {"20MB", 20_000_000, true}, {"1.5 mb", 1_500_000, true}, {"500kB", 500_000, true}, {"0", 1, true}, {"70", 70, true}, {"big", 0, false}, {"-1MB", 0, false}, {"9e99GB", 0, false}, {"NaN", 0, false}} {
		if err := CheckSize(c.text); (err == nil) != c.ok || err == nil && Size(c.text) != c.want {
			t.Errorf("%q: %d, %v; want %d, %v", c.text, Size(c.text), err, c.want, c.ok)
		}
	}
}

// The conversations of a page that holds few are those of the tests that come first, and the page says what it leaves out.
func TestConversationsAreBudgeted(t *testing.T) {
	var tests []envelope.Test
	for i := range 9 {
		turns := []envelope.Turn{{Role: "user", Text: strings.Repeat(fmt.Sprint("question ", i*i*7919, " "), 50)}}
		tests = append(tests, envelope.Test{Key: envelope.Key{Test: fmt.Sprint(i)}, Status: []envelope.Status{envelope.Pass, envelope.Fail, envelope.Inconclusive}[i%3],
			Rows: &envelope.Rows{Outcome: envelope.Outcomes{envelope.Failed}, Given: []envelope.Given{'F'}}, Transcripts: []envelope.Transcript{envelope.NewTranscript(0, turns)}})
	}
	for _, c := range []struct {
		budget, want int
		left         string
	}{{1 << 20, 9, ""}, {1, 0, "of 9 tests"}, {1150, 5, "of 4 tests"}} {
		talking := &conversationData{list: newListing(tests, 5, bareOpener()), budget: c.budget}
		var ids []string
		for island := range talking.Islands() {
			ids = append(ids, island.ID)
		}
		if len(ids) != c.want || !strings.Contains(talking.Left(), c.left) || (c.left == "") != (talking.Left() == "") {
			t.Errorf("%d bytes: %d tests with conversations (%v), %q; want %d, %q", c.budget, len(ids), ids, talking.Left(), c.want, c.left)
		}
		if len(ids) > 0 && ids[0] != "talk-0" {
			t.Errorf("first %s, want the first test that failed", ids[0])
		}
	}
}

// What people read first of a test that fails: what fails do, and what passes do.
func TestPartingInWords(t *testing.T) {
	call := func(name, arguments string, passed, n int) envelope.Branch {
		return envelope.Branch{Name: name, Arguments: arguments, Passed: passed, N: n}
	}
	for _, c := range []struct {
		reason string
		p      envelope.Parting
		want   string
	}{
		{"each way ends alike", envelope.Parting{Level: envelope.PartArguments, Depth: 8, Branches: []envelope.Branch{call("cancel", "FDZ", 2, 2), call("transfer", "", 0, 1), call("cancel", "HSR", 0, 1)}},
			"After 8 equal steps, of the trials that fail 1 calls transfer and 1 calls cancel (HSR); of those that pass 2 call cancel (FDZ)."},
		{"at the first step, and some stop", envelope.Parting{Level: envelope.PartNames, Branches: []envelope.Branch{call("look", "", 1, 1), {Ended: true, N: 2}}},
			"At the first step, of the trials that fail 2 stop; of those that pass 1 calls look."},
		{"one that stops, and one that goes its own way", envelope.Parting{Level: envelope.PartNames, Branches: []envelope.Branch{{Ended: true, Passed: 1, N: 1}, {Others: 1, N: 1}}},
			"At the first step, of the trials that fail 1 goes 1 other way; of those that pass 1 stops."},
		{"a way that passes now and then", envelope.Parting{Level: envelope.PartNames, Depth: 1, Branches: []envelope.Branch{call("look", "", 1, 3), {Ended: true, N: 1}, {Others: 4, N: 5}}},
			"After 1 step with the same tools, trials that call look pass 1/3, those that stop 0/1, those that go 4 other ways 0/5."},
	} {
		if got := partingWords(&c.p); got != c.want {
			t.Errorf("%s: %s", c.reason, got)
		}
	}
}

// TestThen: what the trials of a branch did after it, as trials of a booking made their steps.
func TestThen(t *testing.T) {
	steps := []envelope.Step{{Name: "cancel", Digest: "f"}, {Name: "cancel", Digest: "h"}, {Name: "look", Digest: "1"}, {Name: "look", Digest: "2"}, {Name: "think", Digest: "3"}}
	branch := func(trials ...int) envelope.Branch {
		return envelope.Branch{Name: "cancel", Digest: "f", Arguments: "FDZ", Trials: trials}
	}
	for _, c := range []struct {
		trials [][]uint32
		level  string
		cut    bool
		want   string
		reason string
	}{
		{[][]uint32{{2, 0, 1}, {2, 4, 0, 1, 4}}, envelope.PartArguments, false, "then cancel (HSR), end", "the step of another branch, and a tool that is no step"},
		{[][]uint32{{2, 0}}, envelope.PartArguments, false, "then end", "no more"},
		{[][]uint32{{2, 0, 2, 3}, {2, 0, 2}}, envelope.PartArguments, false, "then look, …", "equal for a while"},
		{[][]uint32{{2, 0, 2}, {2, 0, 3}}, envelope.PartArguments, false, "", "different from here on"},
		{[][]uint32{{2, 0, 2}, {2, 0, 3}}, envelope.PartNames, false, "then look, end", "the same by names"},
		{[][]uint32{{2, 0, 2, 2, 3, 1}}, envelope.PartNames, false, "then 3 × look, …", "more than are named"},
		{[][]uint32{{2, 0, 2}}, envelope.PartArguments, true, "then look, …", "steps that are not kept"},
		{[][]uint32{{2}}, envelope.PartArguments, false, "", "a trial that is not on it"},
	} {
		test := &envelope.Test{Parting: &envelope.Parting{Level: c.level, Depth: 1, Branches: []envelope.Branch{branch(), {Name: "cancel", Digest: "h", Arguments: "HSR"}}}}
		var rows envelope.Columns
		var outcome envelope.Outcomes
		var trials []int
		for i, path := range c.trials {
			rows.Given, outcome = append(rows.Given, envelope.Given(envelope.Passed)), append(outcome, envelope.Passed)
			rows.Steps.Set(i, path)
			trials = append(trials, i)
		}
		if c.cut {
			rows.StepsTotal.Put(0, envelope.Some[int32](300))
		}
		test.Rows = rows.Rows()
		test.Rows.Outcome = outcome
		o := &opener{steps: steps, ignored: "think"}
		if got := o.thenWords(test, branch(trials...)); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	o := &opener{}
	if got := o.thenWords(&envelope.Test{Parting: &envelope.Parting{}}, envelope.Branch{Ended: true, Trials: []int{0}}); got != "" {
		t.Errorf("trials that ended: %q", got)
	}
}

// Letters that a tool escaped in its JSON are read as letters.
func TestEscapedAnswersAreReadable(t *testing.T) {
	turns := (&opener{}).newTurns([]envelope.Turn{{Role: envelope.RoleTool, Text: `{"city":"\u6771\u4eac"}`}}, nil)
	if got, want := turns[0].Text[0].Text, "{\n  \"city\": \"東京\"\n}"; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
}

// gif is the least image of its kind: a header and an empty screen of one by one.
const gif = "GIF89a\x01\x00\x01\x00\x00\x00\x00,"

// filled is an image of so many bytes.
func filled(n int) string { return gif + strings.Repeat("\x00", n-len(gif)) }

// TestImagesOfAttachments: what a page shows is what the bytes are, whatever name and type they come under, as long as there is room.
func TestImagesOfAttachments(t *testing.T) {
	files := map[string]string{"a.gif": gif, "text.gif": "GIF of a cat", "a.svg": "<svg onload=alert(1)>", "limit.gif": filled(mostPicture), "large.gif": filled(mostPicture + 1), "late.gif": filled(1 << 20)}
	open := func(path string) (io.ReadCloser, error) {
		text, known := files[path]
		switch {
		case path == "locked":
			return nil, errors.New("permission denied")
		case !known:
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(gif))
	all := []struct {
		reason      string
		file        envelope.Attachment
		image, note string
		link        string
	}{
		{"an image, whatever its type says", envelope.Attachment{Path: "a.gif", MediaType: "text/html"}, "gif;base64," + encoded, "", "a.gif"},
		{"the same again", envelope.Attachment{Path: "a.gif"}, "gif;base64," + encoded, "", "a.gif"},
		{"no image, whatever it is called", envelope.Attachment{Path: "text.gif", MediaType: "image/gif"}, "", "", "text.gif"},
		{"an image that may run a script", envelope.Attachment{Path: "a.svg", MediaType: "image/svg+xml"}, "", "", "a.svg"},
		{"as large as may be", envelope.Attachment{Path: "limit.gif"}, "gif;base64," + base64.StdEncoding.EncodeToString([]byte(filled(mostPicture))), "", "limit.gif"},
		{"a byte more", envelope.Attachment{Path: "large.gif"}, "", largePicture, "large.gif"},
		{"the page is full", envelope.Attachment{Path: "late.gif"}, "", fullPage, "late.gif"},
		{"missing", envelope.Attachment{Path: "none.gif"}, "", noPicture, "none.gif"},
		{"not to be read", envelope.Attachment{Path: "locked"}, "", unreadable, "locked"},
		{"no link leads up", envelope.Attachment{Path: "x/../../a.gif"}, "", noPicture, ""},
		{"all there", envelope.Attachment{URL: "data:text/html;base64," + encoded}, "gif;base64," + encoded, "", ""},
		{"all there and broken", envelope.Attachment{URL: "data:image/gif;base64,%%%"}, "", unreadable, ""},
		{"elsewhere is asked nobody", envelope.Attachment{URL: "https://a.example/a.gif"}, "", "", ""},
		{"a script is a name", envelope.Attachment{URL: "javascript:alert(1)"}, "", "", ""},
	}
	test := envelope.Test{Key: envelope.Key{Test: "a"}, Rows: new(envelope.Rows), Details: []envelope.Detail{{}}}
	for _, c := range all {
		test.Details[0].Attachments = append(test.Details[0].Attachments, c.file)
	}
	o := bareOpener()
	list := newListing([]envelope.Test{test}, 1, o)
	for i, file := range o.attached(test.Details[0].Attachments) {
		if file.Image != "" || file.Note != "" || file.URL != all[i].link {
			t.Errorf("%s, not asked for: %+v", all[i].reason, file)
		}
	}
	o.images = newImages(list, open, len(gif)+mostPicture+len(gif)+100)
	for i, file := range o.attached(test.Details[0].Attachments) {
		if c := all[i]; file.Image != c.image || file.Note != c.note || file.URL != c.link {
			t.Errorf("%s: %.40q %q %q, want %.40q %q %q", c.reason, file.Image, file.Note, file.URL, c.image, c.note, c.link)
		}
	}
	if data, err := o.images.read("large.gif"); err != nil || !bytes.HasPrefix([]byte(filled(mostPicture+1)), data) {
		t.Error("more is read than the page takes")
	}
}
