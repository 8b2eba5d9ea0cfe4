package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"tribunal/envelope"
	"tribunal/run/driver/settings"
)

// A tribunal.yaml has two parts here: that of the queue says what is run and how it is
// judged, that of the worker how a trial is started on its machine and read.

// machineKeys are the keys of a configuration that are the worker's, beside those of
// the block run.
var machineKeys = []string{"map", "maps", "records", "scorer"}

// testKeys are those of the block run that name tests.
var testKeys = []string{"tests", "variants", "list", "only", "shard"}

// parts reads both parts of a configuration.
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
	var known []string
	for _, f := range slices.Concat(settingFlags(ofQueue), policyFlags()) {
		known = append(known, "--"+f.Names()[0])
	}
	for _, flag := range c.Flags {
		if name, _, valued := strings.Cut(flag, "="); !valued || !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

// blockParts are both parts of the block run.
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
				for key, value := range inner {
					block[key] = value
				}
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
