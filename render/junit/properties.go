package junit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

// propertyList collects properties. None of them has a type attribute, and what
// is unknown has no property.
type propertyList []upstream.Property

func (l *propertyList) raw(name, value string) {
	*l = append(*l, upstream.Property{Name: "tribunal." + name, Value: value})
}

func (l *propertyList) add(name, value string) {
	if value = line(value); value != "" {
		l.raw(name, value)
	}
}

func (l *propertyList) flag(name string, set bool) {
	if set {
		l.raw(name, "true")
	}
}

func (l *propertyList) number(name string, v envelope.Opt[float64]) {
	if v.OK {
		l.raw(name, number(v.V))
	}
}

func (l *propertyList) integer(name string, v envelope.Opt[int64]) {
	if v.OK {
		l.raw(name, strconv.FormatInt(v.V, 10))
	}
}

// exact adds a value that is read back as it was: JSON in plain ASCII. One over the limit of a
// text is left out and named, for a part of it would read back as something else.
func (l *propertyList) exact(name string, value any) {
	text, err := json.Marshal(value)
	l.exactText(name, text, err)
}

var escaped = standing.EscapedInJSON("|<>&")

func (l *propertyList) exactText(name string, text []byte, err error) {
	if text = standing.ASCII(text, &escaped); err != nil || len(text) > nodeLimit {
		l.raw("incomplete", name)
		return
	}
	l.raw(name, string(text))
}

func caseProperties(l propertyList, t *envelope.Test) propertyList {
	l.exact("key", []string{t.Suite, t.Test, t.Variant})
	l.add("verdict", string(t.Status))
	if strip := t.Rows.Outcome.String(); len(strip) <= nodeLimit {
		l.raw("trials", strip)
	} else {
		l.raw("incomplete", "trials")
	}
	l.verdict(t.Verdict)
	l.flag("flaky", t.Flaky)
	l.flag("cost_limited", t.CostLimited)
	l.endings(t)
	l.flag("quarantined", t.Quarantined)
	l.add("excluded", excluded(t))
	if t.Score != nil {
		l.number("score", envelope.Some(t.Score.Value))
	}
	l.number("cost_usd", t.CostUSD)
	l.integer("tokens", t.Tokens)
	if len(t.Labels) > 0 {
		l.exact("labels", t.Labels)
	}
	if len(t.Varies) > 0 {
		l.exact("labels_varying", t.Varies)
	}
	if t.File != fileOf(t) {
		l.exact("file", t.File)
	}
	for _, name := range t.CheckNames() {
		c := t.Checks[name]
		l.raw("check."+line(name), fmt.Sprintf("%d/%d", c.Passed, c.N))
	}
	l.add("parting", standing.Parting(t))
	text, err := t.Rows.WithoutInside().MarshalJSON() // json.Marshal would read what it has written, too
	l.exactText("rows", text, err)
	return l
}

// endings adds how the test ended where a run started its trials: as a whole, and
// in each of its runs where that says more.
func (l *propertyList) endings(t *envelope.Test) {
	l.integer("planned", t.Trials.Planned)
	l.add("ended", string(t.Ended))
	if len(t.Endings) > 0 {
		l.exact("endings", t.Endings)
	}
}

func (l *propertyList) verdict(v *envelope.Verdict) {
	l.add("rule", v.Rule)
	l.raw("n", strconv.Itoa(v.N))
	l.raw("passed", strconv.Itoa(v.Passed))
	l.number("threshold", v.Threshold)
	l.number("confidence", v.Confidence)
	l.number("statistic", v.Statistic)
	if iv := v.Interval; iv != nil {
		l.add("interval", strings.TrimSpace(number(iv.Lo)+" "+number(iv.Hi)+" "+iv.Method))
	}
	l.number("p_value", v.PValue)
	l.number("p_adjusted", v.PAdjusted)
	l.add("raw_status", string(v.RawStatus))
	l.add("reason", v.Reason)
}

// suiteProperties are facts of the run: which run it was, on every suite; the
// rest on the first one.
func (d *draft) suiteProperties(first bool) []upstream.Property {
	var l propertyList
	run := &d.env.Run
	l.raw("schema", envelope.Schema)
	if first { // before words of others, so that who looks for it need not read far
		l.add("trials.sum", d.env.TrialsSum().String())
	}
	l.add("run.name", run.Name)
	l.add("run.id", run.ID)
	l.add("run.commit", run.Commit)
	if !first {
		return l
	}
	l.add("run.started_at", run.StartedAt)
	if len(run.Labels) > 0 {
		l.exact("run.labels", run.Labels)
	}
	if len(run.Headers) > 0 {
		l.exact("run.headers", run.Headers)
	}
	l.exact("policy", d.env.Policy)
	l.summary(&d.env.Summary)
	l.number("run.setup_ms", run.SetupMS)
	l.number("run.setup_cost_usd", run.SetupCostUSD)
	l.gate(&d.env.Gate)
	shown, more := standing.Grave(d.env.Problems)
	for _, p := range shown {
		l.add("problem."+string(p.Severity), p.Text())
	}
	if more > 0 {
		l.raw("problems_not_listed", strconv.Itoa(more))
	}
	l.add("cut", d.cutNote())
	return l
}

