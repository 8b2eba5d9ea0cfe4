// Package ctrf reads reports in the Common Test Report Format (ctrf.io).
//
// Its writers do not agree on units: the plugin of pytest gives seconds where the specification says milliseconds, the
// reporter of Playwright start and stop in seconds. Times are repaired where the file shows which it is.
//
// A report of package render/ctrf holds a whole envelope in its extras, and is read back without loss; of one that is cut or
// damaged nothing counts, because half of an envelope has half of the trials.
package ctrf

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/crash"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
)

// Codes of the problems that only this reader has.
const codeAggregated, codeInferred = "aggregated", "inferred-trials"

type reader struct {
	*jsonwalk.Text
	to      *runfailure.Watch
	summary struct {
		Start         float64
		Tests, Failed int
	}
	tool     struct{ Name string }
	id       string
	env      environment
	seconds  bool // durations are seconds
	said     map[string]bool
	excused  int        // failures that Playwright counts, of tests that were expected to fail
	restored *restoring // of a report of ours
	whole    bool       // the document was read to its end
}

type environment struct {
	ReportName string `json:"reportName"`
	Commit     string `json:"commit"`
	Branch     string `json:"branchName"`
	Build      string `json:"buildName"`
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, said: map[string]bool{}}
	err := jsonwalk.Strict(r, rd.to, func(d *jsonwalk.Text) error {
		rd.Text, d.Nothing = d, true
		err := rd.Members(jsonwalk.Members{"reportId": &rd.id, "results": jsonwalk.Members{"tool": &rd.tool, "summary": &rd.summary,
			"environment": &rd.env, "extra": jsonwalk.Members{"tribunal": rd.extra}, "tests": jsonwalk.Decoded(rd.test)}})
		rd.whole = err == nil
		return err
	})
	if rd.restored != nil {
		rd.restored.end(to, rd.whole)
		return err
	}
	if rd.whole {
		rd.to.Counts(rd.summary.Tests, rd.summary.Failed-rd.excused, "tests")
	}
	rd.header()
	return err
}

// extra looks for the envelope of a report of ours, which stands before its tests.
func (rd *reader) extra(d *jsonwalk.Text) error {
	if rd.restored != nil || rd.to.Attempts.Len() > 0 {
		return nil
	}
	var facts json.RawMessage
	schema := struct{ Schema string }{}
	err := d.Decode(&facts)
	if err == nil && json.Unmarshal(facts, &schema) == nil && schema.Schema == envelope.Schema && bytes.HasPrefix(facts, []byte("{")) {
		rd.restored = restore(facts)
	}
	return err
}

func (rd *reader) test(t *test) {
	switch own := t.Extra.Tribunal; {
	case rd.restored != nil:
		if len(own) > 0 {
			rd.restored.test(own)
		}
	case t.Name == "" || t.Status == "":
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a test without a name or a status is not counted")
	default:
		rd.Nothing = false
		rd.trials(t)
	}
}

// header delivers what is known of the run.
func (rd *reader) header() {
	h := envelope.Header{Name: rd.env.ReportName, ID: rd.id, Commit: rd.env.Commit, StartedAt: runfailure.Stamp(instant(rd.summary.Start))}
	labels := map[string]string{"tool": rd.tool.Name, "branch": rd.env.Branch, "build": rd.env.Build}
	if maps.DeleteFunc(labels, func(_, value string) bool { return value == "" }); len(labels) > 0 {
		h.Labels = labels
	}
	rd.to.Head(h)
}

// warn makes a warning once a report, at the test it was met at first.
func (rd *reader) warn(code, message string) {
	if !rd.said[message] {
		rd.said[message] = true
		rd.Problem(envelope.SeverityWarning, code, message)
	}
}

