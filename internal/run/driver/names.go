package driver

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/redact"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
)

// asNamed is a test of a sweep's output as it was named for the run, where it was:
// by its suite and test, or in one word.
func (d *execution) asNamed(key envelope.Key) envelope.Key {
	if len(d.run.Plan.Tests) == 0 {
		return key
	}
	bare := envelope.Key{Suite: key.Suite, Test: key.Test}
	for _, names := range []envelope.Key{bare, {Test: key.Test}, {Test: bare.String()}, {Test: bare.RunnerName()}} {
		for _, variant := range []string{key.Variant, ""} {
			names.Variant = variant
			if _, named := d.scheduler.Find(names); named {
				return names
			}
		}
	}
	return key
}

// trialIndex are the trials of an output by all names that they may be asked for by: a
// batch asks for as many tests as its output tells, and to look at all of them for each
// takes the square of that.
type trialIndex struct {
	trials []envelope.Trial
	at     map[string][]int // in their order
}

func indexTrials(trials []envelope.Trial) trialIndex {
	c := trialIndex{trials, make(map[string][]int, len(trials))}
	for i := range trials {
		test := trials[i].Test
		c.at[test] = append(c.at[test], i)
		for end := strings.LastIndexByte(test, '/'); end >= 0; end = strings.LastIndexByte(test[:end], '/') {
			c.at[test[:end]] = append(c.at[test[:end]], i)
		}
		if trials[i].Suite != "" {
			for _, whole := range []string{fullName(trials[i].Key), printedName(trials[i].Key)} {
				c.at[whole] = append(c.at[whole], i)
			}
		}
	}
	return c
}

// of are the trials that may be of a test or below it, in the order of the output.
func (c trialIndex) of(key envelope.Key) (of []envelope.Trial) {
	at := slices.Concat(c.at[key.Test], c.at[fullName(key)])
	slices.Sort(at)
	return each.Of(slices.Compact(at), func(i int) envelope.Trial { return c.trials[i] })
}

// fullName is the name of a test with its suite, in all its variants.
func fullName(key envelope.Key) string {
	return envelope.Key{Suite: key.Suite, Test: key.Test}.String()
}

// printedName is that name as the runner of the test prints it.
func printedName(key envelope.Key) string {
	return envelope.Key{Suite: key.Suite, Test: key.Test}.RunnerName()
}

// matching are the trials among some that are of a test: by its names, or by its test alone where
// it has no suite. What is below it (go test's subtests) belongs to it.
func matching(trials []envelope.Trial, key envelope.Key) (of []envelope.Trial) {
	of = each.Where(trials, func(t envelope.Trial) bool {
		return t.Test == key.Test && t.Suite == key.Suite && (t.Variant == key.Variant || t.Variant == "" || key.Variant == "")
	})
	if len(of) > 0 {
		return withParts(of, trials, key)
	}
	return each.Where(trials, func(t envelope.Trial) bool {
		return key.Suite == "" && (t.Test == key.Test || printedName(t.Key) == key.Test) || fullName(t.Key) == fullName(key)
	})
}

// withParts adds to the message of a trial those of its subtests that did not pass.
func withParts(of, trials []envelope.Trial, key envelope.Key) []envelope.Trial {
	whole := &of[decisive(of)]
	for _, t := range trials {
		below, is := strings.CutPrefix(t.Test, key.Test+"/")
		if is && t.Suite == key.Suite && t.Status != envelope.Pass && t.Status != envelope.Skip && whole.Status != envelope.Pass {
			whole.Message = strings.TrimSpace(whole.Message + "\n" + below + ": " + string(t.Status) + behindColon(t.Message))
		}
	}
	return of
}

func behindColon(s string) string { return words.Around(": ", strings.TrimSpace(s), "") }

// countedOf returns the one trial that counts among several of a test in one output. Its message
// names the others.
func countedOf(of []envelope.Trial, missing envelope.Trial) envelope.Trial {
	switch {
	case len(of) == 0:
		return missing
	case len(distinct(of)) > 1:
		missing.Message = fmt.Sprintf("the output has several tests of this name: %s; name one of them in full",
			strings.Join(distinct(of), ", "))
		return missing
	}
	at := decisive(of)
	trial := of[at]
	if len(of) > 1 {
		words := []string{fmt.Sprintf("the output of one start has this test %d times; the others:", len(of))}
		for i, t := range of {
			if i != at {
				words = append(words, string(t.Status)+behindColon(firstLine(t.Message)))
			}
		}
		trial.Message = strings.TrimSpace(trial.Message + "\n" + strings.Join(words, "\n"))
	}
	return trial
}

// decisive is the place of the trial that counts among those of one test. A retry takes
// the place of the try before it. Others may be different tests of one name: of these
// the one that ended worst counts, as none makes good what another broke.
func decisive(of []envelope.Trial) int {
	worst := -1
	for i := range of {
		if i+1 < len(of) && of[i+1].Retry {
			continue
		}
		if worst < 0 || compareStatus(&of[i], &of[worst]) >= 0 {
			worst = i
		}
	}
	return worst
}

