// Package allure writes an envelope as results of Allure 2 and 3: a JSON document a
// line, each of which is a file of the folder that Allure reads.
//
//	fail           failed
//	error          broken
//	inconclusive   unknown, which Allure counts by itself, with the tag inconclusive
//	skip           skipped
//
// It exists because teams that have Allure look there first. The result of a test is its verdict; where it has several
// trials, these are its retries, which Allure shows below it: it takes results with one historyId for runs of one test, and
// the one that began last for the result. So it begins when the last trial has ended, and takes as long as all of them.
// Where times are unknown, results stand one millisecond behind each other from the start of the run on, for that order. Of
// a test with more than fifty trials the last fifty are retries, and its message says so. How the gate decided is the
// environment of a folder, and where a build is red and no other result says so a result named [gate]; a stream has such
// results alone.
//
// What Allure has no place for, as the class of an error and the score of a trial, are
// labels, which our reader takes: read again, a test has the verdict that it had.
//
// The package leaves out steps and attachments.
package allure

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

const (
	nameLimit   = 1000 // bytes
	lineLimit   = 4 << 10
	outputLimit = 16 << 10
	retryLimit  = 50 // trials of a test that are listed
	longest     = math.MaxInt32 * 1000
)

// Options of the format.
type Options struct {
	Folder bool // lines become files of a folder, which says how the gate decided as well
}

// Mark begins the environment that we write into a folder.
const Mark = "tribunal.gate = "

// Name is the name of the file that a line of the stream becomes.
func Name(line []byte) string {
	if !bytes.HasPrefix(line, []byte("{")) {
		return "environment.properties"
	}
	r := struct {
		UUID string `json:"uuid"`
	}{}
	_ = json.Unmarshal(line, &r) // we wrote it
	return r.UUID + "-result.json"
}

// result is one result file, as allure-js-commons describes it.
type result struct {
	UUID       string      `json:"uuid"`
	HistoryID  string      `json:"historyId"`
	TestCaseID string      `json:"testCaseId"`
	FullName   string      `json:"fullName"`
	Name       string      `json:"name"`
	Status     string      `json:"status"`
	Details    details     `json:"statusDetails"`
	Stage      string      `json:"stage"`
	Start      int64       `json:"start"`
	Stop       int64       `json:"stop"`
	Labels     []pair      `json:"labels"`
	Parameters []parameter `json:"parameters"`
	TitlePath  []string    `json:"titlePath,omitempty"`
}

