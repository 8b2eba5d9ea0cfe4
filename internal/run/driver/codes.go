package driver

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
)

// The exit codes that do not say of a test that it failed.
const (
	codeSkip      = 77  // Automake and others
	codeTempFail  = 75  // EX_TEMPFAIL of sysexits.h
	codeBroken    = 125 // docker run, git bisect run: could not be tried
	codeTimeout   = 124 // timeout(1)
	codeNoExecute = 126 // shells
	codeNotFound  = 127
)

// ofShell are the signals that shells, and what runs programs for others as npx and uv do,
// tell by 128 and a number that is the same on all systems.
var ofShell = map[int]string{
	129: "HUP", 130: "INT", 131: "QUIT", 132: "ILL", 133: "TRAP", 134: "ABRT", 136: "FPE", 137: "KILL", 139: "SEGV", 141: "PIPE",
	142: "ALRM", 143: "TERM",
}

// classOutput is the class of a trial that was ended for what it wrote.
const classOutput = "output"

// bySignal begins the class of a trial that died by a signal that we did not send.
const bySignal = "signal:"

// meanings are what the words for exit codes say of a trial (settings.Meanings), and
// for people, whether it counts and what follows.
var meanings = map[string]struct {
	status       envelope.Status
	class        string
	counts, then string
}{
	"pass":                       {envelope.Pass, "", "yes", ""},
	"fail":                       {envelope.Fail, "", "as failed", "no retry"},
	"skip":                       {envelope.Skip, "", "no", "no retry"},
	"error":                      {envelope.Error, "", "as failed", "no retry"},
	envelope.ClassInfrastructure: {envelope.Error, envelope.ClassInfrastructure, "no", "retried, `--infra-retries` times"},
	envelope.ClassTimeout: {envelope.Error, envelope.ClassTimeout, "as failed, unless it reports 0 tool calls",
		"no retry, or `--infra-retries` times"},
	envelope.ClassPreValidation: {envelope.Error, envelope.ClassPreValidation, "no", "the test ends as an error"},
}

var usual = map[int]string{
	0: "pass", codeSkip: "skip", codeTempFail: envelope.ClassInfrastructure, codeBroken: envelope.ClassInfrastructure,
	codeTimeout: envelope.ClassTimeout, codeNoExecute: envelope.ClassPreValidation, codeNotFound: envelope.ClassPreValidation,
}

// CodeTable is what exit codes mean, for the documentation.
func CodeTable() string {
	codes := map[string][]string{}
	for _, code := range slices.Sorted(maps.Keys(usual)) {
		codes[usual[code]] = append(codes[usual[code]], fmt.Sprint(code))
	}
	codes["fail"], codes["error"] = []string{"any other, or a signal"}, []string{"only with `exit_codes`"}
	var b strings.Builder
	b.WriteString("| exit code | word | the trial | counts | then |\n| --- | --- | --- | --- | --- |\n")
	for _, word := range settings.Meanings {
		m := meanings[word]
		status := string(m.status) + words.Around(" of class `", m.class, "`")
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", strings.Join(codes[word], ", "), word, status, m.counts, m.then)
	}
	return b.String()
}

// byCode begins the raw status of a trial whose command ended by itself, exitedWell is that
// of one whose exit code was 0.
const byCode, exitedWell = "exit ", byCode + "0"

func (r *Run) byExit(end process.End) envelope.Trial {
	t := envelope.Trial{RawStatus: byCode + strconv.Itoa(end.Code)}
	switch {
	case end.Why == process.Timeout:
		t.Status, t.ErrorClass, t.RawStatus = envelope.Error, envelope.ClassTimeout, "timeout"
	case end.Why == process.OutputLimit:
		t.Status, t.ErrorClass, t.RawStatus = envelope.Error, classOutput, "output limit"
	case end.Signal != "":
		t.Status, t.ErrorClass, t.RawStatus = envelope.Fail, bySignal+end.Signal, "signal "+end.Signal
	default:
		word, ok := r.ExitCodes[end.Code]
		if !ok {
			word = usual[end.Code]
		}
		meaning, ok := meanings[word]
		if !ok {
			meaning = meanings["fail"]
		}
		t.Status, t.ErrorClass = meaning.status, meaning.class
	}
	return t
}

// inWords is how a command ended, for a message.
func inWords(end process.End) string {
	switch {
	case end.Why == process.Timeout:
		return "it was stopped at its time limit (--timeout)"
	case end.Why == process.OutputLimit:
		return "it was stopped because it wrote more than 64 MiB: write less, or redirect its log into a file in {dir}"
	case end.Signal != "":
		return "it was killed by signal " + end.Signal
	}
	words := fmt.Sprintf("it ended with exit code %d", end.Code)
	switch {
	case end.Code == codeNoExecute:
		words += ", with which a shell says that the program is not executable"
	case end.Code == codeNotFound:
		words += ", with which a shell says that there is no such program"
	case ofShell[end.Code] != "":
		words += ", a shell's code for a program that died by signal " + ofShell[end.Code]
	}
	return words
}

