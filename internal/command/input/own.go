package input

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/compression"
	"tribunal/internal/words"
	"tribunal/read"
)

// mostChecked is how much of a file of no known format is looked at, headChecked how much
// of it for what it begins with.
const mostChecked, headChecked = 64 << 20, 4 << 10

// ending is the extension of a file, one for all that hold JSON: runners name streams by any of them.
func ending(name string) string {
	e := strings.ToLower(filepath.Ext(compression.TrimExtension(name)))
	return cmp.Or(words.If(e == ".jsonl" || e == ".ndjson", ".json"), e)
}

// tellDead reports files that runners left which died, of so many files in all. A lenient
// policy judges what else is read, where there is anything.
func tellDead(b *count.Builder, dead []string, all int, others bool) {
	if len(dead) == 0 {
		return
	}
	p := envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeNoTrials, Count: len(dead), Message: fmt.Sprintf(
		"%s could not be read: %s; did a runner crash?", words.Of(len(dead), all, "file", "files"), listed(dead))}
	if others {
		p.Code = envelope.CodeTruncated
		p.Message += " --lenient judges the others"
	}
	b.Problem(p)
}

// deadBy says why a file of no known format may be what a runner left that died: it is
// empty, cut off, or nothing of what its ending says. It is "" for what others wrote whole.
func deadBy(name string) string {
	file, err := Open(name)
	if err != nil {
		return "" // reading it says what is wrong
	}
	defer file.Close()
	text, err := read.Unpack(file)
	if err != nil {
		return "cut off"
	}
	defer text.Close()
	most := &io.LimitedReader{R: text, N: mostChecked}
	in := bufio.NewReaderSize(most, headChecked)
	head, err := in.Peek(headChecked)
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	why := ""
	switch ending := ending(name); {
	case err != nil && err != io.EOF:
		return "cut off"
	case len(head) == 0 && err != nil:
		return "empty"
	case len(head) == 0:
		return ""
	case ending == ".json":
		why = deadJSON(head, in)
	case ending == ".xml", ending == ".trx":
		why = deadXML(head, in)
	case ending == ".tap":
		return "not TAP"
	}
	if most.N == 0 {
		return "" // nobody looked at its end
	}
	return why
}

// deadJSON takes no offence at what is nearly JSON, such as settings with comments.
func deadJSON(head []byte, in *bufio.Reader) string {
	if bytes.HasPrefix(head, []byte("/")) || bytes.HasPrefix(head, []byte("#")) {
		return ""
	}
	if mark, _ := in.Peek(3); string(mark) == "\uFEFF" {
		_, _ = in.Discard(3) // it is there: it was just seen
	}
	dec := json.NewDecoder(in)
	depth, object := 0, false
	for {
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF && depth > 0:
			return "cut off"
		case err == io.EOF, err != nil && (object || bytes.Contains(head, []byte("//")) || bytes.Contains(head, []byte("/*"))):
			return ""
		case err != nil:
			return "not JSON"
		}
		switch token {
		case json.Delim('{'):
			depth, object = depth+1, true
		case json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

func deadXML(head []byte, in io.Reader) string {
	if head[0] != '<' {
		return "not XML"
	}
	dec := xml.NewDecoder(in)
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	depth, elements := 0, 0
	for {
		token, err := dec.RawToken()
		syntax := (*xml.SyntaxError)(nil)
		switch {
		case err == nil:
		case err == io.EOF && (depth > 0 || elements == 0), errors.Is(err, io.ErrUnexpectedEOF),
			errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
			return "cut off"
		case elements == 0:
			return "not XML"
		default:
			return ""
		}
		switch token.(type) {
		case xml.StartElement:
			depth, elements = depth+1, elements+1
		case xml.EndElement:
			depth--
		}
	}
}

// Reports are those of ours among the inputs, which may be made from others of them:
// then their trials would count twice.
//
// They are read behind everything else, those first that keep all of their trials. One is skipped only where that is
// sure: the sum of its trials is that of all trials read before it, or of those of one input, or is that of a report
// read before it. One that keeps all of its trials and that somebody named is read where it stands, and a warning
// says where its trials count twice.
type Reports struct {
	known  map[string]bool        // sums of what was read
	claims string                 // the sum of the report that is being read, as it says itself
	sums   count.Sums             // of what was read
	report map[string]read.Report // by the name of the file
	named  map[string]bool        // files that keep all of their trials and that somebody named
	from   map[string]source      // what was read, by its sum
	data   bool                   // there is something that is no report of ours
	passed []string
	all    int
}

// source is an input whose trials count.
type source struct {
	name string
	own  bool // it is a report of ours
}

// OwnLast puts our reports behind all other inputs, where there are any. What keeps all
// of its trials stays where it is if somebody named it, for the order may decide.
func OwnLast(files []File) ([]File, *Reports) {
	r := &Reports{known: map[string]bool{}, report: map[string]read.Report{}, named: map[string]bool{}, from: map[string]source{},
		all: len(files)}
	if len(files) < 2 {
		return files, r
	}
	var data, whole, lossy []File
	for _, f := range files {
		report, own := f.Own()
		if !own {
			r.data = true
		}
		switch {
		case !own:
			data = append(data, f)
			continue
		case report.Sum == "" && !f.Found:
			data = append(data, f)
			r.named[f.Name] = true
			continue
		case report.Sum == "":
			whole = append(whole, f)
		default:
			lossy = append(lossy, f)
		}
		r.report[f.Name] = report
	}
	return append(append(data, whole...), lossy...), r
}

// Own reports what an input is of ours. Nothing is taken from what can be read only once.
func (f File) Own() (report read.Report, own bool) {
	if !f.Rereadable() {
		return report, false
	}
	text, err := f.Open()
	if err != nil {
		return report, false
	}
	defer text.Close()
	return read.RecogniseOwn(text)
}

// Rereadable reports whether an input can be read more than once.
func (f File) Rereadable() bool {
	info, err := os.Stat(f.Name)
	return err == nil && f.unread == nil && (info.Mode().IsRegular() || f.parts != nil)
}

// NeedTexts reports whether a report has a sum of the first version, which is made of digests of texts.
func (r *Reports) NeedTexts() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(r.report)), func(report read.Report) bool {
		return report.Sum != "" && !strings.HasSuffix(report.Sum, envelope.SumVersion)
	})
}

