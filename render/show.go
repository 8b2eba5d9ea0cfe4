package render

import (
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
	"tribunal/verdict/parting"
)

// Shows is the table of formats that conversations are written in.
var Shows = Table[*parting.Shown]{
	{Name: Default, Doc: "the conversation for a terminal, or two aligned by their calls", Lost: "in a terminal, what long texts have beyond some lines", Endings: []string{".txt"}, Write: with(pretty.WriteShow, prettyOptions)},
	{Name: "json", Doc: "the turns as one JSON document", Lost: "nothing", Endings: []string{".json"}, Write: plain(ndjson.WriteShow)},
}
