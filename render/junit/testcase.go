package junit

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// The types of failures and errors: words with a dot, which no reader obeys.
const (
	typeFail       = "verdict.fail"
	typeError      = "verdict.error"
	typeFlakyFail  = "trial.fail"
	typeFlakyError = "trial.error"
)

// caseXML is the testcase of one test. Its properties lie in memory of the
// elements it is written to, up to the next one.
func (d *draft) caseXML(t *envelope.Test, e *elements) caseXML {
	x := caseXML{}
	x.Classname = standing.SuiteName(t.Suite, safe)
	x.Name = standing.TestName(x.Classname, t.Key, safe)
	if ms, ok := duration(t); ok || d.profile.time {
		x.Time = seconds(ms)
	}
	if d.profile.place {
		x.File, x.Line = fileOf(t), max(0, t.Line)
	}
	if d.profile.properties && d.shows(t, properties) {
		e.list = caseProperties(e.list[:0], t)
		x.Properties = (*[]upstream.Property)(&e.list)
	}
	if d.flaky && t.Flaky && t.Status == envelope.Pass && d.shows(t, output) {
		x.Flaky = flakyTrials(t)
	}
	d.outcome(&x, t)
	if d.shows(t, output) {
		x.SystemOut = &upstream.Output{Data: node(d.output(t))}
	}
	return x
}

func fileOf(t *envelope.Test) string { return line(text.Path(t.File)) }

// outcome gives the testcase the element of its status; a pass has none. A
// failure that is excused is skipped: any other element turns readers red.
func (d *draft) outcome(x *caseXML, t *envelope.Test) {
	if standing.Spared(d.env, t) {
		x.Skipped = &upstream.Result{Message: standing.Unsettled(t)}
		if d.profile.reasonBody {
			x.Skipped.Data = message(t)
		}
		return
	}
	switch t.Status {
	case envelope.Pass:
	case envelope.Fail:
		x.Failure = &upstream.Result{Message: d.summary(t), Type: typeFail, Data: d.body(t)}
	case envelope.Inconclusive:
		x.Skipped = &upstream.Result{Message: string(envelope.Inconclusive)}
		if d.profile.reasonBody {
			x.Skipped.Data = message(t)
		}
	case envelope.Skip:
		x.Skipped = &upstream.Result{Message: skipMessage(t), Data: node(skipReason(t))}
	default:
		x.Error = &upstream.Result{Message: d.summary(t), Type: typeError, Data: d.body(t)}
	}
}

// summary is the message of a failure or an error: why the test has its status, and what
// the first trial said that did say something. Most readers show no more than this.
func (d *draft) summary(t *envelope.Test) string {
	for i := range t.Details {
		const saidLimit = 500
		if said := text.CutLine(safe(t.Details[i].Message), saidLimit); said != "" && d.shows(t, bodies) {
			return message(t) + "; trial " + strconv.Itoa(t.Details[i].Trial+1) + ": " + said
		}
	}
	return message(t)
}

// quarantined marks a failure that its quarantine excuses, as the word
// inconclusive marks its status.
const quarantined = "quarantined"

// skipMessage is the reason for readers that show the attribute alone. One that
// is a mark of ours is not to be taken for it.
func skipMessage(t *envelope.Test) string {
	reason := line(skipReason(t))
	if reason == quarantined || "; "+reason == envelope.OnlyRunJudged || reason == string(envelope.Inconclusive) {
		return "skipped: " + reason
	}
	return reason
}

func skipReason(t *envelope.Test) string { return cmp.Or(standing.FirstMessage(t, line), message(t)) }

func (d *draft) body(t *envelope.Test) string {
	return node(built(func(b []byte) []byte {
		b = append(b, message(t)...)
		if d.shows(t, bodies) {
			b = d.appendTrials(appendEvidence(b, t), t)
		}
		return b
	}))
}

