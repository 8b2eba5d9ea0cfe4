package mapped

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/read/internal/trialfields"
)

// setChecks takes scores as platforms write them: an object of them by name, an array
// of objects that have a name, or one value.
func setChecks(t *envelope.Trial, v value) error {
	before := len(t.Checks)
	switch found := v.found; {
	case found.IsArray():
		found.ForEach(func(_, one gjson.Result) bool {
			addCheck(t, one.Get("name").String(), one)
			return true
		})
	case found.IsObject():
		addScores(t, "", found)
	case found.Type == gjson.Null && v.text == "":
		return nil
	default:
		addCheck(t, v.name, found)
	}
	if len(t.Checks) == before && v.found.Type != gjson.Null && !isEmpty(v.found) {
		return errors.New(quoted(v.text) + " has no scores: an object of them by name is expected, or an array of objects with a name and a score")
	}
	return nil
}

// isEmpty reports whether a value says nothing: of scores that are null nobody knows
// anything.
func isEmpty(v gjson.Result) bool {
	if !v.IsObject() && !v.IsArray() {
		return v.String() == ""
	}
	empty := true
	v.ForEach(func(_, one gjson.Result) bool {
		empty = one.Type == gjson.Null
		return empty
	})
	return empty
}

// addScores takes an object of scores by name.
func addScores(t *envelope.Trial, under string, scores gjson.Result) {
	scores.ForEach(func(name, one gjson.Result) bool {
		addCheck(t, under+name.String(), one)
		return true
	})
}

// The names under which platforms keep the parts of a check, in the order in which
// they count.
var (
	nameKeys   = [...]string{"name", "key", "metric", "scorer", "evaluator_name"}
	scoreKeys  = [...]string{"score", "value", "avg", "mean"}
	statusKeys = [...]string{"passed", "pass", "success", "correct", "status", "label", "stringValue"}
	reasonKeys = [...]string{"explanation", "comment", "reason", "reasoning", "rationale", "error"}
)

// addCheck takes one score: a number, a truth, or an object that has one. Of an
// object of several values each is a check.
func addCheck(t *envelope.Trial, name string, one gjson.Result) {
	c := envelope.Check{Name: name}
	if !one.IsObject() {
		outcome(&c, one)
		trialfields.AddCheck(t, c, "score")
		return
	}
	parts := one.Map()
	if called := first(parts, nameKeys[:], isNamed); called != "" {
		c.Name = called
	}
	for _, key := range scoreKeys {
		outcome(&c, parts[key])
	}
	if c.Status == "" {
		for _, key := range statusKeys {
			if status, ok := envelope.ParseStatus(parts[key].String()); ok && c.Status == "" {
				c.Status = status
			}
		}
	}
	c.Reason = first(parts, reasonKeys[:], isText)
	if c.Status == "" && !c.Score.OK {
		if isText(parts["error"]) {
			c.Status = envelope.Error
		} else if c.Name == name && name != "" {
			addScores(t, name+".", flat(one))
			return
		}
	}
	trialfields.AddCheck(t, c, "score")
}

// flat is an object without what in it has parts: scores are nested once.
func flat(v gjson.Result) gjson.Result {
	var b strings.Builder
	b.WriteByte('{')
	v.ForEach(func(name, one gjson.Result) bool {
		if one.Type == gjson.Number || one.IsBool() {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			b.WriteString(name.Raw + ":" + one.Raw)
		}
		return true
	})
	b.WriteByte('}')
	return gjson.Parse(b.String())
}

// outcome takes a number as a score, and a truth or the word of a status as one.
func outcome(c *envelope.Check, v gjson.Result) {
	switch {
	case v.IsBool():
		if c.Status == "" {
			c.Status = trialfields.PassFail(envelope.Some(v.Bool()))
		}
	case !c.Score.OK && isNumber(v):
		n, err := (value{text: v.String(), scale: 1}).number()
		c.Score = envelope.Opt[float64]{V: n, OK: err == nil}
	case c.Status == "" && v.Type == gjson.String:
		c.Status, _ = envelope.ParseStatus(v.Str)
	}
}

func isNamed(v gjson.Result) bool { return v.Type == gjson.String && v.Str != "" }

func first(parts map[string]gjson.Result, keys []string, fits func(gjson.Result) bool) string {
	for _, key := range keys {
		if v := parts[key]; fits(v) && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// decide gives the trial the outcome of the check that decides, or of all of them. Of
// a trial that nobody scored nothing is known.
func decide(t *envelope.Trial, scorer string) error {
	if t.Status != "" || t.Score.OK || t.Category.OK {
		return nil
	}
	if scorer == "" {
		if len(t.Checks) == 0 {
			t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "nobody scored it"
		}
		return nil
	}
	var names []string
	for _, c := range t.Checks {
		if c.Name == scorer {
			t.Status, t.Score = c.Status, c.Score
			return nil
		}
		names = append(names, c.Name)
	}
	if len(names) > 0 {
		return errors.New("no score is called " + quoted(scorer) + ", but " + strings.Join(names, ", "))
	}
	t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "nobody scored it"
	return nil
}
