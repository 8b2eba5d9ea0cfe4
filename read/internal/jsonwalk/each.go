package jsonwalk

// Each reads an array whose elements are decoded one by one.
func Each[T any](t *Text, take func(*T)) error {
	return t.Array(func() error {
		v := new(T)
		err := t.Decode(v)
		if err == nil {
			take(v)
		}
		return err
	})
}