// Sniff reports whether head starts with an object that says it is CTRF, or one
// whose results have a tool and a summary or tests: the plugin of pytest does
// not say it.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray || keys["reportFormat"] == "CTRF" {
		return !inArray
	}
	if !keys.Has("results") {
		return false
	}
	inside, _ := jsonwalk.Keys(results(head))
	return inside.Has("tool") && inside.HasAny("summary", "tests")
}

// results is the text from the value of the member results on.
func results(head []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(head))
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		case "results":
			if depth == 1 {
				rest := head[dec.InputOffset():]
				return bytes.TrimLeft(rest, ": \t\r\n")
			}
		}
	}
}

// secondsBelow is what no time in milliseconds is below (1973), and no time in
// seconds above (5138).
const secondsBelow = 1e11

// instant is a time since 1970 in milliseconds, or in seconds when it must be; zero for any other number.
func instant(v float64) time.Time {
	const most = 1e15
	if !(v > 0 && v < most) {
		return time.Time{}
	}
	if v < secondsBelow {
		v *= 1000
	}
	return time.UnixMicro(int64(math.Round(v * 1000))).UTC()
}

// times fills in when a try started and how long it took. A skipped test took no
// time that is worth a number.
func (rd *reader) times(t *envelope.Trial, y *try) {
	t.StartedAt = instant(y.Start)
	if y.Duration == nil || t.Status == envelope.Skip && *y.Duration == 0 {
		return
	}
	ms := *y.Duration
	if rd.seconds || inSeconds(y) {
		ms *= 1000
	}
	const digits = 1e6 // so that 0.007 s is 7 ms and not a little more
	if ms = math.Round(ms*digits) / digits; ms < 0 || math.IsInf(ms, 0) || math.IsNaN(ms) {
		rd.warn(envelope.CodeField, "some durations are not numbers of 0 or more: they count as unknown")
		return
	}
	t.DurationMS = envelope.Some(ms)
}

// inSeconds reports a duration that is a fraction and just the difference of two
// times in seconds.
func inSeconds(y *try) bool {
	const near = 0.002
	d := *y.Duration
	return d != math.Trunc(d) && y.Start > 0 && y.Start < secondsBelow && y.Stop >= y.Start && math.Abs(y.Stop-y.Start-d) < near
}

// try is what a test and an earlier try of it have in common. Keys in snake_case
// are those of the plugin of pytest.
type try struct {
	Status     string   `json:"status"`
	RawStatus  string   `json:"rawStatus"`
	RawStatus2 string   `json:"raw_status"`
	Duration   *float64 `json:"duration"`
	Start      float64  `json:"start"`
	Stop       float64  `json:"stop"`
	Message    string   `json:"message"`
	Trace      string   `json:"trace"`
	Stdout     texts    `json:"stdout"` // lines, or one text
	Stderr     texts    `json:"stderr"`
}

type test struct {
	try
	Name      string           `json:"name"`
	Suite     texts            `json:"suite"` // names, or one text
	FilePath  string           `json:"filePath"`
	FilePath2 string           `json:"file_path"`
	Line      int              `json:"line"`
	Type      string           `json:"type"`
	Tags      texts            `json:"tags"`
	Browser   string           `json:"browser"`
	Labels    map[string]texts `json:"labels"`
	Retries   int              `json:"retries"`
	Flaky     bool             `json:"flaky"`
	Attempts  []attempt        `json:"retryAttempts"`
	Extra     struct {
		Tribunal    json.RawMessage         `json:"tribunal"`
		Annotations []struct{ Type string } `json:"annotations"`
	} `json:"extra"`
}

type attempt struct {
	try
	Attempt int `json:"attempt"`
}

