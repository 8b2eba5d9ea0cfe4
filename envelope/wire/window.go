package wire

import "io"

// window is the part of an input that was read and not taken yet. What could not
// be made sense of in one way can be looked at again in another.
type window struct {
	r     io.Reader
	b     []byte // not taken yet
	at    int64  // offset of b[0] in the input
	err   error  // that r ended with
	spare [][]byte
}

// readSize is how much is read at a time.
const readSize = 1 << 18

// more reads once. It reports whether there is more than before.
func (w *window) more() bool {
	had := len(w.b)
	if w.err == nil && cap(w.b)-had < readSize {
		w.b = append(w.memory(had+readSize), w.b...)
	}
	for len(w.b) == had && w.err == nil {
		var n int
		n, w.err = w.r.Read(w.b[had : had+readSize])
		w.b = w.b[:had+n]
	}
	return len(w.b) > had
}

// memory is room for n bytes and as much again.
func (w *window) memory(n int) []byte {
	if last := len(w.spare) - 1; last >= 0 && cap(w.spare[last]) >= n {
		b := w.spare[last]
		w.spare = w.spare[:last]
		return b[:0]
	}
	return make([]byte, 0, 2*n)
}

// take takes n bytes.
func (w *window) take(n int64) {
	w.b = w.b[n:]
	w.at += n
}

// cut takes n bytes as memory of their own, to be freed or restored.
func (w *window) cut(n int) []byte {
	part := w.b[:n]
	w.b = append(w.memory(len(w.b)-n+readSize), w.b[n:]...)
	w.at += int64(n)
	return part
}

// free takes memory to be used again.
func (w *window) free(part []byte) {
	if cap(part) <= 4*readSize {
		w.spare = append(w.spare, part)
	}
}

// restore gives back what was cut last, or the end of it.
func (w *window) restore(part []byte) {
	w.b = append(part[:len(part):len(part)], w.b...)
	w.at -= int64(len(part))
}

// view reads the window, and more of the input as it is needed, without taking
// anything.
type view struct {
	*window
	read int
}

// Read implements io.Reader.
func (v *view) Read(p []byte) (int, error) {
	if v.read == len(v.b) && !v.more() {
		return 0, v.err
	}
	n := copy(p, v.b[v.read:])
	v.read += n
	return n, nil
}
