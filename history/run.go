package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/history/trend"
)

// record is a run as it is stored.
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
	if ns, ok := e.Began(); ok && header.StartedAt == "" {
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

// packEnvelope is the whole envelope, compressed.
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
	if !slices.ContainsFunc(e.Tests, func(t envelope.Test) bool { return t.Transcripts != nil }) {
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
