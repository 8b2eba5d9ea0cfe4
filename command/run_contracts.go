package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/run/dialect/cerberus"
	"tribunal/run/driver"
	"tribunal/run/runner"
)

// contracts makes the run that of the contracts of a cerberus.yaml, which says what is
// started, what its tests are, and what of an output makes them pass.
func (p *trialRun) contracts(r *driver.Run) error {
	suite := p.file.Contracts
	if suite == nil {
		return nil
	}
	file := text.Line(p.file.Path)
	for _, said := range []struct {
		is   bool
		what string
	}{
		{p.behind.given, "a command behind --"}, {len(p.set.List) > 0, "--list"}, {p.set.From != "", "--from"}, {p.set.Preset != "", "--preset"},
		{p.c.String("map") != "", "--map"},
	} {
		if said.is {
			return fmt.Errorf("%s sets what to start and how to judge it, and so does %s; leave one of them out", file, said.what)
		}
	}
	if len(p.set.Tests) > 0 {
		return fmt.Errorf("the tests are the contracts of %s; choose some with --only, as in --only %s", file, words.Shell(suite.Studies[0].Name+"/"+suite.Studies[0].Contracts[0].Name))
	}
	if err := p.file.Scenarios(); err != nil {
		return err
	}
	for _, words := range suite.Ignored {
		fmt.Fprintf(p.env.Stderr, "tribunal: %s: passed over: %s\n", file, text.Line(words))
	}
	r.As, r.Auto, r.Terms = nil, false, suite.Terms()
	r.Judge = func(tests []envelope.Key, e driver.Ended) []envelope.Trial {
		return suite.Judge(tests, cerberus.Ended{Stdout: e.Stdout, Stderr: e.Stderr, Code: e.Code, Duration: e.Duration})
	}
	r.MaxErrorRates = map[string]float64{}
	for _, study := range suite.Studies {
		r.MaxErrorRates[study.Name] = study.MaxErrorRate
	}
	p.inputs = map[string]string{}
	r.Spelling = driver.Spelling{"suite": func(t runner.Test) string { return p.inputs[t.Suite] }}
	return nil
}

// scenarios writes the files of the scenarios into a folder beside the journal, which
// tidy removes.
func (p *trialRun) scenarios(dir string) (tidy func(), err error) {
	if p.file.Contracts == nil {
		return func() {}, nil
	}
	folder, err := filepath.Abs(filepath.Join(dir, "scenarios"))
	if err != nil {
		return nil, err
	}
	tidy = func() { _ = os.RemoveAll(folder) } // what cannot be removed is ours alone
	var errs []error
	errs = append(errs, os.MkdirAll(folder, 0o700))
	for i := range p.file.Contracts.Studies {
		study := &p.file.Contracts.Studies[i]
		name := filepath.Join(folder, fmt.Sprintf("%d.json", i+1))
		p.inputs[study.Name] = name
		errs = append(errs, os.WriteFile(name, []byte(study.File()), 0o600))
	}
	if err := errors.Join(errs...); err != nil {
		tidy()
		return nil, fmt.Errorf("writing the scenarios: %w", err)
	}
	return tidy, nil
}

// written is a command as it was written: that of a cerberus.yaml has its own word for
// the file of the scenario.
func (p *trialRun) written(argv []string) string {
	if p.file.Contracts == nil {
		return words.Shell(argv...)
	}
	return strings.NewReplacer("{suite}", cerberus.Scenario, "{{", "{").Replace(strings.Join(argv, " "))
}
