package read_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"strings"

	"tribunal/envelope"
	"tribunal/read"
	"tribunal/verdict"
)

const surefire = `<testsuite name="booking">
 <testcase name="pays once"/>
 <testcase name="sends the ticket">
  <flakyFailure message="no mail after 30 s"/>
 </testcase>
 <testcase name="refunds"><failure message="402 Payment Required"/></testcase>
</testsuite>`

// A file is read by what is in it, whatever its name and however it is packed.
func Example() {
	policy := envelope.Policy{}
	builder, err := verdict.NewBuilder(policy)
	if err != nil {
		log.Fatal(err)
	}
	file := strings.NewReader(surefire) // or what os.Open gives
	fmt.Println("read as", read.Stream(builder, "report.xml", file, ""))
	judged, err := verdict.Judge(builder, policy)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range judged.Tests {
		fmt.Printf("%-28s %s, %d of %d trials passed\n", t.Key, t.Status, t.Trials.Passed, t.Trials.Counted)
	}
	for _, p := range judged.Problems { // such as a file that is cut off
		fmt.Println(p)
	}
	// Output:
	// read as junit
	// booking/pays once            pass, 1 of 1 trials passed
	// booking/refunds              fail, 0 of 1 trials passed
	// booking/sends the ticket     pass, 1 of 2 trials passed
}

// readLog is a format of one's own: a line is a test and a word.
func readLog(r io.Reader, to envelope.Sink) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		test, word, _ := strings.Cut(lines.Text(), ": ")
		status, ok := envelope.ParseStatus(word)
		if !ok {
			to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: n, Column: len(test) + 3,
				Message: fmt.Sprintf("%q is no status", word)})
			continue
		}
		to.Trial(&envelope.Trial{Key: envelope.Key{Test: test}, Status: status})
	}
	return lines.Err()
}

// A reader of one's own yields trials and problems, and is a row beside the others.
func Example_ownFormat() {
	builder, err := verdict.NewBuilder(envelope.Policy{})
	if err != nil {
		log.Fatal(err)
	}
	mine := read.Format{Name: "log", Read: readLog}
	read.StreamAs(builder, "runs.log", strings.NewReader("refund: ok\nrefund: failed\nsearch: perhaps\n"), read.Options{As: &mine})
	judged, err := verdict.Judge(builder, envelope.Policy{})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range judged.Tests {
		fmt.Println(t.Key, t.Status)
	}
	for _, p := range judged.Problems {
		fmt.Println(p)
	}
	// Output:
	// refund fail
	// runs.log:3:9: error: "perhaps" is no status
}
