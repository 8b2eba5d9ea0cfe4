package redact

import (
	"strconv"
	"strings"
)

const (
	markerStart = "[redacted:"
	kindMax     = 40
	numberMax   = 9 // digits
)

// marker is what stands for a secret. It says nothing of the secret but its
// kind: a digest, however short, would confirm a guess.
func marker(kind string) string { return markerStart + kind + "]" }

// Number is a redacted text with a number in its first marker that has none, for
// names that differ in their secrets alone.
func Number(s string, n int) string {
	for from := 0; ; {
		at, size, kind, numbered := nextMarker(s[from:])
		if size == 0 {
			return s
		}
		if from += at; !numbered {
			return s[:from] + markerStart + kind + ":" + strconv.Itoa(n) + "]" + s[from+size:]
		}
		from += size
	}
}

// validKind reports whether a word can be the kind of a secret: up to 40 small
// letters, digits and dashes.
func validKind(kind string) bool {
	for i := range len(kind) {
		if c := kind[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return kind != "" && len(kind) <= kindMax
}

// nextMarker finds the first marker in s: its place, length and kind, and whether
// it has a number. There is none when size is 0.
func nextMarker(s string) (at, size int, kind string, numbered bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], markerStart)
		if i < 0 {
			return len(s), 0, "", false
		}
		at := from + i
		if kind, size, numbered := markerAt(s[at:]); size > 0 {
			return at, size, kind, numbered
		}
		from = at + len(markerStart)
	}
}

func markerAt(s string) (kind string, size int, numbered bool) {
	const most = len(markerStart) + kindMax + 1 + numberMax + 1
	closing := strings.IndexByte(s[:min(len(s), most)], ']')
	if closing < 0 {
		return "", 0, false
	}
	kind, number, numbered := strings.Cut(s[len(markerStart):closing], ":")
	if !validKind(kind) || numbered && (number == "" || number[0] == '0' || len(number) > numberMax || !only(number, digit)) {
		return "", 0, false
	}
	return kind, closing + 1, numbered
}

// Markers calls found with the kind of every marker in s, and whether it has a
// number.
func Markers(s string, found func(kind string, numbered bool)) {
	for {
		at, size, kind, numbered := nextMarker(s)
		if size == 0 {
			return
		}
		found(kind, numbered)
		s = s[at+size:]
	}
}

// Anonymous is a redacted text in which every marker is the constant [redacted]:
// for digests, which must not depend on how secrets were told apart.
func Anonymous(s string) string {
	var b strings.Builder
	for {
		at, size, _, _ := nextMarker(s)
		if size == 0 && b.Len() == 0 {
			return s
		}
		b.WriteString(s[:at])
		if size == 0 {
			return b.String()
		}
		b.WriteString("[redacted]")
		s = s[at+size:]
	}
}
