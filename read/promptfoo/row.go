package promptfoo

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// checks adds the assertions of a row. Those that an assertion is made of stand
// behind it, and the same assertion may stand there twice.
func checks(t *envelope.Trial, grading jsonwalk.Value) {
	for result := range grading.Get("componentResults").Items() {
		if !result.IsObject() { // a list with a hole: promptfoo stopped at the first that failed
			continue
		}
		c := envelope.Check{Name: assertionName(result), Status: trialfields.PassFail(result.Get("pass").Bool()),
			Score: result.Get("score").Number()}
		if grader := result.Get("metadata", "graderError"); grader.IsBool() && grader.Bool().V {
			c.Status, c.Score = envelope.Error, envelope.Opt[float64]{} // nobody judged; promptfoo writes a fail with 0
		}
		if reason := result.Get("reason").String(); !said[reason] {
			c.Reason = reason
		}
		trialfields.AddCheck(t, c, "assertion")
	}
}

// said are reasons that say no more than the status.
var said = map[string]bool{"Assertion passed": true, "All assertions passed": true, "No assertions": true}

// assertionName is the metric that an assertion is named by, or else its type and
// what it holds the answer to.
func assertionName(result jsonwalk.Value) string {
	assertion, set := result.Get("assertion"), result.Get("metadata", "assertionSet")
	if metric := cmp.Or(assertion.Get("metric").OnlyText(), set.Get("metric").OnlyText()); metric != "" {
		return metric
	}
	kind := assertion.Get("type")
	if !kind.IsText() {
		kind = set.Get("type")
	}
	if !kind.IsText() {
		return ""
	}
	return strings.TrimSuffix(kind.Text()+": "+strings.TrimSpace(assertion.Get("value").String()), ": ")
}

// naming gives test cases their names. The first in the configuration that has a description
// is called by it, others of it by their vars as well, so that the names of plain suites
// stay plain; and those that ask the same and want something else are told apart by their
// plugin or their assertions. Rows stand in the order in which they ended: which test case
// is the first is known when all before it were seen.
type naming struct {
	cases map[caseKey]*testCase
	plain map[shared]*plain
	seen  map[int64]bool // of testIdx, from next on
	next  int64          // the smallest testIdx that was not seen
}

// shared is what several test cases have: a description, or all that names them.
type shared struct {
	asks
	whole bool
}

// plain is the test case that has a name alone, of those that share it.
type plain struct {
	first   *testCase
	settled bool
}

// find finds or makes the test case of a row. wants is what stands for its assertions.
func (n *naming) find(k caseKey, index int64, wants func() string) *testCase {
	c := n.cases[k]
	if c == nil {
		k.asks = asks{strings.Clone(k.description), strings.Clone(k.said), strings.Clone(k.strategy)}
		k.plugin = strings.Clone(k.plugin)
		c = &testCase{asks: k.asks, plugin: k.plugin, wants: wants(), index: math.MaxInt64}
		n.cases[k] = c
	}
	if index < c.index {
		c.index = index
		for _, name := range c.names() { // one before the test case that has it takes it
			if had := n.plain[name]; had == nil {
				n.plain[name] = &plain{first: c}
			} else if !had.settled && index < had.first.index {
				had.first = c
			}
		}
	}
	for n.seen[index] = true; n.seen[n.next]; n.next++ {
		delete(n.seen, n.next)
	}
	return c
}

// names are what a test case may be called by.
func (c *testCase) names() [2]shared {
	return [2]shared{{asks: asks{description: c.description}}, {c.asks, true}}
}

// knows reports whether it is known what a test case is called.
func (n *naming) knows(c *testCase) bool {
	names := c.names()
	return !slices.ContainsFunc(names[:], func(name shared) bool { return !n.plain[name].settled && n.plain[name].first.index >= n.next })
}

// of is the name of a test case, which holds from now on.
func (n *naming) of(c *testCase) string {
	names := c.names()
	described, asked := n.plain[names[0]], n.plain[names[1]]
	described.settled, asked.settled = true, true
	name := c.description
	switch {
	case name == "":
		name = shorten(c.said)
	case described.first.said != c.said:
		name += " (" + shorten(c.said) + ")"
	}
	name += words.Around(" (", c.strategy, ")")
	if first := asked.first; first.plugin != c.plugin || first.wants != c.wants {
		name += " (" + strings.TrimSpace(c.plugin+" "+c.wants) + ")"
	}
	return name
}

// The values of failureReason. The text in error says nothing of it: promptfoo
// fills it for plain assertion failures too.
const (
	reasonNone   = 0
	reasonAssert = 1
	reasonError  = 2
)

