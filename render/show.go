package render

import (
	"io"

	"tribunal/render/ndjson"
	"tribunal/render/pretty"
	"tribunal/verdict/parting"
)

// Shows is the table of formats that conversations are written in.
var Shows = Table[*parting.Shown]{
	{Name: Default, Doc: "the conversation for a terminal, or two aligned by their calls", Lost: "in a terminal, what long texts have beyond some lines", Endings: []string{".txt"}, Write: prettyShow},
	{Name: "json", Doc: "the turns as one JSON document", Lost: "nothing", Endings: []string{".json"}, Write: jsonShow},
}

func prettyShow(w io.Writer, s *parting.Shown, o Settings) error {
	return pretty.WriteShow(w, s, prettyOptions(o))
}

func jsonShow(w io.Writer, s *parting.Shown, _ Settings) error { return ndjson.WriteShow(w, s) }
