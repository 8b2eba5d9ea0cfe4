package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strconv"

	"tribunal/envelope"
)

// testHash is a hash of tests, each on a line as encoding/json writes it. Stored runs
// are known by it, so that it never changes. It writes the rows itself, because
// encoding/json would check every byte of them, and leave them behind as garbage.
type testHash struct {
	hash.Hash
	line  []byte
	plain envelope.Outcomes // see beginBare
	known map[string]int    // see makers
}

func newTestHash() *testHash { return &testHash{Hash: sha256.New(), known: map[string]int{}} }

// begin begins the line of a test with its key and rows.
func (h *testHash) begin(key envelope.Key, rows *envelope.Rows) error {
	if err := h.name(key); err != nil {
		return err
	}
	if rows == nil {
		h.line = append(h.line, "null"...)
		return nil
	}
	var err error
	h.line, err = rows.AppendJSON(h.line)
	return err
}

// name begins the line of a test up to its rows.
func (h *testHash) name(key envelope.Key) error {
	name, err := json.Marshal(key)
	if err != nil {
		return err
	}
	h.line = append(append(append(h.line[:0], "\n{\"Key\":"...), name...), `,"Rows":`...)
	return nil
}

// end ends the line. encoding/json escapes what a page would take for its own; line
// ends of JavaScript are escaped already.
func (h *testHash) end() {
	h.line = append(h.line, '}')
	text := h.line
	if bytes.ContainsAny(text, "<>&") {
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, text)
		text = escaped.Bytes()
	}
	h.Write(text)
}

// beginBare is begin without what paths and policies make of rows.
func (h *testHash) beginBare(key envelope.Key, rows *envelope.Rows) error {
	if err := h.name(key); err != nil {
		return err
	}
	bare := rows.Columns()
	bare.Source, bare.Run, bare.Reason = nil, envelope.Words{}, nil
	h.plain = h.plain[:0]
	for _, given := range bare.Given {
		h.plain = append(h.plain, envelope.Outcome(given))
	}
	var err error
	h.line, err = bare.AppendJSON(h.line, h.plain)
	return err
}

// makers numbers the processes that made the trials, in the order in which
// they appear: where a format does not name them, their names are paths.
func (h *testHash) makers(rows *envelope.Rows) {
	clear(h.known)
	h.line = append(h.line, `,"Makers":[`...)
	runs := rows.Run()
	for i := range rows.Len() {
		name := runs.At(i)
		number, there := h.known[name]
		if !there {
			number = len(h.known)
			h.known[name] = number
		}
		if i > 0 {
			h.line = append(h.line, ',')
		}
		h.line = strconv.AppendInt(h.line, int64(number), 10)
	}
	h.line = append(h.line, ']')
}

// sum is the hash in hexadecimal digits.
func (h *testHash) sum() string { return hex.EncodeToString(h.Sum(nil)) }
