// Package slack writes an envelope as a message for Slack, in Block Kit JSON: what
// an incoming webhook and chat.postMessage take as it is.
//
// Slack rejects a message that exceeds one of its limits, and a name with <!channel> notifies
// everybody. The message has the name of the run, the headline, failed gates, the first twenty tests
// that did not pass, worst first, and the problems of the input in a line. Texts of tests are only
// in plain_text, where Slack follows no command. The fallback text has only the verdict.
package slack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/text"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// Slack's limits, in characters as JavaScript counts them, and what is listed.
const (
	headerLimit  = 150
	sectionLimit = 3000
	listed       = 20 // tests
	nameLimit    = 200
	reasonLimit  = 300
)

type message struct {
	Text   string  `json:"text"` // for notifications
	Blocks []block `json:"blocks"`
}

type block struct {
	Type     string   `json:"type"`
	Text     *object  `json:"text,omitempty"`
	Elements []object `json:"elements,omitempty"`
}

type object struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Emoji *bool  `json:"emoji,omitempty"`
}

// Write writes the message. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, commands standing.Commands) error {
	h := standing.HeadlineOf(e, text.Line)
	title := new(plain(text.Line(standing.RunName(e)), headerLimit))
	m := message{Text: "Tribunal: " + h.Word, Blocks: []block{{Type: "header", Text: title}}}
	variants := words.Join("\n", each.Of(h.Variants, func(v standing.VariantLine) string {
		return text.CutLine(text.Line(v.Name), 100) + ": " + v.Says
	})...)
	m.Blocks = append(m.Blocks, section(words.Join("\n", h.String(), variants, h.Below(), e.Gate.Headline())))
	if says := text.Line(standing.Unheld(&e.Gate)); says != "" {
		m.Blocks = append(m.Blocks, section(says))
	}
	m.Blocks = append(m.Blocks, tests(e)...)
	said := words.Join(" · ", words.Around("commit ", cut(text.Line(e.Run.Commit), 40)), standing.PolicyFile(e), text.Line(standing.Broken(e)))
	if said != "" {
		m.Blocks = append(m.Blocks, block{Type: "context", Elements: []object{plain(said, sectionLimit)}})
	}
	if next := words.Join("\n", commands.Next(e)...); next != "" {
		m.Blocks = append(m.Blocks, section("Next: "+next))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

func section(s string) block { return block{Type: "section", Text: new(plain(s, sectionLimit))} }

// plain is a text in which Slack follows no command. It must not be empty.
func plain(s string, limit int) object {
	return object{Type: "plain_text", Text: cut(cmp.Or(s, "–"), limit), Emoji: new(false)}
}

// cut keeps the head of a text, as Slack counts.
func cut(s string, limit int) string {
	n := 0
	for i, c := range s {
		if n += utf16.RuneLen(c); n > limit-1 {
			return s[:i] + "…"
		}
	}
	return s
}

func tests(e *envelope.Envelope) []block {
	var lines []string
	left := 0
	for _, status := range []envelope.Status{envelope.Fail, envelope.Error, envelope.Inconclusive} {
		for _, t := range standing.WorstFirst(standing.Where(e.Tests, func(t *envelope.Test) bool { return t.Status == status })) {
			if len(lines) < listed {
				lines = append(lines, line(e, t))
			} else {
				left++
			}
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", words.Plural(left, "test", "tests")))
	}
	var out []block
	for len(lines) > 0 {
		n, size := 0, 0
		for n < len(lines) {
			if size += len(utf16.Encode([]rune(lines[n]))) + 1; size > sectionLimit && n > 0 {
				break
			}
			n++
		}
		out = append(out, section(strings.Join(lines[:n], "\n")))
		lines = lines[n:]
	}
	return out
}

// line is for instance: FAIL checkout/pays, 8 of 20 trials passed: said so.
func line(e *envelope.Envelope, t *envelope.Test) string {
	mark := standing.MarkOf(e, t) + words.If(t.Excused(), " (excused)")
	name := cmp.Or(text.Line(t.Key.RunnerName()), "(unnamed)")
	said := text.Line(standing.Reason(t))
	if whys := why.Spoken(e, t); len(whys) > 0 && t.Status != envelope.Inconclusive {
		said = text.Line(whys[0].Text())
	}
	s := fmt.Sprintf("%s  %s, %s passed", mark, cut(name, nameLimit), words.Of(t.Trials.Passed, t.Trials.Counted, "trial", "trials"))
	s += words.If(said != "", ": "+cut(said, reasonLimit))
	if within := standing.Inside(t); len(within) > 0 {
		s += "; " + cut(text.Line(within[0]), reasonLimit)
	}
	return s
}
