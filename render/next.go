package render

import (
	"tribunal/render/ndjson"
	"tribunal/run/next"
)

// Nexts is the table of formats of the trials to run next.
var Nexts = Table[*next.Plan]{
	{Name: Default, Doc: "the tests that are worth most, and what is left", Lost: "view only", Endings: []string{".txt"}, Write: drawPretty[*next.Plan]},
	{Name: "json", Doc: "trials and tests as one JSON document (tribunal schema next)", Lost: "nothing", Endings: []string{".json"}, Write: writeJSON[next.Plan]},
	{Name: "ndjson", Doc: "a trial a line, for an engine", Lost: "where tests stand", Endings: []string{".ndjson", ".jsonl"}, Write: plain(ndjson.WriteNext)},
	{Name: "args", Doc: "the words of the command behind -- for each trial, a NUL behind each word: xargs -0 -n WORDS env, parallel -0 -n WORDS env", Lost: "all but the command", Write: plain(ndjson.WriteArgs)},
	{Name: "matrix", Doc: `{"include":[…]} for the matrix of a GitHub workflow, on one line`, Lost: "where tests stand", Write: plain(ndjson.WriteMatrix)},
}
