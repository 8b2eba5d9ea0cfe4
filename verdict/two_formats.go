package verdict

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/mix"
	"tribunal/internal/words"
)

// twoFormats finds inputs of two formats that have the same trials by the names of their
// tests and how they ended: runners write a run by several reporters, which call its suites
// otherwise, so that each trial counts once for every report. Inputs of one format are
// repeats of the tests, or shards.
func twoFormats(env *envelope.Envelope) []envelope.Problem {
	sources := env.Run.Sources
	if !severalFormats(sources) {
		return nil
	}
	first := map[telling]int{} // the source that tells it first
	var again []int            // those of another format than the first
	all := tellings(env)
	for i, t := range all {
		switch of, told := first[t]; {
		case t.trials < comparableTrials:
		case !told:
			first[t] = i
		case sources[of].Format != sources[i].Format:
			again = append(again, i)
		}
	}
	if len(again) == 0 {
		return nil
	}
	twice := 0
	for _, i := range again {
		twice += all[i].trials
	}
	one := again[0]
	of := sources[first[all[one]]]
	message := fmt.Sprintf("this has the same tests, with the same outcomes, as %s, which is %s and not %s: where both are reports of one run, its trials count twice; name one of them", of.Input, of.Format, sources[one].Format)
	if more := len(again) - 1; more > 0 {
		message += "; and so it is with " + words.Plural(more, "more input", "more inputs")
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Stage: envelope.StageJudge, Input: sources[one].Input, Count: twice, Message: message}}
}

func severalFormats(all []envelope.Source) bool {
	for _, s := range all {
		if s.Format != all[0].Format {
			return true
		}
	}
	return false
}

// telling is what an input tells: how many trials, and a sum of their tests and outcomes.
type telling struct {
	trials int
	sum    uint64
}

// tellings are those of the sources, in their order. A trial that several delivered is none
// of a single one.
func tellings(env *envelope.Envelope) []telling {
	all := make([]telling, len(env.Run.Sources))
	for i := range env.Tests {
		rows := env.Tests[i].Rows
		name := mix.Text(0, bareName(env.Tests[i].Test))
		for row, outcome := range rows.Outcome {
			source, _ := rows.Source().At(row)
			if int(source) < len(all) {
				all[source].trials++
				all[source].sum += mix.Number(name, uint64(roughly(outcome)))
			}
		}
	}
	return all
}

// roughly is an outcome as all formats have it: few tell an error from a failure.
func roughly(o envelope.Outcome) envelope.Outcome {
	switch o {
	case envelope.Passed, envelope.Skipped:
		return o
	}
	return envelope.Failed
}

// bareName is the name of a test without what reporters put around it: the names of its
// groups, its parameters, signs and the case of letters.
func bareName(test string) string {
	for _, sign := range []string{" › ", " > ", "::"} {
		if at := strings.LastIndex(test, sign); at >= 0 {
			test = test[at+len(sign):]
		}
	}
	if at := strings.IndexAny(test, "(["); at > 0 && strings.ContainsAny(test[len(test)-1:], ")]") {
		test = test[:at]
	}
	return strings.Map(func(c rune) rune {
		switch {
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
			return c
		}
		return -1
	}, test)
}
