package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/nats-io/nuid"
	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/words"
)

// A tribunal.yaml has two parts here: that of the queue says what is run and how it is
// judged, that of the worker how a trial is started on its machine and read.

// machineKeys are the keys of a configuration that are the worker's, beside those of the block run.
var machineKeys = []string{"map", "maps", "records", "scorer"}

// testKeys are those of the block run that name tests.
var testKeys = []string{"tests", "variants", "list", "only", "shard"}

func parts(file string) (queues, workers map[string]any, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	all := map[string]any{}
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	queues, workers = split(all)
	return queues, workers, nil
}

// split tells the parts of a configuration apart. A worker takes no other part from the
// queue than the queue's: whoever may publish tests has no command run by that.
func split(all map[string]any) (queues, workers map[string]any) {
	queues, workers = map[string]any{}, map[string]any{}
	for key, value := range all {
		switch block, is := value.(map[string]any); {
		case key == "run" && is:
			queues["run"], workers["run"] = blockParts(block)
		case slices.Contains(machineKeys, key):
			workers[key] = value
		default:
			queues[key] = value
		}
	}
	return queues, workers
}

// foreign is a flag of a queue that none can have, "" for none.
func (c common) foreign() string {
	known := each.Of(slices.Concat(settingFlags(ofQueue), policyFlags()), func(f cli.Flag) string { return "--" + f.Names()[0] })
	for _, flag := range c.Flags {
		if name, _, valued := strings.Cut(flag, "="); !valued || !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

func blockParts(block map[string]any) (queues, workers map[string]any) {
	queues, workers = map[string]any{}, map[string]any{}
	for key, value := range block {
		s, known := settings.ByKey(key)
		switch {
		case slices.Contains(testKeys, key):
		case known && slices.Contains(ofQueue, s.Name):
			queues[key] = value
		case !known || slices.Contains(ofWorker, s.Name):
			workers[key] = value
		}
	}
	return queues, workers
}

// configOf is the configuration of a run of some tests: JSON, which is YAML.
func configOf(said common, workers map[string]any, tests []test) []byte {
	all, block := map[string]any{}, map[string]any{}
	for _, part := range []map[string]any{workers, said.Config} {
		for key, value := range part {
			if inner, is := value.(map[string]any); key == "run" && is {
				maps.Copy(block, inner)
				continue
			}
			all[key] = value
		}
	}
	type listed struct {
		Suite   string            `json:"suite,omitempty"`
		Test    string            `json:"test"`
		Labels  map[string]string `json:"labels,omitempty"`
		Trials  int               `json:"trials,omitempty"`
		Timeout string            `json:"timeout,omitempty"`
	}
	var names []listed
	var variants []string
	known := map[envelope.Key]bool{}
	for _, t := range tests {
		if t.Variant != "" && !slices.Contains(variants, t.Variant) {
			variants = append(variants, t.Variant)
		}
		under := t.Key
		under.Variant = ""
		if !known[under] {
			known[under] = true
			names = append(names, listed{t.Suite, t.Test, t.Labels, t.Trials, t.Timeout})
		}
	}
	block["tests"] = names
	if len(variants) > 0 {
		block["variants"] = variants
	}
	all["run"] = block
	text, err := json.Marshal(all)
	if err != nil {
		panic("plain data that does not marshal: " + err.Error())
	}
	return text
}

const feedExamples = `Examples:
   runner | tribunal-jetstream feed
   tribunal-jetstream feed --producer job-17 < trials.ndjson   again after a failure: nothing is doubled`

func feedCommand(stdin io.Reader, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "feed",
		Usage: "put trials that others run into the queue",
		Description: "Publishes the trial stream on standard input as it comes. Many producers make one report. A sink writes each\n" +
			"stream like the journals of workers.\n\n" + feedExamples,
		Flags: append(connectFlags(
			&cli.StringFlag{Name: "producer", Usage: "`NAME` of the stream; what it has published already is not published twice",
				DefaultText: "random"},
		), beginFlags()...),
		Action: func(c *cli.Context) error { return feed(c, stdin, stderr) },
	}
}

// feed publishes a trial stream as it comes. It is a journal like any other, but that
// nobody goes on with it.
func feed(c *cli.Context, stdin io.Reader, stderr io.Writer) error {
	if c.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; the trials come from standard input", c.Args().First())
	}
	q, err := connect(c, stderr)
	if err != nil {
		return err
	}
	defer q.nc.Close()
	if err = q.find(c.Context); err != nil {
		err = q.begin(c.Context, common{}, false, c.Int("replicas"), c.Duration("lease"))
	}
	name := cmp.Or(c.String("producer"), nuid.Next())
	var r *record
	if err == nil {
		r, err = q.fetch(c.Context, hashed("trials", name))
	}
	var lines int
	if err == nil {
		lines, err = r.feed(c.Context, stdin)
	}
	if err != nil {
		return err
	}
	q.say("%s in the queue %s, from producer %s", words.Plural(lines, "line is", "lines are"), q.name, name)
	return nil
}

// feed publishes the lines of a stream, of which the first r.size bytes are published.
func (r *record) feed(ctx context.Context, from io.Reader) (lines int, err error) {
	in, known := bufio.NewReaderSize(from, most), r.text
	var waiting []byte
	for failed := error(nil); failed == nil; {
		var text []byte
		if text, failed = in.ReadBytes('\n'); failed != nil && len(text) > 0 {
			text = append(text, '\n')
		}
		if len(bytes.TrimSpace(text)) > 0 {
			if lines++; lines == 1 && !json.Valid(text) {
				return 0, errors.New("line 1 of standard input is not JSON: print one line per trial, such as " +
					`{"test":"a","status":"pass"}`)
			}
			if len(known) == 0 {
				waiting = append(waiting, text...)
			} else if !bytes.HasPrefix(known, text) {
				return 0, fmt.Errorf("line %d differs from the line published earlier by this --producer; set another name", lines)
			} else {
				known = known[len(text):]
			}
		}
		next, _ := in.Peek(in.Buffered())
		if len(waiting) >= most || failed != nil || !bytes.ContainsRune(next, '\n') { // no other line is there yet
			if err := r.write(ctx, waiting); err != nil {
				return lines, err
			}
			waiting = waiting[:0]
		}
		if failed != nil && !errors.Is(failed, io.EOF) {
			return lines, fmt.Errorf("cannot read standard input after line %d: %w", lines, failed)
		}
	}
	if lines == 0 {
		return 0, errors.New("standard input is empty: a trial stream is expected")
	}
	return lines, nil
}
