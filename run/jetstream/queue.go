package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/run/journal"
)

// version is that of the messages; a queue of another one is refused.
const version = "1"

// The metadata of a queue, and the headers of its messages.
const (
	metaVersion   = "tribunal-queue"
	metaRun       = "tribunal-run"
	headerVersion = "Tribunal-Queue"
	headerKind    = "Tribunal-Kind"
	headerOffset  = "Tribunal-Offset"
)

const workers = "workers"

// userinfo is the user and the password in the address of a server.
var userinfo = regex.Of(`//[^/,]*@`)

// rememberTests is how long a queue remembers which tests were published. It is no
// more than a saving: a test whose journal is complete is not run again.
const rememberTests = time.Hour

// common is what the publisher says of all tests of the queue.
type common struct {
	// Flags are those of tribunal run, and Config is the part of a tribunal.yaml that
	// is no matter of the machine.
	Flags  []string       `json:"flags,omitempty"`
	Config map[string]any `json:"config,omitempty"`
	Seed   int64          `json:"seed,omitempty"`
	// Run and StartedAt are the name and the time of the run, of which all journals are parts.
	Run       string `json:"run"`
	StartedAt string `json:"started_at"`
}

// String is what a publisher said: its flags, what it took from a file, its seed.
func (c common) String() string {
	parts := slices.Clone(c.Flags)
	if len(c.Config) > 0 {
		text, _ := json.Marshal(c.Config) // came from JSON or YAML
		parts = append(parts, "the configuration "+string(text))
	}
	return strings.Join(append(parts, fmt.Sprintf("--seed=%d", c.Seed)), " ")
}

type test struct {
	envelope.Key
	Labels  map[string]string `json:"labels,omitempty"`
	Trials  int               `json:"trials,omitempty"`
	Timeout string            `json:"timeout,omitempty"`
}

// idOf is the name of a journal in subjects and folders.
func idOf(k envelope.Key) string { return hashed("test", k.Suite, k.Test, k.Variant) }

func hashed(words ...string) string {
	text, _ := json.Marshal(words) // strings always marshal
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

type queue struct {
	name   string
	common common
	nc     *nats.Conn
	js     jetstream.JetStream
	tests  jetstream.Stream
	kept   jetstream.Stream // the journals
	say    func(format string, args ...any)

	mu     sync.Mutex
	denied error // what the server does not permit
}

func (q *queue) testSubject(id string) string    { return q.name + ".test." + id }
func (q *queue) journalSubject(id string) string { return q.name + ".journal." + id }
func (q *queue) journalStream() string           { return q.name + "-journal" }

func connectFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "server", Usage: "`URL` of the NATS servers, several with commas", Value: nats.DefaultURL,
			EnvVars: []string{"NATS_URL"}},
		&cli.StringFlag{Name: "creds", Usage: "`FILE` with the credentials of the user", EnvVars: []string{"NATS_CREDS"}},
		&cli.StringFlag{Name: "stream", Usage: "`NAME` of the queue: one for each run", Value: "tribunal"},
	}, more...)
}

