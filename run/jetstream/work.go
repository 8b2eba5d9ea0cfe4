package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/journal"
	"tribunal/internal/words"
)

const workExamples = `Examples:
   tribunal-jetstream work -- ./agent-test {test}               until no test is left in the queue
   tribunal-jetstream work --follow -j 4 -- ./agent-test {test} and then wait for more
   tribunal-jetstream work --config tribunal.yaml               command, before and after are in its block run`

func workCommand(behind []string, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "work",
		Usage:     "take tests from the queue and run them",
		ArgsUsage: "[-- COMMAND ARG ...]",
		Description: "Takes one test after another, runs it as tribunal run does, and publishes its journal as it grows. The command\n" +
			"follows --, as in tribunal run. Start as many workers as you want. If one dies, another resumes its test. An\n" +
			"interrupt ends the worker, and its test goes back.\n\n" + workExamples,
		Flags: slices.Concat(connectFlags(
			&cli.StringFlag{Name: "config", Aliases: []string{"c"},
				Usage: "take from the block run of this `FILE` how trials are started and read on this machine"},
			&cli.BoolFlag{Name: "follow", Usage: "wait for more tests when the queue is empty"},
		), settingFlags(ofWorker)),
		Action: func(c *cli.Context) error { return work(c, behind, stderr) },
	}
}

type worker struct {
	*queue
	flags   []string       // of tribunal run, that are this machine's
	config  map[string]any // the same
	command []string
	lease   time.Duration
	stderr  io.Writer
}

func work(c *cli.Context, command []string, stderr io.Writer) error {
	if c.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; the command comes after --", c.Args().First())
	}
	w := &worker{flags: given(c, settingFlags(ofWorker)), command: command, stderr: stderr}
	if file := c.String("config"); file != "" {
		var err error
		if _, w.config, err = parts(file); err != nil {
			return err
		}
	}
	if err := w.startable(); err != nil {
		return err
	}
	var err error
	if w.queue, err = connect(c, stderr); err != nil {
		return err
	}
	defer w.nc.Close()
	if err := w.find(c.Context); err != nil {
		return err
	}
	var deliveries jetstream.Consumer
	err = w.again(c.Context, "joining the workers of the queue "+w.name, func(ctx context.Context) (err error) {
		deliveries, err = w.tests.Consumer(ctx, workers)
		return err
	})
	if err != nil {
		return err
	}
	w.lease = deliveries.CachedInfo().Config.AckWait
	return w.loop(c.Context, deliveries, c.Bool("follow"))
}

// startable refuses a command that this machine lacks, before it takes a test.
func (w *worker) startable() error {
	if block, is := w.config["run"].(map[string]any); len(w.command) == 0 && is && block["command"] != nil {
		return nil // tribunal run says what is wrong with that
	}
	if len(w.command) == 0 {
		return errors.New("there is no command; set run.command in the file of --config, or give it after --, as in: " + program +
			" work -- ./agent-test {test}")
	}
	template, err := driver.NewTemplate(w.command)
	if err == nil {
		err = template.Startable()
	}
	if err != nil {
		return fmt.Errorf("%w; no test was taken", err)
	}
	return nil
}

// loop takes tests until none is left, or ctx ends.
func (w *worker) loop(ctx context.Context, deliveries jetstream.Consumer, follow bool) error {
	for {
		msg, err := w.next(ctx, deliveries, follow)
		if err != nil || msg == nil {
			return err
		}
		if err := w.take(ctx, msg); err != nil {
			return err
		}
	}
}

// next waits for a test; nil is the end.
func (w *worker) next(ctx context.Context, deliveries jetstream.Consumer, follow bool) (msg jetstream.Msg, err error) {
	const wait = 2 * time.Second
	for msg == nil && ctx.Err() == nil {
		over := false
		err := w.again(ctx, "taking a test", func(ctx context.Context) error {
			if !follow {
				left, err := w.remaining(ctx)
				if over = left == 0; over || err != nil {
					return err
				}
			}
			batch, err := deliveries.Fetch(1, jetstream.FetchMaxWait(wait))
			if err != nil {
				return err
			}
			for msg = range batch.Messages() {
			}
			return batch.Error()
		})
		if over || err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	return msg, nil
}

// remaining is how many tests are in the queue, also those that workers have.
func (q *queue) remaining(ctx context.Context) (uint64, error) {
	ctx, done := context.WithTimeout(ctx, answered)
	defer done()
	info, err := q.tests.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.Msgs, nil
}

// take runs a test and acknowledges it. The error is one at which the worker ends: then
// the test went back.
func (w *worker) take(ctx context.Context, msg jetstream.Msg) error {
	alive, stop := context.WithCancel(context.Background())
	defer stop()
	go w.sendHeartbeat(alive, msg)
	t, err := decode(msg)
	if err == nil {
		err = w.run(ctx, t)
	}
	switch {
	case errors.Is(err, errTaken):
		w.say("%s: another worker has taken over the test", t.Key)
		return nil
	case errors.Is(err, errKilled):
		w.say("%s: %v; the test went back to the queue", t.Key, err)
		_ = msg.Nak()
		return nil
	case err != nil:
		_ = msg.Nak() // else it goes back when nothing is heard of this worker
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		return fmt.Errorf("%w; the test went back to the queue", err)
	}
	return w.again(context.WithoutCancel(ctx), "acknowledging "+t.Key.String(), msg.DoubleAck)
}

func (w *worker) sendHeartbeat(ctx context.Context, msg jetstream.Msg) {
	ticks := time.NewTicker(w.lease / 4)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			_ = msg.InProgress() // the next one tells as much
		}
	}
}

