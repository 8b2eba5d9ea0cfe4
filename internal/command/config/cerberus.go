package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"tribunal/internal/run/dialect/cerberus"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

var cerberusFile = dialect{name: "a cerberus.yaml", read: (*reader).contracts,
	matches: func(_ ast.Node, has func(...string) bool) bool { return has(cerberus.Keys...) }}

// field is a key of a mapping: how it is read, and whether it has to be there.
type field struct {
	required bool
	read     func(n ast.Node, key string)
}

func (r *reader) contracts(body ast.Node) Config {
	s := &cerberus.Suite{Timeout: cerberus.DefaultTimeout}
	r.fields(s, body, "", map[string]field{
		"adapter": {true, func(n ast.Node, key string) { r.adapter(s, n, key) }},
		"studies": {true, func(n ast.Node, key string) {
			seen := map[string]bool{}
			r.each(n, key, "studies", func(n ast.Node, key string) { s.Studies = append(s.Studies, r.study(s, n, key, seen)) })
		}},
		"correction": {false, func(n ast.Node, key string) {
			word, ok := value[string](r, n, key, "a correction")
			if ok && !slices.Contains(cerberus.Corrections, word) {
				r.fail(n, key, suggest.Unknown("correction", word, cerberus.Corrections))
			}
			s.Ignored = append(s.Ignored, "correction: "+word+" (it changes no status in Cerberus either)")
		}},
		"judges": {false, func(ast.Node, string) { s.Ignored = append(s.Ignored, "judges") }},
	})
	if len(r.errs) > 0 {
		return Config{}
	}
	return Config{Policy: s.Policy(), Run: s.Block(), Contracts: s}
}

// fields reads a mapping. Unknown keys are skipped, as cerberus does, and noted.
func (r *reader) fields(s *cerberus.Suite, n ast.Node, path string, known map[string]field) {
	seen := map[string]bool{}
	for _, entry := range r.entries(n, path) {
		name := keyText(entry.Key)
		full := join(path, name)
		f, is := known[name]
		switch {
		case seen[name]:
			r.fail(entry.Key, full, errors.New("the key is given twice"))
		case is:
			f.read(entry.Value, full)
		default:
			s.Ignored = append(s.Ignored, fmt.Sprintf("%s in line %d, which is not a key here", full, entry.Key.GetToken().Position.Line))
		}
		seen[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if known[name].required && !seen[name] {
			r.fail(n, path, fmt.Errorf("the key %s is missing", name))
		}
	}
}

// each reads the items of a list that has at least one.
func (r *reader) each(n ast.Node, key, what string, read func(n ast.Node, key string)) {
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		r.fail(n, key, fmt.Errorf("a list of %s is expected, with at least one item", what))
		return
	}
	for i, item := range list.Values {
		read(item, fmt.Sprintf("%s[%d]", key, i))
	}
}

func (r *reader) named(to *string, expected string) func(ast.Node, string) {
	return func(n ast.Node, key string) {
		v, ok := value[string](r, n, key, expected)
		if ok && v == "" {
			r.fail(n, key, errors.New("it is empty: "+expected+" is expected"))
		}
		*to = v
	}
}

func (r *reader) adapter(s *cerberus.Suite, n ast.Node, key string) {
	r.fields(s, n, key, map[string]field{
		"command": {true, func(n ast.Node, key string) {
			var command string
			r.named(&command, "a command with "+cerberus.Scenario)(n, key)
			argv, ok := cerberus.CommandOf(command)
			if command != "" && !ok {
				r.fail(n, key, fmt.Errorf("no argument contains %s, where cerberus puts the file of the scenario: add it, as in --scenario %[1]s",
					cerberus.Scenario))
			}
			s.Command = argv
		}},
		"timeout": {false, func(n ast.Node, key string) {
			if ms, ok := r.from1(n, key, "a whole number of milliseconds"); ok {
				s.Timeout = time.Duration(ms) * time.Millisecond
			}
		}},
	})
}

func (r *reader) from1(n ast.Node, key, what string) (int, bool) {
	v, ok := value[int](r, n, key, what)
	if ok && (v < 1 || v > math.MaxInt32) {
		r.fail(n, key, fmt.Errorf("%s from 1 to %d is expected, found %d", what, math.MaxInt32, v))
		return 0, false
	}
	return v, ok
}

func (r *reader) within(to *float64, least, most float64) func(ast.Node, string) {
	return func(n ast.Node, key string) {
		if v := r.amount(n, key, fmt.Sprintf("a number from %g to %g", least, most), least, most); v.OK {
			*to = v.V
		}
	}
}