func connect(c *cli.Context, stderr io.Writer) (*queue, error) {
	q := &queue{name: c.String("stream"), say: func(format string, args ...any) {
		fmt.Fprintf(stderr, program+": "+format+"\n", args...)
	}}
	if q.name == "" || strings.ContainsAny(q.name, " \t.*>/\\") {
		return nil, fmt.Errorf("--stream %q: give a name without blanks, dots, slashes or wildcards", q.name)
	}
	options := []nats.Option{
		nats.Name(program + " " + c.Command.Name),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(func(attempts int) time.Duration { return backoff(attempts) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { q.refused(err) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				q.say("the server cannot be reached: %v; connecting again", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { q.say("connected again, to %s", nc.ConnectedUrlRedacted()) }),
	}
	if file := c.String("creds"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	var err error
	if q.nc, err = nats.Connect(c.String("server"), options...); err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w; check --server and --creds", userinfo().ReplaceAllString(c.String("server"), "//"), err)
	}
	if q.js, err = jetstream.New(q.nc); err != nil {
		return nil, err
	}
	return q, nil
}

// refused keeps what the server does not permit: the call that it was of learns no
// more than that nobody answers.
func (q *queue) refused(err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.denied = err
	}
}

// withServerError adds to an error what the server said apart from it.
func (q *queue) withServerError(err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil && q.denied != nil {
		return fmt.Errorf("%w; give this permission to the NATS user (--creds)", q.denied)
	}
	return err
}

func (q *queue) find(ctx context.Context) error {
	err := q.ask(ctx, q.open)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("there is no queue %s; create it with %s publish", q.name, program)
	}
	if err != nil {
		return fmt.Errorf("cannot open the queue %s: %w", q.name, err)
	}
	return nil
}

// ask asks the server until it answers, which it does not while a cluster elects its
// leader; but not for long, so that whoever calls learns of it.
func (q *queue) ask(ctx context.Context, try func(context.Context) error) error {
	const long = 30 * time.Second
	ctx, done := context.WithTimeout(ctx, long)
	defer done()
	return q.again(ctx, "asking the server", func(ctx context.Context) error {
		err := try(ctx)
		const unavailable = 503
		var told jetstream.JetStreamError
		if errors.As(err, &told) && told.APIError() != nil && told.APIError().Code != unavailable {
			return permanentError{err}
		}
		return err
	})
}

func (q *queue) open(ctx context.Context) (err error) {
	if q.tests, err = q.js.Stream(ctx, q.name); err != nil {
		return err
	}
	meta := q.tests.CachedInfo().Config.Metadata
	if has := meta[metaVersion]; has != version {
		return permanentError{otherVersion(has)}
	}
	if err = json.Unmarshal([]byte(meta[metaRun]), &q.common); err != nil {
		return permanentError{fmt.Errorf("the published tests: %w", err)}
	}
	if flag := q.common.foreign(); flag != "" {
		return permanentError{fmt.Errorf("the published tests have the flag %q, which a queue does not support", flag)}
	}
	q.common.Config, _ = split(q.common.Config)
	q.kept, err = q.js.Stream(ctx, q.journalStream())
	return err
}

func otherVersion(has string) error {
	return fmt.Errorf("its version is %q, not %q; use the program that published it, NATS 2.10 or newer, or another --stream", has, version)
}

// begin makes the queue. One that is there must be the same.
func (q *queue) begin(ctx context.Context, said common, seeded bool, replicas int, lease time.Duration) error {
	err := q.ask(ctx, q.open)
	switch {
	case err == nil:
		return q.same(said, seeded)
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("cannot open the queue %s: %w", q.name, err)
	}
	if !seeded {
		const most = 1<<53 - 1
		said.Seed = rand.Int64N(most)
	}
	now := time.Now().UTC()
	said.Run, said.StartedAt = journal.NewID(now, uint16(rand.Uint32())), now.Format(time.RFC3339Nano)
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	if err := q.ask(ctx, func(ctx context.Context) error { return q.make(ctx, string(text), replicas, lease) }); err != nil {
		return fmt.Errorf("cannot make the queue %s (--replicas above 1 needs a cluster): %w", q.name, err)
	}
	q.common = said
	return nil
}

// make makes the streams. The journals come first: whoever finds the queue finds them.
func (q *queue) make(ctx context.Context, text string, replicas int, lease time.Duration) (err error) {
	if q.kept, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: q.journalStream(), Subjects: []string{q.journalSubject("*")}, Replicas: replicas,
		Description: "journals of tribunal runs", Metadata: map[string]string{metaVersion: version},
	}); err == nil {
		q.tests, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: q.name, Subjects: []string{q.testSubject("*")}, Replicas: replicas, Retention: jetstream.WorkQueuePolicy,
			Duplicates:  rememberTests,
			Description: "tests that wait for workers of tribunal", Metadata: map[string]string{metaVersion: version, metaRun: text},
		})
	}
	if err == nil {
		_, err = q.tests.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxDeliver: -1, MaxAckPending: -1,
		})
	}
	return err
}

// same refuses to add tests to a queue under other rules than those of its others.
func (q *queue) same(said common, seeded bool) error {
	if !seeded {
		said.Seed = q.common.Seed
	}
	said.Run, said.StartedAt = q.common.Run, q.common.StartedAt
	was, _ := json.Marshal(q.common)
	now, err := json.Marshal(said)
	if err != nil {
		return err
	}
	if string(was) != string(now) {
		return fmt.Errorf("the queue %s was published with %s, not with %s; use the same flags, or another --stream", q.name, q.common, said)
	}
	return nil
}

// backoff is how long to wait before the next try, from 0 on: 100 ms, doubled to 15 s,
// and up to a half of it less, so that not all come back at once.
func backoff(tries int) time.Duration {
	const first, most = 100 * time.Millisecond, 15 * time.Second
	wait := min(most, first<<min(tries, 10))
	return wait - rand.N(wait/2)
}

// again calls try until it succeeds, returns a lasting error, or ctx ends. One answer is
// not waited for longer than answered.
func (q *queue) again(ctx context.Context, doing string, try func(context.Context) error) error {
	for tries := 0; ; tries++ {
		soon, done := context.WithTimeout(ctx, answered)
		err := try(soon)
		done()
		lasting := permanentError{}
		if err == nil || errors.As(err, &lasting) {
			return err
		}
		if why := q.withServerError(err); why != err {
			return fmt.Errorf("%s: %w", doing, why)
		}
		if tries == 5 {
			q.say("%s: %v; trying again", doing, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", doing, err)
		case <-time.After(backoff(tries)):
		}
	}
}

// permanentError is an error that is the same at the next try.
type permanentError struct{ error }

func (l permanentError) Unwrap() error { return l.error }

// answered bounds how long an answer of the server is waited for.
const answered = 5 * time.Second
