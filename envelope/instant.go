package envelope

import "time"

func parseTime(s Opt[string]) (Opt[int64], error) {
	if !s.OK {
		return Opt[int64]{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s.V)
	if err != nil {
		return Opt[int64]{}, err
	}
	return instant(t), nil
}

// Instant reads an RFC 3339 time as nanoseconds since 1970.
func Instant(s string) (ns int64, ok bool) {
	v, err := parseTime(Some(s))
	return v.V, err == nil && v.OK
}

// instant is the time in nanoseconds since 1970, absent for the zero time and
// for years that do not fit (before 1678 and after 2261).
func instant(t time.Time) Opt[int64] {
	if y := t.Year(); t.IsZero() || y < 1678 || y > 2261 {
		return Opt[int64]{}
	}
	return Some(t.UnixNano())
}
