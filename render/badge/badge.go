// Package badge writes an envelope as a badge for a README or a wiki: an SVG image, or the endpoint JSON of shields.io.
//
// It exists because a badge is what people look at first. It has the counts that are not passes, the word of the gate where
// it has one, and the colour of the gate: red, yellow where nothing failed but something is inconclusive or excused by a
// quarantine, green, and grey where nothing was judged. The colour says nothing that the words do not.
//
// There are numbers and our own words alone in it, nothing that a test wrote. The SVG loads nothing and has no script; its
// widths are those of the letters in the font that most badges have, and textLength makes any other font fit.
package badge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// The forms of a badge.
const (
	SVG      = "svg"
	Endpoint = "endpoint"
)

// Options of the format.
type Options struct {
	Form string // SVG by default
}

// Write writes the badge. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	b := badge{Schema: 1, Label: "tests", Message: message(e), Color: color(e), IsError: e.Gate.Status == envelope.Error}
	if o.Form == Endpoint {
		return json.NewEncoder(w).Encode(b)
	}
	_, err := io.WriteString(w, b.svg())
	return err
}

type badge struct {
	Schema  int    `json:"schemaVersion"`
	Label   string `json:"label"`
	Message string `json:"message"`
	Color   string `json:"color"`
	IsError bool   `json:"isError,omitempty"`
}

// message is for instance: 2 failed, 1 inconclusive, 9 passed.
func message(e *envelope.Envelope) string {
	s := &e.Summary
	excused := each.Count(e.Tests, func(t envelope.Test) bool { return t.Status == envelope.Fail && t.Excused() })
	some := func(n int, one, many string) string { return words.If(n > 0, words.Plural(n, one, many)) }
	counts := words.Join(", ", words.If(s.Fail > excused, standing.FailedTests(e, s.Fail-excused)), some(s.Error-s.NotRun, "error", "errors"),
		some(s.NotRun, "not run", "not run"), some(excused, "excused", "excused"),
		some(s.Inconclusive, "inconclusive", "inconclusive"), some(s.Pass, "passed", "passed"), some(s.Skip, "skipped", "skipped"))
	parts := []string{cmp.Or(counts, "none"), e.Gate.Headline()}
	switch failed := s.Fail + s.Error - excused; {
	case standing.Unheld(&e.Gate) != "":
		parts = append(parts, "gate failed")
	case failed > 0 && standing.Word(e) == standing.Mark(envelope.Pass): // the run alone is judged
		parts = append(parts, "gate passed")
	}
	return words.If(e.Gate.Status == envelope.Error, "broken run: ") + words.Join(", ", parts...)
}

func color(e *envelope.Envelope) string {
	switch {
	case e.Gate.Status == envelope.Fail, e.Gate.Status == envelope.Error, e.Gate.ExitCode == 1:
		return "red"
	case e.Summary.Pass == 0 && e.Summary.Inconclusive == 0:
		return "lightgrey"
	case e.Summary.Inconclusive > 0 || e.Summary.Excused > 0 || len(e.Gate.Notices) > 0:
		return "yellow"
	}
	return "brightgreen"
}

// fills are the colours as shields.io draws them, yellow darker so that white letters can be read on it.
var fills = map[string]string{"red": "#c93b28", "lightgrey": "#6a6a6a", "yellow": "#8a6a00", "brightgreen": "#2e7d1e"}

func (b badge) svg() string {
	const height, margin = 20, 10
	left, right := width(b.Label)+margin, width(b.Message)+margin
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" aria-label="%s: %s">`+"\n", left+right,
		height, b.Label, b.Message)
	fmt.Fprintf(&s, "  <title>%s: %s</title>\n", b.Label, b.Message)
	fmt.Fprintf(&s, `  <rect width="%d" height="%d" rx="3" fill="%s"/>`+"\n", left+right, height, fills[b.Color])
	fmt.Fprintf(&s, `  <path d="M3 0h%dv%dH3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>`+"\n", left-3, height)
	s.WriteString(`  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">` + "\n")
	for _, side := range []struct {
		middle, length int
		text           string
	}{{left / 2, left - margin, b.Label}, {left + right/2, right - margin, b.Message}} {
		fmt.Fprintf(&s, `    <text x="%d" y="14" textLength="%d">%s</text>`+"\n", side.middle, side.length, side.text)
	}
	s.WriteString("  </g>\n</svg>\n")
	return s.String()
}

// width is how wide a text is in Verdana of 11 pixels, rounded up.
func width(s string) int {
	tenths := 0
	for _, c := range s {
		switch {
		case strings.ContainsRune("ijlft., :I", c):
			tenths += 42
		case c >= 'A' && c <= 'Z', c == 'm', c == 'w':
			tenths += 84
		default:
			tenths += 68
		}
	}
	return (tenths + 9) / 10
}
