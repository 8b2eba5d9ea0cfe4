package promptfoo

import (
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
)

// key is the identity of a row: description and vars of its test case, provider
// and prompt. A description that has stood for other vars before is told apart
// by the vars, and every prompt but the first of the file by its label, so that
// the names of plain suites stay plain. What else may differ is told apart where it
// does: the strategy of an attack, other assertions, and a provider that comes twice.
func (rd *reader) key(v jsonwalk.Value) envelope.Key {
	return envelope.Key{Test: rd.test(v), Variant: rd.variant(v)}
}

func (rd *reader) test(v jsonwalk.Value) string {
	testCase := v.Get("testCase")
	vars := testCase.Get("vars")
	if !vars.Present() {
		vars = v.Get("vars")
	}
	name := rd.name(testCase.Get("description").Text(), inWords(vars), func() string { return hash(testCase.String()) })
	return rd.apart(name, testCase.Get("metadata"), testCase.Get("assert"))
}

// apart tells test cases apart that ask the same and want something else: those of an
// attack by its strategy, others by their assertions.
func (rd *reader) apart(name string, metadata, assert jsonwalk.Value) string {
	plugin, strategy := metadata.Get("pluginId").Text(), metadata.Get("strategyId").Text()
	if strategy != "" && strategy != "basic" {
		name += " (" + strategy + ")"
	}
	these := wants{maphash.String(seed, plugin), maphash.Bytes(seed, assert.Raw()), 0}
	first, seen := rd.cases[name]
	if seen && first.plugin == these.plugin && first.written == these.written {
		return name
	}
	said := assert.String()
	if these.said = maphash.String(seed, said); !seen {
		rd.cases[name] = these
	} else if first.plugin != these.plugin || first.said != these.said {
		return fmt.Sprintf("%s (%s)", name, strings.TrimSpace(plugin+" "+hash(said)))
	}
	return name
}

// wants are sums of what a test case asks for: of its assertions as they are written and, as
// blanks say nothing and a record may have lost some, without these.
type wants struct{ plugin, written, said uint64 }

// seed is of sums that no report shows.
var seed = maphash.MakeSeed()

// name is that of a test case by its description and its vars in words, or else by a
// mark of its own.
func (rd *reader) name(description, said string, mark func() string) string {
	description = strings.TrimSpace(description)
	switch {
	case description == "" && said == "":
		return "test case " + mark()
	case description == "":
		return shorten(said)
	}
	these := hash(said)
	if first, seen := rd.names[description]; !seen {
		rd.names[description] = these
	} else if first != these {
		return description + " (" + shorten(said) + ")"
	}
	return description
}

func (rd *reader) variant(v jsonwalk.Value) string {
	provider := v.Get("provider")
	name := provider.Get("label").Text()
	if name == "" {
		name = provider.Get("id").Text()
	}
	if !provider.IsObject() {
		name = provider.Text()
	}
	prompt := v.Get("promptId").Text()
	if prompt == "" {
		prompt = v.Get("prompt", "raw").String()
	}
	c := rd.column(v.Get("promptIdx").Count().V, prompt)
	if c.again > 0 {
		name = fmt.Sprintf("%s #%d", name, c.again+1)
	}
	if c.first {
		return name
	}
	label := v.Get("prompt", "label").Text()
	return strings.TrimPrefix(fmt.Sprintf("%s, prompt %s %s", name, shorten(label), hash(prompt)), ", ")
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
func (rd *reader) column(index int64, prompt string) column {
	if index < int64(len(rd.columns)) {
		return rd.columns[index]
	}
	if rd.prompt == "" {
		rd.prompt = prompt
	}
	return column{first: prompt == rd.prompt}
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
	return strings.ToValidUTF8(head[:min(len(head), most)], "") + "… " + hash(text)
}

// hash is eight characters that stand for a text.
func hash(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}