// Covers reports whether an input is a report of ours on trials that were read already,
// which is to be skipped. Name is what it is called.
func (r *Reports) Covers(b *count.Builder, f File, name string) bool {
	report, own := r.report[f.Name]
	if !own {
		return false
	}
	r.learn(b)
	if r.knows(f, report) {
		r.passed = append(r.passed, name)
		return true
	}
	if r.data && f.Found {
		b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: name,
			Message: "this report of Tribunal has trials that no other input has, so they count, too; if it is of an earlier run, remove it " +
				"from the folder"})
	}
	return false
}

// knows reports whether a report is on trials that were read, or that another report told of which was read whole.
func (r *Reports) knows(f File, report read.Report) bool {
	sum := report.Sum
	if sum == "" {
		sum = f.sum()
	}
	r.claims = sum
	return r.known[sum]
}

// Check looks at an input that was just read.
func (r *Reports) Check(b *count.Builder, f File, name string) {
	if len(r.named) == 0 && r.claims == "" {
		return
	}
	before := r.sums
	r.learn(b)
	if r.claims != "" && r.sums.Errors == before.Errors {
		r.known[r.claims] = true
	}
	r.claims = ""
	if len(r.named) > 0 {
		r.checkNamed(b, f, name, append(r.sums.Came, r.sums.All.Since(before.All)))
	}
}

// checkNamed warns of an input that was just read where its trials, or those of one of its
// runs, are those of another, one of the two is a report of ours, and all of them count.
// Both were named, and may be of two runs that are alike.
func (r *Reports) checkNamed(b *count.Builder, f File, name string, came []envelope.TrialsSum) {
	own := r.named[f.Name]
	twice, of := 0, ""
	for _, sum := range came {
		if other, known := r.from[sum.String()]; known && (own || other.own) && sum.Trials > twice {
			twice, of = sum.Trials, other.name
		}
	}
	if twice > 0 {
		b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: name, Count: twice,
			Message: "this has the same trials as " + of + ", and they count again; if one is the report on the other, name only one"})
	}
	for _, sum := range came {
		r.note(sum, source{name, own})
	}
	r.note(r.sums.All, source{name: "the inputs before it"})
}

func (r *Reports) note(sum envelope.TrialsSum, from source) {
	if _, known := r.from[sum.String()]; !known && sum.Trials > 0 {
		r.from[sum.String()] = from
	}
}

// learn notes the sums of what was read so far.
func (r *Reports) learn(b *count.Builder) {
	for _, sum := range append(b.Sum(&r.sums), r.sums.All) {
		r.known[sum.String()], r.known[sum.FirstVersion()] = sum.Trials > 0, sum.Trials > 0
	}
}

func (f File) sum() string {
	text, err := f.Open()
	if err != nil {
		return ""
	}
	defer text.Close()
	b := count.NewBuilder(0, 0)
	read.StreamAs(b, f.Name, text, read.Options{})
	var sums count.Sums
	b.Sum(&sums)
	return sums.All.String()
}

// AddProblems notes which reports were skipped.
func (r *Reports) AddProblems(b *count.Builder) {
	if len(r.passed) == 0 {
		return
	}
	passOver(b, envelope.SeverityInfo, r.passed, r.all, "reports of tribunal whose trials were read from other files")
}
