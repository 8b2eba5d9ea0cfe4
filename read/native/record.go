package native

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

type field uint8

const (
	fieldSchema field = iota
	fieldType
	fieldSuite
	fieldTest
	fieldVariant
	fieldAttempt
	fieldRun
	fieldStatus
	fieldRawStatus
	fieldTruth
	fieldScore
	fieldCategory
	fieldDurationMS
	fieldSetupMS
	fieldCostUSD
	fieldSetupCostUSD
	fieldTokens
	fieldToolCalls
	fieldErrorClass
	fieldRetry
	fieldAdaptive
	fieldMessage
	fieldOutput
	fieldFile
	fieldLine
	fieldStartedAt
	fieldLabels
	fieldChecks
	fieldTranscript
	fieldTranscriptFile
	fieldMessages
	fieldAttachments
	fieldName
	fieldID
	fieldCommit
	fieldPlannedTrials
	fieldPolicy
	fieldCount
)

var names = [fieldCount]string{
	"schema", "type", "suite", "test", "variant", "attempt", "run", "status", "raw_status", "truth", "score", "category",
	"duration_ms", "setup_ms", "cost_usd", "setup_cost_usd", "tokens", "tool_calls", "error_class", "retry", "adaptive",
	"message", "output", "file", "line", "started_at", "labels",
	"checks", "transcript", "transcript_file", "messages", "attachments",
	"name", "id", "commit", "planned_trials", "policy",
}

var byName = func() map[string]field {
	m := make(map[string]field, len(names))
	for f, name := range names {
		m[name] = field(f)
	}
	return m
}()

type fields uint64

const everything fields = 1<<fieldCount - 1

func (s fields) has(f field) bool { return s&(1<<f) != 0 }

const outcomeFields fields = 1<<fieldStatus | 1<<fieldScore | 1<<fieldCategory

// insideFields are the checks, conversation and attachments of a trial. Only the
// careful reader reads them.
const insideFields fields = 1<<fieldChecks | 1<<fieldTranscript | 1<<fieldTranscriptFile | 1<<fieldMessages | 1<<fieldAttachments

func (s fields) count() int { return bits.OnesCount64(uint64(s)) }

func setOf(fs ...field) fields {
	s := fields(0)
	for _, f := range fs {
		s |= 1 << f
	}
	return s
}

// The fields that have a meaning in every record, in a header, and in a trial.
var (
	markFields   = setOf(fieldSchema, fieldType)
	headerFields = markFields | setOf(fieldName, fieldID, fieldCommit, fieldStartedAt, fieldPlannedTrials, fieldSetupMS, fieldSetupCostUSD,
		fieldLabels, fieldPolicy)
	trialFields = everything&^(headerFields&^markFields) | setOf(fieldStartedAt, fieldLabels, fieldSetupMS, fieldSetupCostUSD)
)

// meant suggests an unknown field of the record that may be a misspelled known one.
func (r *record) meant(known string) string {
	if near := suggest.Near(known, r.unknown); len(near) > 0 {
		return ": did you mean " + known + " by " + quoted(near[0]) + "?"
	}
	return ""
}

// unknownCap is the most unknown fields of a line that are kept by name.
const unknownCap = 1000

// record is the object on one line, with valid syntax but unchecked values.
type record struct {
	at      int    // offset of its opening brace
	present fields // fields with a value other than null
	values  [fieldCount]value
	met     fields            // fields named at all
	unknown []string          // names of unknown fields
	usual   [fieldCount]field // the field at each position in earlier records
}

// value is a value of a record. Text is what a string says, or the JSON of another
// value, in memory that the next line reuses.
type value struct {
	kind    byte // see jsontext.Kind
	at, end int  // in the line
	text    string
}

func valueOf(raw []byte, said *jsontext.Said) value {
	v := value{kind: jsontext.Kind(raw), text: jsontext.InPlace(raw)}
	if v.kind == '"' {
		v.text = said.Text(raw[1 : len(raw)-1])
	}
	return v
}

// parse reads the record that begins in a line at a brace, and reports whether it is JSON
// and nothing follows. Otherwise it keeps the fields before the error.
func (r *record) parse(line *jsontext.Part, at int, said *jsontext.Said) bool {
	r.at, r.present, r.met, r.unknown = at, 0, 0, r.unknown[:0]
	place := 0
	end := line.Members(at, func(quoted []byte, begin, end int) {
		key := said.Text(quoted[1 : len(quoted)-1])
		f, known := r.find(key, place)
		place++
		switch {
		case !known && len(r.unknown) < unknownCap:
			r.unknown = append(r.unknown, key)
		case known && end < 0:
			r.put(f, value{kind: jsontext.Kind(line.B[begin:]), at: begin})
		case known:
			v := valueOf(line.B[begin:end], said)
			v.at, v.end = begin, end
			r.put(f, v)
		}
	})
	return end >= 0 && line.Ends(end)
}

// find is byName, but tries the field at this position of earlier records first,
// because runners write fields in the same order.
func (r *record) find(key string, place int) (f field, known bool) {
	if place < len(r.usual) && names[r.usual[place]] == key {
		return r.usual[place], true
	}
	if f, known = byName[key]; known && place < len(r.usual) {
		r.usual[place] = f
	}
	return f, known
}

