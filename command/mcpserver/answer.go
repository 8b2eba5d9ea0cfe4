package mcpserver

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answer is a document as JSON in one line, with what does not fit left out.
func answer(document any) (*mcp.CallToolResult, error) {
	text, err := marshal(document)
	if err != nil {
		return nil, err
	}
	return said(string(text)), nil
}

// marshal writes JSON as a model reads it: < and & are themselves.
func marshal(document any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(document)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// fitting is how many items, from the first on, fit into the bytes.
func fitting[T any](items []T, bytes int) (n int) {
	for _, item := range items {
		text, err := marshal(item)
		if bytes -= len(text) + 1; err != nil || bytes < 0 {
			break
		}
		n++
	}
	return n
}

// cut shortens a text to so many bytes, and says so.
func cut(text string, most int) string {
	const mark = "… (cut)"
	if len(text) <= most {
		return text
	}
	end := max(0, most-len(mark))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
