package failure

import (
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"tribunal/internal/redact"
	"tribunal/internal/words"
)

// FirstLine is the first line of a text that says anything, however long.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// most is how many bytes a reason may have.
const most = 500

// Reason is the first n lines of a text that are not blank, without the blanks
// around them.
func Reason(text string, n int) string {
	var room [2 * most]byte
	return cut(string(lines(room[:0], text, n)))
}

// Memory is what reasons are made in by a reader of very many, which hands on one at a time.
type Memory struct{ said []byte }

// Reason is [Reason], until the next one is made.
func (m *Memory) Reason(text string, n int) string {
	m.said = lines(m.said[:0], text, n)
	return cut(unsafe.String(unsafe.SliceData(m.said), len(m.said)))
}

// lines appends the first n lines that are not blank.
func lines(said []byte, text string, n int) []byte {
	for n > 0 && text != "" && len(said) < most {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if n--; len(said) > 0 {
			said = append(said, '\n')
		}
		said = append(said, line[:min(len(line), most+redact.Beyond)]...)
	}
	return said
}

// cut keeps the head of a reason, whole characters only.
func cut(s string) string {
	switch {
	case len(s) >= most:
		return words.Head(s, most)
	case utf8.ValidString(s): // as good as always, and this is the faster way to see it
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Together is what several texts say, those that say anything, with a blank line
// between them.
func Together(texts ...string) string {
	var said []string
	for _, text := range texts {
		if text = strings.Trim(text, "\r\n"); strings.TrimSpace(text) != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n\n")
}

// side is how many bytes of each end of an output are kept.
const side = 32 << 10

// Ends is the head and the tail of a long output, more than a report keeps of
// it, so that readers that must hold trials back hold little. One that is not long stays
// as it is, in the memory where it lies.
func Ends(text string) string {
	if len(text) <= 2*side {
		return text
	}
	head, tail := text[:side], text[len(text)-side:]
	return strings.ToValidUTF8(fmt.Sprintf("%s\n… %d bytes left out …\n%s", head, len(text)-2*side, tail), "")
}
