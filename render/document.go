package render

import (
	"io"

	"tribunal/internal/block"
	"tribunal/render/html"
	"tribunal/render/markdown"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// drawn is what is written as a plain document: a plan, a ranking.
type drawn interface{ Document() *block.Document }

func drawPretty[D drawn](w io.Writer, d D, s Settings) error {
	return pretty.WriteDocument(w, d.Document(), prettyOptions(s))
}

func drawMarkdown[D drawn](w io.Writer, d D, s Settings) error {
	return markdown.WriteDocument(w, d.Document(), markdownOptionsOf(s))
}

func drawHTML[D drawn](w io.Writer, d D, _ Settings) error {
	return html.WriteDocument(w, d.Document())
}

func writeJSON[D any](w io.Writer, d *D, _ Settings) error { return ndjson.WriteDocument(w, d) }

// The writers of a table are those of the formats, each with the part of the settings
// that it has options for.

// plain is a format without options.
func plain[D any](write func(io.Writer, D) error) func(io.Writer, D, Settings) error {
	return func(w io.Writer, d D, _ Settings) error { return write(w, d) }
}

// with is a format with options.
func with[D, O any](write func(io.Writer, D, O) error, options func(Settings) O) func(io.Writer, D, Settings) error {
	return func(w io.Writer, d D, s Settings) error { return write(w, d, options(s)) }
}

// standard is a format whose options nobody is asked for.
func standard[O any](Settings) (o O) { return o }

func prettyOptions(s Settings) pretty.Options {
	return pretty.Options{Color: s.Terminal.Color, Width: s.Terminal.Width, ASCII: s.Terminal.ASCII, Kept: s.Terminal.Kept, Detailed: s.Terminal.Detailed, Report: s.Terminal.Report, Show: s.Terminal.Show, Rows: s.number("pretty-rows")}
}

func markdownOptionsOf(s Settings) markdown.Options {
	return markdown.Options{Limit: s.number("markdown-limit")}
}
