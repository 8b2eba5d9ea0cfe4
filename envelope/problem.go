package envelope

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Severity says how bad a problem is. Errors of the input make the exit code 2.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Word is what a reader calls it: error, warning, and note for any other.
func (s Severity) Word() string {
	if s == SeverityError || s == SeverityWarning {
		return string(s)
	}
	return "note"
}

// Codes of the problems that counting and reading share. A reader may add its own.
const (
	CodeMalformed     = "malformed-record"    // a record that could not be read and was not counted
	CodeTruncated     = "truncated-line"      // the last line ends in the middle of a record
	CodeLineTooLong   = "line-too-long"       // a line over the limit, skipped whole
	CodeField         = "ignored-field"       // an optional field that could not be read; the trial counts
	CodeByName        = "fields-by-name"      // records were read by the names of their fields
	CodeUnknown       = "unknown-fields"      // fields nobody knows, counted once
	CodeNoise         = "noise"               // lines that are no records
	CodeUnreadable    = "unreadable-input"    // an input that could not be opened or decoded
	CodeNoTrials      = "no-trials"           // an input without a trial
	CodeSameInput     = "same-input"          // an input that is read more than once
	CodeSameBytes     = "same-bytes"          // inputs that hold what others do, and may be repeats
	CodeInterrupted   = "interrupted"         // a run that ended before all its trials
	CodeInfraDown     = "infrastructure-down" // a run that ended because its infrastructure was broken
	CodeDuplicate     = "duplicate-trials"    // the same trial delivered more than once
	CodeConflict      = "conflicting-trials"  // different trials under one (run, attempt)
	CodeReplaced      = "replaced-trials"     // conflicting trials of which the last input won
	CodeRepaired      = "repaired-names"      // names of tests with bytes that are no UTF-8
	CodeHeaders       = "mixed-commits"       // headers that disagree on the commit
	CodeRecorded      = "recorded-differs"    // an envelope whose derived fields are not what its counts give
	CodeCostUnknown   = "cost-unknown"        // a cost limit meets trials without a cost
	CodeClusters      = "overdispersed"       // trials too alike for binomial intervals
	CodeGaps          = "missing-attempts"    // attempts missing between others
	CodePlanned       = "fewer-than-planned"  // fewer trials or tests than were planned or are expected
	CodeSameRun       = "identical-runs"      // runs that are equal in every number
	CodeCached        = "identical-trials"    // trials of a test that are equal in time and money
	CodeClock         = "clock-disorder"      // trials that started before their run
	CodeRedacted      = "redacted-secrets"    // secrets that were taken out of the texts
	CodeNumbered      = "numbered-names"      // names that differed in their secrets alone
	CodeScale         = "score-scale"         // scores above 1 that nobody said how to judge
	CodeUnscored      = "missing-scores"      // trials without a score beside scores outside 0..1
	CodeByScore       = "passed-by-score"     // tests that pass by scores of trials that all failed
	CodeCoarse        = "coarse-scores"       // scores of few distinct values under Student's t
	CodeTooFew        = "too-few-trials"      // fewer trials than any pass takes
	CodeSameOutput    = "same-output"         // trials of a test that wrote the same and cost nothing
	CodeCachedResults = "cached-results"      // results that go test took from its cache
	CodeFasterAfter   = "faster-after-first"  // tests of which every trial took a hundredth of the time of the first
	CodeLeftBehind    = "left-behind"         // processes that outlived their trials
	CodeCommandFailed = "command-failed"      // commands that failed though none of their trials that count did
	CodeNothingToTry  = "nothing-to-try"      // a run of which the first output listed no test
	CodeJournal       = "journal-changed"     // somebody else changed the journal of a run while it went on
	CodeRemoved       = "journal-removed"     // somebody else removed the journal of a run while it went on
	CodeSetup         = "setup-failed"        // setups of a run that failed, so that nothing was tried
	CodeTeardown      = "teardown-failed"     // teardowns of a run that failed, and may have left something behind
	CodeSeveralTries  = "several-tries"       // starts that reported several trials of one test, of which one counts
	CodeNotListed     = "not-listed"          // tests that failed and are none of the run, as its first output has not listed them
	CodeUnreached     = "unreached-tests"     // starts without a result of a test that they were asked for
	CodeRedrawn       = "redrawn"             // attempts that were started again after they had been cut off
	CodeExcluded      = "many-excluded"       // tests of which more than a fifth of the trials is excluded
	CodeByOutcome     = "stopped-by-outcome"  // tests whose outcomes said how many trials they have
	CodeAdvice        = "rule-advice"         // a rule that asks a poor question of the trials there are
	CodeUneven        = "uneven-trials"       // tests that failed have more or fewer trials than others
	CodeManyChecks    = "many-checks"         // checks of a trial beyond those that are kept
	CodeUnused        = "unused-override"     // overrides that match no test
	CodeRetriesLost   = "retries-lost"        // tests that were run again in a format that has their last run only
	CodeOwners        = "other-owners"        // tests of other owners than those asked for

	CodeQuarantineExpired   = "quarantine-expired"   // entries whose last day is over
	CodeQuarantineUnmatched = "quarantine-unmatched" // entries for tests that are not there
	CodeQuarantineCap       = "quarantine-over-cap"  // more tests than the cap allows
	CodeQuarantineUndated   = "quarantine-undated"   // a run that does not say when it was

	CodeJudgeErrs = "judge-errs" // a verdict that is another one behind the errors of the judge

	CodePolicies = "mixed-policies" // inputs judged under different policies
)

