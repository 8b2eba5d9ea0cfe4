package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// The kinds of messages of a journal.
const (
	kindLines   = "lines"   // bytes, behind which nothing stands
	kindClaim   = "claim"   // a worker goes on with it
	kindRelease = "release" // a worker that lives gave it back
)

// most is the size of a message, unless the server allows for less.
const most = 256 << 10

// record is a journal as it was published, by whom it is written on.
type record struct {
	q       *queue
	subject string
	last    uint64 // message of the subject, 0 for none
	text    []byte // whole lines, as they were when it was fetched
	claims  []int  // that were not released, by the bytes that stood before them
	size    int    // bytes that are published and hold
}

// errTaken is the error of a journal that somebody else has claimed since.
var errTaken = errors.New("another publish or feed writes the same journal; run it again, or give feed another --producer")

// fetch puts together what was published of a journal.
func (q *queue) fetch(ctx context.Context, id string) (*record, error) {
	r := &record{q: q, subject: q.journalSubject(id)}
	err := q.again(ctx, "fetching the journal "+r.subject, func(ctx context.Context) error {
		for {
			msg, err := q.kept.GetMsg(ctx, r.last+1, jetstream.WithGetMsgSubject(r.subject))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil
			}
			if err == nil {
				err = r.add(msg.Header, msg.Data)
			}
			if err != nil {
				return err
			}
			r.last = msg.Sequence
		}
	})
	r.text = r.text[:bytes.LastIndexByte(r.text, '\n')+1]
	r.size = len(r.text)
	return r, err
}

func (r *record) add(header nats.Header, data []byte) error {
	kind, at, err := placed(header)
	switch {
	case err != nil:
		return fmt.Errorf("the journal %s: %w", r.subject, err)
	case at > len(r.text):
		return permanentError{fmt.Errorf("the journal %s lacks a part: it has %d bytes, the next part begins at %d", r.subject, len(r.text), at)}
	case kind == kindLines:
		r.text = append(r.text[:at], data...)
	case kind == kindClaim:
		r.claims = append(r.claims, at)
	case len(r.claims) > 0:
		r.claims = r.claims[:len(r.claims)-1]
	}
	return nil
}

func placed(header nats.Header) (kind string, at int, err error) {
	if has := header.Get(headerVersion); has != version {
		return "", 0, permanentError{otherVersion(has)}
	}
	kind = header.Get(headerKind)
	at, err = strconv.Atoi(header.Get(headerOffset))
	if err == nil && at < 0 || kind != kindLines && kind != kindClaim && kind != kindRelease {
		err = strconv.ErrRange
	}
	if err != nil {
		return "", 0, permanentError{fmt.Errorf("a message has an unknown kind or offset: %q, %q", kind, header.Get(headerOffset))}
	}
	return kind, at, nil
}

// deaths is how many workers claimed the test and were not heard of again since its
// last trial that the infrastructure did not break.
func (r *record) deaths() (n int) {
	progress := 0
	for at, rest := 0, r.text; len(rest) > 0; {
		line, behind, _ := bytes.Cut(rest, []byte("\n"))
		at, rest = at+len(line)+1, behind
		if l := lineOf(line); l.Type == "" && l.Status != "" && l.ErrorClass != envelope.ClassInfrastructure {
			progress = at
		}
	}
	return each.Count(r.claims, func(at int) bool { return at >= progress })
}

// end is how the run of the journal ended, "" if it did not.
func end(text []byte) string {
	text = bytes.TrimRight(text, "\n")
	if l := lineOf(text[bytes.LastIndexByte(text, '\n')+1:]); l.Type == "end" {
		return l.How
	}
	return ""
}

// line is what is looked at in a line of a journal.
type line struct {
	Type, How, Status string
	Attempt           int
	ErrorClass        string `json:"error_class"`
}

func lineOf(text []byte) (l line) {
	_ = json.Unmarshal(text, &l) // what is no line of a journal is nothing that is looked for
	return l
}

func (r *record) claim(ctx context.Context) error { return r.publish(ctx, kindClaim, nil) }

// release says that this worker lives and does not go on.
func (r *record) release(ctx context.Context) error { return r.publish(ctx, kindRelease, nil) }

// write publishes bytes behind those that are there.
func (r *record) write(ctx context.Context, data []byte) error {
	room := min(most, int(r.q.nc.MaxPayload())/2)
	for len(data) > 0 {
		part := data[:min(room, len(data))]
		if err := r.publish(ctx, kindLines, part); err != nil {
			return err
		}
		r.size += len(part)
		data = data[len(part):]
	}
	return nil
}

// publish publishes a message that is the next one of its subject. It returns when the
// stream has it, as often as that must be asked; what it had before is not added twice.
func (r *record) publish(ctx context.Context, kind string, data []byte) error {
	id := nuid.Next()
	msg := &nats.Msg{Subject: r.subject, Data: data, Header: nats.Header{
		headerVersion: {version}, headerKind: {kind}, headerOffset: {strconv.Itoa(r.size)}, nats.MsgIdHdr: {id},
	}}
	return r.q.again(ctx, "publishing the journal "+r.subject, func(ctx context.Context) error {
		ack, err := r.q.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(r.last))
		if err == nil {
			r.last = ack.Sequence
			return nil
		}
		if refusal := (*jetstream.APIError)(nil); !errors.As(err, &refusal) ||
			refusal.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence &&
				refusal.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequenceConstant {
			return err
		}
		return r.refused(ctx, id, err)
	})
}

// refused looks who published what stands where a message was to stand: it may be that
// message, of which the acknowledgement was lost.
func (r *record) refused(ctx context.Context, id string, refusal error) error {
	last, err := r.q.kept.GetLastMsgForSubject(ctx, r.subject)
	switch {
	case err != nil:
		return err
	case last.Header.Get(nats.MsgIdHdr) == id:
		r.last = last.Sequence
		return nil
	case last.Sequence > r.last:
		return permanentError{errTaken}
	}
	return refusal
}
