package xmlwalk

import (
	"bytes"
	"io"
	"strings"

	"tribunal/internal/regex"
)

var rootTag = regex.Of(`^<(?:[\w.-]+:)?([\w.-]+)[\s/>]`)

// Root is the name of the root element of an XML document that starts with head,
// without its prefix, and the text from it on; both are "" where there is none.
// The head may be cut anywhere.
func Root(head []byte) (name, text string) {
	if first := bytes.TrimLeft(head, "\uFEFF \t\r\n"); len(first) == 0 || first[0] == '{' || first[0] == '[' {
		return "", ""
	}
	if text = string(head); charsetOf(head) != nil {
		all, _ := decoded(bytes.NewReader(head))
		b, _ := io.ReadAll(all) // what could not be decoded is the cut end
		text = string(b)
	}
	text = root(strings.TrimPrefix(text, "\uFEFF"))
	m := rootTag().FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], text
}

// root is the text from the first tag on: behind comments, instructions and
// a document type.
func root(s string) string {
	for {
		s = strings.TrimSpace(s)
		end := ""
		switch {
		case strings.HasPrefix(s, "<!--"):
			end = "-->"
		case strings.HasPrefix(s, "<?"):
			end = "?>"
		case strings.HasPrefix(s, "<!"):
			s = behindDoctype(s)
			continue
		default:
			return s
		}
		_, rest, found := strings.Cut(s, end)
		if !found {
			return ""
		}
		s = rest
	}
}

// behindDoctype is what follows a document type and the declarations inside it.
func behindDoctype(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return s[i+1:]
			}
		}
	}
	return ""
}
