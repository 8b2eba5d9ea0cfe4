package native

import (
	"encoding/json"

	"tribunal/envelope"
)

// inside reads what is inside the trial of the record. A field that cannot be read
// is left out.
func (rd *reader) inside() {
	t := &rd.trial
	read := func(f field, kind kind, want string, into any) {
		if !rd.rec.present.has(f) {
			return
		}
		v := rd.rec.values[f]
		if v.kind != kind {
			rd.leave(wrong{field: f, at: v.at, reason: mismatch(v, want)})
		} else if err := json.Unmarshal([]byte(v.text), into); err != nil {
			rd.leave(wrong{field: f, at: v.at, reason: shorten(err.Error())})
		}
	}
	var checks []struct {
		Name   string                `json:"name"`
		Status string                `json:"status"`
		Score  envelope.Opt[float64] `json:"score"`
		Reason string                `json:"reason"`
		Vote   envelope.Opt[int32]   `json:"vote"`
	}
	read(fieldChecks, kindArray, "an array of checks", &checks)
	for _, c := range checks {
		status, _ := envelope.ParseStatus(c.Status)
		t.Checks = append(t.Checks, envelope.Check{Name: c.Name, Status: status, Score: c.Score, Reason: c.Reason, Vote: c.Vote})
	}
	read(fieldTranscript, kindArray, "an array of turns", &t.Transcript)
	read(fieldAttachments, kindArray, "an array of attachments", &t.Attachments)
}
