// Package inspect reads the logs of Inspect (UKGovernmentBEIS/inspect_ai, MIT): the .json document and the .eval archive.
//
// The samples have every epoch. Cancelled and crashed runs are read as far as they came, and said to be such. Scores are
// letters, words, numbers, objects or NaN, and no log says from where on one passes: C, yes, true and 1 or more do.
package inspect

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Options are the choices a log leaves open.
type Options struct {
	// Scorer is the name of the scorer that decides, or name.key when its value is
	// an object. Empty is the first scorer of each sample.
	Scorer string
	// At is the log itself, where it can be read anywhere: an archive is not held in memory
	// then. It may be nil, or what the log is packed in.
	At io.ReaderAt
}

// Sniff reports whether head starts a log, of either kind.
func Sniff(head []byte) bool {
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		name := firstEntry(head)
		return name == headerEntry || name == summariesEntry || name == "reductions.json" || strings.HasPrefix(name, "_journal/") || isSample(name)
	}
	keys, inArray := jsonwalk.Keys(head)
	found := keys.Count("version", "status", "eval", "plan", "results", "stats")
	const enough = 3
	return !inArray && keys.Has("eval", "version") && found >= enough
}

const zipMagic = "PK\x03\x04"

// firstEntry is the name in the first local file header (APPNOTE 4.3.7).
func firstEntry(head []byte) string {
	const fixed, lengthAt = 30, 26
	if len(head) < fixed {
		return ""
	}
	end := fixed + int(binary.LittleEndian.Uint16(head[lengthAt:]))
	return string(head[fixed:max(fixed, min(end, len(head)))])
}

// ReadWith reads one log. A document is read sample by sample; an archive of up to 256 MiB
// is read where it lies or buffered, and its entries are read one at a time.
func ReadWith(r io.Reader, to envelope.Sink, o Options) error {
	head, whole := jsonwalk.Head(r)
	log := &log{to: to, options: o, reported: map[string]bool{}}
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		return log.archive(whole)
	}
	err := jsonwalk.Read(whole, to, log.document())
	log.finish()
	return err
}

type log struct {
	to           envelope.Sink
	options      Options
	known        bool // eval has been read
	suite        string
	model        string
	file         string
	run          string          // of this task: what Inspect retries keeps it, and takes along the samples that were done
	scoresErrors bool            // samples that ended by an error are scored as well
	beyond       map[string]bool // scorers whose mean is above 1
	header       envelope.Header
	ended        string // its status
	failure      string // its error
	line         int    // where the status stands
	column       int
	attempts     trialfields.Attempts
	reported     map[string]bool
	trial        envelope.Trial
	messages     conversation.Reader
}

// document are the members of a .json log, or of the header of an archive.
func (l *log) document() jsonwalk.Members {
	members := jsonwalk.Members{"samples": jsonwalk.Objects(l.sample)}
	for name, take := range map[string]func(jsonwalk.Value){
		"status": func(v jsonwalk.Value) {
			l.ended = v.Text()
			l.line, l.column = v.Place()
		},
		"eval": l.eval,
		"results": func(v jsonwalk.Value) {
			l.plan(v.Get("total_samples").Count())
			l.scales(v.Get("scores"))
		},
		"stats": func(v jsonwalk.Value) { l.header.StartedAt = cmp.Or(v.Get("started_at").Text(), l.header.StartedAt) },
		"error": func(v jsonwalk.Value) { l.failure = failure.FirstLine(v.Get("message").Text()) },
	} {
		members[name] = func(v jsonwalk.Value) {
			if v.Present() {
				take(v)
			}
		}
	}
	return members
}

// scales notes which scorers have a scale that does not end at 1, such as grades from 0 to
// 10, of which 1 is no pass.
func (l *log) scales(scores jsonwalk.Value) {
	l.beyond = map[string]bool{}
	for each := range scores.Items() {
		for _, mean := range []string{"accuracy", "mean"} {
			if each.Get("metrics", mean, "value").Number().V > 1 {
				l.beyond[each.Get("name").Text()] = true
			}
		}
	}
}

