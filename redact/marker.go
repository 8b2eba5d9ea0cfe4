package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	markerStart = "[redacted:"
	kindMax     = 40
	hashBytes   = 4
)

// marker is what stands for a secret. In a name it ends in a short hash of the
// secret, so that two names that differ in their secrets alone stay two names.
func marker(kind, secret string, named bool) string {
	if !named {
		return markerStart + kind + "]"
	}
	sum := sha256.Sum256([]byte(secret))
	return markerStart + kind + ":" + hex.EncodeToString(sum[:hashBytes]) + "]"
}

// ValidKind reports whether a word can be the kind of a secret: up to 40 small
// letters, digits and dashes.
func ValidKind(kind string) bool {
	for i := range len(kind) {
		if c := kind[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return kind != "" && len(kind) <= kindMax
}

// nextMarker finds the first marker in s: its place, length and kind. There is
// none when size is 0.
func nextMarker(s string) (at, size int, kind string) {
	for from := 0; ; {
		i := strings.Index(s[from:], markerStart)
		if i < 0 {
			return len(s), 0, ""
		}
		at := from + i
		if kind, size := markerAt(s[at:]); size > 0 {
			return at, size, kind
		}
		from = at + len(markerStart)
	}
}

func markerAt(s string) (kind string, size int) {
	const most = len(markerStart) + kindMax + 1 + 2*hashBytes + 1
	closing := strings.IndexByte(s[:min(len(s), most)], ']')
	if closing < 0 {
		return "", 0
	}
	kind, hash, hashed := strings.Cut(s[len(markerStart):closing], ":")
	if !ValidKind(kind) || hashed && (len(hash) != 2*hashBytes || !isHex(hash)) {
		return "", 0
	}
	return kind, closing + 1
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// Markers calls found with the kind of every marker in s.
func Markers(s string, found func(kind string)) {
	for {
		at, size, kind := nextMarker(s)
		if size == 0 {
			return
		}
		found(kind)
		s = s[at+size:]
	}
}
