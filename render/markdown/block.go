package markdown

import (
	"io"
	"strings"

	"tribunal/internal/regex"
)

var fences = regex.Of("`+")

// WriteBlock writes a text as a block of code, between fences that are longer than any
// in it, so that nothing in it is Markdown.
func WriteBlock(w io.Writer, block []byte) error {
	fence := "```"
	for _, run := range fences().FindAll(block, -1) {
		if len(run) >= len(fence) {
			fence = strings.Repeat("`", len(run)+1)
		}
	}
	_, err := io.WriteString(w, fence+"text\n"+strings.TrimRight(string(block), "\n")+"\n"+fence+"\n")
	return err
}
