package ctrf

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/crash"
)

// restoring puts the envelope together again that render/ctrf parts into the
// extras of a report: it is decoded while the report is read, so that its text
// is never held.
type restoring struct {
	text  *io.PipeWriter
	tests int
	done  chan decoded
}

type decoded struct {
	recorded *envelope.Recorded
	err      error
}

// restore starts with the facts of the run, an object.
func restore(facts json.RawMessage) *restoring {
	from, text := io.Pipe()
	r := &restoring{text: text, done: make(chan decoded, 1)}
	go func() {
		defer crash.Exit()
		recorded, err := wire.Decode(from)
		_ = from.CloseWithError(errDecoded) // nobody waits for what is not read any more
		r.done <- decoded{recorded, err}
	}()
	facts = bytes.TrimSuffix(bytes.TrimSpace(facts), []byte("}"))
	r.write(facts, []byte(`,"tests":[`))
	return r
}

var errDecoded = errors.New("the envelope was decoded")

// write hands text on; that it was refused shows at the end.
func (r *restoring) write(parts ...[]byte) {
	for _, part := range parts {
		_, _ = r.text.Write(part)
	}
}

func (r *restoring) test(text json.RawMessage) {
	if r.tests++; r.tests > 1 {
		r.write([]byte(","))
	}
	r.write(text)
}

// end delivers the envelope, if the report was whole.
func (r *restoring) end(to envelope.Sink, whole bool) {
	if whole {
		r.write([]byte("]}"))
	}
	_ = r.text.Close() // a pipe closes without an error
	result := <-r.done
	if result.err != nil {
		to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: 1, Column: 1,
			Message: "the envelope in the extras cannot be read and none of it is counted; write the report again"})
		return
	}
	to.Recorded(result.recorded)
}
