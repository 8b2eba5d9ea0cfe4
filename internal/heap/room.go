package heap

import "unsafe"

// Room is memory for slices of numbers that are kept to the end. They come by the
// hundred thousand and are short: side by side they are fewer allocations, and get
// their pages at once.
type Room struct {
	rest []byte
}

// roomSize is how much memory is taken at a time: as little as [Slice] asks the pages
// of.
const roomSize = worth

// Take is make for numbers in a Room.
func Take[T ~byte | ~int32 | ~uint32 | ~int64 | ~float64](r *Room, n int) []T {
	const aligned = 8 // bytes, as the largest of these want it
	size := n * int(unsafe.Sizeof(*new(T)))
	if size >= len(r.rest) { // none is nil, not even one of no numbers
		r.rest = Slice[byte](max(size, roomSize))
	}
	first := (*T)(unsafe.Pointer(unsafe.SliceData(r.rest)))
	r.rest = r.rest[min(len(r.rest), (size+aligned-1)&^(aligned-1)):]
	return unsafe.Slice(first, n)
}
