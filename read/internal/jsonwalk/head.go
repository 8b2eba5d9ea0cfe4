package jsonwalk

import (
	"bytes"
	"io"
)

// Head returns the first bytes of r, up to 64 KiB, and a reader for all of it.
func Head(r io.Reader) ([]byte, io.Reader) {
	head := make([]byte, headSize)
	n := 0
	for n < len(head) {
		m, err := r.Read(head[n:])
		n += m
		if err != nil {
			return head[:n], io.MultiReader(bytes.NewReader(head[:n]), failed{err})
		}
	}
	return head, io.MultiReader(bytes.NewReader(head), r)
}

// failed is a reader that only has its error left.
type failed struct{ err error }

// Read implements io.Reader.
func (f failed) Read([]byte) (int, error) { return 0, f.err }

// KeySet is the keys of an object, with their values where these are strings.
type KeySet map[string]string

// Count is how many of the names are keys.
func (k KeySet) Count(names ...string) (n int) {
	for _, name := range names {
		if _, ok := k[name]; ok {
			n++
		}
	}
	return n
}

// Has reports whether all of the names are keys.
func (k KeySet) Has(names ...string) bool { return k.Count(names...) == len(names) }

// HasAny reports whether one of the names is a key.
func (k KeySet) HasAny(names ...string) bool { return k.Count(names...) > 0 }

// Keys returns the keys of the first object in head: of the document, or of
// the first element when the document is an array. A key has its value when
// that is a string, and "" otherwise. It is nil when head does not start with
// an object. The head may be cut anywhere, and a broken file is still a file of
// its format: what comes before counts.
func Keys(head []byte) (keys KeySet, inArray bool) {
	t := &Text{s: textScanner(head)}
	if inArray = t.Next() == '['; inArray {
		t.s.take('[')
	}
	if t.Next() != '{' {
		return nil, inArray
	}
	keys = KeySet{}
	_ = t.Object(func(key string) error {
		keys[key] = ""
		if t.Next() != '"' {
			return nil
		}
		text, err := t.quoted()
		keys[key] = text
		return err
	})
	return keys, inArray
}

// FirstLineKeys returns the keys of the first line of head that begins like an object,
// and their values where these are strings. The line may be cut; it is nil when
// there is no such line: a runner may print many others before its first record.
func FirstLineKeys(head []byte) KeySet {
	for text := range bytes.Lines(head) {
		if text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\uFEFF")), " \t\r"); len(text) > 0 && text[0] == '{' {
			keys, _ := Keys(text)
			return keys
		}
	}
	return nil
}
