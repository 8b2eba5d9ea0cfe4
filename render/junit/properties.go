package junit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// propertyList collects properties. None of them has a type attribute, and what
// is unknown has no property.
type propertyList []upstream.Property

func (l *propertyList) raw(name, value string) {
	*l = append(*l, upstream.Property{Name: "tribunal." + name, Value: value})
}

// add adds words, made safe.
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

// exact adds a value that is read back as it was: JSON in plain ASCII. One over
// the limit of a text is left out and named, for a part of it would read back
// as something else.
func (l *propertyList) exact(name string, value any) {
	text, err := json.Marshal(value)
	l.exactText(name, text, err)
}

// rows adds the rows, which write themselves: json.Marshal would read what they
// have written, too.
func (l *propertyList) rows(rows *envelope.Rows) {
	text, err := rows.WithoutInside().MarshalJSON()
	l.exactText("rows", text, err)
}

func (l *propertyList) exactText(name string, text []byte, err error) {
	if text = ascii(text); err != nil || len(text) > nodeLimit {
		l.raw("incomplete", name)
		return
	}
	l.raw(name, string(text))
}

// ascii writes JSON without any character that means something elsewhere. The
// characters replaced here occur in strings only.
func ascii(text []byte) []byte {
	var out []byte
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < 0x7f && c != '#' && c != '|' && c != '<' && c != '>' && c != '&' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		out = append(out, text[start:i]...)
		if r <= 0xffff {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		i += size
		start = i
	}
	if start == 0 {
		return text
	}
	return append(out, text[start:]...)
}

// caseProperties appends everything a reader needs to have the test again, and
// first what people look for.
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
	l.rows(t.Rows)
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