// trials delivers the tries of a test: the earlier ones, then itself.
func (rd *reader) trials(t *test) {
	if t.RawStatus2 != "" || t.FilePath2 != "" {
		rd.seconds = true
	}
	base := rd.base(t)
	out := rd.inferred(base, t)
	for i := range t.earlier() {
		one := base
		rd.fill(&one, &t.Attempts[i].try)
		out = append(out, one)
	}
	rd.fill(&base, &t.try)
	if len(t.Extra.Tribunal) > 0 {
		rd.aggregated(&base, "a report of Tribunal whose facts of the run are lost: each test counts as one trial, labelled aggregated")
	}
	fails := rd.tool.Name == "playwright" && slices.Contains(t.Extra.Annotations, struct{ Type string }{"fail"}) // test.fail
	if fails && base.Status == envelope.Pass && base.RawStatus != "" {
		rd.excused++
	}
	for i, one := range append(out, base) {
		if one.Retry = i > 0; fails && one.Status == envelope.Pass && one.RawStatus == "" {
			one.Status, one.Message = envelope.Fail, "it was expected to fail, and passed"
		}
		rd.to.Send(&one)
	}
}

// earlier are the tries before the last one, in order. Some writers list the
// last one as well.
func (t *test) earlier() []attempt {
	numbered := !slices.ContainsFunc(t.Attempts, func(a attempt) bool { return a.Attempt <= 0 })
	if numbered {
		slices.SortStableFunc(t.Attempts, func(a, b attempt) int { return cmp.Compare(a.Attempt, b.Attempt) })
	}
	n := len(t.Attempts)
	if n > 0 && n == t.Retries+1 && t.Attempts[n-1].Status == t.Status {
		n--
	}
	return t.Attempts[:n]
}

// inferred are the tries of which only the number is known. There was a retry
// only because the try before it failed.
func (rd *reader) inferred(base envelope.Trial, t *test) []envelope.Trial {
	const most = 1000
	n := min(t.Retries, most)
	if t.Flaky {
		n = max(n, 1)
	}
	if len(t.Attempts) > 0 || n <= 0 {
		return nil
	}
	rd.warn(codeInferred, "of earlier attempts only the number is known (flaky means one): they count as failed, without times and messages")
	base.Status, base.Message = envelope.Fail, "an earlier attempt, of which the report says only that there was one"
	return slices.Repeat([]envelope.Trial{base}, n)
}