// output is the text of system-out. The reason comes first and the trials come
// last, since Jenkins keeps the head and the tail of it. What the trials said is
// here unless the body of a failure or an error has it.
func (d *draft) output(t *envelope.Test) string {
	return built(func(b []byte) []byte {
		b = append(append(append(b, t.Status...), ": "...), message(t)...)
		b = t.Rows.Outcome.Append(append(b, "\ntrials: "...))
		b = appendEndings(appendEvidence(b, t), t)
		if s := excluded(t); s != "" {
			b = append(append(b, "\nexcluded: "...), s...)
		}
		s := words.Join(", ", words.If(t.Flaky, "flaky"), words.If(t.CostLimited, "cost limited"), words.If(t.Quarantined, "quarantined"))
		if s != "" {
			b = append(append(b, "\nflags: "...), s...)
		}
		switch d.shownStatus(t) {
		case envelope.Pass, envelope.Inconclusive, envelope.Skip:
			b = d.appendTrials(b, t)
		}
		return b
	})
}

var textPool = sync.Pool{New: func() any { return new([]byte) }}

func built(appendTo func(b []byte) []byte) string {
	b := textPool.Get().(*[]byte)
	defer textPool.Put(b)
	*b = appendTo((*b)[:0])
	return string(*b)
}

func (d *draft) appendTrials(b []byte, t *envelope.Test) []byte {
	run := t.SeveralRuns()
	for i := range t.Details {
		b = appendTrial(b, &t.Details[i], d.shows(t, outputs), run)
	}
	if n := standing.NotKept(t); n > 0 {
		b = append(b, "\nand "+words.Plural(n, "more failed trial", "more failed trials")+", not kept (--keep-details)"...)
	}
	return b
}

func flakyTrials(t *envelope.Test) []flakyXML {
	said := map[int]*envelope.Detail{}
	for i := range t.Details {
		said[t.Details[i].Trial] = &t.Details[i]
	}
	var out []flakyXML
	run := t.SeveralRuns()
	for i, o := range t.Rows.Outcome {
		kind := typeFlakyFail
		switch o {
		case envelope.Errored:
			kind = typeFlakyError
		case envelope.Failed:
		default:
			continue
		}
		const flakyLimit = 100
		if len(out) == flakyLimit {
			break
		}
		f := flakyXML{Message: fmt.Sprintf("trial %d did not pass", i+1), Type: kind}
		if d := said[i]; d != nil {
			if m := line(d.Message); m != "" {
				f.Message = m
			}
			f.StackTrace = node(string(appendTrial(nil, d, true, run)[1:]))
		}
		out = append(out, f)
	}
	return out
}

// duration is the time of all trials in milliseconds, when any is known.
func duration(t *envelope.Test) (float64, bool) {
	if t.DurationMS == nil {
		return 0, false
	}
	ms := t.DurationMS.Total
	return ms, ms >= 0 && !math.IsInf(ms, 0)
}

// message is why the test has its status, in one line, and of one that did not pass
// what goes on inside its trials.
func message(t *envelope.Test) string {
	said := line(t.Verdict.Reason)
	if said == "" {
		said = string(appendTally(nil, t))
	}
	if t.Status == envelope.Pass || t.Status == envelope.Skip {
		return said
	}
	for _, about := range standing.Inside(t) {
		said += "; " + line(about)
	}
	return said
}

func appendTally(b []byte, t *envelope.Test) []byte {
	b = strconv.AppendInt(b, int64(t.Trials.Passed), 10)
	b = strconv.AppendInt(append(b, " of "...), int64(t.Trials.Counted), 10)
	return append(b, " trials passed"...)
}

