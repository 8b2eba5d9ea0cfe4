package tap

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/outcomestrip"
	"tribunal/read/internal/runfailure"
)

// level is the stream, or a subtest until its own point is complete.
type level struct {
	name      string // of the subtest; often only the point after it has the name
	named     bool
	subtest   string // the name in the last Subtest comment
	plan      envelope.Opt[int]
	points    int
	planAt    int // points before the plan
	numbers   numbers
	replanned bool        // a plan came before the plan
	failed    bool        // a trial in it did not pass
	excused   int         // points that are not ok, with a directive, that AVA counts as failures
	open      *point      // the last point, whose block and comments may follow
	opener    *point      // the point that opened the subtest, if any
	child     *level      // the subtest closed last: it belongs to the next point
	held      []heldTrial // trials that wait for the point of the subtest
}

// heldTrial is a trial in a subtest whose own point is to come: it has the name, or excuses
// what failed. path are the names of the subtests between them.
type heldTrial struct {
	trial envelope.Trial
	path  []string
}

// at returns the level at a depth. It closes deeper levels and opens missing ones.
func (rd *reader) at(depth int) *level {
	for len(rd.levels) > depth+1 {
		i := len(rd.levels) - 1
		rd.finish(i)
		l := rd.levels[i]
		rd.levels = rd.levels[:i]
		if l.opener != nil {
			rd.settle(i-1, l, l.opener)
		} else {
			rd.levels[i-1].child = l
		}
	}
	for len(rd.levels) <= depth {
		above := rd.levels[len(rd.levels)-1]
		l := &level{name: above.subtest, named: above.subtest != ""}
		if p := above.open; p != nil && p.opens {
			l.name, l.named, l.opener, above.open = p.shown(above.points), true, p, nil
		}
		rd.finish(len(rd.levels) - 1)
		above.subtest = ""
		rd.levels = append(rd.levels, l)
	}
	return rd.levels[depth]
}

// point adds a test line, which completes the one before. A subtest closed in between belongs to it.
func (rd *reader) point(depth int, p *point) {
	l := rd.at(depth)
	p.ending(rd.versioned)
	p.child, l.child = l.child, nil
	rd.finish(depth)
	if l == rd.levels[0] && l.points == 0 { // tape writes the version, a heading and a point without a dash, and its plan at the end
		rd.heading.here = rd.heading.name != "" && rd.versioned && !l.plan.OK && p.bare
	}
	l.points++
	rd.counted = 0
	if p.number.OK {
		l.numbers.take(p.number.V, rd.anyOrder)
	} else {
		l.numbers.take(l.points, true)
	}
	l.subtest, l.open = "", p
}

// finish delivers the last point of level i, which is complete.
func (rd *reader) finish(i int) {
	l := rd.levels[i]
	p, child := l.open, l.child
	l.open, l.child = nil, nil
	switch {
	case p != nil && p.child != nil:
		rd.settle(i, p.child, p)
	case p != nil:
		rd.emitPoint(i, p)
	}
	if child != nil { // a subtest without a point of its own
		rd.settle(i, child, nil)
	}
}

// settle finishes a subtest of level i and gives its name to its trials. Its own point counts if the subtest has no
// trials, if the point failed and no trial did, or if it failed by itself, as in a hook. In Perl, a TODO subtest
// excuses what failed in it; node counts that, and writes a block below the point.
func (rd *reader) settle(i int, child *level, p *point) {
	if !child.named {
		if child.name = "(unnamed)"; p != nil {
			child.name = p.shown(rd.levels[i].points)
		}
	}
	excuses := p != nil && !p.ok && p.directive == todo && p.values == nil
	for _, h := range child.held {
		if excuses && h.trial.Status != envelope.Pass {
			p.skip(&h.trial)
		}
		rd.send(i, &h.trial, slices.Concat([]string{child.name}, h.path))
	}
	child.held = nil
	switch {
	case excuses && child.failed:
		return
	case excuses, p != nil && child.points == 0:
		rd.emitPoint(i, p)
		return
	}
	rd.checkPlan(i, child)
	if p != nil && !p.ok && p.directive == "" && (!child.failed || failure.OwnOfNode(p.values.of("failureType"))) {
		rd.emitPoint(i, p)
	}
	l := rd.levels[i]
	l.failed = l.failed || child.failed
}