// base is what all tries of a test have in common.
func (rd *reader) base(t *test) envelope.Trial {
	b := envelope.Trial{Key: envelope.Key{Suite: strings.Join(t.Suite, " > "), Test: t.Name, Variant: t.Browser},
		File: cmp.Or(t.FilePath, t.FilePath2)}
	if rd.tool.Name == "playwright" {
		project, rest, ok := strings.Cut(b.Suite, " > ")
		if ok && project != "" && path.Base(b.File) != path.Base(project) {
			b.Variant, b.Suite = project, rest
		}
	}
	if b.File != "" && t.Line > 0 {
		b.Line = t.Line
	}
	add := func(name, value string) {
		const most = 100
		if value != "" && len(b.Labels) < most {
			b.Labels = append(b.Labels, envelope.Label{Name: name, Value: value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
		add(name, strings.Join(t.Labels[name], ", "))
	}
	add("tags", strings.Join(t.Tags, ", "))
	add("type", t.Type)
	return b
}

// texts are a text or a list of texts. Numbers and booleans are what they look like.
type texts []string

func (t *texts) Take(v jsonwalk.Value) {
	*t = nil
	if !v.IsArray() {
		t.add(v)
		return
	}
	for one := range v.Items() {
		t.add(one)
	}
}

func (t *texts) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, t) }

func (t *texts) add(v jsonwalk.Value) {
	switch {
	case v.IsText():
		*t = append(*t, v.Text())
	case v.IsNumber():
		if n := v.Number(); n.OK {
			*t = append(*t, fmt.Sprint(n.V))
		}
	case v.IsBool():
		*t = append(*t, v.String())
	}
}

func (rd *reader) fill(t *envelope.Trial, y *try) {
	rd.outcome(t, y.Status, cmp.Or(y.RawStatus, y.RawStatus2))
	t.Message = failure.Reason(y.Message, 3)
	if t.Status != envelope.Pass {
		t.Message = cmp.Or(t.Message, failure.Reason(y.Trace, 1))
		parts := []string{y.Trace, strings.Join(y.Stdout, "\n"), strings.Join(y.Stderr, "\n")}
		parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
		t.Output = strings.Join(parts, "\n\n")
	}
	rd.times(t, y)
}

// outcome maps both words for how a try went. The status decides: a test that
// was expected to fail, and did, has passed with the raw status failed.
func (rd *reader) outcome(t *envelope.Trial, status, raw string) {
	known, ok := envelope.ParseStatus(raw)
	switch status {
	case "passed":
		t.Status = envelope.Pass
	case "failed":
		t.Status = envelope.Fail
		if known == envelope.Error {
			t.Status = envelope.Error
		}
	case "skipped", "pending":
		t.Status = envelope.Skip
		raw = cmp.Or(raw, status)
	default:
		t.Status = envelope.Error // whatever it is, it is no pass
		if raw = cmp.Or(raw, status); ok && known != envelope.Pass {
			t.Status = known
		}
	}
	rd.class(t, raw)
	if parsed, ok := envelope.ParseStatus(raw); raw != "" && (!ok || parsed != t.Status || raw == "pending") {
		t.RawStatus = raw
	}
}

// separators stand between the words of a status, in some reports.
var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func (rd *reader) class(t *envelope.Trial, raw string) {
	switch strings.ToLower(separators.Replace(raw)) {
	case "timedout", "timeout":
		t.ErrorClass = envelope.ClassTimeout
	case "interrupted", "cancelled", "canceled", "aborted":
		if t.Status != envelope.Pass && t.Status != envelope.Skip {
			t.Status, t.ErrorClass = envelope.Error, envelope.ClassInfrastructure
		}
	case string(envelope.Inconclusive):
		t.Status = envelope.Skip
		rd.aggregated(t, "an undecided test without its trials counts as one skipped trial (label aggregated)")
	}
}

func (rd *reader) aggregated(t *envelope.Trial, message string) {
	t.Labels = append(slices.Clone(t.Labels), envelope.Label{Name: "aggregated", Value: "true"})
	rd.warn(codeAggregated, message)
}

// restoring puts the envelope together again that render/ctrf parts into the
// extras of a report: it is decoded while the report is read, so that its text
// is never held.
type restoring struct {
	text  *io.PipeWriter
	tests int
	done  chan decoded
}

type decoded struct {
	recorded *envelope.Recorded
	err      error
}

// restore starts with the facts of the run, an object.
func restore(facts json.RawMessage) *restoring {
	from, text := io.Pipe()
	r := &restoring{text: text, done: make(chan decoded, 1)}
	go func() {
		defer crash.Exit()
		recorded, err := wire.Decode(from)
		_ = from.CloseWithError(errors.New("the envelope was decoded")) // nobody waits for what is not read any more
		r.done <- decoded{recorded, err}
	}()
	facts = bytes.TrimSuffix(bytes.TrimSpace(facts), []byte("}"))
	r.write(facts, []byte(`,"tests":[`))
	return r
}

// write hands text on; that it was refused shows at the end.
func (r *restoring) write(parts ...[]byte) {
	for _, part := range parts {
		_, _ = r.text.Write(part)
	}
}

func (r *restoring) test(text json.RawMessage) {
	if r.tests++; r.tests > 1 {
		r.write([]byte(","))
	}
	r.write(text)
}

// end delivers the envelope, if the report was whole.
func (r *restoring) end(to envelope.Sink, whole bool) {
	if whole {
		r.write([]byte("]}"))
	}
	_ = r.text.Close() // a pipe closes without an error
	result := <-r.done
	switch {
	case result.err != nil && !whole: // which was reported
	case result.err != nil:
		runfailure.Unreadable(to, "the extra.tribunal of this report of Tribunal cannot be read, so nothing is counted; write the report again")
	default:
		to.Recorded(result.recorded)
	}
}