func (r *reader) study(s *cerberus.Suite, n ast.Node, key string, seen map[string]bool) cerberus.Study {
	study := cerberus.Study{MaxErrorRate: cerberus.DefaultMaxErrorRate}
	r.fields(s, n, key, map[string]field{
		"name": {true, func(n ast.Node, key string) {
			r.named(&study.Name, "the name of a study")(n, key)
			r.once(n, key, "study", study.Name, seen)
		}},
		"scenario":       {true, r.named(&study.Scenario, "the file of a scenario")},
		"max_error_rate": {false, r.within(&study.MaxErrorRate, 0, 1)},
		"contracts": {true, func(n ast.Node, key string) {
			of := map[string]bool{}
			r.each(n, key, "contracts", func(n ast.Node, key string) {
				study.Contracts = append(study.Contracts, r.contract(s, n, key, of))
			})
		}},
	})
	return study
}

func (r *reader) once(n ast.Node, key, what, name string, seen map[string]bool) {
	if seen[name] {
		r.fail(n, key, fmt.Errorf("the %s %q is given twice, so their trials would mix: rename one of them", what, name))
	}
	seen[name] = true
}

func (r *reader) contract(s *cerberus.Suite, n ast.Node, key string, seen map[string]bool) cerberus.Contract {
	c := cerberus.Contract{Threshold: cerberus.DefaultThreshold, Confidence: cerberus.DefaultConfidence, Trials: cerberus.DefaultTrials}
	if node := r.at(n, "type"); node != nil && strings.TrimSpace(node.String()) == "judge" {
		r.fail(node, join(key, "type"), errors.New("tribunal calls no model; write a command that asks the model and exits with 0 or 1, "+
			"and start it with tribunal run"))
		return c
	}
	r.fields(s, n, key, map[string]field{
		"name": {true, func(n ast.Node, key string) {
			r.named(&c.Name, "the name of a contract")(n, key)
			r.once(n, key, "contract", c.Name, seen)
		}},
		"type": {true, func(n ast.Node, key string) {
			if word, ok := value[string](r, n, key, "code or judge"); ok && word != "code" {
				r.fail(n, key, suggest.Unknown("contract type", word, []string{"code"}))
			}
		}},
		"assert": {true, func(n ast.Node, key string) {
			var text string
			if r.named(&text, "an expression")(n, key); text == "" {
				return
			}
			var err error
			if c.Assert, err = cerberus.NewAssert(text); err != nil {
				r.fail(n, key, err)
			}
		}},
		"threshold": {false, func(n ast.Node, key string) {
			if r.within(&c.Threshold, 0.11, 1)(n, key); c.Threshold == 1 {
				r.fail(n, key, errors.New("no number of trials shows a rate of 1; give a lower one, such as 0.99, or remove it and add --rule all"))
			}
		}},
		"confidence": {false, r.within(&c.Confidence, 0.5, 0.999)},
		"trials": {false, func(n ast.Node, key string) {
			if v, ok := r.from1(n, key, "a whole number of trials"); ok {
				c.Trials = v
			}
		}},
	})
	return c
}

// at is the value of a key of a mapping, nil where there is none.
func (r *reader) at(n ast.Node, key string) ast.Node {
	for _, entry := range topEntries(n) {
		if keyText(entry.Key) == key {
			return entry.Value
		}
	}
	return nil
}

// Scenarios reads the scenarios of a cerberus.yaml, whose files stand as seen from it.
func (c *Config) Scenarios() error {
	var errs []error
	for i := range c.Contracts.Studies {
		study := &c.Contracts.Studies[i]
		name := study.Scenario
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(c.Path), name)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("cannot read %s, the scenario of study %s: %w", name, study.Name, words.OfFile(err)))
			continue
		}
		if study.Input, err = scenario(name, text); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func scenario(name string, text []byte) (in cerberus.Input, err error) {
	r := &reader{file: name, places: map[string]Place{}}
	body := r.tree(text)
	if body == nil && len(r.errs) == 0 {
		r.fail(nil, "", errors.New("it is empty: a scenario has input, and metadata if you like"))
	}
	if body != nil {
		r.fields(&cerberus.Suite{}, body, "", map[string]field{
			"input": {true, r.named(&in.Text, "a text")},
			"metadata": {false, func(n ast.Node, key string) {
				if err := yaml.NodeToValue(n, &in.Metadata); err != nil {
					r.fail(n, key, fmt.Errorf("a mapping of names to values is expected, found %s", shortened(n)))
				} else if _, err := json.Marshal(in.Metadata); err != nil {
					r.fail(n, key, fmt.Errorf("it has a value that JSON cannot express: %w", err))
				}
			}},
		})
	}
	return in, errors.Join(r.errs...)
}
