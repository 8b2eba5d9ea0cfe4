package count

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// account is what one journal says of its tests, by their numbers. What is said later holds.
type account struct {
	run     string
	endings map[uint32]*envelope.Ending
	beyond  map[uint32][]beyond
}

// beyond is a trial that ended when its test had ended.
type beyond struct {
	attempt int32
	costUSD envelope.Opt[float64]
	resumed bool // the run was gone on with, and may have counted it then
}

func (a *account) ending(test uint32) *envelope.Ending {
	if a.endings[test] == nil {
		a.endings[test] = &envelope.Ending{Run: a.run}
	}
	return a.endings[test]
}

// numbered takes what a trial says decided how many its test has.
func (in *Input) numbered(test uint32, adaptive envelope.Opt[bool]) {
	if !adaptive.OK {
		return
	}
	switch e := in.account().ending(test); {
	case adaptive.V && (e.How == "" || e.How == envelope.EndedFull):
		e.How = envelope.EndedAdaptive
	case !adaptive.V && e.How == "":
		e.How = envelope.EndedFull
	}
}

func (in *Input) account() *account {
	if in.journal == nil {
		in.journal = &account{run: in.headerID, endings: map[uint32]*envelope.Ending{}, beyond: map[uint32][]beyond{}}
		in.b.accounts = append(in.b.accounts, in.journal)
	}
	return in.journal
}

// split passes what an input says of a test to the part of the run that has it, if there are parts.
func (in *Input) split(k *envelope.Key, labels []envelope.Label, tell func(door *Input)) bool {
	*k = in.key(*k)
	if in.b.split == nil {
		return false
	}
	if door := in.inputOf(k, labels); door != nil {
		tell(door)
	}
	return true
}

// Listed implements Journal.
func (in *Input) Listed(k envelope.Key, labels []envelope.Label, trials envelope.Opt[int64], elsewhere bool) {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	in.b.sources[in.list()].Listed++
	if in.split(&k, labels, func(door *Input) { door.Listed(k, labels, trials, elsewhere) }) {
		return
	}
	test := in.b.testNumber(k)
	in.b.tests[test].describe("", 0, in.added(labels))
	e := in.account().ending(test)
	e.Trials, e.Elsewhere = trials, elsewhere
}

// Ended implements Journal.
func (in *Input) Ended(k envelope.Key, how envelope.How) {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	if in.split(&k, nil, func(door *Input) { door.Ended(k, how) }) {
		return
	}
	in.account().ending(in.b.testNumber(k)).How = how
}

// Beyond implements Journal.
func (in *Input) Beyond(k envelope.Key, attempt int32, costUSD envelope.Opt[float64]) {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	if in.split(&k, nil, func(door *Input) { door.Beyond(k, attempt, costUSD) }) {
		return
	}
	_, test, known := in.b.find(k)
	if !known { // it is not listed
		return
	}
	in.account().ending(test)
	in.journal.beyond[test] = append(in.journal.beyond[test], beyond{attempt: attempt, costUSD: costUSD})
}

// Endings implements Report. One that names no run is that of the input.
func (in *Input) Endings(k envelope.Key, labels []envelope.Label, all []envelope.Ending) {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	in.b.sources[in.list()].Listed++
	if in.split(&k, labels, func(door *Input) { door.Endings(k, labels, all) }) {
		return
	}
	test := in.b.testNumber(k)
	in.b.tests[test].describe("", 0, in.added(labels))
	all = slices.Clone(all)
	for i := range all {
		if all[i].Run == "" && !all[i].Elsewhere {
			all[i].Run = in.run
		}
	}
	in.b.mergeEndings(test, all)
}

// SetUp implements Journal.
func (in *Input) SetUp(ms, costUSD envelope.Opt[float64]) {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	if in.header == 0 {
		in.b.headers = append(in.b.headers, envelope.Header{})
		in.header = len(in.b.headers)
	}
	for _, door := range in.doors {
		if in.part != "" {
			door.SetUp(ms, costUSD)
		}
	}
	h := &in.b.headers[in.header-1]
	h.SetupMS, h.SetupCostUSD = added(h.SetupMS, ms), added(h.SetupCostUSD, costUSD)
}

// Resumed implements Journal.
func (in *Input) Resumed() {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	for _, door := range in.doors {
		door.Resumed()
	}
	for test, e := range in.account().endings {
		if e.How.Again() {
			e.How = ""
			for i := range in.journal.beyond[test] {
				in.journal.beyond[test][i].resumed = true
			}
		}
	}
}

// inputOf is the door to the part of a listed test, where trials are dealt by a
// label; nil where it is in none. By the variant, the key loses it.
func (in *Input) inputOf(k *envelope.Key, labels []envelope.Label) *Input {
	s, value := in.b.split, k.Variant
	if own := in.part; own != "" {
		value = own
	} else if s.label == envelope.VariantLabel {
		k.Variant = ""
	} else {
		value = in.dealt[*k]
		for _, l := range labels {
			if l.Name == s.label {
				value = strings.Clone(l.Value)
			}
		}
		each.Put(&in.dealt, envelope.Key{Suite: strings.Clone(k.Suite), Test: strings.Clone(k.Test), Variant: strings.Clone(k.Variant)}, value)
	}
	if value == "" {
		return nil
	}
	s.listed = cmp.Or(s.listed, strings.Clone(valid(value)))
	part := s.part(in.b, value)
	if part == nil {
		return nil
	}
	door := in.inputFor(part, value)
	door.headerID = cmp.Or(door.headerID, in.headerID)
	return door
}

// endings are what journals and envelopes say of each test, whose rows are given; nil where no journal was read.
func (b *Builder) endings(rows func(test uint32) *envelope.Rows) map[uint32][]envelope.Ending {
	if len(b.accounts) == 0 && len(b.ended) == 0 {
		return nil
	}
	all := b.ended
	if all == nil {
		all = map[uint32][]envelope.Ending{}
	}
	for _, a := range b.accounts {
		for test, e := range a.endings {
			a.pay(e, a.beyond[test], rows(test))
			all[test] = append(all[test], *e)
		}
	}
	return all
}

// pay counts the trials beyond the end of a test, without those that a run which was
// gone on with counted after all, or reported again.
func (a *account) pay(e *envelope.Ending, all []beyond, rows *envelope.Rows) {
	if len(all) == 0 {
		return
	}
	counted := map[int32]bool{}
	for i := range rows.Given {
		if rows.Run().At(i) == a.run {
			counted[rows.Attempt().Opt(i).Or(-1)] = true
		}
	}
	for _, trial := range slices.Backward(all) {
		if trial.resumed && counted[trial.attempt] {
			continue
		}
		counted[trial.attempt] = true
		e.Beyond++
		e.BeyondUSD = added(e.BeyondUSD, trial.costUSD)
	}
}

func (b *Builder) mergeEndings(test uint32, from []envelope.Ending) {
	if len(from) == 0 {
		return
	}
	each.Put(&b.ended, test, append(b.ended[test], from...))
}
