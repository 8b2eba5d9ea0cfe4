package envelope

import (
	"cmp"
	"strings"
)

// CompareNames orders names as people count: digits are a number, so that 2 stands
// before 10 and pipeline-9 before pipeline-10; all else goes byte by byte. Names
// that differ in zeros before a number alone (7, 007) are ordered by their bytes,
// so that only equal names are equal here.
func CompareNames(a, b string) int {
	if a == b {
		return 0
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && isDigit(a[n-1]) { // a number that both begin alike
		n--
	}
	x, y := a[n:], b[n:]
	for x != "" && y != "" {
		if isDigit(x[0]) && isDigit(y[0]) {
			var m, n string
			m, x = cutNumber(x)
			n, y = cutNumber(y)
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cutNumber cuts the digits off with which a text begins, without zeros before
// them.
func cutNumber(s string) (number, rest string) {
	end := 0
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return strings.TrimLeft(s[:end], "0"), s[end:]
}
