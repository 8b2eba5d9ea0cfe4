package driver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/run/journal"
	"tribunal/run/process"
	"tribunal/run/runner"
)

// Ended is how a start ended, for whoever judges it.
type Ended struct {
	Stdout, Stderr string
	Code           int // exit code; 1 where a signal ended it
	Duration       time.Duration
}

// mostJudged bounds what of an output is judged. What writes more is ended for it.
const mostJudged = 1 << 20

// judge asks the judge of the run what an end means. Every trial keeps how the command
// ended, which a run that is gone on with counts.
func (d *drive) judge(s *start, folder string, end process.End, into *report) {
	if end.Code != 0 || end.Why != process.Exited {
		into.ended = broken
	}
	exit := into.exit
	if end.Why == process.Timeout || end.Why == process.OutputLimit {
		return
	}
	if end.StdoutSize > mostJudged {
		exit.Status, exit.ErrorClass, exit.RawStatus = envelope.Error, classOutput, "output limit"
		exit.Message = fmt.Sprintf("it wrote %d bytes to standard output: contracts look at 1 MiB at most", end.StdoutSize)
		into.ended = broken
		return
	}
	stdout, err := whatWasWritten(folder, stdoutName, end.StdoutSize)
	stderr, wrong := whatWasWritten(folder, stderrName, end.StderrSize)
	if err := errors.Join(err, wrong); err != nil {
		exit.Status, exit.ErrorClass, exit.Message = envelope.Error, envelope.ClassInfrastructure, "reading what it wrote: "+err.Error()
		return
	}
	ended := Ended{Stdout: stdout, Stderr: stderr, Code: end.Code, Duration: end.Duration}
	if end.Signal != "" {
		ended.Code = 1
	}
	into.exit = nil
	for _, t := range d.run.Judge(s.keys, ended) {
		t.StartedAt, t.DurationMS, t.RawStatus = exit.StartedAt, exit.DurationMS, exit.RawStatus
		if t.Status != envelope.Pass {
			t.Output = d.excerpt(folder)
		}
		into.trials = append(into.trials, t)
	}
}

func whatWasWritten(folder, name string, size int64) (string, error) {
	if size == 0 {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	return string(text), err
}

// toll counts the starts of a suite that broke, in the order of the starts.
type toll struct {
	ends          map[int]how // of starts that are not counted yet, by their numbers
	next          int         // all below are counted
	ended, broken int
	over          string // why the suite is given up, "" while it is not
}

// how a start ended, for a toll.
type how int

const (
	whole  how = iota
	broken     // with another exit code than 0
	none       // it was cut off, and is no start
)

// fewestStarts is how many starts there are before a suite is given up.
const fewestStarts = 5

func (d *drive) tollOf(suite string) *toll {
	if d.tolls[suite] == nil {
		d.tolls[suite] = &toll{ends: map[int]how{}}
	}
	return d.tolls[suite]
}

// add notes the end of a start, the first that is told of it.
func (t *toll) add(number int, end how, most float64) {
	if _, told := t.ends[number]; told || number < t.next {
		return
	}
	t.ends[number] = end
	for end, told := t.ends[t.next]; told && t.over == ""; end, told = t.ends[t.next] {
		delete(t.ends, t.next)
		t.next++
		if end == none {
			continue
		}
		if t.ended++; end == broken {
			t.broken++
		}
		if t.ended >= fewestStarts && float64(t.broken)/float64(t.ended) > most {
			t.over = fmt.Sprintf("stopped: %s did not end with exit code 0, and max_error_rate is %s",
				words.Of(int64(t.broken), int64(t.ended), "command", "commands"), words.Fraction(most))
		}
	}
}

// toll adds the end of a start to the toll of its suite, where it has one.
func (d *drive) toll(suite string, number int, end how) (over string) {
	most, limited := d.run.MaxErrorRates[suite]
	if !limited {
		return ""
	}
	t := d.tollOf(suite)
	t.add(number, end, most)
	return t.over
}

// giveUp makes the trials of a start errors where too many starts of its suite broke.
func (d *drive) giveUp(s *start, end how, trials []runner.Reported) {
	over := d.toll(s.Group.Suite, s.Number, end)
	for _, r := range trials {
		if over != "" {
			r.Trial.Status, r.Trial.ErrorClass, r.Trial.Message = envelope.Error, envelope.ClassErrorRate, over
		}
	}
}

// remember counts a start of which the journal tells the end of a trial; nil is one
// that was cut off.
func (d *drive) remember(l journal.Start, trial *envelope.Trial) {
	end := none
	switch {
	case l.Check:
		return
	case trial != nil && trial.RawStatus == exitedWell:
		end = whole
	case trial != nil:
		end = broken
	}
	d.toll(l.Suite, l.Number.Or(l.Attempt), end)
}
