package driver

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
)

// asNamed is a test of a sweep's output as it was named for the run, where it was:
// by its suite and test, or in one word.
func (d *drive) asNamed(key envelope.Key) envelope.Key {
	if len(d.run.Plan.Tests) == 0 {
		return key
	}
	bare := envelope.Key{Suite: key.Suite, Test: key.Test}
	for _, names := range []envelope.Key{bare, {Test: key.Test}, {Test: bare.String()}} {
		for _, variant := range []string{key.Variant, ""} {
			names.Variant = variant
			if _, named := d.scheduler.Find(names); named {
				return names
			}
		}
	}
	return key
}

// candidates are the trials of an output by all names that they may be asked for by: a
// batch asks for as many tests as its output tells, and to look at all of them for each
// takes the square of that.
type candidates struct {
	trials []envelope.Trial
	at     map[string][]int // in their order
}

func byNames(trials []envelope.Trial) candidates {
	c := candidates{trials, make(map[string][]int, len(trials))}
	for i := range trials {
		test := trials[i].Test
		c.at[test] = append(c.at[test], i)
		for end := strings.LastIndexByte(test, '/'); end >= 0; end = strings.LastIndexByte(test[:end], '/') {
			c.at[test[:end]] = append(c.at[test[:end]], i)
		}
		if trials[i].Suite != "" {
			whole := inOneWord(trials[i].Key)
			c.at[whole] = append(c.at[whole], i)
		}
	}
	return c
}

// of are the trials that may be of a test or below it, in the order of the output.
func (c candidates) of(key envelope.Key) (of []envelope.Trial) {
	at := slices.Concat(c.at[key.Test], c.at[inOneWord(key)])
	slices.Sort(at)
	for _, i := range slices.Compact(at) {
		of = append(of, c.trials[i])
	}
	return of
}

// inOneWord is the name of a test with its suite, in all its variants.
func inOneWord(key envelope.Key) string {
	return envelope.Key{Suite: key.Suite, Test: key.Test}.String()
}

// matching are the trials among some that are of a test: by its names, or by its
// test alone where it has no suite. What is below it (go test's subtests) belongs
// to it.
func matching(trials []envelope.Trial, key envelope.Key) (of []envelope.Trial) {
	for _, t := range trials {
		if t.Test == key.Test && t.Suite == key.Suite && (t.Variant == key.Variant || t.Variant == "" || key.Variant == "") {
			of = append(of, t)
		}
	}
	if len(of) > 0 {
		return withParts(of, trials, key)
	}
	for _, t := range trials {
		if key.Suite == "" && t.Test == key.Test || inOneWord(t.Key) == inOneWord(key) {
			of = append(of, t)
		}
	}
	return of
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

func behindColon(s string) string {
	if s = strings.TrimSpace(s); s != "" {
		return ": " + s
	}
	return ""
}

// countedOf is the trial among those of one test in one output that counts. The others
// are told in its message, and are no trials.
func countedOf(of []envelope.Trial, missing envelope.Trial) envelope.Trial {
	switch {
	case len(of) == 0:
		return missing
	case len(distinct(of)) > 1:
		missing.Message = fmt.Sprintf("the output has several tests of this name: %s; name the one that is meant with its suite and variant", strings.Join(distinct(of), ", "))
		return missing
	}
	at := decisive(of)
	trial := of[at]
	if len(of) > 1 {
		words := []string{fmt.Sprintf("it is %d times in the output of one start; the others:", len(of))}
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
		if worst < 0 || worse(&of[i], &of[worst]) >= 0 {
			worst = i
		}
	}
	return worst
}

// distinct are the tests of trials.
func distinct(of []envelope.Trial) (names []string) {
	for i := range of {
		if name := of[i].Key.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
