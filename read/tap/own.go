package tap

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
)

// writer is who wrote a stream.
type writer int

const (
	another writer = iota
	perhapsWe
	we // render/tap
)

// ownEnd is the comment at the end of a report of ours, which all of them have.
var ownEnd = regexp.MustCompile(`^# \d+ of \d+ counted trials passed over \d+ tests$`)

// writerOf tells who writes such a point at level i: the block of ours starts with
// a verdict. A test that passed or was skipped has none, and leaves it open.
func writerOf(i int, p *point) writer {
	switch {
	case p.values["verdict"] != "" && p.values["counted"] != "":
		return we
	case i > 0 || !p.ok || p.values != nil || p.duration.OK:
		return another
	}
	return perhapsWe
}

// known says who wrote the stream, if that is known now, and does what waited for
// it. What is known stays.
func (rd *reader) known(by writer) {
	if rd.by != perhapsWe || by == perhapsWe {
		return
	}
	rd.by = by
	for _, do := range rd.waiting {
		do()
	}
	rd.waiting = nil
}

// mostWaiting is how much is put off. A stream of so many points that may be ours
// and none that is not is taken for ours.
const mostWaiting = 1 << 16

// whenKnown does what depends on who wrote the stream, or puts it off.
func (rd *reader) whenKnown(do func()) {
	if len(rd.waiting) == mostWaiting {
		rd.known(we)
	}
	if rd.by == perhapsWe {
		rd.waiting = append(rd.waiting, do)
		return
	}
	do()
}

// ownKey parts what render/tap puts together: suite/test [variant]. Where there
// are several slashes, the last one that stands in no path with blanks around
// it counts; whatever is chosen, the key reads the same.
func ownKey(name string) envelope.Key {
	k := envelope.Key{Test: name}
	if at := strings.LastIndex(k.Test, " ["); at > 0 && strings.HasSuffix(k.Test, "]") {
		k.Test, k.Variant = name[:at], name[at+2:len(name)-1]
	}
	for at := len(k.Test) - 2; at > 0; at-- {
		if k.Test[at] == '/' && k.Test[at-1] != ' ' && k.Test[at+1] != ' ' {
			k.Suite, k.Test = k.Test[:at], k.Test[at+1:]
			break
		}
	}
	return k
}

// restore delivers the trials that the block of a report of ours holds, a letter
// each. It reports whether there are any.
func (rd *reader) restore(t envelope.Trial, p *point) bool {
	letters := p.values["trials"]
	if p.values["verdict"] == "" || letters == "" || strings.Trim(letters, "PFEXS") != "" {
		return false
	}
	if p.values["verdict"] == string(envelope.Inconclusive) {
		label, ok := rd.rules.of(p.values)
		if !ok {
			return false // its trials would be judged by another rule, and might pass or fail
		}
		t.Labels = append(t.Labels, label)
	}
	t.File, t.Line = p.values.place()
	class := excludedClass(p.values["excluded"])
	message := p.values["message"]
	for _, letter := range []byte(letters) {
		one := t
		byLetter(&one, envelope.Outcome(letter), class)
		if one.Status != envelope.Pass {
			one.Message, message = message, "" // it is that of the first one that has one
		}
		rd.emit(&one)
	}
	return true
}

func byLetter(t *envelope.Trial, o envelope.Outcome, class string) {
	switch o {
	case envelope.Passed:
		t.Status = envelope.Pass
	case envelope.Failed:
		t.Status = envelope.Fail
	case envelope.Skipped:
		t.Status = envelope.Skip
	case envelope.Excluded:
		t.Status, t.ErrorClass = envelope.Error, class
	default:
		t.Status = envelope.Error
	}
}

// excludedClass is the class of excluded trials in a list such as
// "infrastructure 2, skip 1"; infrastructure when the list leaves it open.
func excludedClass(list string) string {
	class := ""
	for part := range strings.SplitSeq(list, ", ") {
		name, _, _ := strings.Cut(part, " ")
		switch name {
		case envelope.ClassPreValidation, envelope.ClassEmptyRun:
			if class == "" {
				class = name
				continue
			}
		case string(envelope.Skip), "":
			continue
		}
		return envelope.ClassInfrastructure
	}
	if class == "" {
		return envelope.ClassInfrastructure
	}
	return class
}

// standIn marks the one trial that an inconclusive test without its trials is
// read as.
func (rd *reader) standIn(t *envelope.Trial) {
	t.Status, t.RawStatus = envelope.Skip, string(envelope.Inconclusive)
	t.Labels = []envelope.Label{{Name: "aggregated", Value: "true"}}
	rd.warn(codeAggregated, "inconclusive tests without their trials each count as one skipped trial, labelled aggregated")
}

// ruleLabel is the label that ties a test to the rule it was judged by.
const ruleLabel = "tap.rule"

// rules are the rules that inconclusive tests of a report were judged by. A
// policy with one override for each judges them the same way again.
type rules struct {
	policy *envelope.Policy
	known  []string
}

// restorable are the rules that need no more than a threshold and outcomes.
var restorable = []string{"wald", "wilson", "exact", "bayes", "sprt", "anytime"}

// of is the label for the rule in a block. It is not ok when a rule cannot be
// told, or there are too many of them.
func (r *rules) of(v values) (_ envelope.Label, ok bool) {
	const most = 20
	threshold, err := strconv.ParseFloat(v["threshold"], 64)
	if !slices.Contains(restorable, v["rule"]) || err != nil || !(threshold >= 0.02 && threshold <= 0.999) {
		return envelope.Label{}, false
	}
	name := v["rule"] + " at " + strconv.FormatFloat(threshold, 'g', -1, 64)
	label := envelope.Label{Name: ruleLabel, Value: name}
	if slices.Contains(r.known, name) {
		return label, true
	}
	if len(r.known) == most {
		return envelope.Label{}, false
	}
	r.known = append(r.known, name)
	if r.policy == nil {
		r.policy = &envelope.Policy{}
	}
	r.policy.Overrides = append(r.policy.Overrides, envelope.Override{Labels: map[string]string{ruleLabel: name},
		Policy: envelope.Policy{Rule: v["rule"], Threshold: envelope.Some(threshold)}})
	return label, true
}
