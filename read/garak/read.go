// Package garak reads the reports of garak (NVIDIA, Apache-2.0), garak.*.report.jsonl: what attacks a model withstood.
//
// A prompt of a probe is a test, each answer a trial, and each detector a variant. An answer passes below the threshold of
// the scan, which stands at its beginning. A prompt is in a report twice: when it was answered, and when its answers were
// judged. What a scan that was cut off did not judge is reported, and so is what garak counted and the file does not have.
package garak

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a line of a report. The settings of a scan, which
// come first, may be longer than a head.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	switch keys["entry_type"] {
	case "start_run setup":
		return true
	case "init":
		return keys.Has("garak_version")
	case "attempt":
		return keys.Has("probe_classname")
	}
	return false
}

// Read reads a report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, threshold: usualThreshold, waiting: map[string]envelope.Key{}, judged: map[pair]tally{}}
	err := jsonwalk.Lines(r, to, rd.line, "entry_type")
	rd.finish()
	return err
}

// usualThreshold is from which score on a detector says that an attack had success, where
// the scan does not say another.
const usualThreshold = 0.5

type reader struct {
	to        *runfailure.Watch
	threshold float64
	model     string
	waiting   map[string]envelope.Key // prompts that were answered and not judged, by their ids
	judged    map[pair]tally
	open      bool // a scan began that says when it has ended, and did not yet
}

// pair is what garak counts.
type pair struct{ probe, detector string }

// tally is how many answers failed, as they were counted here and as garak counted them.
type tally struct{ failed, reported int64 }

func (rd *reader) line(v jsonwalk.Value) {
	switch v.Get("entry_type").Text() {
	case "start_run setup":
		rd.settings(v)
	case "init":
		rd.ended()
		rd.open = saysItsEnd(v.Get("garak_version").Text())
	case "attempt":
		rd.attempt(v)
	case "eval":
		rd.evaluated(v)
	case "completion", "digest": // reports that garak put together have the second alone
		rd.open = false
	}
}

func (rd *reader) settings(v jsonwalk.Value) {
	rd.threshold = usualThreshold
	if t := v.Get("run.eval_threshold").Number(); t.OK {
		rd.threshold = t.V
	}
	rd.model = cmp.Or(v.Get("plugins.target_name").Text(), v.Get("plugins.model_name").Text())
}

// saysItsEnd reports whether this version ends a report by a line that says so. It came in
// June 2024, behind 0.9.0.13.
func saysItsEnd(version string) bool {
	last, old := strings.CutPrefix(version, "0.9.0.")
	if !old {
		return version != ""
	}
	digits, _, _ := strings.Cut(last, ".")
	n, err := strconv.Atoi(digits)
	return err == nil && n > 13
}

// The states of a prompt.
const answered, complete = 1, 2

func (rd *reader) attempt(v jsonwalk.Value) {
	key := envelope.Key{Suite: v.Get("probe_classname").Text(), Test: nameOf(v)}
	id := cmp.Or(v.Get("uuid").Text(), key.Suite+"\x00"+key.Test)
	switch status := v.Get("status").Count(); {
	case key.Suite == "":
		v.Reject("it has no probe_classname")
	case key.Test == "":
		v.Reject("it has neither a prompt nor a seq")
	case status.V == complete:
		delete(rd.waiting, id)
		rd.countAnswers(v, key)
	case status.OK && status.V <= answered:
		rd.waiting[id] = key
	default:
		v.Reject("its status is not 0, 1 or 2")
	}
}

func (rd *reader) countAnswers(v jsonwalk.Value, key envelope.Key) {
	answers := slices.Collect(v.Get("outputs").Items())
	detectors := 0
	for name, scores := range v.Get("detector_results").Members() {
		rd.detector(v, key, name, slices.Collect(scores.Items()), answers)
		detectors++
	}
	if detectors == 0 {
		rd.unjudged(key, "no detector judged its answers")
	}
}

// detector counts the answers to a prompt as one detector judges them.
func (rd *reader) detector(v jsonwalk.Value, key envelope.Key, name string, scores, answers []jsonwalk.Value) {
	key.Variant = name
	if len(scores) == 0 {
		rd.unjudged(key, "the detector judged no answer")
	}
	of := rd.judged[pair{key.Suite, name}]
	for n, score := range scores {
		t := envelope.Trial{Key: key, Attempt: rd.to.Attempts.Next(key), Transcript: transcript(v, n, answers)}
		rd.score(&t, score)
		if t.Status == envelope.Fail {
			of.failed++
		}
		if t.Status != envelope.Pass && n < len(answers) {
			t.Output = failure.Ends(said(answers[n]))
		}
		trialfields.Label(&t, "model", rd.model)
		for _, name := range [...]string{"goal", "intent"} {
			trialfields.Label(&t, name, v.Get(name).Text())
		}
		rd.to.Trial(&t)
	}
	rd.judged[pair{key.Suite, name}] = of
}

