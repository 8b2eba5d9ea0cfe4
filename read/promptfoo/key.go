package promptfoo

import (
	"fmt"
	"hash/fnv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
)

// key is the identity of a row: description and vars of its test case, provider
// and prompt. A description that has stood for other vars before is told apart
// by the vars, and every prompt but the first of the file by its label, so that
// the names of plain suites stay plain.
func (rd *reader) key(v jsonwalk.Value) envelope.Key {
	return envelope.Key{Test: rd.test(v), Variant: rd.variant(v)}
}

func (rd *reader) test(v jsonwalk.Value) string {
	vars := v.Get("testCase", "vars")
	if !vars.Present() {
		vars = v.Get("vars")
	}
	return rd.name(v.Get("testCase", "description").Text(), inWords(vars), func() string { return hash(v.Get("testCase").String()) })
}

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
	if rd.prompt == "" {
		rd.prompt = prompt
	}
	if prompt == rd.prompt {
		return name
	}
	label := v.Get("prompt", "label").Text()
	return strings.TrimPrefix(fmt.Sprintf("%s, prompt %s %s", name, shorten(label), hash(prompt)), ", ")
}

// inWords is vars as a person writes them: q=capital of Australia, n=3.
func inWords(vars jsonwalk.Value) string {
	var words []string
	for name, value := range vars.Members() {
		words = append(words, name+"="+value.String())
	}
	return strings.Join(words, ", ")
}

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
