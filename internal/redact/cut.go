package redact

import "strings"

// The marks that say a text was cut: those of kept details and of quotations.
const (
	cutMark    = "[... "
	cutMarkEnd = " bytes cut ...]"
	markEnd    = "...]" // of cutMarkEnd, whose blank is everywhere
	ellipsis   = "…"
)

// cutAt reports whether a text was cut at i.
func cutAt(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], " \n")
	return strings.HasPrefix(s[i:], ellipsis) || strings.HasPrefix(rest, cutMark)
}

const (
	fragmentMin = 12
	fragmentMax = 256
)

// findFragments finds what may be the rest of a secret whose head was cut off:
// a run of letters and digits, well mixed, right behind the mark of a cut.
func (r *Redactor) findFragments(s string) {
	for base := 0; ; {
		at := strings.Index(s[base:], markEnd)
		if at < 0 {
			return
		}
		base += at + len(markEnd)
		if !strings.HasSuffix(s[:base], cutMarkEnd) {
			continue
		}
		start := base
		for start < len(s) && (s[start] == ' ' || s[start] == '\n') {
			start++
		}
		end, digits, letters := start, 0, 0
		for ; end < len(s) && (alnum(s[end]) || has("_-+=", s[end])); end++ {
			if digit(s[end]) {
				digits++
			} else if letter(s[end]) {
				letters++
			}
		}
		if n := end - start; n >= fragmentMin && n <= fragmentMax && digits >= 2 && letters >= 4 {
			r.found = append(r.found, hit{start, end, len(r.rows) + len(r.patterns)})
		}
	}
}