// Stages of a problem: what finds it again when an envelope is read back.
const (
	StageCount = "count" // found by counting, again on every reading
	StageJudge = "judge" // found by judging, again on every judging
)

// Problem is something wrong with the input or the counts. Problems are data:
// every report shows them. Line and Column are 1-based; 0 is unknown. Count is
// how many times it was met, 0 meaning once.
type Problem struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Input    string   `json:"input,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Count    int      `json:"count,omitempty"`
	// Stage is "count" or "judge" for a problem that is derived from the trials
	// and found again on reading, and empty for one that only the input can show.
	Stage string `json:"stage,omitempty"`
}

// IsOfReading reports whether it is an error that only the input can show: something of
// it is not counted.
func (p Problem) IsOfReading() bool { return p.Severity == SeverityError && p.Stage == "" }

// Position is input:line:column, as far as they are known.
func (p Problem) Position() string {
	s := cmp.Or(map[string]string{"-": "standard input"}[p.Input], p.Input)
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
		if p.Column > 0 {
			s += fmt.Sprintf(":%d", p.Column)
		}
	}
	return s
}

// String is the problem on one line: position, severity, message.
func (p Problem) String() string { return p.placed(p.Severity.Word() + ": " + p.Message) }

// Text is the problem on one line without its severity, for what has a place of its
// own for that: position, message.
func (p Problem) Text() string { return p.placed(p.Message) }

func (p Problem) placed(s string) string {
	if at := p.Position(); at != "" {
		return at + ": " + s
	}
	return s
}

// compare orders problems by input and place in it. That an input has no trial comes
// after the reasons for it.
func (p Problem) compare(o Problem) int {
	line := func(p Problem) int {
		if p.Code == CodeNoTrials {
			return math.MaxInt
		}
		return p.Line
	}
	return cmp.Or(CompareNames(p.Input, o.Input), cmp.Compare(line(p), line(o)), cmp.Compare(p.Column, o.Column),
		strings.Compare(string(p.Severity), string(o.Severity)), strings.Compare(p.Code, o.Code),
		strings.Compare(p.Message, o.Message), cmp.Compare(p.Count, o.Count), strings.Compare(p.Stage, o.Stage))
}

// SortProblems sorts in place and drops exact repetitions.
func SortProblems(ps []Problem) []Problem {
	slices.SortFunc(ps, Problem.compare)
	return slices.Compact(ps)
}