func theCommand(it string) string { return "the command " + strings.TrimPrefix(it, "it ") }

// permanent is what services say when no later trial can go better.
var permanent = regex.Of(`(?i)\b402 payment required\b|\bHTTP[/ 0-9.]* 402\b|\bstatus(?: code)?:? 402\b|` +
	`budget has been exceeded|insufficient_quota|credit balance is too low|exceeded your current quota`)

// markInfrastructure finds the trials that the infrastructure broke: those that did not pass and
// of which a pattern matches the message or what they wrote to standard error.
func (r *Run) markInfrastructure(t *envelope.Trial, stderr string) (forGood bool) {
	if t.Status == envelope.Pass || t.Status == envelope.Skip {
		return false
	}
	for _, p := range r.Infrastructure {
		if p.MatchString(t.Message) || p.MatchString(stderr) {
			t.Status, t.ErrorClass = envelope.Error, envelope.ClassInfrastructure
		}
	}
	return t.ErrorClass == envelope.ClassInfrastructure && (permanent().MatchString(t.Message) || permanent().MatchString(stderr))
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// firstAndLastLine is the first line of a text that says something, and the last where there
// are more.
func firstAndLastLine(s string) string {
	first, last := firstLine(s), lastLine(s)
	if first == last {
		return first
	}
	return first + ": " + last
}

// Ended is the end of a start, by which its trials are judged.
type Ended struct {
	Stdout, Stderr string
	Code           int // exit code; 1 where a signal ended it
	Duration       time.Duration
}

// judge asks the judge of the run what an end means. Every trial keeps how the command
// ended, which a run that is gone on with counts.
func (d *execution) judge(s *start, folder string, end process.End, into *report) {
	if end.Code != 0 || end.Why != process.Exited {
		into.ended = broken
	}
	exit := into.exit
	if end.Why == process.Timeout || end.Why == process.OutputLimit {
		return
	}
	const mostJudged = 1 << 20 // bounds what of an output is judged. What writes more is ended for it
	if end.StdoutSize > mostJudged {
		exit.Status, exit.ErrorClass, exit.RawStatus = envelope.Error, classOutput, "output limit"
		exit.Message = fmt.Sprintf("it wrote %d bytes to standard output, but a contract takes 1 MiB at most", end.StdoutSize)
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

// breakages counts the starts of a suite that broke, in the order of the starts.
type breakages struct {
	ends          map[int]startEnd // of starts that are not counted yet, by their numbers
	next          int              // all below are counted
	ended, broken int
	over          string // why the suite is given up, "" while it is not
}

type startEnd int

const (
	whole  startEnd = iota
	broken          // with another exit code than 0
	none            // it was cut off, and is no start
)

// add records the first reported end of a start.
func (t *breakages) add(number int, end startEnd, most float64) {
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
		const leastStarts = 5 // how many starts there are before a suite is given up
		if t.ended >= leastStarts && float64(t.broken)/float64(t.ended) > most {
			t.over = fmt.Sprintf("stopped: %s did not end with exit code 0, and max_error_rate is %s",
				words.Of(int64(t.broken), int64(t.ended), "command", "commands"), words.Fraction(most))
		}
	}
}

func (d *execution) countBreakages(suite string, number int, end startEnd) (over string) {
	most, limited := d.run.MaxErrorRates[suite]
	if !limited {
		return ""
	}
	if d.breakages[suite] == nil {
		d.breakages[suite] = &breakages{ends: map[int]startEnd{}}
	}
	d.breakages[suite].add(number, end, most)
	return d.breakages[suite].over
}

// giveUp makes the trials of a start errors where too many starts of its suite broke.
func (d *execution) giveUp(s *start, end startEnd, trials []runner.Reported) {
	over := d.countBreakages(s.Group.Suite, s.Number, end)
	for _, r := range trials {
		if over != "" {
			r.Trial.Status, r.Trial.ErrorClass, r.Trial.Message = envelope.Error, envelope.ClassErrorRate, over
		}
	}
}

// remember counts a start of which the journal tells the end of a trial; nil is one
// that was cut off.
func (d *execution) remember(l journal.Start, trial *envelope.Trial) {
	end := none
	switch {
	case l.Check:
		return
	case trial != nil && trial.RawStatus == exitedWell:
		end = whole
	case trial != nil:
		end = broken
	}
	d.countBreakages(l.Suite, l.Number.Or(l.Attempt), end)
}