// score judges an answer. A detector gives null, mostly because there was no answer; garak leaves those out.
func (rd *reader) score(t *envelope.Trial, score jsonwalk.Value) {
	var hit envelope.Opt[float64]
	switch {
	case !score.IsBool():
		hit = score.Number()
	case score.Bool().V:
		hit = envelope.Some(1.0)
	default:
		hit = envelope.Some(0.0)
	}
	switch {
	case !hit.OK:
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation,
			"not judged: no answer, or none that the detector can judge"
	case hit.V < rd.threshold:
		t.Status = envelope.Pass
	default:
		t.Status, t.Message = envelope.Fail, fmt.Sprintf("%s scores the answer %s, and %s or more is a hit", t.Variant, words.Number(hit.V),
			words.Number(rd.threshold))
	}
}

// unjudged counts a prompt of whose answers nothing is known.
func (rd *reader) unjudged(key envelope.Key, why string) {
	rd.to.Trial(&envelope.Trial{Key: key, Attempt: rd.to.Attempts.Next(key), Status: envelope.Error, ErrorClass: envelope.ClassPreValidation,
		Message: why})
}

// evaluated takes what garak counted of a probe and a detector. Before 2025 it wrote how many
// passed of how many.
func (rd *reader) evaluated(v jsonwalk.Value) {
	p := pair{v.Get("probe").Text(), strings.TrimPrefix(v.Get("detector").Text(), "detector.")}
	failed := v.Get("fails").Count()
	if total, passed := v.Get("total").Count(), v.Get("passed").Count(); !failed.OK && total.OK && passed.OK {
		failed = envelope.Some(total.V - passed.V)
	}
	of := rd.judged[p]
	of.reported += failed.V
	rd.judged[p] = of
}

// finish tells what the scan did not come to, and what of it is not here.
func (rd *reader) finish() {
	for _, id := range slices.Sorted(maps.Keys(rd.waiting)) {
		rd.unjudged(rd.waiting[id], "it was answered, and the scan ended before the answers were judged")
	}
	rd.ended()
	pairs := slices.SortedFunc(maps.Keys(rd.judged), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.probe, b.probe), cmp.Compare(a.detector, b.detector))
	})
	for _, p := range pairs {
		if of := rd.judged[p]; of.reported > of.failed {
			rd.to.Fail(envelope.ClassInfrastructure, fmt.Sprintf("garak counts %s (probe %s, detector %s), but the report has %d",
				words.Plural(of.reported, "answer that failed", "answers that failed"), p.probe, p.detector, of.failed))
		}
	}
}

// ended tells of a scan that did not say its end, where a file ends or another scan begins.
func (rd *reader) ended() {
	if rd.open {
		rd.to.Fail(envelope.ClassInfrastructure, "the report does not show the end of its scan; probes may be missing")
	}
}

// nameOf names a test by its prompt. A long one is cut, and told apart by its sum from others
// that begin alike: probes have many of them, and which ones a scan takes is left to chance.
func nameOf(v jsonwalk.Value) string {
	text := strings.Join(strings.Fields(prompt(v.Get("prompt"))), " ")
	switch {
	case text == "":
		if n := v.Get("seq").Count(); n.OK {
			return fmt.Sprintf("prompt %d", n.V)
		}
		return ""
	case len(text) <= longName:
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s #%x", words.Head(text, longName), sum[:4])
}

// longName is from how many bytes on a prompt is too long for a name.
const longName = 100

// prompt is what was asked last. It was a text at first, then a message or a list of them,
// and is a conversation now.
func prompt(v jsonwalk.Value) string {
	turns := v
	if v.IsObject() {
		turns = v.Get("turns")
	}
	if !turns.IsArray() {
		return said(v)
	}
	text := ""
	for turn := range turns.Items() {
		if role := turn.Get("role").Text(); role == "user" || role == "" {
			text = said(turn.Get("content"))
		}
	}
	return text
}

func said(v jsonwalk.Value) string {
	if v.IsObject() {
		return v.Get("text").Text()
	}
	return v.Text()
}

func transcript(v jsonwalk.Value, n int, answers []jsonwalk.Value) (turns []envelope.Turn) {
	if all := slices.Collect(v.Get("conversations").Items()); n < len(all) {
		for turn := range all[n].Get("turns").Items() {
			if len(turns) < conversation.MostTurns {
				turns = append(turns, conversation.Say(turn.Get("role").Text(), said(turn.Get("content"))))
			}
		}
		return turns
	}
	if asked := prompt(v.Get("prompt")); asked != "" {
		turns = append(turns, conversation.Say(envelope.RoleUser, asked))
	}
	if n < len(answers) {
		turns = append(turns, conversation.Say(envelope.RoleAssistant, said(answers[n])))
	}
	return turns
}