type details struct {
	Message string `json:"message,omitempty"`
	Trace   string `json:"trace,omitempty"`
	Flaky   bool   `json:"flaky,omitempty"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type parameter struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Excluded bool   `json:"excluded,omitempty"`
}

// Write writes a result a line. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	out := bufio.NewWriter(w)
	s := stream{json.NewEncoder(out), e, begin(e), standing.PolicyPath(e), ours(e)}
	for i := range e.Tests {
		s.test(&e.Tests[i])
	}
	broken, unheld := standing.Broken(e), standing.Unheld(&e.Gate)
	if broken != "" {
		s.note("[run]", "broken", broken)
	}
	red := func(t *envelope.Test) bool {
		return standing.Shown(e, t) == envelope.Fail || t.Status == envelope.Error
	}
	if unheld != "" && (!o.Folder || broken == "" && !envelope.AnyTest(e.Tests, red)) {
		s.note("[gate]", "failed", unheld)
	}
	if o.Folder {
		fmt.Fprintf(out, "%s%s\n", Mark, property(strings.Join(append([]string{standing.Mark(e.Gate.Status)}, e.Gate.Words()...), "; ")))
		for i, r := range e.Gate.Gates {
			fmt.Fprintf(out, "tribunal.gate.%d = %s\n", i+1, property(standing.Mark(r.Status)+" "+words.Join(": ", r.Expr, r.Saw)))
		}
		return out.Flush()
	}
	for _, n := range e.Gate.Notices {
		s.note("[gate]", "unknown", n.String())
	}
	return out.Flush()
}

func property(s string) string {
	var b strings.Builder
	for _, c := range utf16.Encode([]rune(text.CutLine(text.Line(s), lineLimit))) {
		if c == '\\' || c > '~' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(byte(c))
		}
	}
	return b.String()
}

// begin is when the run began, in milliseconds since 1970; 0 when nobody knows.
func begin(e *envelope.Envelope) int64 {
	at, err := time.Parse(time.RFC3339Nano, e.Run.StartedAt)
	if err != nil {
		return 0
	}
	return max(at.UnixMilli(), 0)
}

type stream struct {
	enc    *json.Encoder
	env    *envelope.Envelope
	begin  int64
	policy string // the file that said a part of it
	ours   []pair // labels that say who wrote it, and of which trials
}

func ours(e *envelope.Envelope) []pair {
	labels := []pair{{"framework", "tribunal"}}
	if sum := e.TrialsSum().String(); sum != "" {
		labels = append(labels, pair{sumLabel, sum})
	}
	return labels
}

func (s stream) put(r *result) { _ = s.enc.Encode(r) }

var statuses = map[envelope.Status]string{
	envelope.Pass: "passed", envelope.Fail: "failed", envelope.Error: "broken", envelope.Inconclusive: "unknown", envelope.Skip: "skipped",
}

var outcomes = map[envelope.Outcome]string{
	envelope.Passed: "passed", envelope.Failed: "failed", envelope.Errored: "broken", envelope.Excluded: "broken", envelope.Skipped: "skipped",
}

func (s stream) test(t *envelope.Test) {
	r := s.about(t)
	n := t.Rows.Len()
	first := max(0, n-retryLimit)
	last := s.begin
	if n > 1 {
		for row := first; row < n; row++ {
			trial := r
			s.trial(&trial, t, row)
			last = max(last, trial.Stop+1)
			s.put(&trial)
		}
	} else if n == 1 {
		s.times(&r, t, 0)
		s.facts(&r, t, 0)
		last = r.Start
	}
	s.verdict(&r, t, first)
	if n > 1 {
		r.Start, r.Stop = last, last
		if d := t.DurationMS; d != nil && d.Total < longest {
			r.Stop += int64(math.Round(d.Total))
		}
	}
	s.put(&r)
}

func (s stream) about(t *envelope.Test) result {
	history := hash(t.Suite, t.Test, t.Variant)
	r := result{UUID: uuid(history + "/verdict"), HistoryID: history, TestCaseID: hash(t.Suite, t.Test), Stage: "finished", Start: s.begin,
		Stop: s.begin,
		Name: line(t.Test, "(unnamed)"), FullName: line(envelope.Key{Suite: t.Suite, Test: t.Test}.String(), "(unnamed)"),
		Labels: slices.Clip(s.ours), Parameters: []parameter{}}
	if suite := line(t.Suite, ""); suite != "" {
		r.Labels = append(r.Labels, pair{"suite", suite})
		r.TitlePath = []string{suite}
	}
	if file := text.CutLine(text.Path(t.File), nameLimit); file != "" {
		r.Labels = append(r.Labels, pair{"package", file})
	}
	if t.File != "" && t.Line > 0 {
		r.Labels = append(r.Labels, pair{lineLabel, strconv.Itoa(t.Line)})
	}
	for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
		if shown := line(name, ""); shown != "" && !slices.Contains(taken, shown) {
			r.Labels = append(r.Labels, pair{shown, text.CutLine(text.Line(t.Labels[name]), lineLimit)})
		}
	}
	if t.Variant != "" {
		r.Parameters = append(r.Parameters, parameter{Name: "variant", Value: line(t.Variant, "(blank)")})
	}
	if s.policy != "" { // left out of what makes two results one in the history
		r.Parameters = append(r.Parameters, parameter{Name: "policy", Value: s.policy, Excluded: true})
	}
	return r
}

func (s stream) verdict(r *result, t *envelope.Test, left int) {
	status := standing.Shown(s.env, t)
	r.Status = statuses[status]
	r.Details.Flaky = t.Flaky
	if t.Flaky {
		r.Labels = append(r.Labels, pair{"tag", "flaky"})
	}
	said := standing.Evidence(t)
	if status == envelope.Inconclusive {
		r.Labels = append(r.Labels, pair{"tag", standing.Unsettled(t)})
		said = standing.Unsettled(t) + ": " + said
	}
	said += words.If(left > 0, fmt.Sprintf("; only the last %d of %d trials are listed", retryLimit, retryLimit+left))
	message, output := standing.FirstDetails(t)
	r.Details.Message = text.CutLine(text.Line(said), lineLimit)
	if first := text.CutLine(text.Line(message), lineLimit); first != "" && status != envelope.Pass {
		r.Details.Message += "\n" + first
		r.Details.Trace = text.Cut(text.Block(output), outputLimit)
	}
	if status != envelope.Pass {
		r.Details.Message += standing.InsideBlock(t, lineLimit)
	}
}

func (s stream) trial(r *result, t *envelope.Test, row int) {
	r.UUID = uuid(r.HistoryID + "/" + strconv.Itoa(row))
	r.Status = outcomes[t.Rows.Outcome[row]]
	r.Parameters = append([]parameter{}, r.Parameters...)
	r.Parameters = append(r.Parameters, parameter{Name: "trial", Value: strconv.Itoa(row + 1), Excluded: true})
	for i := range t.Details {
		if d := &t.Details[i]; d.Trial == row {
			r.Details.Message, r.Details.Trace = text.CutLine(text.Line(d.Message), lineLimit), text.Cut(text.Block(d.Output), outputLimit)
		}
	}
	if class := text.Line(t.Rows.ErrorClass().At(row)); class != "" {
		r.Labels = append(slices.Clip(r.Labels), pair{"tag", text.CutLine(class, nameLimit)})
	}
	s.facts(r, t, row)
	s.times(r, t, row)
}

// facts are labels with what a trial has and Allure has no place for. Our reader takes
// them; without the class of an error and the word of a retry it would judge otherwise.
func (s stream) facts(r *result, t *envelope.Test, row int) {
	all := slices.Clip(r.Labels) // which several trials share
	add := func(name, value string) {
		if value != "" {
			all = append(all, pair{name, value})
		}
	}
	if t.Rows.Retry().At(row) {
		add(retryLabel, "true")
	}
	if t.StoppedByOutcome(&s.env.Run) {
		add(adaptiveLabel, "true")
	}
	add(classLabel, line(t.Rows.ErrorClass().At(row), ""))
	for _, f := range []struct {
		name   string
		column envelope.Column[float64]
	}{{"score", t.Rows.Score()}, {"setup_ms", t.Rows.SetupMS()}, {"cost_usd", t.Rows.CostUSD()}, {"setup_cost_usd", t.Rows.SetupCost()}} {
		if v, ok := f.column.At(row); ok {
			add(f.name, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	if v, ok := t.Rows.Tokens().At(row); ok {
		add("tokens", strconv.FormatInt(v, 10))
	}
	if v, ok := t.Rows.ToolCalls().At(row); ok {
		add("tool_calls", strconv.Itoa(int(v)))
	}
	r.Labels = all
}

// Labels of ours that mean something to our reader alone.
const (
	retryLabel    = "tribunal.retry"
	adaptiveLabel = "tribunal.adaptive"
	classLabel    = "tribunal.error_class"
	lineLabel     = "tribunal.line"
	sumLabel      = "_tribunal.trials.sum" // which Allure does not show
)

// taken are the labels that Allure makes a tree of, or that stand here already.
var taken = []string{"suite", "parentSuite", "subSuite", "package", "testClass", "testMethod", "framework", "language", "host", "thread",
	"tag", "severity", retryLabel, adaptiveLabel, classLabel, lineLabel, sumLabel}

// times are those of a trial, or its place in the order where they are unknown.
func (s stream) times(r *result, t *envelope.Test, row int) {
	r.Start = s.begin + int64(row)
	if ns, ok := t.Rows.StartedAt().At(row); ok && ns >= 0 {
		r.Start = ns / int64(time.Millisecond)
	}
	r.Stop = r.Start
	if ms, ok := t.Rows.DurationMS().At(row); ok && ms < longest {
		r.Stop += int64(math.Round(ms))
	}
}

func (s stream) note(name, status, said string) {
	history := hash(name, said)
	s.put(&result{UUID: uuid(history), HistoryID: history, TestCaseID: history, FullName: name, Name: name, Status: status,
		Stage: "finished", Start: s.begin, Stop: s.begin,
		Details: details{Message: text.CutLine(text.Line(said), lineLimit)}, Labels: slices.Clip(s.ours), Parameters: []parameter{}})
}

func line(s, none string) string { return cmp.Or(text.CutLine(text.Line(s), nameLimit), none) }

func hash(words ...string) string {
	sum := standing.Digest(words...)
	return hex.EncodeToString(sum[:16])
}

func uuid(word string) string {
	b := sha256.Sum256([]byte(word))
	return standing.UUID(b[:], 8)
}
