package policy

import (
	"errors"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/suggest"
)

// Check holds each value that a layer says against its row: known words and
// ranges that hold for every rule. The error lists everything that is wrong, in
// the order of the table.
func Check(p envelope.Policy) error {
	var errs []error
	for i := range Keys {
		if k := &Keys[i]; k.Said(&p) {
			errs = append(errs, k.Check(p))
		}
	}
	return errors.Join(errs...)
}

// Check holds the value of the key in a policy that says it against its row.
func (k *Key) Check(p envelope.Policy) error {
	if k.check != nil {
		return k.check(p)
	}
	switch field := k.In(&p).(type) {
	case *string:
		if len(k.Words) > 0 && !slices.Contains(k.Words, *field) {
			return suggest.Unknown(k.Name, *field, k.Words)
		}
	case *envelope.Opt[float64]:
		return k.Range.check(k.Name, field.V)
	case *envelope.Opt[int]:
		return k.Range.check(k.Name, float64(field.V))
	case *envelope.Opt[int64]:
		return k.Range.check(k.Name, float64(field.V))
	}
	return nil
}
