package command

import (
	"fmt"
	"reflect"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	"tribunal/verdict"
)

// asRecorded reports whether what is about to be sealed is one recorded
// envelope alone and under its own policy, so that the two can be compared as
// they are.
func asRecorded(b *count.Builder, policy envelope.Effective) bool {
	recorded := b.Recorded()
	return len(recorded) == 1 && b.Trials() == recorded[0].Run.Trials() && reflect.DeepEqual(recorded[0].Envelope.Policy, policy)
}

// checkRecorded derives every recorded envelope again, alone and under its own
// policy, before it is merged or judged anew, and reports what differs.
func checkRecorded(b *count.Builder) error {
	for _, rec := range b.Recorded() {
		alone, err := rederive(rec)
		if err != nil {
			return fmt.Errorf("%s: calculating its verdicts again: %w", rec.Input, err)
		}
		for _, p := range verdict.Differences(rec.Input, rec.Envelope, alone) {
			b.Problem(p)
		}
	}
	return nil
}

func rederive(rec *envelope.Recorded) (*envelope.Envelope, error) {
	held, err := verdict.Resolve(verdict.Unresolve(rec.Envelope.Policy))
	if err != nil {
		return nil, err
	}
	b, err := verdict.NewBuilder(held.Policy)
	if err != nil {
		return nil, err
	}
	b.Input(rec.Input, read.Envelope).Recorded(rec)
	run, err := verdict.Counted(b, held)
	if err != nil {
		return nil, err
	}
	return verdict.Seal(run, held)
}