func distinct(of []envelope.Trial) (names []string) {
	for i := range of {
		if name := of[i].Key.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// unreported is the trial of a test that was asked for and is in no output, and whether
// its start did not reach it. A start of one test that timed out or died did so in it: of
// several, only those that their output says were running are to blame.
func (d *execution) unreported(exit envelope.Trial, end process.End, stderr string, lone bool) (missing envelope.Trial, unreached bool) {
	missing = envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassPreValidation, StartedAt: end.Started, Run: d.run.Header.ID,
		Message: unreported + inWords(end) + afterColon(tail(stderr, messageLimit))}
	class := classOfEnd(exit, end)
	switch {
	case class == envelope.ClassInfrastructure, lone && (class == envelope.ClassTimeout || class == classOutput):
		missing.ErrorClass = class
		return missing, false
	case lone && signalOf(exit, end) != "":
		exit.ErrorClass, exit.Message = bySignal+signalOf(exit, end), missing.Message
		return exit, false
	}
	return missing, true
}

// classOfEnd is the class of what was running when a start ended.
func classOfEnd(exit envelope.Trial, end process.End) string {
	switch {
	case exit.ErrorClass == envelope.ClassInfrastructure, exit.ErrorClass == envelope.ClassTimeout:
		return exit.ErrorClass
	case end.Why == process.OutputLimit:
		return classOutput
	}
	return envelope.ClassCrash
}

// settle says of the tests that began in a start and did not end what became of them, for
// all formats: a reader knows only that what it reads ends too early, and why the runner
// wrote no more is known here. A start of one test ends in it, so that what its output
// calls infrastructure is none where it timed out or died.
func (t *report) settle(exit envelope.Trial, end process.End, lone bool) {
	class := classOfEnd(exit, end)
	cut := lone && (class != envelope.ClassCrash || signalOf(exit, end) != "")
	running := each.Count(t.trials, func(one envelope.Trial) bool { return one.Unended == envelope.Running })
	for i := range t.trials {
		one := &t.trials[i]
		if one.Unended != envelope.Running && !(cut && one.ErrorClass == envelope.ClassInfrastructure) ||
			class == envelope.ClassCrash && one.ErrorClass != envelope.ClassInfrastructure && one.Status == envelope.Error {
			continue // it ended, or what was read knows better
		}
		one.Status, one.ErrorClass = envelope.Error, class
		others := words.If(running > 1, ", while "+words.Plural(running-1, "other test was", "other tests were")+
			" running, which may be to blame")
		one.Message = strings.TrimSpace("the test began and did not end: " + theCommand(inWords(end)) + others + "\n" + one.Message)
	}
	if running > 0 && t.missing.ErrorClass != envelope.ClassInfrastructure {
		t.unreached = true // it ended in another test
		t.missing.ErrorClass = envelope.ClassPreValidation
	}
}

// reported are the trials of the tests that were asked for, without those that were not
// reached. Of several of one test one counts.
func (d *execution) reported(s *start, t *report) (all []runner.Reported) {
	candidates := indexTrials(t.trials)
	for i, place := range s.Trials {
		of := matching(candidates.of(s.keys[i]), s.keys[i])
		if t.exit != nil {
			of = []envelope.Trial{*t.exit}
		}
		all = d.take(all, place.Test, of, t)
	}
	return all
}

// take adds the trial of a test among those that a start told of it, unless the start did
// not reach it.
func (d *execution) take(all []runner.Reported, test int, of []envelope.Trial, t *report) []runner.Reported {
	of = slices.DeleteFunc(of, func(t envelope.Trial) bool { return t.Unended == envelope.Waiting })
	if len(of) == 0 && t.unreached {
		return all
	}
	return append(all, d.reportedTrial(test, d.withExit(countedOf(of, *t.missing), t), t))
}

func (d *execution) reportedTrial(test int, trial envelope.Trial, t *report) runner.Reported {
	trial.Run, trial.Retry = d.run.Header.ID, false
	if d.run.Before != nil {
		trial.SetupMS = envelope.Some(float64(t.setup.Microseconds()) / 1000)
	}
	return runner.Reported{Test: test, Trial: &trial}
}

// signalOf is the signal by which the command of a trial that failed died, or the program that
// its shell ran; "" where it ended by itself.
func signalOf(exit envelope.Trial, end process.End) string {
	switch {
	case exit.ErrorClass == bySignal+end.Signal:
		return end.Signal
	case exit.Status == envelope.Fail && exit.ErrorClass == "":
		return ofShell[end.Code]
	}
	return ""
}

// failedBy is what the end of a command says of trials that its output does not tell
// of, nil where it ended well.
func failedBy(exit envelope.Trial, end process.End, stderr string) *envelope.Trial {
	if !failed(&exit) {
		return nil
	}
	exit.Message = theCommand(inWords(end)) + behindColon(lastLine(stderr))
	return &exit
}

const noteLimit = 800

const unreported = "the command printed no trial of this test: "

// messageOf is the message of a trial that an exit code tells: the end of what it
// wrote, to standard error if it wrote there. Where it wrote too much, that is the message.
func messageOf(stdout, stderr string, end process.End) string {
	if end.Why == process.OutputLimit {
		return inWords(end)
	}
	for _, text := range []string{stderr, stdout} {
		if text = strings.TrimSpace(text); text != "" {
			return tail(text, messageLimit)
		}
	}
	return inWords(end)
}

// tail is the end of a text, from the beginning of a line where there is one.
func tail(s string, limit int) string {
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	_, from := redact.Split(s, len(s)-limit)
	s = s[from:]
	if _, rest, found := strings.Cut(s, "\n"); found && rest != "" {
		s = rest
	}
	return strings.ToValidUTF8(s, "")
}
