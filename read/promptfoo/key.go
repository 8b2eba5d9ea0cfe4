package promptfoo

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
)

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

// column is a provider with a prompt.
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
