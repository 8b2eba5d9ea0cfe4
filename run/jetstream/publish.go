package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/urfave/cli/v2"

	"tribunal/command"
	"tribunal/envelope"
	"tribunal/internal/command/config"
	"tribunal/internal/each"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
	"tribunal/policy"
)

const publishExamples = `Examples:
   tribunal-jetstream publish --threshold 0.9 search refund         two tests, each until its verdict
   tribunal-jetstream publish -n 20 --list 'ls cases' --replicas 3  a message a test, kept on three servers
   tribunal-jetstream publish --config tribunal.yaml                tests, rule and limits of the project`

func publishCommand(stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "publish",
		Usage:     "put tests into the queue",
		ArgsUsage: "[TEST ...]",
		Description: "Creates the queue if there is none of that name, and puts a message for each test into it. Its flags say for\n" +
			"all workers how the tests are judged, and how many trials they get. Nothing is published twice.\n\n" + publishExamples,
		Flags:  publishFlags(),
		Action: func(c *cli.Context) error { return publish(c, stderr) },
	}
}

// ofQueue are the settings of tribunal run that are no matter of the machine on which a
// test runs. They are said when it is published.
var ofQueue = []string{"trials", "stop", "seed", "timeout", "max-cost-per-test", "cost-per-trial", "infra-retries", "allow-starved"}

// ofWorker are those that are. What is in neither list is of a run as a whole (its
// shards, its order, its limits of money and time), which nobody sees here.
var ofWorker = []string{"jobs", "from", "preset", "grace", "rate", "env-only"}

func publishFlags() []cli.Flag {
	flags := connectFlags(
		&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "take tests, variants, rule and limits from this `FILE`, a tribunal.yaml"},
		&cli.StringSliceFlag{Name: "test", Usage: "`NAME` of a test to publish, as the argument TEST; may be repeated"},
		&cli.StringFlag{Name: "list", Usage: "`COMMAND` that prints the tests, as that of tribunal run"},
	)
	return slices.Concat(flags, beginFlags(), settingFlags(ofQueue), policyFlags())
}

// beginFlags say how a queue is made by whoever is the first to publish.
func beginFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "replicas", Usage: "keep the queue on `N` servers of a cluster; set when it is created", Value: 1},
		&cli.DurationFlag{Name: "lease", Usage: "how long a worker may be silent until another gets its test; set when the queue is created",
			Value: 30 * time.Second},
	}
}

func settingFlags(names []string) (flags []cli.Flag) {
	for _, s := range settings.Table {
		s.Otherwise = cmp.Or(words.If(s.Name == "trials", "100 for sprt and anytime, else required"), s.Otherwise)
		if slices.Contains(names, s.Name) {
			flags = append(flags, command.SettingFlag(&s))
		}
	}
	return flags
}

func policyFlags() (flags []cli.Flag) {
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if name := k.FlagName(); name != "" && name != "cost-limit-usd" && name != "run-cost-limit-usd" { // which run refuses
			flags = append(flags, command.KeyFlag(k))
		}
	}
	return flags
}

// given are the flags that a call sets, as words of a call of tribunal run.
func given(c *cli.Context, flags []cli.Flag) (words []string) {
	for _, f := range flags {
		name := f.Names()[0]
		if !c.IsSet(name) {
			continue
		}
		switch f.(type) {
		case *cli.BoolFlag:
			words = append(words, fmt.Sprintf("--%s=%t", name, c.Bool(name)))
		case *cli.StringSliceFlag:
			words = append(words, each.Of(c.StringSlice(name), func(v string) string { return "--" + name + "=" + v })...)
		default:
			words = append(words, "--"+name+"="+c.String(name))
		}
	}
	return words
}

func publish(c *cli.Context, stderr io.Writer) error {
	tests, said, err := readCall(c)
	if err == nil {
		err = dryRun(tests, said, stderr)
	}
	if err != nil {
		return err
	}
	q, err := connect(c, stderr)
	if err != nil {
		return err
	}
	defer q.nc.Close()
	if err := q.begin(c.Context, said, c.IsSet("seed"), c.Int("replicas"), c.Duration("lease")); err != nil {
		return err
	}
	if err := q.list(c.Context, tests); err != nil {
		return err
	}
	fresh := 0
	for _, t := range tests {
		added, err := q.put(c.Context, t)
		if err != nil {
			return fmt.Errorf("%w; call it again; nothing is published twice", err)
		}
		if added {
			fresh++
		}
	}
	q.say("%s published to the queue %s, %d new; seed %d", words.Plural(len(tests), "test", "tests"), q.name, fresh, q.common.Seed)
	return nil
}

// put puts a test into the queue, and reports whether it was not there before.
func (q *queue) put(ctx context.Context, t test) (added bool, err error) {
	text, err := json.Marshal(t)
	if err != nil {
		return false, err
	}
	id := idOf(t.Key)
	msg := &nats.Msg{Subject: q.testSubject(id), Data: text, Header: nats.Header{headerVersion: {version}}}
	err = q.again(ctx, "publishing the test "+t.Key.String(), func(ctx context.Context) error {
		ack, err := q.js.PublishMsg(ctx, msg, jetstream.WithMsgID(id))
		if err == nil {
			added = !ack.Duplicate
		}
		return err
	})
	return added, err
}