// emitPoint makes a trial of a point of level i. A point of ours may have several.
func (rd *reader) emitPoint(i int, p *point) {
	l := rd.levels[i]
	switch {
	case p.ok:
	case p.directive == "":
		l.failed = true
	default:
		if !p.bare && p.values == nil {
			l.excused++
		}
		if p.directive == "skip" {
			rd.warn(codeSkipped, "points that are not ok and have the directive SKIP count as skipped; prove and Meson fail for them, so check "+
				"their exit code")
		}
	}
	name := p.shown(l.points)
	rd.known(writerOf(i, p))
	if rd.by == we && p.ofGate() {
		if says := p.values.of("message"); !strings.HasSuffix(says, envelope.TreatedAsFailed) { // which is judged again
			rd.to.Problem(outcomestrip.Recorded(envelope.SeverityError, rd.number, 1, says))
		}
		return
	}
	if rd.by != perhapsWe { // without a function for each point
		rd.trial(i, name, p)
		return
	}
	rd.whenKnown(func() { rd.trial(i, name, p) })
}

func (rd *reader) trial(i int, name string, p *point) {
	t := &rd.room
	*t = envelope.Trial{Key: envelope.Key{Test: name}}
	if rd.by == we {
		t.Key = ownKey(name)
		if rd.restore(*t, p) {
			return
		}
	}
	if i == 0 {
		rd.heading.place(&t.Key)
	}
	p.fill(t)
	if p.directive != "" && p.reason == string(envelope.Inconclusive) {
		t.Status, t.RawStatus = envelope.Skip, string(envelope.Inconclusive) // the one trial that the test is read as
		t.Labels = []envelope.Label{outcomestrip.Aggregated}
		rd.warn(outcomestrip.CodeAggregated, "undecided tests that cannot be judged again count as one skipped trial each (label aggregated)")
	}
	rd.send(i, t, nil)
}

// send delivers a trial of level i, or holds it at a level that has no name yet, or whose point may excuse it.
func (rd *reader) send(i int, t *envelope.Trial, path []string) {
	for ; i > 0; i-- {
		l := rd.levels[i]
		if !l.named || l.opener == nil && (l.failed || len(l.held) > 0) {
			l.held = append(l.held, heldTrial{*t, path})
			return
		}
		path = slices.Concat([]string{l.name}, path)
	}
	if len(path) > 0 {
		t.Suite = strings.Join(path, "/")
	}
	rd.emit(t)
}

func (rd *reader) emit(t *envelope.Trial) {
	rd.sent++
	rd.programs.add(t, &rd.attempts)
	rd.attempts.Send(t, rd.to)
}

// checkPlan adds a failed trial if a subtest of level i does not match its plan.
func (rd *reader) checkPlan(i int, child *level) {
	if wrong := child.wrong(); wrong != "" && !rd.bailed {
		child.failed = true
		rd.send(i, planTrial(wrong), []string{child.name})
	}
}

// checkStream is checkPlan for the stream itself, which must have a plan.
func (rd *reader) checkStream() {
	root := rd.levels[0]
	wrong := root.wrong()
	if !root.plan.OK && (rd.attempts.Len() > 0 || rd.streams > 1) {
		wrong = fmt.Sprintf("the stream has no plan and %s: more may have been cut off", words.Plural(root.points, "test", "tests"))
	}
	if wrong != "" && !rd.bailed {
		rd.send(0, planTrial(wrong), nil)
	}
	if rd.sent < rd.had {
		rd.warn(outcomestrip.CodeAggregated, fmt.Sprintf("read without %s of passed or undecided tests: each such test counts as one trial, "+
			"so the pass rate differs from that of the run", words.Plural(rd.had-rd.sent, "trial", "trials")))
	}
	switch {
	case root.failed:
	case rd.late != "":
		rd.send(0, &envelope.Trial{Key: envelope.Key{Test: "(behind its test)"}, Status: envelope.Error, Message: rd.late}, nil)
	case rd.counted > root.excused:
		whole := runfailure.Watch{Sink: rd.to}
		whole.Counted(rd.counted, "points")
	}
}

// wrong returns why the points of a level do not match its plan, or "".
func (l *level) wrong() string {
	switch {
	case l.replanned:
		return "there are two plans: if these are several streams, write a file for each"
	case l.plan.OK && l.plan.V != l.points:
		return fmt.Sprintf("the plan announces %s and the stream has %d", words.Plural(l.plan.V, "test", "tests"), l.points) +
			words.If(l.points < l.plan.V, ": did the runner crash?")
	case l.plan.OK && l.planAt > 0 && l.planAt < l.points:
		return fmt.Sprintf("the plan comes after %d of %d tests: it must be the first line or the last one", l.planAt, l.points)
	case l.failed: // and Mocha gives a hook that failed the number of the test behind it
		return ""
	case l.numbers.wrong == "" && len(l.numbers.beyond) > 0:
		return fmt.Sprintf("the stream has %s, but not number %d", words.Plural(l.points, "test", "tests"), l.numbers.upTo+1)
	}
	return l.numbers.wrong
}

func planTrial(message string) *envelope.Trial {
	return &envelope.Trial{Key: envelope.Key{Test: "(plan)"}, Status: envelope.Error, ErrorClass: envelope.ClassInfrastructure,
		Message: message}
}
