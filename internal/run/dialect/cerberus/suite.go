// Package cerberus is what a cerberus.yaml (orban/cerberus, MIT) says of a run: which contracts its
// studies have, what is started for them, and what of an output makes a contract hold.
//
// It exists because one start of cerberus is a trial of every contract of a study that
// is not decided, and because contracts are expressions over the output. When a
// contract is decided is said by rule sprt, which cerberus uses as well.
package cerberus

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/run/driver/settings"
)

// Keys are the keys at the top of a file that only a cerberus.yaml has.
var Keys = []string{"adapter", "studies"}

// The defaults of cerberus.
const (
	DefaultThreshold    = 0.90
	DefaultConfidence   = 0.95
	DefaultTrials       = 50
	DefaultTimeout      = 30 * time.Second
	DefaultMaxErrorRate = 0.20
)

// Corrections are the words that say how it corrects for several contracts.
var Corrections = []string{"bh", "bonferroni", "none"}

// Scenario stands in the command for the name of the file with the scenario.
const Scenario = "{{scenario}}"

// Suite is what the file says.
type Suite struct {
	Command []string // as settings.Block has it: {suite} is where the scenario's file stands
	Timeout time.Duration
	Studies []Study
	Ignored []string // what it says that changes nothing, in words
}

// Study is a study: its contracts are tried together.
type Study struct {
	Name         string
	Scenario     string // the file that describes it
	MaxErrorRate float64
	Contracts    []Contract
	Input        Input
}

// Input is a scenario, as the command and the asserts see it.
type Input struct {
	Text     string         `json:"input"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Contract is a contract.
type Contract struct {
	Name                  string
	Assert                *Assert
	Threshold, Confidence float64
	Trials                int
}

// CommandOf makes the command of a run of the adapter's command: its words, cut at the
// blanks, in which the first {{scenario}} behind the program is the scenario's file.
func CommandOf(command string) (argv []string, ok bool) {
	for i, word := range strings.Fields(command) {
		before, after, found := strings.Cut(word, Scenario)
		if found = found && i > 0 && !ok; found {
			argv, ok = append(argv, braced(before)+"{suite}"+braced(after)), true
			continue
		}
		argv = append(argv, braced(word))
	}
	return argv, ok
}

// braced writes braces as a command of a run has them.
func braced(s string) string { return strings.ReplaceAll(s, "{", "{{") }

// Policy is what decides: the rule of cerberus, at the threshold and confidence of the
// first contract, and of others where they have their own.
func (s *Suite) Policy() envelope.Policy {
	p := envelope.Policy{Rule: "sprt"}
	for _, study := range s.Studies {
		for _, c := range study.Contracts {
			own := envelope.Policy{Threshold: envelope.Some(c.Threshold), Confidence: envelope.Some(c.Confidence)}
			switch {
			case !p.Threshold.OK:
				p.Threshold, p.Confidence = own.Threshold, own.Confidence
			case own.Threshold != p.Threshold || own.Confidence != p.Confidence:
				p.Overrides = append(p.Overrides, envelope.Override{Match: study.Name + "/" + c.Name, Policy: own})
			}
		}
	}
	return p
}

// Block is how the trials are started.
func (s *Suite) Block() settings.Block {
	b := settings.Block{Command: s.Command, Settings: settings.Settings{Timeout: envelope.Some(s.Timeout)}}
	for _, study := range s.Studies {
		for _, c := range study.Contracts {
			b.Cases = append(b.Cases, settings.Case{Suite: study.Name, Test: c.Name, Trials: c.Trials})
		}
	}
	return b
}

// Terms are what else decides what a trial is, for a run that is gone on with.
func (s *Suite) Terms() (terms []string) {
	for _, study := range s.Studies {
		terms = append(terms, study.Name, study.File())
		for _, c := range study.Contracts {
			terms = append(terms, c.Name, c.Assert.Text)
		}
	}
	return terms
}

// File is what the file of the scenario holds, as the command reads it.
func (s *Study) File() string {
	text, err := jsontext.Marshal(s.Input)
	if err != nil {
		panic("cerberus: " + err.Error()) // plain data, see Plain
	}
	return string(text)
}

// Ended is how a start ended, as the asserts see it.
type Ended struct {
	Stdout, Stderr string
	Code           int // exit code; 1 where there is none
	Duration       time.Duration
}

// Judge says of each contract what an end of the command means: a trial that passed or failed, or
// an error where the assert cannot be evaluated. Tests that are no contracts have none.
func (s *Suite) Judge(tests []envelope.Key, e Ended) (trials []envelope.Trial) {
	parsed, isObject := object(e.Stdout)
	meta := map[string]any{"raw": e.Stdout, "stderr": e.Stderr, "exitCode": float64(e.Code), "jsonParsed": isObject,
		"durationMs": float64(e.Duration.Microseconds()) / 1000}
	output := map[string]any{"meta": meta, "parsed": parsed}
	for _, key := range tests {
		study, contract := s.find(key)
		if contract == nil {
			continue
		}
		t := envelope.Trial{Key: key, Status: envelope.Pass}
		scenario, _ := object(study.File())
		holds, err := contract.Assert.Holds(map[string]any{"output": output, "scenario": scenario})
		switch {
		case err != nil:
			t.Status, t.Message = envelope.Error, "assert "+contract.Assert.Text+": "+err.Error()
		case !holds:
			t.Status, t.Message = envelope.Fail, "assert "+contract.Assert.Text+": it does not hold"
		}
		trials = append(trials, t)
	}
	return trials
}

func (s *Suite) find(key envelope.Key) (*Study, *Contract) {
	for i := range s.Studies {
		study := &s.Studies[i]
		for k := range study.Contracts {
			if study.Name == key.Suite && study.Contracts[k].Name == key.Test {
				return study, &study.Contracts[k]
			}
		}
	}
	return nil, nil
}

// object is an output that is a JSON object, and an empty one where it is none.
func object(text string) (parsed map[string]any, is bool) {
	if !utf8.ValidString(text) || json.Unmarshal([]byte(text), &parsed) != nil || parsed == nil {
		return map[string]any{}, false
	}
	return parsed, true
}
