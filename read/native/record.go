package native

import (
	"math/bits"

	"tribunal/internal/suggest"
)

// field is a field of a record that somebody knows.
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

// names are the fields as they are called in a record.
var names = [fieldCount]string{
	"schema", "type", "suite", "test", "variant", "attempt", "run", "status", "raw_status", "truth", "score", "category",
	"duration_ms", "setup_ms", "cost_usd", "setup_cost_usd", "tokens", "tool_calls", "error_class", "retry", "adaptive",
	"message", "output", "file", "line", "started_at", "labels",
	"checks", "transcript", "transcript_file", "messages", "attachments",
	"name", "id", "commit", "planned_trials", "policy",
}

// byName finds a field by what it is called.
var byName = func() map[string]field {
	m := make(map[string]field, len(names))
	for f, name := range names {
		m[name] = field(f)
	}
	return m
}()

// fields is a set of fields.
type fields uint64

const everything fields = 1<<fieldCount - 1

func (s fields) has(f field) bool { return s&(1<<f) != 0 }

// outcomeFields are those that say how a trial ended.
const outcomeFields fields = 1<<fieldStatus | 1<<fieldScore | 1<<fieldCategory

// insideFields are those of what is inside a trial. They are looked at with care.
const insideFields fields = 1<<fieldChecks | 1<<fieldTranscript | 1<<fieldTranscriptFile | 1<<fieldMessages | 1<<fieldAttachments

func (s fields) count() int { return bits.OnesCount64(uint64(s)) }

func setOf(fs ...field) fields {
	s := fields(0)
	for _, f := range fs {
		s |= 1 << f
	}
	return s
}

// The fields that mean something in every record, in a header, in a trial.
var (
	markFields   = setOf(fieldSchema, fieldType)
	headerFields = markFields | setOf(fieldName, fieldID, fieldCommit, fieldStartedAt, fieldPlannedTrials, fieldSetupMS, fieldSetupCostUSD, fieldLabels, fieldPolicy)
	trialFields  = everything&^(headerFields&^markFields) | setOf(fieldStartedAt, fieldLabels, fieldSetupMS, fieldSetupCostUSD)
)

// meant says which field of the record that nobody knows may be a slip of a known one.
func (r *record) meant(known string) string {
	if near := suggest.Near(known, r.unknown); len(near) > 0 {
		return ": did you mean " + known + " by " + quoted(near[0]) + "?"
	}
	return ""
}

// unknownCap is how many unknown fields of one line are remembered by name.
const unknownCap = 1000

// record is the object on one line: syntax checked, meaning not.
type record struct {
	at      int    // offset of its opening brace
	present fields // fields with a value other than null
	values  [fieldCount]value
	met     fields            // fields named at all
	twice   fields            // fields named more than once; the last value counts
	unknown []string          // names of fields nobody knows
	usual   [fieldCount]field // the field at each place in the records before
}

// parse reads the record at the current byte of the scanner, which must be its
// brace, and sees that nothing follows it.
func (r *record) parse(s *scanner) {
	r.at, r.present, r.met, r.twice, r.unknown = s.pos, 0, 0, 0, r.unknown[:0]
	place := 0
	s.members(func(key string, _ int) {
		f, known := r.find(key, place)
		place++
		if v := s.value(); known {
			r.put(f, v)
		} else if len(r.unknown) < unknownCap {
			r.unknown = append(r.unknown, key)
		}
	})
	if s.space(); !s.failed && s.pos < len(s.line) {
		s.expected("the end of the line (one record a line)")
	}
}

// find is byName with a memory: a runner writes its fields in the same order
// every time, so the one to expect is looked at first.
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
	if r.met.has(f) {
		r.twice |= 1 << f
	}
	r.met |= 1 << f
	r.present &^= 1 << f
	if v.kind != kindNull {
		r.present |= 1 << f
		r.values[f] = v
	}
}