func (l *log) eval(v jsonwalk.Value) {
	l.known = true
	l.suite, l.model, l.file = v.Get("task").Text(), v.Get("model").Text(), v.Get("task_file").Text()
	l.run = cmp.Or(v.Get("task_id").Text(), v.Get("run_id").Text())
	l.header.Name, l.header.ID, l.header.Commit = l.suite, v.Get("run_id").Text(), v.Get("revision", "commit").Text()
	l.header.StartedAt = cmp.Or(l.header.StartedAt, v.Get("created").Text())
	samples := int64(len(slices.Collect(v.Get("dataset", "sample_ids").Items())))
	l.scoresErrors = v.Get("config", "score_on_error").Bool().V
	epochs := v.Get("config", "epochs").Count()
	const maxEpochs = 1 << 30 // from where on a number of epochs is no plan
	if samples > 0 && epochs.Or(1) <= maxEpochs {
		l.plan(envelope.Some(samples * max(1, epochs.Or(1))))
	}
	l.header.Labels = map[string]string{}
	for _, tag := range []string{"model", "task"} {
		if word := v.Get(tag).Text(); word != "" {
			l.header.Labels[tag] = word
		}
	}
	if epochs.OK {
		l.header.Labels["epochs"] = strconv.FormatInt(epochs.V, 10)
	}
}

// plan takes the larger of the plans a log tells: its results leave out what a
// cancelled run never came to.
func (l *log) plan(trials envelope.Opt[int64]) {
	if trials.OK && trials.V > l.header.PlannedTrials.V {
		l.header.PlannedTrials = trials
	}
}

// finish delivers the header, and tells of a run that did not come to its end.
func (l *log) finish() {
	l.to.Header(l.header, nil)
	what := "the run ended with status " + l.ended
	switch l.ended {
	case "success", "":
		return
	case "started":
		what = "the run was still going, or crashed, when this was written"
	}
	what += words.Around(": ", l.failure)
	l.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: "unfinished-run", Line: max(1, l.line), Column: max(1, l.column),
		Message: jsonwalk.Short(what) + "; only the samples in this log are counted; run the rest again"})
}

// once tells something about a sample that is true of many.
func (l *log) once(v jsonwalk.Value, code, message string) {
	if !l.reported[code] {
		l.reported[code] = true
		v.Warn(code, message)
	}
}

// checks makes a check of every scorer, and of every value of a scorer that has
// several, under the names that --scorer takes.
func (l *log) checks(v jsonwalk.Value) {
	scored := false
	for name, score := range v.Get("scores").Members() {
		scored = true
		l.check(name, score)
	}
	if only := v.Get("score"); !scored && only.Present() { // version 1
		l.check("score", only)
	}
}

func (l *log) check(name string, score jsonwalk.Value) {
	value, why := score, ""
	if score.IsObject() {
		value, why = score.Get("value"), score.Get("explanation").Text()
	}
	switch {
	case value.IsObject():
		for key, each := range value.Members() {
			l.value(name+"."+key, each, why)
		}
	case value.IsArray():
		for n, each := range slices.Collect(value.Items()) {
			l.value(name+"."+strconv.Itoa(n), each, why)
		}
	default:
		l.value(name, value, why)
	}
}

// value adds one value of a scorer. It passes at 1, as a sample does, and above it the
// policy says. One that is no score, such as NaN, judged nothing.
func (l *log) value(name string, value jsonwalk.Value, why string) {
	if value.IsObject() || value.IsArray() {
		value = jsonwalk.Value{}
	}
	c := envelope.Check{Name: name, Status: envelope.Skip, Score: scoreValue(value), Reason: why}
	switch {
	case c.Score.V > 1 || c.Score.OK && l.beyond[name[strings.LastIndexByte(name, '.')+1:]]:
		c.Status = ""
	case c.Score.V == 1:
		c.Status = envelope.Pass
	case c.Score.OK:
		c.Status = envelope.Fail
	case why == "" && value.Present():
		c.Reason = "scored " + jsonwalk.Short(value.String())
	}
	trialfields.AddCheck(&l.trial, c, "score")
}