func (l *propertyList) summary(s *envelope.Summary) {
	l.integer("run.planned_trials", s.Trials.Planned)
	l.raw("run.trials", strconv.Itoa(s.Trials.Total))
	l.raw("run.counted", strconv.Itoa(s.Trials.Counted))
	l.raw("run.passed", strconv.Itoa(s.Trials.Passed))
	if r := s.Rate.PerProtocol; r != nil {
		l.number("run.rate", envelope.Some(r.Value))
	}
	if r := s.Rate.IntentToTreat; r != nil {
		l.number("run.rate_intent_to_treat", envelope.Some(r.Value))
	}
	l.number("run.cost_usd", s.CostUSD)
	l.integer("run.tokens", s.Tokens)
}

func (l *propertyList) gate(g *envelope.Gate) {
	l.add("gate", string(g.Status))
	l.raw("exit_code", strconv.Itoa(g.ExitCode))
	for _, n := range g.Notices {
		l.add("gate.notice", n.String())
	}
	for _, reason := range g.Reasons {
		l.add("gate.reason", reason)
	}
}

type suite struct {
	name  string
	tests []int     // indexes into the envelope's tests
	notes []caseXML // cases that stand for no test
}

// group parts the tests by suite, in the order in which suites first appear.
// A run that is broken gets a case that says so, and so does one whose gate does not
// hold: a document without one would look like a run in which nothing went wrong.
func group(e *envelope.Envelope, p profile) []suite {
	var out []suite
	at := map[string]int{}
	for i := range e.Tests {
		name := e.Tests[i].Suite
		if p.single {
			name = ""
		}
		n, ok := at[name]
		if !ok {
			n = len(out)
			at[name] = n
			out = append(out, suite{name: standing.SuiteName(name, safe)})
		}
		out[n].tests = append(out[n].tests, i)
	}
	notes := runNotes(e, p)
	if len(out) == 0 || len(notes) > 0 && !p.single {
		out = append(out, suite{name: standing.OwnSuite})
	}
	out[len(out)-1].notes = notes
	if p.single {
		out[0].name = runName(e)
	}
	return out
}

func runNotes(e *envelope.Envelope, p profile) (notes []caseXML) {
	note := func(name string, what upstream.Testcase) {
		c := caseXML{Name: name, Classname: standing.OwnSuite, Testcase: what}
		if p.time {
			c.Time = seconds(0)
		}
		notes = append(notes, c)
	}
	if says := line(standing.Broken(e)); says != "" {
		note("run", upstream.Testcase{Error: &upstream.Result{Message: says, Type: typeError, Data: node(says + "\n" + notices(e))}})
	}
	if says := line(standing.Unheld(&e.Gate)); says != "" {
		note("gate", upstream.Testcase{Failure: &upstream.Result{Message: says, Type: typeFail, Data: node(says)}})
	}
	return notes
}

// totals are the numbers of a testsuite's attributes. They count the children
// that are written, because readers subtract one from the other.
type totals struct {
	tests, failures, errors, skipped int
	ms                               float64
}

func (a *totals) join(b totals) {
	a.tests += b.tests
	a.failures += b.failures
	a.errors += b.errors
	a.skipped += b.skipped
	a.ms += b.ms
}

func (d *draft) totals(s *suite) totals {
	var sum totals
	for _, i := range s.tests {
		if d.leftOut(i) {
			continue
		}
		t := &d.env.Tests[i]
		sum.count(d.shownStatus(t))
		if ms, ok := duration(t); ok {
			sum.ms += ms
		}
	}
	for _, c := range s.notes {
		sum.tests++
		switch {
		case c.Error != nil:
			sum.errors++
		case c.Failure != nil:
			sum.failures++
		case c.Skipped != nil:
			sum.skipped++
		}
	}
	return sum
}

// shownStatus is the status whose element the testcase has.
func (d *draft) shownStatus(t *envelope.Test) envelope.Status {
	if standing.Spared(d.env, t) {
		return envelope.Skip
	}
	return t.Status
}

func (a *totals) count(s envelope.Status) {
	a.tests++
	switch s {
	case envelope.Pass:
	case envelope.Fail:
		a.failures++
	case envelope.Inconclusive, envelope.Skip:
		a.skipped++
	default:
		a.errors++
	}
}

func runName(e *envelope.Envelope) string {
	return cmp.Or(text.CutLine(safe(e.Run.Name), nameLimit), "tribunal")
}
