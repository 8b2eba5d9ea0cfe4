package native

import (
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// Folder opens the files that trials name, unpacked: below the folder of the input
// and nowhere else. The error says what is wrong with the path.
type Folder func(path string) (io.ReadCloser, error)

// inside reads what is inside the trial of the record. What cannot be read is left
// out and told.
func (rd *reader) inside() {
	t := &rd.trial
	if rd.marks != nil {
		rd.marks.Reset()
	}
	if v, ok := rd.insideValue(fieldChecks); ok {
		t.Checks = readChecks(v)
		rd.tellFaults(fieldChecks, v)
	}
	for _, f := range []field{fieldMessages, fieldTranscript} { // our own form wins
		if v, ok := rd.insideValue(f); ok {
			if turns := rd.turns.Turns(v); turns != nil {
				t.Transcript = turns
			}
			rd.tellFaults(f, v)
		}
	}
	if v, ok := rd.insideValue(fieldAttachments); ok {
		t.Attachments = conversation.Attachments(v)
		rd.tellFaults(fieldAttachments, v)
	}
	if rd.rec.present.has(fieldTranscriptFile) && t.Transcript == nil {
		rd.transcriptFile(rd.rec.values[fieldTranscriptFile])
	}
}

// insideValue is the value of a field of the record, where there is one.
func (rd *reader) insideValue(f field) (v jsonwalk.Value, ok bool) {
	if !rd.rec.present.has(f) {
		return v, false
	}
	if text := rd.rec.values[f]; text.kind != kindString {
		v = jsonwalk.Detached(names[f], rd.scan.line[text.at:text.at+len(text.text)])
		return v.In(rd.marks), true
	}
	rd.leave(wrong{field: f, at: rd.rec.values[f].at, reason: mismatch(rd.rec.values[f], "an array")})
	return v, false
}

// tellFaults tells what could not be read of a field.
func (rd *reader) tellFaults(f field, v jsonwalk.Value) {
	const most = 5
	faults := v.Faults()
	if len(faults) == 0 {
		return
	}
	message := strings.Join(faults[:min(most, len(faults))], ", ")
	if more := len(faults) - most; more > 0 {
		message += fmt.Sprintf(" and %d more", more)
	}
	rd.problem(envelope.SeverityError, envelope.CodeField, rd.rec.values[f].at, "left out, the rest of the record counts: "+message)
}

// readChecks reads an array of checks. One without a name, or without a status and
// a score, is left out.
func readChecks(v jsonwalk.Value) []envelope.Check {
	if !v.IsArray() {
		v.Leave("is not an array of checks but " + v.Kind())
		return nil
	}
	var out []envelope.Check
	at := -1
	for item := range v.Items() {
		at++
		c := envelope.Check{Name: item.Get("name").Text(), Score: item.Get("score").Number(), Reason: item.Get("reason").String(), Vote: item.Get("vote").Index()}
		word, known := item.Get("status").Text(), true
		if word != "" {
			c.Status, known = envelope.ParseStatus(word)
		}
		switch {
		case c.Name == "":
			item.Leave(fmt.Sprintf("[%d], which has no name", at))
		case !known:
			item.Leave(fmt.Sprintf("[%d], whose status %s is unknown", at, quoted(word)))
		case c.Status == "" && !c.Score.OK:
			item.Leave(fmt.Sprintf("[%d], which has neither a status nor a score", at))
		default:
			out = append(out, c)
		}
	}
	return out
}

// transcriptFile reads the transcript that stands in a file of its own.
func (rd *reader) transcriptFile(v value) {
	leave := func(reason string) { rd.leave(wrong{field: fieldTranscriptFile, at: v.at, reason: reason}) }
	path := ""
	if why := setText(&path, v); why != "" {
		leave(why)
		return
	}
	rd.trial.TranscriptFile = path
	if rd.folder == nil {
		leave(quoted(path) + ": there is no folder to look in: name the input as a file, or give --root FOLDER for standard input")
		return
	}
	file, err := rd.folder(path)
	if err != nil {
		leave(quoted(path) + ": " + err.Error())
		return
	}
	defer file.Close()
	turns, faults, err := conversation.File(file)
	if err != nil {
		leave(quoted(path) + ": " + words.Head(err.Error(), 200))
		return
	}
	rd.trial.Transcript = turns
	if len(faults) > 0 {
		leave(quoted(path) + ": " + strings.Join(faults[:min(5, len(faults))], ", "))
	}
}
