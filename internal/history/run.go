package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/history/trend"
)

type record struct {
	occasion
	header, policy, summary string // JSON
	rosterHash              string
	roster, counts, body    []byte
}

func recordOf(e *envelope.Envelope) (*record, error) {
	o, err := occasionOf(e)
	if err != nil {
		return nil, err
	}
	r := &record{occasion: o}
	for _, text := range []struct {
		of   any
		into *string
	}{{heading{RunHeader: dated(e), Trials: o.trials}, &r.header}, {e.Policy, &r.policy}, {e.Summary, &r.summary}} {
		if *text.into, err = jsonText(text.of); err != nil {
			return nil, err
		}
	}
	keys, points := make([]envelope.Key, len(e.Tests)), make([]trend.Point, len(e.Tests))
	for i := range e.Tests {
		keys[i], points[i] = e.Tests[i].Key, trend.PointOf(&e.Tests[i])
	}
	r.roster = packRoster(keys)
	roster := sha256.Sum256(r.roster)
	r.rosterHash = hex.EncodeToString(roster[:])
	r.counts = packCounts(points)
	r.body, err = packEnvelope(e)
	return r, err
}

// heading is the header of a run as it is stored: with what the history has to
// say of the run beside it, which an older version did not say.
type heading struct {
	envelope.RunHeader
	Trials string              `json:"history_trials,omitempty"` // see trialsOf
	Place  envelope.Opt[int64] `json:"history_place,omitzero"`   // see stay
}

// dated is the header of the run with the start of its first trial where it has
// none itself, so that the run finds its place among the others.
func dated(e *envelope.Envelope) envelope.RunHeader {
	header := e.Run
	if ns, ok := e.StartedAt(); ok && header.StartedAt == "" {
		header.StartedAt = time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
	}
	return header
}

// identity is a hash of what was counted: the header and, of each test, its key
// and the rows of its trials. What was derived is left out, so that the same
// trials under another policy, or judged by a later version, are the same run.
func identity(e *envelope.Envelope) (string, error) {
	header, err := jsonText(e.Run)
	if err != nil {
		return "", err
	}
	h := newTestHash()
	io.WriteString(h, header)
	for i := range e.Tests {
		if err := h.begin(e.Tests[i].Key, e.Tests[i].Rows); err != nil {
			return "", err
		}
		h.end()
	}
	return h.sum(), nil
}

func jsonText(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

func packEnvelope(e *envelope.Envelope) ([]byte, error) {
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	if err := wire.EncodeJSON(z, withoutConversation(e)); err != nil {
		return nil, err
	}
	err = z.Close()
	return packed.Bytes(), err
}

// withoutConversation is an envelope without conversations: they are a hundred times what is
// counted of them, and no history looks at them.
func withoutConversation(e *envelope.Envelope) *envelope.Envelope {
	out := *e
	out.Texts = nil
	if !envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return t.Transcripts != nil }) {
		return &out
	}
	out.Tests = slices.Clone(e.Tests)
	for i := range out.Tests {
		out.Tests[i].Transcripts = nil
	}
	return &out
}

func unpackEnvelope(packed []byte) (*envelope.Envelope, error) {
	z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	rec, err := wire.Decode(z)
	if err != nil {
		return nil, fmt.Errorf("its envelope: %w (%w)", errDamaged, err)
	}
	return rec.Envelope, nil
}

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

func (h *testHash) sum() string { return hex.EncodeToString(h.Sum(nil)) }

// trialsOf is a hash of the trials of a run alone: nothing of its header, of the
// paths of its inputs or of the policy it was judged under goes into it.
func trialsOf(e *envelope.Envelope) (string, error) {
	h := newTestHash()
	for i := range e.Tests {
		rows := rowsOf(&e.Tests[i])
		if err := h.beginBare(e.Tests[i].Key, rows); err != nil {
			return "", err
		}
		h.makers(rows)
		h.end()
	}
	return h.sum(), nil
}

func rowsOf(t *envelope.Test) *envelope.Rows {
	if t.Rows == nil {
		return &envelope.Rows{}
	}
	return t.Rows
}

// occasion is by what a run is recognised among stored ones.
type occasion struct {
	run, trials string // hashes: its id, and that of its trials alone
	says        envelope.Header
	began       int64
	dated       bool // whether began is known
	inTrials    bool // whether its trials say when they began
}

func occasionOf(e *envelope.Envelope) (o occasion, err error) {
	if o.run, err = identity(e); err != nil {
		return o, err
	}
	o.says = e.Run.Header
	o.began, o.dated = e.StartedAt()
	o.inTrials = envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return len(rowsOf(t).StartedAt().Values()) > 0 })
	o.trials, err = trialsOf(e)
	return o, err
}

// without leaves the run itself out of stored ones, so that it counts once under
// whatever words and path it was added. Runs without any time in them look
// alike: of several that could be this one, the latest is taken for it.
func (o occasion) without(runs []Run) []Run {
	if o.dated {
		return slices.DeleteFunc(runs, func(r Run) bool { return r.ID == o.run || o.isOf(r) })
	}
	at := slices.IndexFunc(runs, func(r Run) bool { return r.ID == o.run })
	for i := len(runs) - 1; at < 0 && i >= 0; i-- {
		if o.isOf(runs[i]) {
			at = i
		}
	}
	if at < 0 {
		return runs
	}
	return slices.Delete(runs, at, at+1)
}

// isOf reports whether a stored run is this one: its trials are the same, and unless they say
// themselves when they began, it began at the same time and is called by no other id. Without
// a time, another commit speaks against it as well. What only one of the two says speaks for
// nothing: it may have been said while adding.
func (o occasion) isOf(r Run) bool {
	switch {
	case r.trials != o.trials:
		return false
	case o.inTrials:
		return true
	case differ(o.says.ID, r.Header.ID):
		return false
	case o.dated:
		began, known := envelope.Instant(r.Header.StartedAt)
		return known && began == o.began
	}
	return !differ(o.says.Commit, r.Header.Commit)
}

// saysOtherwise reports that a stored run is called otherwise than this one, in a word that
// both have: somebody parts two runs of the same trials. When they began, their trials say,
// unless a header does.
func (o occasion) saysOtherwise(stored envelope.RunHeader) bool {
	for name, value := range o.says.Labels {
		if differ(value, stored.Labels[name]) {
			return true
		}
	}
	began, known := envelope.Instant(stored.StartedAt)
	return differ(o.says.Name, stored.Name) || differ(o.says.ID, stored.ID) || differ(o.says.Commit, stored.Commit) ||
		known && began != o.began
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }
