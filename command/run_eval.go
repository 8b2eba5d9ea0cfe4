package command

import (
	"errors"
	"fmt"
	"strings"

	"tribunal/internal/text"
	"tribunal/run/driver"
	"tribunal/run/runner"
)

// noCommand is the error where nothing says what to start.
func (p *trialRun) noCommand() error {
	if p.file.Eval != nil {
		return fmt.Errorf("%s says what to test, but not what to start; give the command after --, as in: tribunal run -c %[1]s -- ./agent-test {test}", text.Line(p.file.Path))
	}
	return errors.New("there is no command; give it after --, as in: tribunal run --threshold 0.9 -- ./agent-test {test}; or as command in the block run of tribunal.yaml")
}

// variants are those of the flag, else of the configuration. An eval file of AgentV has providers, which
// a command that asks for {variant} tries one by one; any other tries them itself.
func (p *trialRun) variants(r *driver.Run) []string {
	if p.pairs != nil {
		return []string{p.pairs.base, p.pairs.candidate}
	}
	if p.c.IsSet(flagVariants) {
		return p.variantsSaid()
	}
	if e := p.file.Eval; e != nil && len(e.Providers) > 1 && r.Command.Uses("variant") {
		return e.Providers
	}
	return p.file.Run.Variants
}

// evaluated are the tests of an eval file of AgentV, unless the call lists them itself.
// Where it has others that are not known, a start of all tests tells them.
func (p *trialRun) evaluated(r *driver.Run, tests []runner.Test) ([]runner.Test, error) {
	e := p.file.Eval
	switch {
	case e == nil || len(p.set.Tests) > 0:
		return tests, nil
	case len(p.set.List) > 0:
		return nil, nil
	case len(e.Unlisted) == 0:
		return tests, nil
	case r.Command.NamesTests():
		return nil, fmt.Errorf("%s has tests whose names are not known (%s): name them by --test or --list, or leave out {test}", text.Line(p.file.Path), text.Line(strings.Join(e.Unlisted, ", ")))
	}
	return nil, nil
}
