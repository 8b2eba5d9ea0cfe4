package tap

import (
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/outcomestrip"
	"tribunal/verdict/rule"
)

// writer is who wrote a stream.
type writer int

const (
	another writer = iota
	perhapsWe
	we // render/tap
)

// ownEnd is the comment at the end of a report of ours, which all of them have.
var ownEnd = regex.Of(`^# \d+ of \d+ counted trials passed over \d+ tests$`)

// writerOf tells who writes such a point at level i: the block of ours starts with
// a verdict. A test that passed or was skipped has none, and leaves it open.
func writerOf(i int, p *point) writer {
	switch {
	case p.values.of("verdict") != "" && p.values.of("counted") != "", p.ofGate():
		return we
	case i > 0 || !p.ok || p.values != nil || p.duration.OK:
		return another
	}
	return perhapsWe
}

// ofGate reports the point by which a report of ours says that a gate does not hold. It
// is no test, and the gate is judged anew.
func (p *point) ofGate() bool { return p.name == "(the gate)" && p.values.of("verdict") == "gate" }

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
	test, variant := outcomestrip.Identity(name)
	k := envelope.Key{Test: test, Variant: variant}
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
	t.File, t.Line = p.values.place()
	ending, listed := endingOf(p.values)
	if to, takes := rd.to.(envelope.Report); takes && listed {
		to.Endings(t.Key, nil, []envelope.Ending{ending})
		if p.values.of("counted") == "0" && p.values.of("trials") == "" {
			return true
		}
	}
	trials, note, ok := outcomestrip.Trials(t, p.values.of("trials"), p.values.of("excluded"))
	if p.values.of("verdict") == "" || !ok {
		return false
	}
	var labels []envelope.Label
	if p.values.of("verdict") == string(envelope.Inconclusive) {
		label, ok := rd.rules.of(p.values)
		if !ok {
			return false // its trials would be judged by another rule, and might pass or fail
		}
		labels = append(labels, label)
	}
	if note != "" {
		rd.warn(outcomestrip.CodeAggregated, note)
	}
	message := p.values.of("message")
	for i := range trials {
		one := &trials[i]
		one.Labels = labels
		if one.Status != envelope.Pass {
			one.Message, message = message, "" // it is that of the first one that has one
		}
		rd.emit(one)
	}
	return true
}

// endingOf is what a block says of how its test ended, where a run started its
// trials.
func endingOf(v values) (e envelope.Ending, ok bool) {
	if e.How = envelope.How(v.of("ended")); !e.How.Known() {
		e.How = ""
	}
	e.Trials = outcomestrip.Count(v.of("planned"))
	return e, e.How != "" || e.Trials.OK
}

// ruleLabel is the label that ties a test to the rule it was judged by.
const ruleLabel = "tap.rule"

// rules are what inconclusive tests of a report were judged by: a rule, or the
// coverage they were asked for. A policy with one override for each judges them
// the same way again.
type rules struct {
	policy *envelope.Policy
	known  []string
}

// of is the label for what a block says an inconclusive test was judged by. It
// is not ok when that cannot be told, or there are too many of them.
func (r *rules) of(v values) (_ envelope.Label, ok bool) {
	if coverage, err := strconv.ParseFloat(v.of("min_coverage"), 64); err == nil && coverage > 0 && coverage <= 1 { // and was not reached
		return r.label("coverage of "+shortest(coverage), envelope.Policy{MinCoverage: envelope.Some(coverage)})
	}
	by, unknown := rule.ByName(v.of("rule"))
	e, listed := endingOf(v)
	short := listed && (e.How == "" || e.How.Short()) // for the trials that its run did not start, whatever its rule
	if _, ok := v.find("threshold"); unknown == nil && !ok && short {
		return r.label(v.of("rule"), envelope.Policy{Rule: v.of("rule")})
	}
	threshold, err := strconv.ParseFloat(v.of("threshold"), 64)
	if unknown != nil || !(by.Restorable() || short) || err != nil || !(threshold >= 0.02 && threshold <= 0.999) {
		return envelope.Label{}, false
	}
	return r.label(v.of("rule")+" at "+shortest(threshold), envelope.Policy{Rule: v.of("rule"), Threshold: envelope.Some(threshold)})
}

func shortest(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// asked is the policy that the report is judged under again.
func (r *rules) asked() *envelope.Policy {
	if r.policy == nil {
		r.policy = &envelope.Policy{}
	}
	return r.policy
}

// label is the label of tests that were judged in this way, which becomes an
// override of the policy when it is new.
func (r *rules) label(name string, way envelope.Policy) (_ envelope.Label, ok bool) {
	const most = 20
	label := envelope.Label{Name: ruleLabel, Value: name}
	if slices.Contains(r.known, name) {
		return label, true
	}
	if len(r.known) == most {
		return envelope.Label{}, false
	}
	r.known = append(r.known, name)
	asked := r.asked()
	asked.Overrides = append(asked.Overrides, envelope.Override{Labels: map[string]string{ruleLabel: name}, Policy: way})
	return label, true
}

// recorded hands on a problem that a report of ours was written with, which begins with its
// severity, or in older reports with the position before it.
func (rd *reader) recorded(text string, number int) {
	if rd.by != we {
		return
	}
	p := outcomestrip.Recorded(outcomestrip.SeverityIn(text), number, 1, text)
	rd.hasError = rd.hasError || p.Severity == envelope.SeverityError
	rd.to.Problem(p)
}
