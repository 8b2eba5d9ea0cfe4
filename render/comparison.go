package render

import (
	"io"

	"tribunal/compare"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// Comparisons is the table of formats that comparisons are written in.
var Comparisons = Table[*compare.Comparison]{
	{Name: "pretty", Doc: "the terminal report: what changed first, what cannot be said as ~", Write: prettyComparison},
	{Name: "json", Doc: "the whole comparison as one JSON document (" + compare.Schema + ")",
		Write: func(w io.Writer, c *compare.Comparison, _ Settings) error { return ndjson.WriteComparison(w, c) }},
}

func prettyComparison(w io.Writer, c *compare.Comparison, s Settings) error {
	return pretty.WriteComparison(w, c, prettyOptions(s))
}

func prettyOptions(s Settings) pretty.Options {
	return pretty.Options{Color: s.Terminal.Color, Width: s.Terminal.Width, ASCII: s.Terminal.ASCII}
}
