package render

import (
	"io"

	"tribunal/render/ndjson"
	"tribunal/render/pretty"
	"tribunal/run/next"
)

// Nexts is the table of formats of the trials to run next.
var Nexts = Table[*next.Plan]{
	{Name: Default, Doc: "the tests that are worth most, and what is left", Lost: "view only", Endings: []string{".txt"}, Write: writePrettyNext},
	{Name: "json", Doc: "trials and tests as one JSON document (tribunal schema next)", Lost: "nothing", Endings: []string{".json"}, Write: writeJSONNext},
	{Name: "ndjson", Doc: "a trial a line, for an engine", Lost: "where tests stand", Endings: []string{".ndjson", ".jsonl"}, Write: writeLinesNext},
	{Name: "args", Doc: "the words of the command behind -- for each trial, a NUL behind each word: xargs -0 -n WORDS env, parallel -0 -n WORDS env", Lost: "all but the command", Write: writeArgsNext},
	{Name: "matrix", Doc: `{"include":[…]} for the matrix of a GitHub workflow, on one line`, Lost: "where tests stand", Write: writeMatrixNext},
}

func writePrettyNext(w io.Writer, p *next.Plan, s Settings) error {
	return pretty.WriteNext(w, p, prettyOptions(s))
}

func writeJSONNext(w io.Writer, p *next.Plan, _ Settings) error { return ndjson.WriteDocument(w, p) }

func writeLinesNext(w io.Writer, p *next.Plan, _ Settings) error { return ndjson.WriteNext(w, p) }

func writeArgsNext(w io.Writer, p *next.Plan, _ Settings) error { return ndjson.WriteArgs(w, p) }

func writeMatrixNext(w io.Writer, p *next.Plan, _ Settings) error { return ndjson.WriteMatrix(w, p) }
