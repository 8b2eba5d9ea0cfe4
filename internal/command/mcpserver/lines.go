package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/jsontext"
	"tribunal/verdict"
)

type trialInput struct {
	reading
	Test  string `json:"test" jsonschema:"name of the test, or suite/name"`
	Trial *int   `json:"trial,omitempty" jsonschema:"number from 1, as judge and failures list it; otherwise the first that did not pass"`
}

type opened struct {
	Test       string            `json:"test"`
	Trial      int               `json:"trial"`
	Of         int               `json:"of"` // trials of the test
	Counted    string            `json:"outcome"`
	ErrorClass string            `json:"class,omitempty"`
	DurationMS *float64          `json:"duration_ms,omitempty"`
	CostUSD    *float64          `json:"cost_usd,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Message    string            `json:"message,omitempty"`
	Output     string            `json:"output,omitempty"`
	Checks     map[string]string `json:"checks,omitempty"` // why each did not hold
	Turns      []turn            `json:"turns,omitempty"`
	LeftOut    int               `json:"turns_left_out,omitempty"`
	Kept       bool              `json:"text_kept"` // whether the input has texts of the trial
}

type turn struct {
	Role  string   `json:"role"`
	Text  string   `json:"text,omitempty"`
	Calls []string `json:"calls,omitempty"`
	Error bool     `json:"error,omitempty"`
}

func (p Program) trial(ctx context.Context, in trialInput) (*mcp.CallToolResult, error) {
	e, err := p.judged(ctx, in.reading, "--keep-details=all")
	if err != nil {
		return nil, err
	}
	t, err := verdict.FindTest(e, in.Test)
	if err != nil {
		return nil, err
	}
	at, err := which(t, in.Trial)
	if err != nil {
		return nil, err
	}
	return answer(open(e, t, at, budget(in.Budget)))
}

// which is the row of the trial: the one asked for, or the first that did not pass.
func which(t *envelope.Test, asked *int) (int, error) {
	rows := t.Rows.Len()
	switch {
	case rows == 0:
		return 0, fmt.Errorf("%s has no trial", t.Key.RunnerName())
	case asked == nil:
		failed := func(o envelope.Outcome) bool { return o != envelope.Passed && o != envelope.Skipped }
		return max(0, slices.IndexFunc(t.Rows.Outcome, failed)), nil
	case *asked < 1 || *asked > rows:
		return 0, fmt.Errorf("%s has no trial %d: give 1 to %d", t.Key.RunnerName(), *asked, rows)
	}
	return *asked - 1, nil
}

var outcomes = map[envelope.Outcome]string{envelope.Passed: "passed", envelope.Failed: "failed", envelope.Errored: "errored",
	envelope.Excluded: "excluded", envelope.Skipped: "skipped"}

func open(e *envelope.Envelope, t *envelope.Test, at, bytes int) opened {
	row := t.Rows.Row(at)
	o := opened{Test: t.Key.String(), Trial: at + 1, Of: t.Rows.Len(), Counted: outcomes[t.Rows.Outcome[at]], ErrorClass: row.ErrorClass,
		DurationMS: pointer(row.DurationMS), CostUSD: pointer(row.CostUSD)}
	if i := slices.IndexFunc(t.Details, func(d envelope.Detail) bool { return d.Trial == at }); i >= 0 {
		d := t.Details[i]
		o.Message, o.Output, o.Labels, o.Checks, o.Kept = cut(d.Message, bytes/4), cut(d.Output, bytes/3), d.Labels, d.Reasons, true
	}
	all, kept := e.Transcript(t, at)
	if !kept {
		return o
	}
	o.Kept = true
	turns := each.Of(all, func(t envelope.Turn) turn { return turnOf(t, bytes/8) })
	frame, _ := jsontext.Marshal(o) // of numbers and texts
	n := fitting(turns, bytes-len(frame)-len(`,"turns":[],"turns_left_out":100000`))
	o.Turns, o.LeftOut = turns[:n], len(turns)-n
	return o
}

func turnOf(s envelope.Turn, bytes int) turn {
	t := turn{Role: s.Role, Text: cut(s.Text, bytes), Error: s.Error}
	if s.LeftOut > 0 {
		t.Text = fmt.Sprintf("turns left out here: %d", s.LeftOut)
	}
	t.Calls = each.Of(s.ToolCalls, func(c envelope.ToolCall) string { return cut(fmt.Sprintf("%s %s", c.Name, c.Arguments), bytes) })
	return t
}

func pointer(v envelope.Opt[float64]) *float64 {
	if !v.OK {
		return nil
	}
	return &v.V
}

// lines are the streams of a client. A line that is no message is answered as such, and
// the end of the input is reported when what was asked before is answered.
type lines struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the line that is being read

	mu       sync.Mutex
	open     map[string]int // requests that are not answered, by their ids
	answered sync.Cond
}

const mostOfLine = 4 << 20

func newLines(in io.Reader, out io.Writer) *lines {
	l := &lines{in: bufio.NewReaderSize(in, mostOfLine), out: out, open: map[string]int{}}
	l.answered.L = &l.mu
	return l
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if err := l.next(); err != nil {
			l.wait()
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line, and answers one that is no message.
func (l *lines) next() error {
	line, err := l.in.ReadSlice('\n')
	long := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.in.ReadSlice('\n')
	}
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return err
	case long:
		return l.refuse(jsonrpc.CodeParseError, fmt.Sprintf("the line is longer than %d bytes", mostOfLine))
	case !json.Valid(line):
		return l.refuse(jsonrpc.CodeParseError, "the line is not JSON: write one message per line")
	}
	for _, text := range messages(line) {
		message, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return l.refuse(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message")
		}
		if request, is := message.(*jsonrpc.Request); is && request.ID.IsValid() {
			l.count(request.ID, 1)
		}
	}
	l.rest = append(bytes.Clone(line), '\n')
	return nil
}

// messages are those of a line, which may be several in a list.
func messages(line []byte) []json.RawMessage {
	var several []json.RawMessage
	if json.Unmarshal(line, &several) == nil {
		return several
	}
	return []json.RawMessage{line}
}

func (l *lines) refuse(code int64, why string) error {
	text, err := jsontext.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		_, err = l.write(append(text, '\n'))
	}
	return err
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.write(p)
	for _, text := range messages(bytes.TrimSpace(p)) {
		if message, wrong := jsonrpc.DecodeMessage(text); wrong == nil {
			if response, is := message.(*jsonrpc.Response); is {
				l.count(response.ID, -1)
			}
		}
	}
	return n, err
}

func (l *lines) write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

func (l *lines) count(id jsonrpc.ID, by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprintf("%#v", id.Raw())
	if l.open[key] += by; l.open[key] <= 0 {
		delete(l.open, key)
	}
	l.answered.Broadcast()
}

// wait returns when every request is answered. Each call has a limit of time.
func (l *lines) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) > 0 {
		l.answered.Wait()
	}
}

// Close implements io.Closer. The streams stay open for what comes after.
func (l *lines) Close() error { return nil }

// answer is a document as JSON in one line, with what does not fit left out.
func answer(document any) (*mcp.CallToolResult, error) {
	text, err := jsontext.Marshal(document)
	if err != nil {
		return nil, err
	}
	return said(string(text)), nil
}

// fitting is how many items, from the first on, fit into the bytes.
func fitting[T any](items []T, bytes int) (n int) {
	for _, item := range items {
		text, err := jsontext.Marshal(item)
		if bytes -= len(text) + 1; err != nil || bytes < 0 {
			break
		}
		n++
	}
	return n
}

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