// appendEvidence appends what the verdict rests on, each fact on a line of its
// own: k of n, rates, rule, interval. Reports of a hundred thousand tests are
// mostly this, so it is appended and not put together of strings.
func appendEvidence(b []byte, t *envelope.Test) []byte {
	b = appendTally(append(b, '\n'), t)
	if r := t.Rate.PerProtocol; r != nil {
		b = appendRate(append(b, "\npass rate: "...), r)
	}
	b = append(append(b, '\n'), rule(t.Verdict)...)
	if iv := t.Verdict.Interval; iv != nil {
		b = appendRange(append(b, "\ninterval: "...), iv.Lo, iv.Hi)
		b = append(b, words.Around(" (", safe(iv.Method), ")")...)
	}
	return b
}

func appendRate(b []byte, r *envelope.Rate) []byte {
	b = append(appendShort(b, r.Value), ", "...)
	b = append(append(b, words.Level(r.Confidence)...), ' ')
	b = append(append(b, safe(r.Method)...), ' ')
	return appendRange(b, r.Lo, r.Hi)
}

func appendRange(b []byte, lo, hi float64) []byte {
	return appendShort(append(appendShort(b, lo), " to "...), hi)
}

func rule(v *envelope.Verdict) string {
	return "rule: " + safe(v.Rule) + v.Threshold.Text(", threshold ", number) +
		v.Confidence.Text(", confidence ", words.Level) + v.StoppedAt.Text(", stopped at trial ", strconv.Itoa)
}

func excluded(t *envelope.Test) string {
	return words.ByName(t.Trials.Excluded, func(class string, n int) string { return safe(class) + " " + strconv.Itoa(n) })
}

// appendEndings appends how the test ended where a run started its trials: a
// profile without properties has it nowhere else.
func appendEndings(b []byte, t *envelope.Test) []byte {
	if r := t.Rate.IntentToTreat; r != nil {
		b = appendRate(append(b, "\nintent to treat: "...), r)
	}
	if r := t.Rate.Bracket; r != nil && r.Lo != r.Hi {
		b = appendRange(append(b, "\nwhatever the excluded trials would have done: "...), r.Lo, r.Hi)
	}
	if t.Trials.Planned.OK {
		b = strconv.AppendInt(append(b, "\nplanned: "...), t.Trials.Planned.V, 10)
	}
	if t.Ended != "" {
		b = append(append(b, "\nended: "...), t.Ended...)
	}
	b = append(b, words.If(len(t.Endings) > 0 && t.Endings[0].Elsewhere, "\nelsewhere: true")...)
	return b
}

// appendTrial appends what is kept of one trial, on lines of their own: a
// headline, with its run if that is asked for, its message and its output,
// indented so that no line of them looks like one of ours.
func appendTrial(b []byte, d *envelope.Detail, output, run bool) []byte {
	b = appendHeadline(append(b, '\n'), d, run)
	if d.Message != "" {
		b = appendIndented(b, "\n  ", d.Message)
	}
	if d.Output != "" && output {
		b = appendIndented(append(b, "\n  output:"...), "\n    ", d.Output)
	}
	return b
}

// appendHeadline names the trial the way people count, from 1.
func appendHeadline(b []byte, d *envelope.Detail, run bool) []byte {
	b = strconv.AppendInt(append(b, "trial "...), int64(d.Trial)+1, 10)
	if run && d.Run != "" {
		b = append(append(b, " of run "...), safe(d.Run)...)
	}
	if d.Attempt.OK && int(d.Attempt.V) != d.Trial {
		b = strconv.AppendInt(append(b, ", attempt "...), int64(d.Attempt.V)+1, 10)
	}
	b = append(append(b, ": "...), safe(string(d.Status))...)
	if d.ErrorClass != "" {
		b = append(append(b, ", "...), safe(d.ErrorClass)...)
	}
	return b
}

func appendIndented(b []byte, indent, s string) []byte {
	for line := range strings.SplitSeq(text.Block(s), "\n") {
		b = append(append(b, indent...), line...)
	}
	return b
}

// appendShort appends a fraction for people; number is one as exact as it is.
func appendShort(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', 3, 64) }
func number(f float64) string                { return strconv.FormatFloat(f, 'g', -1, 64) }
