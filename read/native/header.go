package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
)

// header delivers the header on this line. A header is rare and kept, so its
// strings are copied. A field that cannot be read is left out.
func (rd *reader) header() {
	h := envelope.Header{}
	started := time.Time{}
	rd.set(fieldName, func(v value) string { return setText(&h.Name, v) })
	rd.set(fieldID, func(v value) string { return setText(&h.ID, v) })
	rd.set(fieldCommit, func(v value) string { return setText(&h.Commit, v) })
	rd.set(fieldPlannedTrials, func(v value) string { return setCount(&h.PlannedTrials, v) })
	rd.set(fieldSetupMS, func(v value) string { return setAmount(&h.SetupMS, v) })
	rd.set(fieldSetupCostUSD, func(v value) string { return setAmount(&h.SetupCostUSD, v) })
	rd.set(fieldStartedAt, func(v value) string { return setTime(&started, v) })
	h.Name, h.ID, h.Commit = strings.Clone(h.Name), strings.Clone(h.ID), strings.Clone(h.Commit)
	if !started.IsZero() {
		h.StartedAt = started.UTC().Format(time.RFC3339Nano)
	}
	var policy *envelope.Policy
	rd.set(fieldPolicy, func(v value) (why string) { policy, why = readPolicy(v); return why })
	var carried *envelope.Carried
	switch journal := rd.journalHeader(); {
	case policy != nil && journal:
		carried = &envelope.Carried{Held: &envelope.Effective{Policy: *policy}}
	case policy != nil:
		carried = &envelope.Carried{Asked: policy}
	}
	rd.note(headerFields)
	h.Labels = rd.headerLabels()
	rd.to.Header(h, carried)
}

// set reads one field of the header.
func (rd *reader) set(f field, read func(value) string) {
	if !rd.rec.present.has(f) {
		return
	}
	v := rd.rec.values[f]
	if why := read(v); why != "" {
		rd.leave(wrong{field: f, at: v.at, reason: why})
	}
}

func (rd *reader) headerLabels() map[string]string {
	if !rd.rec.present.has(fieldLabels) {
		return nil
	}
	list := rd.scan.labels(rd.rec.values[fieldLabels], nil, rd.leave, rd.repeated)
	if len(list) == 0 {
		return nil
	}
	labels := make(map[string]string, len(list))
	for _, l := range list {
		labels[strings.Clone(l.Name)] = strings.Clone(l.Value)
	}
	return labels
}

// readPolicy reads the policy of a header. One with a key nobody knows is not
// used at all: half a policy could pass what the whole one fails.
func readPolicy(v value) (*envelope.Policy, string) {
	if v.kind != kindObject {
		return nil, mismatch(v, "an object")
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(v.text), &parts); err != nil {
		return nil, shorten(err.Error())
	}
	policy := &envelope.Policy{}
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		if err := readPolicyKey(policy, key, parts[key]); err != nil {
			return nil, quoted(key) + ": " + err.Error()
		}
	}
	return policy, ""
}

// readPolicyKey reads one key into the policy: the errors of encoding/json do
// not say in which key they met what they tell.
func readPolicyKey(policy *envelope.Policy, key string, raw json.RawMessage) error {
	part, err := json.Marshal(map[string]json.RawMessage{key: raw})
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(part))
	dec.DisallowUnknownFields()
	err = dec.Decode(policy)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("a value of type %s stands where %s is expected", wrong.Value, wrong.Type)
	}
	if err != nil {
		return errors.New("not known, or with a key inside that is not")
	}
	return nil
}
