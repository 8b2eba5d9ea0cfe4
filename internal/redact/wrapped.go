package redact

// A terminal, a mailer or a pretty printer breaks a token that does not fit its
// line. The parts are looked at as one.

const (
	wrappedLines = 6  // a token may go on over
	wrapColumn   = 60 // from which on a line may have been broken
	wrapIndent   = 12 // blanks in front of what goes on
)

// continued is where the text goes on in the next line that breaks off at i, and
// where the word there ends.
func continued(s string, i int) (start, end int, ok bool) {
	if i < len(s) && s[i] == '\\' {
		i++
	}
	if i < len(s) && s[i] == '\r' {
		i++
	}
	if i >= len(s) || s[i] != '\n' {
		return 0, 0, false
	}
	for i++; i < len(s) && start < wrapIndent && (s[i] == ' ' || s[i] == '\t'); i++ {
		start++
	}
	start, end = i, wordEnd(s, i)
	return start, end, end > start && (end == len(s) || !has(":(", s[end]))
}

func wordEnd(s string, i int) int {
	for from := i; i < len(s) && i < from+usualWindow && tokenByte(s[i]); i++ {
	}
	return i
}

// wrapped matches a detector against a literal whose token is broken by the ends
// of lines.
func (d *detector) wrapped(m *match, s string, literal, behind int) bool {
	if behind == len(s) || !alnum(s[behind]) {
		return false
	}
	end := wordEnd(s, behind)
	start, next, ok := continued(s, end)
	if !ok {
		return false
	}
	joined := append([]byte{}, s[literal:end]...)
	for range wrappedLines {
		part := len(joined)
		joined = append(joined, s[start:next]...)
		if groups := d.compiled.FindSubmatchIndex(joined); groups != nil {
			from, to := secretOf(groups)
			if from > part || to <= part {
				return false
			}
			m.start, m.end = literal+from, start+to-part
			return d.secret == nil || d.secret(&match{text: string(joined), literalEnd: behind - literal, start: from, end: to})
		}
		if start, next, ok = continued(s, next); !ok {
			return false
		}
	}
	return false
}

// further follows a token of any length that fills its line into the next ones.
func further(s string, start, end int) int {
	for range wrappedLines {
		line := end
		for line > 0 && end-line < wrapColumn && s[line-1] != '\n' {
			line--
		}
		from, next, ok := continued(s, end)
		if end-line < wrapColumn || !ok || next-from < minSecret || !lettersAndDigits(s[from:next]) || only(s[from:next], hexByte) {
			return end
		}
		end = next
	}
	return end
}

// hexByte reports what hashes, UUIDs and times are written with.
func hexByte(c byte) bool { return nibble(c) < 16 || has("-.TZ", c) }
