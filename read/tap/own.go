package tap

import (
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/verdict/rule"
	"tribunal/read/internal/outcomestrip"
)

type writer int

const (
	another writer = iota
	perhapsWe
	we // render/tap
)

// ownEnd matches the comment at the end of all our reports.
var ownEnd = regex.Of(`^# \d+ of (\d+) counted trials passed over \d+ tests$`)

// writerOf returns the likely writer of a point at level i. Our blocks have a verdict.
// Passed and skipped tests have no block, so the writer stays unknown.
func writerOf(i int, p *point) writer {
	switch {
	case p.values.of("verdict") != "" && p.values.of("counted") != "", p.ofGate():
		return we
	case i > 0 || !p.ok || p.values != nil || p.duration.OK:
		return another
	}
	return perhapsWe
}

// ofGate recognises the point of our reports for a failed gate. It is not a test, and nothing says how to evaluate it again.
func (p *point) ofGate() bool { return p.name == "(the gate)" && p.values.of("verdict") == "gate" }

// known sets the writer of the stream, once, and makes the calls that waited for it.
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

// mostWaiting is the most calls that wait. After as many points that may be ours, the stream counts as ours.
const mostWaiting = 1 << 16

// whenKnown calls do when the writer of the stream is known.
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

// ownKey splits the suite/test [variant] of render/tap. Of several slashes, the last
// one without a blank next to it counts. The key reads the same in any case.
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

// restore delivers the trials in a block of our reports, one letter each. It reports whether it could.
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
			one.Message, message = message, "" // the first trial that did not pass gets the message
		}
		rd.emit(one)
	}
	return true
}

// endingOf returns how a test of tribunal run ended. ok is false for other tests.
func endingOf(v values) (e envelope.Ending, ok bool) {
	if e.How = envelope.How(v.of("ended")); !e.How.Known() {
		e.How = ""
	}
	e.Trials = outcomestrip.Count(v.of("planned"))
	return e, e.How != "" || e.Trials.OK
}

const ruleLabel = "tap.rule"

// rules are the rules, or required coverages, that judged inconclusive tests of a
// report. A policy with an override for each judges them the same way again.
type rules struct {
	policy *envelope.Policy
	known  []string
}

// of returns the label for the rule in a block. ok is false if it is unclear, or if there are too many rules.
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

func (r *rules) asked() *envelope.Policy {
	if r.policy == nil {
		r.policy = &envelope.Policy{}
	}
	return r.policy
}

// label returns the label for tests judged in this way. For a new one it adds an override to the policy.
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

// recorded reports a problem of our report. Its text begins with the severity, in older reports after the position.
func (rd *reader) recorded(text string, number int) {
	if rd.by != we {
		return
	}
	p := outcomestrip.Recorded(outcomestrip.SeverityIn(text), number, 1, text)
	rd.hasError = rd.hasError || p.Severity == envelope.SeverityError
	rd.to.Problem(p)
}