func (rd *reader) row(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{}
	var known bool
	if t.Status, known = status(v); !known {
		v.Reject("it has neither success nor failureReason")
		return
	}
	at := rd.cellOf(v)
	rd.checkOrder(v, &at)
	t.Score, t.DurationMS, t.CostUSD = v.Get("score").Number(), v.Get("latencyMs").Amount(), v.Get("cost").Amount()
	if tokens := v.Get("tokenUsage", "total").Count(); tokens.V > 0 { // 0 is a provider that does not say
		t.Tokens = tokens
	}
	now := rd.knows(&at)
	if now {
		rd.letGo(rd.knows)
		v.Passing(func() { rd.said(v) })
	} else {
		rd.said(v)
	}
	if t.Status == envelope.Error {
		forgetZeros(t)
		t.ErrorClass = failure.OfProvider(v.Get("error").String())
	}
	checks(t, v.Get("gradingResult"))
	label(t, v.Get("testCase", "metadata"))
	if now {
		rd.emitTrial(t, &at)
	} else if rd.held = append(rd.held, held{*t, at}); len(rd.held) == mostHeld {
		rd.letGo(all)
	}
}

// emitTrial delivers a trial of which it is known what its test is called.
func (rd *reader) emitTrial(t *envelope.Trial, at *cell) {
	t.Key = envelope.Key{Test: rd.names.of(at.test), Variant: rd.variant(at)}
	rd.to.Send(t)
}

// held is a trial that waits until it is known what its test is called.
type held struct {
	trial envelope.Trial
	at    cell
}

// mostHeld bounds the trials that wait: behind them, names go by what was seen.
const mostHeld = 1 << 10

func (rd *reader) knows(at *cell) bool {
	return (rd.prompt.OK || at.column < int64(len(rd.columns))) && rd.names.knows(at.test)
}

func all(*cell) bool { return true }

// letGo delivers the trials that wait no longer.
func (rd *reader) letGo(of func(*cell) bool) {
	rd.held = slices.DeleteFunc(rd.held, func(h held) bool {
		known := of(&h.at)
		if known {
			rd.emitTrial(&h.trial, &h.at)
		}
		return known
	})
}

// said takes from a row what of its trial nobody keeps without a copy.
func (rd *reader) said(v jsonwalk.Value) {
	t := &rd.trial
	if t.Status != envelope.Pass {
		reason := cmp.Or(v.Get("error").String(), v.Get("gradingResult", "reason").String())
		t.Message, t.Output = reasonTexts(reason, v.Get("response", "output").String())
	}
	t.Transcript = transcript(v)
}

func status(v jsonwalk.Value) (envelope.Status, bool) {
	success := v.Get("success").Bool()
	reason := v.Get("failureReason").Count()
	switch {
	case reason.OK && reason.V == reasonError:
		return envelope.Error, true
	case reason.OK && reason.V == reasonAssert:
		return envelope.Fail, true
	case success.OK && success.V, !success.OK && reason.OK && reason.V == reasonNone:
		return envelope.Pass, true
	case !success.OK:
		return "", false
	case !reason.OK && !v.Get("gradingResult").Present() && v.Get("error").Present():
		return envelope.Error, true // before there was a failureReason: nothing was graded
	}
	return envelope.Fail, true
}

// forgetZeros drops what promptfoo writes for a trial that came to nothing.
func forgetZeros(t *envelope.Trial) {
	t.Score = envelope.Opt[float64]{}
	for _, n := range []*envelope.Opt[float64]{&t.DurationMS, &t.CostUSD} {
		if n.V == 0 {
			*n = envelope.Opt[float64]{}
		}
	}
}

// reasonTexts returns the first line of a reason. A longer reason follows the answer in the output.
func reasonTexts(reason, answer string) (message, output string) {
	output = answer
	if strings.Contains(strings.TrimSpace(reason), "\n") {
		output = strings.TrimPrefix(output+"\n"+reason, "\n")
	}
	return failure.FirstLine(reason), output
}

func label(t *envelope.Trial, metadata jsonwalk.Value) {
	for name, value := range metadata.Members() {
		if value.IsText() || value.IsNumber() {
			trialfields.AddLabel(t, name, value.Text())
		}
	}
}

type trialsOf struct {
	test     *testCase
	provider string
	column   int64
}

// checkOrder tells once that rows do not stand in the order of testIdx: attempts
// are numbered as they stand.
func (rd *reader) checkOrder(v jsonwalk.Value, at *cell) {
	index := v.Get("testIdx").Count()
	of := trialsOf{at.test, at.provider, at.column}
	if last, seen := rd.last[of]; seen && index.OK && index.V < last && !rd.disorder {
		rd.disorder = true
		v.Warn("attempt-order", "testIdx decreases here: attempts are numbered in the order of the rows")
	}
	if index.OK {
		rd.last[of] = index.V
	}
}

