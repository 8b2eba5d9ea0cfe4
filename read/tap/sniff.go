package tap

import (
	"bytes"
	"strings"

	"tribunal/internal/regex"
)

const byteOrderMark = "\uFEFF"

// firstLine is a line that a stream without a version may start with. The bare
// word ok is not enough: go test starts lines with it as well.
var firstLine = regex.Of(`^(?:K?TAP [Vv]ersion \d+|1\.\.\d+|(?:not )?ok(?: +\d+| +-| +#))(?:[\s#-]|$)`)

// Sniff reports whether the first line of head that is no comment is one of TAP.
// Lines of subtests may come before it.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		if indent := strings.TrimLeft(line, " "); indent == "" || strings.HasPrefix(indent, "# ") {
			continue
		} else if len(line)-len(indent) >= indentation {
			line = indent
		}
		return firstLine().MatchString(line)
	}
	return false
}

// ownHead is how render/tap starts: the plan second, then flat points. Others
// start so as well. Line ends may have become those of Windows on the way.
var ownHead = regex.Of(`^TAP version 1[34]\r?\n1\.\.\d+\r?\n(?:not )?ok 1(?: [-#] [^\r\n]*[^{\r\n])?\r?(?:\n|$)`)
