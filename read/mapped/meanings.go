package mapped

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
)

// meaning is what the name of a field may mean: a field of a trial, a factor, and how
// sure the name is, lower ranks winning over higher ones.
type meaning struct {
	field string
	scale string // of the path in a mapping
	rank  int
	fits  func(gjson.Result) bool
}

// meanings are the common names of fields, in small letters and without what parts
// their words. A name that stands for several things, such as cost or duration without
// a unit, is not in it.
var meanings = func() map[string]meaning {
	all := map[string]meaning{}
	add := func(field string, rank int, fits func(gjson.Result) bool, names ...string) {
		for _, name := range names {
			name, scale, _ := strings.Cut(name, "*")
			if scale != "" {
				scale = "*" + scale
			}
			all[name] = meaning{field, scale, rank, fits}
		}
	}
	add("test", 0, named, "test", "testname", "testid", "testcase", "case")
	add("test", 1, named, "name", "title", "task", "taskname", "taskid", "scenario", "nodeid", "question", "questionid", "sampleid", "instanceid")
	add("test", 2, named, "id")
	add("status", 0, isStatus, "status", "outcome", "result", "verdict", "state")
	add("status", 1, isTruth, "passed", "pass", "success", "succeeded", "ok", "correct", "iscorrect", "resolved")
	add("truth", 0, isWord, "truth")
	add("score", 0, isNumber, "score")
	add("score", 1, isNumber, "reward")
	add("suite", 0, isText, "suite", "testsuite", "suitename")
	add("variant", 0, isText, "variant")
	add("variant", 1, isText, "model", "modelname")
	add("attempt", 0, isCount, "attempt")
	add("attempt", 1, isCount, "trial", "iteration", "repeat", "repetition", "epoch")
	add("duration_ms", 0, isNumber, "durationms", "timems", "elapsedms", "latencyms", "durations*1000", "durationseconds*1000", "durationsec*1000", "elapseds*1000", "elapsedseconds*1000", "latencys*1000", "latencyseconds*1000", "seconds*1000")
	add("cost_usd", 0, isNumber, "costusd", "costinusd", "totalcostusd")
	add("tokens", 0, isCount, "tokens", "totaltokens")
	add("tool_calls", 0, isCount, "toolcalls")
	add("message", 0, isText, "message", "reason", "errormessage", "failuremessage")
	add("message", 1, isText, "error", "failure", "explanation")
	add("output", 0, isText, "output", "stdout", "log", "response")
	add("error_class", 0, isText, "errorclass")
	add("file", 0, isText, "file", "filename", "filepath")
	add("line", 0, isCount, "line", "lineno", "linenumber")
	return all
}()

// verdict is a score in words, pass or fail, as the experiments of Ragas have it.
var verdict = meaning{"status", "", 2, isStatus}

func named(v gjson.Result) bool { return v.Type == gjson.String && v.Str != "" || isCount(v) }

// isStatus takes words of a status and truth values. A bare 0 or 1 may be an exit code.
func isStatus(v gjson.Result) bool {
	_, known := envelope.ParseStatus(v.String())
	return v.IsBool() || v.Type == gjson.String && known && !isNumber(v)
}

// truths are the words for a truth value under a name that asks a question.
var truths = []string{"true", "false", "yes", "no", "y", "n"}

func isTruth(v gjson.Result) bool {
	word := strings.ToLower(v.String())
	return v.IsBool() || (v.Type == gjson.String || v.Type == gjson.Number) && (word == "0" || word == "1" || slices.Contains(truths, word))
}

// isNumber also takes one in a cell of a table, where everything is text.
func isNumber(v gjson.Result) bool {
	_, err := strconv.ParseFloat(v.String(), 64)
	return err == nil && (v.Type == gjson.Number || v.Type == gjson.String)
}

func isCount(v gjson.Result) bool {
	n, err := strconv.ParseInt(v.String(), 10, 32)
	return err == nil && n >= 0 && (v.Type == gjson.Number || v.Type == gjson.String)
}

// isWord takes any word and truth value: one that is no label is told with its place.
func isWord(v gjson.Result) bool { return isText(v) || v.IsBool() }

func isText(v gjson.Result) bool { return v.Type == gjson.String }

// spoken is a name in small letters and without what parts its words.
func spoken(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}