// list publishes which tests there are, as a journal in which all are run elsewhere: so
// a report knows of those that nobody ran.
func (q *queue) list(ctx context.Context, tests []test) error {
	names := each.Of(tests, func(t test) string { return idOf(t.Key) })
	slices.Sort(names)
	r, err := q.fetch(ctx, hashed(append([]string{"list"}, names...)...))
	if err != nil || end(r.text) != "" {
		return err
	}
	r.size = 0
	return r.write(ctx, append(q.firstLines(tests, true), `{"type":"end","how":"finished"}`+"\n"...))
}

// firstLines are the first lines of a journal: the run, which says no policy, and its tests.
func (q *queue) firstLines(tests []test, elsewhere bool) []byte {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	_ = out.Encode(map[string]any{"type": "run", "schema": envelope.TrialSchema, "id": q.common.Run, "started_at": q.common.StartedAt,
		"journal": 1})
	for part := range slices.Chunk(tests, 1000) {
		all := each.Of(part, func(t test) journal.Test { return journal.Test{Key: t.Key, Labels: t.Labels, Elsewhere: elsewhere} })
		_ = out.Encode(map[string]any{"type": "tests", "tests": all}) // a buffer takes it
	}
	return lines.Bytes()
}

// readCall is what a call says: the tests, and what holds for all of them.
func readCall(c *cli.Context) (tests []test, said common, err error) {
	said = common{Flags: given(c, slices.Concat(settingFlags(ofQueue), policyFlags()))}
	said.Flags = slices.DeleteFunc(said.Flags, func(word string) bool { return strings.HasPrefix(word, "--seed=") })
	if c.IsSet("seed") {
		var set settings.Settings
		seed, _ := settings.ByKey("seed")
		if err := seed.Set(&set, c.String("seed")); err != nil {
			return nil, said, fmt.Errorf("--seed: %w", err)
		}
		said.Seed = set.Seed.V
	}
	tests = append(tests, each.Of(slices.Concat(c.StringSlice("test"), c.Args().Slice()), func(name string) test {
		return test{Key: envelope.Key{Test: name}}
	})...)
	if call := c.String("list"); call != "" {
		listed, err := listBy(call)
		if err != nil {
			return nil, said, fmt.Errorf("--list: %w", err)
		}
		tests = append(tests, listed...)
	}
	if file := c.String("config"); file != "" {
		inFile, err := fromConfig(file, &said)
		if err != nil {
			return nil, said, err
		}
		if len(tests) == 0 {
			tests = inFile
		}
	}
	if len(tests) == 0 {
		return nil, said, errors.New("there are no tests; name them, use --list, or set run.tests in the file of --config")
	}
	known := map[envelope.Key]bool{}
	for _, t := range tests {
		if known[t.Key] {
			return nil, said, fmt.Errorf("test %s is given twice; give it once", t.Key)
		}
		known[t.Key] = true
	}
	return tests, said, nil
}

func listBy(words string) (tests []test, err error) {
	var set settings.Settings
	list, _ := settings.ByKey("list")
	if err := list.Set(&set, words); err != nil {
		return nil, err
	}
	cmd := exec.Command(set.List[0], set.List[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, cmp.Or(driver.Startable(set.List[0]), fmt.Errorf("the command %s failed (%w)", words, err))
	}
	listed, err := driver.ParseList(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words, err)
	}
	return each.Of(listed, func(t runner.Test) test { return test{Key: t.Key, Labels: t.Labels} }), nil
}

// fromConfig takes from a configuration what is of the queue.
func fromConfig(file string, said *common) (tests []test, err error) {
	parsed, err := config.Load(file)
	if err != nil {
		return nil, err
	}
	if said.Config, _, err = parts(file); err != nil {
		return nil, err
	}
	listed, timeouts, err := command.Cases(parsed.Run.Cases, parsed.Run.Variants)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, t := range listed {
		one := test{Key: t.Key, Labels: t.Labels, Trials: t.Trials}
		if d, is := timeouts[t.Key]; is {
			one.Timeout = d.String()
		}
		tests = append(tests, one)
	}
	return tests, nil
}

// dryRun has tribunal run check all that is said, so that no worker has to.
func dryRun(tests []test, said common, stderr io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	file, err := os.CreateTemp("", "tribunal-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(configOf(said, nil, tests))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	var errs bytes.Buffer
	args := slices.Concat([]string{"tribunal", "run", "--dry-run", "--config", file.Name()}, said.Flags, []string{"--", self, "{test}"})
	if code := command.Main(args, command.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs,
		Getenv: os.Getenv}); code != exitOK {
		return errors.New(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(errs.String()), "tribunal: "), "run: "))
	}
	_, err = stderr.Write(errs.Bytes()) // warnings
	return err
}
