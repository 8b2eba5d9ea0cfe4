package envelope

// Flags is a column of booleans; nil when all are false.
type Flags []bool

// At returns the flag of row i.
func (f Flags) At(i int) bool { return i < len(f) && f[i] }

// Set raises the flag of row n, which must lie behind the rows set before.
func (f *Flags) Set(n int) {
	for len(*f) < n {
		*f = append(*f, false)
	}
	*f = append(*f, true)
}

func (f *Flags) put(n int, v bool) {
	if v {
		f.Set(n)
		return
	}
	for *f != nil && len(*f) <= n {
		*f = append(*f, false)
	}
}

func (f Flags) pick(order []int) Flags {
	out, any := make(Flags, len(order)), false
	for i, from := range order {
		out[i] = f.At(from)
		any = any || out[i]
	}
	if !any {
		return nil
	}
	return out
}
