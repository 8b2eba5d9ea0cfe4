package count

import (
	"cmp"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// conversation is a conversation that may be kept, and where its trial stands.
type conversation struct {
	transcript envelope.Transcript
	place
	clear bool // it was looked at, and holds no secret
}

// newConversation is the conversation of the trial that was looked at last.
func newConversation(turns []envelope.Turn, p place, d *fingerprinter) conversation {
	kept := cutTurns(turns)
	return conversation{transcript: d.conversations.Transcript(0, kept), place: p, clear: d.clearConversation(kept)}
}

// conversationKeeper keeps the conversations of the first trials of a test that did not
// pass, in canonical order, and of the first that did. It holds at most twice as
// many as are wanted, so that which are kept depends on the trials alone.
type conversationKeeper struct {
	failed, passed conversations
}

// conversations are conversations of which the first are kept.
type conversations struct {
	kept []conversation
	full int // how many were enough, 0 while there are fewer: the last of them is the one to beat
}

// class is where a conversation belongs, and how many are kept there.
func (k *conversationKeeper) class(priority, keep int) (of *conversations, most int) {
	switch {
	case keep == 0:
		return &k.failed, 0
	case priority == priorityPassed:
		return &k.passed, passedKept(keep)
	}
	return &k.failed, keep
}

func passedKept(keep int) int {
	if keep == KeepEveryConversation {
		return keep
	}
	return min(keep, 1)
}

// mayKeep reports whether the conversation of a trial that comes after all that were
// added may be among the first; what it lets pass, add looks at closely.
func (k *conversationKeeper) mayKeep(p *place, keep int) bool {
	if k == nil {
		return keep > 0
	}
	of, most := k.class(p.priority, keep)
	if most == 0 || of.full == 0 {
		return most > 0
	}
	last := &of.kept[of.full-1].place
	behind := cmp.Or(cmp.Compare(p.priority, last.priority), p.position(last))
	return behind < 0 || behind == 0 && p.attempt.OK
}

func (k *conversationKeeper) add(t conversation, keep int, a rowsOf) {
	of, most := k.class(t.priority, keep)
	if most == 0 || of.full > 0 && of.kept[of.full-1].compare(&t, a) <= 0 {
		return
	}
	of.kept = append(of.kept, t)
	if n := len(of.kept); n == most && of.full == 0 || most < KeepAll/2 && n >= 2*most {
		of.prune(most, a)
	}
}

// compare orders conversations like their trials; those of one trial that was delivered twice by what they say.
func (t *conversation) compare(o *conversation, a rowsOf) int {
	if t.sameTrial(&o.place, a) {
		return cmp.Or(t.transcript.Compare(&o.transcript), cmp.Compare(t.arrival, o.arrival))
	}
	return t.place.compare(&o.place, a)
}

func (k *conversationKeeper) prune(keep int, a rowsOf) {
	if k != nil {
		k.failed.prune(keep, a)
		k.passed.prune(passedKept(keep), a)
	}
}

func (k *conversations) prune(keep int, a rowsOf) {
	slices.SortFunc(k.kept, func(x, y conversation) int { return x.compare(&y, a) })
	k.kept = slices.CompactFunc(k.kept, func(x, y conversation) bool { return x.sameTrial(&y.place, a) })
	if len(k.kept) >= keep {
		clear(k.kept[keep:])
		k.kept, k.full = k.kept[:keep], keep
	}
}

// settle returns the conversations that prune left, by row. place maps an arrival to the row where
// it ended, or to -1 when another one replaced it. Clear says that none of them holds a secret.
func (k *conversationKeeper) settle(place func(arrival int) int) (out []envelope.Transcript, clear bool) {
	if clear = true; k == nil {
		return nil, clear
	}
	for _, t := range slices.Concat(k.failed.kept, k.passed.kept) {
		clear = clear && t.clear
		if t.transcript.Trial = place(t.arrival); t.transcript.Trial >= 0 {
			out = append(out, t.transcript)
		}
	}
	slices.SortFunc(out, func(a, b envelope.Transcript) int { return cmp.Compare(a.Trial, b.Trial) })
	return slices.CompactFunc(out, func(a, b envelope.Transcript) bool { return a.Trial == b.Trial }), clear
}

// mostSaid is how much of a conversation is kept, in bytes of its texts.
const mostSaid = 256 << 10

// cutTurns keeps whole turns of both ends of a conversation and puts a turn between
// them that says how many are left out.
func cutTurns(turns []envelope.Turn) []envelope.Turn {
	if each.Sum(turns, func(t envelope.Turn) int { return sizeOf(&t) }) <= mostSaid {
		return turns
	}
	head, size := 0, 0
	for ; head < len(turns) && size+sizeOf(&turns[head]) <= mostSaid/2; head++ {
		size += sizeOf(&turns[head])
	}
	tail := len(turns)
	for ; tail > head && size+sizeOf(&turns[tail-1]) <= mostSaid; tail-- {
		size += sizeOf(&turns[tail-1])
	}
	gap := envelope.Turn{}
	for i := head; i < tail; i++ {
		gap.LeftOut += max(1, turns[i].LeftOut)
	}
	return slices.Concat(turns[:head], []envelope.Turn{gap}, turns[tail:])
}

// sizeOf is the bytes of the texts of a turn, and some for the turn itself.
func sizeOf(t *envelope.Turn) int {
	const itself = 64
	return itself + len(t.Role) + len(t.Text) + len(t.Reasoning) + len(t.ToolCallID) + len(t.Name) + len(t.Agent) +
		each.Sum(t.ToolCalls, func(c envelope.ToolCall) int { return itself + len(c.ID) + len(c.Name) + len(c.Arguments) }) +
		each.Sum(t.Attachments, func(a envelope.Attachment) int {
			return itself + len(a.Name) + len(a.Path) + len(a.URL) + len(a.MediaType)
		})
}