func (r *record) put(f field, v value) {
	r.met |= 1 << f
	r.present &^= 1 << f
	if r.values[f] = v; v.kind != 0 {
		r.present |= 1 << f
	}
}

// inside reads checks, conversation and attachments of a trial. What cannot be read is
// left out and reported.
func (rd *reader) inside() {
	t := &rd.trial
	if rd.marks != nil {
		rd.marks.Reset()
	}
	if v, ok := rd.insideValue(fieldChecks); ok {
		t.Checks = readChecks(v)
		rd.reportFaults(fieldChecks, v)
	}
	for _, f := range []field{fieldMessages, fieldTranscript} { // our own form wins
		if v, ok := rd.insideValue(f); ok {
			if turns := rd.turns.Turns(v); turns != nil {
				t.Transcript = turns
			}
			rd.reportFaults(f, v)
		}
	}
	if v, ok := rd.insideValue(fieldAttachments); ok {
		t.Attachments = conversation.Attachments(v)
		rd.reportFaults(fieldAttachments, v)
	}
	if rd.rec.present.has(fieldTranscriptFile) && t.Transcript == nil {
		rd.transcriptFile(rd.rec.values[fieldTranscriptFile])
	}
}

// insideValue returns the value of a field of the record, if present.
func (rd *reader) insideValue(f field) (v jsonwalk.Value, ok bool) {
	if !rd.rec.present.has(f) {
		return v, false
	}
	if text := rd.rec.values[f]; text.kind != '"' {
		v = jsonwalk.Detached(names[f], rd.text[text.at:text.end])
		return v.In(rd.marks), true
	}
	rd.leave(wrong{field: f, at: rd.rec.values[f].at, reason: mismatch(rd.rec.values[f], "an array")})
	return v, false
}

func (rd *reader) reportFaults(f field, v jsonwalk.Value) {
	if faults := v.Faults(); len(faults) > 0 {
		rd.problem(envelope.SeverityError, envelope.CodeField, rd.rec.values[f].at,
			"values ignored: "+words.First(faults, 5, strings.Clone)+"; the rest of the record counts")
	}
}

// readChecks reads an array of checks. It leaves out checks without a name, and those
// with neither status nor score.
func readChecks(v jsonwalk.Value) []envelope.Check {
	if !v.IsArray() {
		v.Leave("is not an array of checks but " + v.Kind())
		return nil
	}
	var out []envelope.Check
	at := -1
	for item := range v.Items() {
		at++
		c := envelope.Check{Name: item.Get("name").Text(), Score: item.Get("score").Number(), Reason: item.Get("reason").String(),
			Vote: item.Get("vote").Index()}
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
		rd.problem(envelope.SeverityError, envelope.CodeField, v.at,
			"the conversation "+quoted(path)+" is read without "+words.First(faults, 5, strings.Clone))
	}
}

// Sniff reports whether a line of head, the first bytes of an input, is a trial or a
// header. The last line may be incomplete.
func Sniff(head []byte) bool {
	said, rec := &jsontext.Said{}, &record{}
	for len(head) > 0 {
		text, rest, ended := bytes.Cut(head, []byte("\n"))
		head = rest
		start, isRecord := begin(text)
		if !isRecord {
			continue
		}
		line := jsontext.Part{B: text}
		valid := rec.parse(&line, start, said)
		cut := !valid && !ended && line.Wrong >= len(text)
		if (valid || cut) && rec.ours(cut) {
			return true
		}
	}
	return false
}

// ours reports whether a record is of this format. For an incomplete record, three
// known fields and no unknown one are enough.
func (r *record) ours(cut bool) bool {
	if r.foreign() != nil {
		return false
	}
	if r.present.has(fieldSchema) && r.values[fieldSchema].text == envelope.TrialSchema {
		return true
	}
	if r.kind() == typeRun {
		return r.met&headerFields&^markFields != 0
	}
	if r.kind() != typeTrial {
		return false // lines of an envelope have a test and a status, too
	}
	if r.otherwiseTyped() {
		return false // it can still be read by the names of its fields
	}
	checked := r.present.has(fieldChecks) && r.values[fieldChecks].kind == '['
	if r.present.has(fieldTest) && (checked || r.present&outcomeFields != 0) {
		return true
	}
	return cut && len(r.unknown) == 0 && r.met&^trialFields == 0 && r.met.count() >= 3
}

var numberFields = setOf(fieldAttempt, fieldScore, fieldCategory, fieldDurationMS, fieldSetupMS, fieldCostUSD, fieldSetupCostUSD,
	fieldTokens, fieldToolCalls)

// otherwiseTyped reports whether the test is a number or a number is a string, as
// programs without types write them.
func (r *record) otherwiseTyped() bool {
	if r.present.has(fieldTest) && r.values[fieldTest].kind == '0' {
		return true
	}
	for f := range fieldCount {
		if numberFields.has(f) && r.present.has(f) && r.values[f].kind == '"' {
			return true
		}
	}
	return false
}
