package junit

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

var rootTag = regexp.MustCompile(`^<(?:[\w.-]+:)?(testsuites?)[\s/>]`)

// Sniff reports whether head starts with an XML document whose root element is
// testsuites or testsuite. Other XML reports have other roots.
func Sniff(head []byte) bool {
	text, _ := decoded(bytes.NewReader(head))
	all, _ := io.ReadAll(text) // what could not be decoded is the cut end
	return rootTag.MatchString(root(string(all)))
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
