package standing

import (
	"crypto/sha256"
	"fmt"
	"strconv"
)

// Digest is a hash of words, each with its length, so that no two lists run together into one.
func Digest(words ...string) [sha256.Size]byte {
	b := make([]byte, 0, 128) // most names fit
	for _, w := range words {
		b = append(append(strconv.AppendInt(b, int64(len(w)), 10), ':'), w...)
	}
	return sha256.Sum256(b)
}

// UUID is a UUID of a version made of 16 bytes of a hash.
func UUID(b []byte, version byte) string {
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