func decode(msg jetstream.Msg) (t test, err error) {
	if has := msg.Headers().Get(headerVersion); has != version {
		return t, fmt.Errorf("a test of the queue: %w", otherVersion(has))
	}
	if err := json.Unmarshal(msg.Data(), &t); err != nil || t.Test == "" {
		return t, fmt.Errorf("a message of the queue is not a test with a name: %s", words.Quote(msg.Data(), 100))
	}
	return t, nil
}

// maxDeaths is how many workers a test may take down, one after another and without a
// trial between: the first one, and those of three redeliveries.
const maxDeaths = 4

// run runs a test from where its published journal ends.
func (w *worker) run(ctx context.Context, t test) error {
	r, err := w.fetch(ctx, idOf(t.Key))
	if err != nil {
		return err
	}
	if how := end(r.text); settled(how) {
		return nil // its acknowledgement was lost
	}
	deaths := r.deaths()
	if err := r.claim(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tribunal-work-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if deaths >= maxDeaths {
		w.say("%s: %d workers died or were cut off while running it; no worker tries it again", t.Key, deaths)
		return r.abandon(ctx, t, dir, deaths)
	}
	return w.drive(ctx, t, r, dir)
}

// settled reports the end of a run that nobody goes on with.
func settled(how string) bool {
	return how != "" && how != "interrupted" && how != "infrastructure-down"
}

// drive runs tribunal run in a folder, and publishes the journal as it grows.
func (w *worker) drive(ctx context.Context, t test, r *record, dir string) error {
	runs := filepath.Join(dir, "run")
	file := filepath.Join(dir, "tribunal.yaml")
	path := filepath.Join(runs, journal.FileName)
	args := slices.Concat([]string{"--config", file}, w.common.Flags,
		[]string{fmt.Sprintf("--seed=%d", min(w.common.Seed, math.MaxInt64))}, w.flags, []string{"--journal", runs, "-q"})
	if len(r.text) > 0 {
		args = append(args, "--resume")
		if err := errors.Join(os.MkdirAll(runs, 0o700), os.WriteFile(path, r.text, 0o600)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, configOf(w.common, w.config, []test{t}), 0o600); err != nil {
		return err
	}
	if len(w.command) > 0 {
		args = append(append(args, "--"), w.command...)
	}
	header, err := json.Marshal(envelope.Header{ID: w.common.Run + "/" + idOf(t.Key), StartedAt: w.common.StartedAt})
	if err != nil {
		return err
	}
	child, err := start(string(header), args, w.stderr)
	if err != nil {
		return err
	}
	defer child.kill()
	publishing := context.WithoutCancel(ctx) // also what ends by an interrupt is published
	told := false
	for running := true; running; {
		select {
		case <-child.ended:
			running = false
		case <-ctx.Done():
			if !told {
				child.stop()
			}
			told = true
			<-child.ended
		case <-time.After(look):
		}
		if err := r.follow(publishing, path); err != nil {
			return err
		}
	}
	if settled(end(r.text)) {
		return nil
	}
	if child.killed() && ctx.Err() == nil {
		return errKilled // its claim stays: somebody died of the test
	}
	if err := r.release(publishing); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: tribunal run ended with exit code %d and without a result", t.Key, child.code())
}

var errKilled = errors.New("tribunal run was killed")

const look = 25 * time.Millisecond

// follow publishes what a journal has gained, whole lines.
func (r *record) follow(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it is not begun
	}
	if err != nil {
		return err
	}
	defer file.Close()
	fresh, err := io.ReadAll(io.NewSectionReader(file, int64(r.size), 1<<62))
	if err != nil {
		return err
	}
	fresh = fresh[:strings.LastIndexByte(string(fresh), '\n')+1]
	if err := r.write(ctx, fresh); err != nil {
		return err
	}
	r.text = append(r.text, fresh...)
	return nil
}

// abandon ends the journal of a test with an error of the infrastructure.
func (r *record) abandon(ctx context.Context, t test, dir string, deaths int) error {
	path, text := filepath.Join(dir, journal.FileName), r.text
	if len(text) == 0 {
		text = r.q.firstLines([]test{t}, false)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	j, err := journal.Open(dir)
	if err != nil {
		return err
	}
	next := int32(0)
	err = j.Replay(func(l journal.Line) error {
		if trial, is := l.(journal.Trial); is {
			next = max(next, trial.Attempt.V+1)
		}
		return nil
	})
	lost := &envelope.Trial{
		Key: t.Key, Run: j.Header().Run.ID, Attempt: envelope.Some(next), Status: envelope.Error, ErrorClass: envelope.ClassInfrastructure,
		Message: fmt.Sprintf("%d workers in a row died or were cut off while running it", deaths),
	}
	err = errors.Join(err, j.Append(journal.Trial{Trial: lost}, journal.Ended{Key: t.Key, How: envelope.EndedInfrastructure},
		journal.End{How: journal.Finished}), j.Close())
	if err != nil {
		return err
	}
	return r.follow(ctx, path)
}
