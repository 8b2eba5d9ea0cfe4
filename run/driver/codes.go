package driver

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/run/driver/settings"
	"tribunal/run/process"
)

// The exit codes that do not say of a test that it failed.
const (
	codeSkip      = 77  // Automake, and whoever follows it
	codeTempFail  = 75  // EX_TEMPFAIL of sysexits.h
	codeBroken    = 125 // docker run, git bisect run: could not be tried
	codeTimeout   = 124 // timeout(1)
	codeNoExecute = 126 // shells
	codeNotFound  = 127
)

// ofShell are the signals that shells, and what runs programs for others as npx and uv do,
// tell by 128 and a number that is the same on all systems.
var ofShell = map[int]string{
	129: "HUP", 130: "INT", 131: "QUIT", 132: "ILL", 133: "TRAP", 134: "ABRT", 136: "FPE", 137: "KILL", 139: "SEGV", 141: "PIPE", 142: "ALRM", 143: "TERM",
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
	envelope.ClassTimeout:        {envelope.Error, envelope.ClassTimeout, "as failed, unless it reports no tool call", "no retry, or `--infra-retries` times"},
	envelope.ClassPreValidation:  {envelope.Error, envelope.ClassPreValidation, "no", "the test ends as an error"},
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
	codes["fail"] = []string{"any other, or a signal"}
	var b strings.Builder
	b.WriteString("| exit code | word | the trial | counts | then |\n| --- | --- | --- | --- | --- |\n")
	for _, word := range settings.Meanings {
		m := meanings[word]
		status := string(m.status)
		if m.class != "" {
			status += " of class `" + m.class + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", strings.Join(codes[word], ", "), word, status, m.counts, m.then)
	}
	return b.String()
}

// byCode begins the raw status of a trial whose command ended by itself, exitedWell is that
// of one whose exit code was 0.
const (
	byCode     = "exit "
	exitedWell = byCode + "0"
)

// byExit is what the end of a command says of its one trial.
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
		return "it was ended after its time (--timeout)"
	case end.Why == process.OutputLimit:
		return "it was stopped because it wrote more than 64 MiB"
	case end.Signal != "":
		return "it was killed by signal " + end.Signal
	}
	words := fmt.Sprintf("it ended with exit code %d", end.Code)
	switch {
	case end.Code == codeNoExecute:
		words += ", a shell's for a program that may not be executed"
	case end.Code == codeNotFound:
		words += ", a shell's for a program that is not there"
	case ofShell[end.Code] != "":
		words += ", a shell's for a program that died by signal " + ofShell[end.Code]
	}
	return words
}

// permanent is what services say when no later trial can go better.
var permanent = regex.Of(`(?i)\b402 payment required\b|\bHTTP[/ 0-9.]* 402\b|\bstatus(?: code)?:? 402\b|budget has been exceeded|insufficient_quota|credit balance is too low|exceeded your current quota`)

// blame finds the trials that the infrastructure broke: those that did not pass and
// of which a pattern matches the message or what they wrote to standard error.
func (r *Run) blame(t *envelope.Trial, stderr string) (forGood bool) {
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

// firstLine is the first line of a text that says something.
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

// inBrief is the first line of a text that says something, and the last where there
// are more.
func inBrief(s string) string {
	first, last := firstLine(s), lastLine(s)
	if first == last {
		return first
	}
	return first + ": " + last
}
