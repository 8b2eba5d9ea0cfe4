package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/urfave/cli/v2"

	"tribunal/internal/run/journal"
	"tribunal/internal/words"
)

const sinkExamples = `Examples:
   tribunal-jetstream sink runs/nightly            until the queue is empty
   tribunal-jetstream sink --follow runs/nightly   until it is interrupted
   tribunal report 'runs/nightly/**/journal.ndjson'`

func sinkCommand(stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "sink",
		Usage:     "write the journals of the queue to a folder",
		ArgsUsage: "FOLDER",
		Description: "Writes every journal of the queue as it is published, for tribunal report, which may read them at any moment.\n" +
			"Ends when no test is left in the queue, and all that was published is written. The queue keeps the journals.\n\n" + sinkExamples,
		Flags:  connectFlags(&cli.BoolFlag{Name: "follow", Usage: "wait for more when the queue is empty"}),
		Action: func(c *cli.Context) error { return sinkTo(c, stderr) },
	}
}

func sinkTo(c *cli.Context, stderr io.Writer) error {
	if c.NArg() != 1 {
		return errors.New("give one folder for the journals, as in: " + program + " sink runs/nightly")
	}
	q, err := connect(c, stderr)
	if err != nil {
		return err
	}
	defer q.nc.Close()
	if err := q.find(c.Context); err != nil {
		return err
	}
	s := &sink{queue: q, folder: c.Args().First(), parts: map[string]*counted{}}
	return s.loop(c.Context, c.Bool("follow"))
}

type sink struct {
	*queue
	folder        string
	parts         map[string]*counted // by id
	at            uint64              // the last message
	trials, ended int
	said          string
	shown         time.Time
}

// counted is what is known of a journal that is written.
type counted struct {
	size    int
	partial []byte // behind its last whole line
}

// loop writes what comes until the queue is empty or ctx ends. Where nothing comes
// although there is more, the server that sent it is gone: it is asked anew.
func (s *sink) loop(ctx context.Context, follow bool) error {
	defer func() { s.shown = time.Time{}; s.show() }()
	var from jetstream.Consumer
	for ctx.Err() == nil {
		if from == nil {
			var err error
			if from, err = s.begin(ctx); err != nil {
				return nil // ctx has ended
			}
		}
		more, err := s.read(from)
		if err != nil {
			return err
		}
		s.show()
		switch {
		case !follow && s.drained(ctx):
			return nil
		case !more && !s.complete(ctx):
			from = nil
		}
	}
	return nil
}

// begin begins to read behind the last message that was written.
func (s *sink) begin(ctx context.Context) (from jetstream.Consumer, err error) {
	err = s.again(ctx, "reading the journals of "+s.name, func(ctx context.Context) error {
		from, err = s.kept.CreateConsumer(ctx, jetstream.ConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: s.at + 1, AckPolicy: jetstream.AckNonePolicy,
			InactiveThreshold: time.Minute, MemoryStorage: true, Replicas: 1,
		})
		return err
	})
	return from, err
}

// read writes the messages that are there, or come within a second. Without more, they
// are at an end, or the link is broken.
func (s *sink) read(from jetstream.Consumer) (more bool, err error) {
	const many = 256
	batch, err := from.Fetch(many, jetstream.FetchMaxWait(time.Second))
	if err != nil {
		return false, nil
	}
	for msg := range batch.Messages() {
		meta, err := msg.Metadata()
		if err != nil {
			return false, err
		}
		if meta.Sequence.Stream != s.at+1 { // one is lost on the way: nothing is deleted
			return false, nil
		}
		if err := s.take(msg); err != nil {
			return false, err
		}
		s.at, more = meta.Sequence.Stream, true
	}
	return more && batch.Error() == nil, nil
}

// drained reports that no test is left and nothing published that is not written. A
// test is acknowledged when its journal is published: so the journals are asked second.
func (s *sink) drained(ctx context.Context) bool {
	left, err := s.remaining(ctx)
	return err == nil && left == 0 && s.complete(ctx) // else it is asked again
}

func (s *sink) complete(ctx context.Context) bool {
	ctx, done := context.WithTimeout(ctx, answered)
	defer done()
	info, err := s.kept.Info(ctx)
	return err == nil && info.State.LastSeq <= s.at
}

func (s *sink) take(msg jetstream.Msg) error {
	kind, at, err := placed(msg.Headers())
	id := msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:]
	if err != nil {
		return fmt.Errorf("the journal %s: %w", id, err)
	}
	if kind != kindLines {
		return nil
	}
	c := s.parts[id]
	if c == nil {
		c = &counted{}
		s.parts[id] = c
	}
	if at > c.size {
		return fmt.Errorf("the journal %s lacks a part: it has %d bytes, the next part begins at %d", id, c.size, at)
	}
	if at < c.size { // another worker goes on: what it did not find whole is cut off
		c.partial = nil
	}
	c.size = at + len(msg.Data())
	s.count(c, msg.Data())
	return put(filepath.Join(s.folder, id), msg.Data(), int64(at))
}

func (s *sink) count(c *counted, data []byte) {
	c.partial = append(c.partial, data...)
	for {
		text, rest, whole := bytes.Cut(c.partial, []byte("\n"))
		if !whole {
			return
		}
		c.partial = rest
		switch l := lineOf(text); {
		case l.Type == "ended":
			s.ended++
		case l.Type == "" && l.Status != "":
			s.trials++
		}
	}
}

// show says how far it is, when that has changed, and once a second at most.
func (s *sink) show() {
	if time.Since(s.shown) < time.Second {
		return
	}
	s.shown = time.Now()
	said := words.Plural(s.trials, "trial", "trials") + ", " + words.Plural(s.ended, "test", "tests") + " ended"
	if said != s.said {
		s.say("%s", said)
	}
	s.said = said
}

// put writes bytes at their place in a journal, behind which nothing stands then. A sink that is
// started again finds them there, and what it wrote behind them stays, for whoever reads it.
func put(dir string, data []byte, at int64) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, journal.FileName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	there := make([]byte, len(data))
	if n, _ := file.ReadAt(there, at); n == len(data) && bytes.Equal(there, data) {
		return file.Close()
	}
	err = file.Truncate(at)
	if err == nil {
		_, err = file.WriteAt(data, at)
	}
	return errors.Join(err, file.Close())
}
