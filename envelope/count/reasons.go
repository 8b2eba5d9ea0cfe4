package count

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"tribunal/envelope"
	"tribunal/envelope/cause"
	"tribunal/internal/hash"
	"tribunal/internal/redact"
)

// mostReasons bounds the reasons that are kept apart. Of more, those with the smallest
// hash are kept, which does not depend on the order of the trials.
const mostReasons = 20_000

// reasons are why the trials failed that were counted so far. Several workers may ask.
type reasons struct {
	mu   sync.Mutex
	ids  map[reasonKey]int32
	list []envelope.Reason
	// others are the reasons with a hash from here on; 0 while there are few.
	others  uint64
	dropped bool // there are reasons that are not kept apart
}

// reasonKey is a reason without its messages.
type reasonKey struct {
	key   cause.Key
	names string // joined by NUL
}

func (k reasonKey) hash() uint64 { return hash.Text(hash.Text(0, string(k.key)), k.names) | 1 }

// othersID is the number of the reasons that are not kept apart.
const othersID = 0

// id is the number of a reason, whose messages become wider by one.
func (r *reasons) id(k reasonKey, message string) int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil {
		r.ids = map[reasonKey]int32{}
		r.list = []envelope.Reason{{Key: cause.Others}}
	}
	id, known := r.ids[k]
	if !known {
		if k.key == cause.Others || r.others > 0 && k.hash() >= r.others {
			r.dropped = true
			return othersID
		}
		k = reasonKey{cause.Key(strings.Clone(string(k.key))), strings.Clone(k.names)}
		id = int32(len(r.list))
		r.ids[k] = id
		of := envelope.Reason{Key: k.key}
		if k.names != "" {
			of.Names = strings.Split(k.names, "\x00")
		}
		r.list = append(r.list, of)
		if len(r.ids) >= 2*mostReasons {
			r.prune()
		}
	}
	widen(&r.list[id], message)
	return id
}

// widen has a reason begin and end with the messages that are the smallest and largest.
func widen(r *envelope.Reason, message string) {
	message = repaired(cause.Head(message))
	switch {
	case message == "":
	case r.First == "":
		r.First = strings.Clone(message)
	case message < r.First:
		r.Last, r.First = r.Largest(), strings.Clone(message)
	case message > r.Largest():
		r.Last = strings.Clone(message)
	}
}

func (r *reasons) prune() {
	keys := slices.Collect(maps.Keys(r.ids))
	if len(keys) <= mostReasons {
		return
	}
	slices.SortFunc(keys, func(a, b reasonKey) int { return cmp.Compare(a.hash(), b.hash()) })
	r.others, r.dropped = keys[mostReasons].hash(), true
	for _, k := range keys[mostReasons:] {
		r.list[r.ids[k]] = envelope.Reason{}
		delete(r.ids, k)
	}
}

// numbered are the reasons in the order of their keys, and the places there by number.
func (r *reasons) numbered() (sorted []envelope.Reason, places []int32) {
	r.prune()
	keys := slices.Collect(maps.Keys(r.ids))
	slices.SortFunc(keys, func(a, b reasonKey) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.names, b.names)) })
	places = make([]int32, len(r.list))
	for at, k := range keys {
		id := r.ids[k]
		sorted, places[id] = append(sorted, r.list[id]), int32(at)
	}
	if r.dropped {
		for id := range places {
			if r.list[id].Key == "" && r.list[id].Names == nil || id == othersID {
				places[id] = int32(len(sorted))
			}
		}
		sorted = append(sorted, envelope.Reason{Key: cause.Others})
	}
	return sorted, places
}

// numberReasons gives the reasons of a run their places in the sorted list.
func (b *Builder) numberReasons(tests []envelope.Test) []envelope.Reason {
	if b.reasons.ids == nil {
		return nil
	}
	sorted, places := b.reasons.numbered()
	for i := range tests {
		tests[i].Rows.PutReasons(func(id int32) int32 { return places[id] })
	}
	return sorted
}

// mergeReasons are the reasons of rows of a recorded run under numbers of the Builder.
func (b *Builder) mergeReasons(cells envelope.Column[int32], of []envelope.Reason) envelope.Column[int32] {
	var out envelope.Column[int32]
	for i := range cells {
		cell, ok := cells.At(i)
		if !ok {
			continue
		}
		r := &of[cell]
		k := reasonKey{r.Key, strings.Join(r.Names, "\x00")}
		b.reasons.id(k, r.First)
		out.Set(i, b.reasons.id(k, r.Last))
	}
	return out
}

// reasoner finds the reasons of the trials that one worker reads.
type reasoner struct {
	finder cause.Finder
	ids    map[reasonKey]*seenReason
	all    *reasons
}

// seenReason is a reason whose number a worker knows, and the messages it had.
type seenReason struct {
	id int32
	envelope.Reason
}

func (r *reasons) finder(secrets *redact.Redactor) *reasoner {
	return &reasoner{finder: cause.Finder{Redact: secrets.Text}, all: r}
}

// of is the number of the reason of a trial that did not pass; absent where its message
// says nothing. A trial that passed has one for the items that its reader names.
func (r *reasoner) of(test string, t *envelope.Trial, given envelope.Given) (id envelope.Opt[int32]) {
	text := ""
	k := reasonKey{names: strings.Join(t.Reasons, "\x00")}
	if given != envelope.Given(envelope.Passed) && given != envelope.Given(envelope.Skipped) {
		text = cause.ReasonText(t.Message, t.Output)
		k.key = r.finder.Of(test, text)
	}
	if k.key == "" {
		if text = ""; k.names == "" {
			return id
		}
	}
	known := r.ids[k]
	if known == nil {
		if r.ids == nil || len(r.ids) >= mostReasons {
			r.ids = map[reasonKey]*seenReason{}
		}
		known = &seenReason{id: r.all.id(k, text)}
		r.ids[reasonKey{cause.Key(strings.Clone(string(k.key))), k.names}] = known
		widen(&known.Reason, text)
	} else if head := cause.Head(text); head != "" && (head < known.First || head > known.Largest()) {
		r.all.id(k, text)
		widen(&known.Reason, text)
	}
	return envelope.Some(known.id)
}
