package read

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
)

// ofTribunal says what an input is that names a schema of ours which no format
// reads, and what to do; "" when it names none.
func ofTribunal(head []byte) string {
	keys, _ := jsonwalk.Keys(head)
	schema, ok := strings.CutPrefix(keys["schema"], "tribunal/")
	if !ok {
		return ""
	}
	switch kind, version, _ := strings.Cut(schema, "/"); kind {
	case "envelope":
		return fmt.Sprintf("this is an envelope of version %s, and this program reads %s: update tribunal, or write the report again with this version", words.Quote(version, 20), envelope.Schema)
	default:
		return fmt.Sprintf("this is a %s document of tribunal, which holds no trials: give the runs that it was made from", words.Quote(kind, 20))
	}
}

// Report says of an input that it is a report of ours.
type Report struct {
	Format string
	// Sum is that of the trials it was made from (see [envelope.TrialsSum]), as reports
	// carry it that keep less than their trials; "" of others and of older ones.
	Sum string
}

// RecogniseOwn finds the format of an input as Recognise does, and whether the
// input is a report of ours.
func RecogniseOwn(r io.Reader) (report Report, own bool) {
	report.Format, own = recognise(r, func(f Format, head []byte, whole io.Reader) bool {
		if f.Own == nil {
			return false
		}
		head = bytes.Clone(head) // which reading on writes over
		tail, err := lastBytes(whole)
		if err != nil || !f.Own(head, tail) {
			return false
		}
		report.Sum = sumIn(head, tail)
		return true
	})
	return report, own
}

// sum is how reports carry the sum of their trials.
var sum = regex.Of(`(?:\btrials[. ]sum[^0-9]{1,30}|runUser="tribunal )(\d+-[0-9a-f]{16}(?:-2)?)\b`)

// sumIn is the sum of trials that a report of ours carries. Where another stands there
// as well, a text of a test may have put it there, and none is sure.
func sumIn(head, tail []byte) (only string) {
	for _, part := range [][]byte{head, tail} {
		for _, found := range sum().FindAllSubmatch(part, -1) {
			if one := string(found[1]); only == "" {
				only = one
			} else if one != only {
				return ""
			}
		}
	}
	return only
}

// tailSize is how many of the last bytes of an input are looked at.
const tailSize = 1 << 10

func lastBytes(r io.Reader) ([]byte, error) {
	var tail []byte
	part := make([]byte, headSize)
	for {
		n, err := r.Read(part)
		tail = append(tail, part[:n]...)
		tail = append(tail[:0], tail[max(0, len(tail)-tailSize):]...)
		if err == io.EOF {
			return tail, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// startsWithin finds a mark near the start of a report.
func startsWithin(mark string) func(head, tail []byte) bool {
	return func(head, _ []byte) bool { return bytes.Contains(head, []byte(mark)) }
}

// tapSummary is the comment that ends our TAP, which has no room for a name of
// who wrote it. Of a run that is broken the words follow that end the stream.
var tapSummary = regex.Of(`\n# \d+ of \d+ counted trials passed over \d+ tests\r?\n(?:Bail out! [^\n]*\n)?\z`)

func endsAsOurTAP(_, tail []byte) bool { return tapSummary().Match(tail) }