// testCase is a test case of the configuration, as its rows tell it.
type testCase struct {
	asks
	plugin string // that made an attack
	wants  string // stands for its assertions
	index  int64  // the smallest testIdx of its rows
}

// asks is what names a test case: its description and its vars in words, and the
// strategy of an attack. One with neither has a mark of its own as its description.
type asks struct{ description, said, strategy string }

func (rd *reader) caseOf(v jsonwalk.Value) *testCase {
	of := v.Get("testCase")
	vars := of.Get("vars")
	if !vars.Present() {
		vars = v.Get("vars")
	}
	metadata, assert := of.Get("metadata"), of.Get("assert")
	k := caseKey{asks{strings.TrimSpace(of.Get("description").Text()), inWords(vars), metadata.Get("strategyId").Text()},
		metadata.Get("pluginId").Text(), maphash.Bytes(seed, assert.Raw())}
	if k.description == "" && k.said == "" {
		k.description = "test case " + hash(of.String())
	}
	if k.strategy == "basic" {
		k.strategy = ""
	}
	return rd.names.find(k, v.Get("testIdx").Count().V, func() string { return hash(assert.String()) })
}

// caseKey tells test cases apart. Its sum is of assertions as they are written: a record may
// have lost some of their blanks, which say nothing.
type caseKey struct {
	asks
	plugin  string
	written uint64
}

// seed is of sums that no report shows.
var seed = maphash.MakeSeed()

// cell is a test case with a provider and a prompt.
type cell struct {
	test                    *testCase
	provider, prompt, label string
	column                  int64
}

func (rd *reader) cellOf(v jsonwalk.Value) cell {
	c := cell{test: rd.caseOf(v), column: v.Get("promptIdx").Count().V, label: v.Get("prompt", "label").Text()}
	if provider := v.Get("provider"); provider.IsObject() {
		c.provider = cmp.Or(provider.Get("label").Text(), provider.Get("id").Text())
	} else {
		c.provider = provider.Text()
	}
	c.prompt = cmp.Or(v.Get("promptId").Text(), v.Get("prompt", "raw").String())
	if c.column == 0 && !rd.prompt.OK {
		rd.prompt = envelope.Some(strings.Clone(c.prompt))
	}
	return c
}

// variant is the provider of a row. Every prompt but the first is told apart by its label, so
// that the names of plain suites stay plain, and so is a provider that comes twice.
func (rd *reader) variant(c *cell) string {
	name, of := c.provider, rd.column(c)
	if of.again > 0 {
		name = fmt.Sprintf("%s #%d", name, of.again+1)
	}
	if of.first {
		return name
	}
	return strings.TrimPrefix(fmt.Sprintf("%s, prompt %s %s", name, shorten(c.label), hash(c.prompt)), ", ")
}

type column struct {
	provider, prompt string
	first            bool // its prompt is that of the first column
	again            int  // how many before it have its provider and its prompt
}

// add notes a column of a document, which lists them before its rows. Rows stand in the
// order in which they ended, so that the first of them tells nothing.
func (rd *reader) add(v jsonwalk.Value) {
	c := column{provider: strings.Clone(v.Get("provider").String()), prompt: v.Get("label").String() + "\n" + v.Get("raw").String()}
	c.first = len(rd.columns) == 0 || c.prompt == rd.columns[0].prompt
	for _, before := range rd.columns {
		if before.provider == c.provider && before.prompt == c.prompt {
			c.again++
		}
	}
	rd.columns = append(rd.columns, c)
}

// column is that of a row, by the list of the document or else by its prompt.
func (rd *reader) column(c *cell) column {
	if c.column < int64(len(rd.columns)) {
		return rd.columns[c.column]
	}
	return column{first: c.prompt == rd.prompt.V}
}

// inWords is vars as a person writes them: q=capital of Australia, n=3. The session that
// transformVars is to give each test, as promptfoo's guide to sessions has it, is another
// one in every run.
func inWords(vars jsonwalk.Value) string {
	var words []string
	for name, value := range vars.Members() {
		if text := value.String(); name != "sessionId" || !uuid().MatchString(text) {
			words = append(words, name+"="+text)
		}
	}
	return strings.Join(words, ", ")
}

var uuid = regex.Of(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// shorten makes a name of a long text and keeps it different from others that
// begin alike.
func shorten(text string) string {
	const most = 120
	if len(text) <= most && !strings.ContainsAny(text, "\r\n") {
		return text
	}
	head := failure.FirstLine(text)
	return strings.TrimSuffix(words.Head(head, most), "…") + "… " + hash(text)
}

// hash is eight characters that stand for a text.
func hash(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}
