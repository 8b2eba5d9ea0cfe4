// Package swebench reads the run report of SWE-bench (MIT): lists of ids.
//
// It exists because this report is what is left of a run: one attempt at each
// instance, and no reason for any. Several reports are several runs. An
// instance that was never submitted was not tried and is a skip; one in
// error_ids had no report, which is as often a patch that does not apply as a
// harness that broke, so it counts as not passed. The report.json of a single
// instance is left out.
package swebench

import (
	"io"
	"slices"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// Sniff reports whether head starts a run report. The lists are long, so a head
// may be cut before the last of them.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray || keys.HasAny("results", "pass_at_k") {
		return false
	}
	return keys.Has("resolved_ids") && keys.HasAny("schema_version", "submitted_ids", "completed_ids", "unresolved_ids") ||
		keys.Has("total_instances", "resolved_instances", "submitted_instances")
}

// lists are the lists of a report, from what says most of an instance to what
// says least.
var lists = []struct {
	name   string
	status envelope.Status
	raw    string
	says   string
}{
	{"resolved_ids", envelope.Pass, "resolved", ""},
	{"unresolved_ids", envelope.Fail, "unresolved", "not resolved"},
	{"empty_patch_ids", envelope.Fail, "empty_patch", "empty patch"},
	{"error_ids", envelope.Error, "", "no report: the patch did not apply or the harness broke"},
	{"completed_ids", envelope.Fail, "completed", "completed and not resolved"},
	{"incomplete_ids", envelope.Skip, "incomplete", "not submitted"},
}

// Read reads one report. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, ids: map[string]int{}, seen: map[int]bool{}}
	err := jsonwalk.Document(r, to, func(t *jsonwalk.Text) error {
		err := t.Object(func(key string) error { return rd.member(t, key) })
		rd.whole = err == nil
		return err
	})
	rd.deliver()
	return err
}

type reader struct {
	to    envelope.Sink
	ids   map[string]int // the first of lists that has the id
	seen  map[int]bool   // the lists that were read
	whole bool           // the report was read to its end
}

func (rd *reader) member(t *jsonwalk.Text, key string) error {
	for rank, list := range lists {
		if list.name != key {
			continue
		}
		v, err := t.Value()
		if err != nil || !v.Present() {
			return err
		}
		if !v.IsArray() {
			v.Reject("it is no list of ids")
			return nil
		}
		rd.seen[rank] = true
		for item := range v.Items() {
			rd.note(item.Text(), rank)
		}
		v.Tell()
	}
	return nil
}

func (rd *reader) note(id string, rank int) {
	if was, ok := rd.ids[id]; id != "" && (!ok || rank < was) {
		rd.ids[id] = rank
	}
}

// deliver delivers the instances, sorted. Of a report that is cut off only what
// no later list could change is delivered.
func (rd *reader) deliver() {
	ids := make([]string, 0, len(rd.ids))
	for id := range rd.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		rank := rd.ids[id]
		if !rd.whole && rank > 0 && !rd.seen[0] {
			continue
		}
		if lists[rank].name == "completed_ids" && (!rd.whole || !rd.seen[0]) {
			continue // nobody says whether it was resolved
		}
		list := lists[rank]
		rd.to.Trial(&envelope.Trial{Key: envelope.Key{Test: id}, Attempt: envelope.Some[int32](0), Status: list.status, RawStatus: list.raw, Message: list.says})
	}
}
