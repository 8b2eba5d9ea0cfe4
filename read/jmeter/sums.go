package jmeter

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
)

// A transaction says of how many samples it is the sum (TransactionController), and is
// written behind them, if they are written at all.
var transaction = regex.Of(`^Number of samples in transaction : (\d+), number of failing samples : \d+$`)

// remembered is how many samples of a thread are, for the transactions around them.
const remembered = 512

const codeSums = "transactions"

// sums tells transactions whose samples were read.
type sums struct {
	threads map[string][]done
	passed  int // over
	line    int // of the first
	column  int
}

// done is a sample that was read: when it began, and whether it passed.
type done struct {
	stamp  int64
	passed bool
}

// size is of how many samples one is the sum.
func size(message string) (n int, is bool) {
	var m []string
	if m = match(transaction(), message); m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

func match(r *regexp.Regexp, text string) []string {
	const longest = 120
	if len(text) > longest {
		return nil
	}
	return r.FindStringSubmatch(text)
}

// written are the forms of a time that JMeter knows beside milliseconds since 1970
// (CSVSaveService). They have no zone, and tell what began before what.
var written = []string{"2006/01/02 15:04:05", "2006-01-02 15:04:05", "01/02/06 15:04:05"}

// order is a number that is greater of what began later in one file.
func order(stamp string) (at int64, ok bool) {
	if ms, err := strconv.ParseInt(stamp, 10, 64); err == nil {
		return ms, true
	}
	for _, form := range written {
		if t, err := time.Parse(form, stamp); err == nil { // with a fraction or without one
			return t.UnixMilli(), true
		}
	}
	return 0, false
}

// holds reports whether a sample is the sum of others that were read. It is not where it
// failed and none of them did: an assertion of its own did.
func (m *sums) holds(s *sample) bool {
	n, is := size(s.message)
	stamp, ok := order(s.stamp)
	if !is || !ok {
		return false
	}
	found, failed := 0, false
	for _, d := range m.threads[s.thread] {
		if d.stamp >= stamp {
			found++
			failed = failed || !d.passed
		}
	}
	return found >= max(n, 1) && (s.passed() || failed)
}

// pass passes over a transaction.
func (m *sums) pass(s *sample) {
	if m.passed++; m.passed == 1 {
		m.line, m.column = s.line, s.column
	}
}

// add remembers a sample.
func (m *sums) add(s *sample) {
	stamp, ok := order(s.stamp)
	if !ok {
		return
	}
	last := m.threads[s.thread]
	if len(last) == remembered {
		last = append(last[:0], last[remembered/2:]...)
	}
	m.threads[s.thread] = append(last, done{stamp, s.passed()})
}

func (m *sums) tell(to envelope.Sink) {
	if m.passed > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: codeSums, Line: max(m.line, 1), Column: max(m.column, 1), Count: m.passed,
			Message: fmt.Sprintf("transactions (%d) are the sums of samples that are read, and do not count", m.passed)})
	}
}
