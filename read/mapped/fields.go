package mapped

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

type value struct {
	text  string
	found gjson.Result // as it stands in a record of JSON
	name  string       // of what stands there
	scale float64
}

func (v value) parseFloat() (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(v.text), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%s is not a number", quoted(v.text))
	}
	if v.scale == 1 {
		return n, nil
	}
	if inverse := 1 / v.scale; inverse == math.Trunc(inverse) {
		return n / inverse, nil // dividing is exact where multiplying by 0.001 is not
	}
	return n * v.scale, nil
}

func (v value) positive() (envelope.Opt[float64], error) {
	n, err := v.parseFloat()
	if err == nil && n < 0 {
		err = fmt.Errorf("%s is below 0", quoted(v.text))
	}
	return envelope.Opt[float64]{V: n, OK: err == nil}, err
}

func (v value) whole(most int64) (int64, error) {
	n, err := v.parseFloat()
	if err == nil && (n != math.Trunc(n) || n < 0 || n > float64(most)) {
		err = fmt.Errorf("%s is not a whole number from 0 to %d", quoted(v.text), most)
	}
	return int64(n), err
}

// quoted is a text from the input as a message shows it: short, on one line.
func quoted(s string) string { return words.Quote(s, 60) }

// setters put a value into a field of a trial, one a field.
var setters = map[string]func(*envelope.Trial, value) error{
	"suite":       func(t *envelope.Trial, v value) error { t.Suite = v.text; return nil },
	"test":        func(t *envelope.Trial, v value) error { t.Test = v.text; return nil },
	"variant":     func(t *envelope.Trial, v value) error { t.Variant = v.text; return nil },
	"run":         func(t *envelope.Trial, v value) error { t.Run = v.text; return nil },
	"message":     func(t *envelope.Trial, v value) error { t.Message = v.text; return nil },
	"output":      func(t *envelope.Trial, v value) error { t.Output = v.text; return nil },
	"file":        func(t *envelope.Trial, v value) error { t.File = v.text; return nil },
	"error_class": func(t *envelope.Trial, v value) error { t.ErrorClass = v.text; return nil },
	"status":      setStatus,
	"truth":       setTruth,
	"retry":       func(t *envelope.Trial, v value) (err error) { t.Retry, err = v.flag(); return err },
	"adaptive": func(t *envelope.Trial, v value) error {
		adaptive, err := v.flag()
		t.Adaptive = envelope.Opt[bool]{V: adaptive, OK: err == nil}
		return err
	},
	"started_at":     setStartedAt,
	"ended_at":       setEndedAt,
	"error":          setError,
	"checks":         setChecks,
	"score":          setScore,
	"duration_ms":    positive(func(t *envelope.Trial) *envelope.Opt[float64] { return &t.DurationMS }),
	"setup_ms":       positive(func(t *envelope.Trial) *envelope.Opt[float64] { return &t.SetupMS }),
	"cost_usd":       positive(func(t *envelope.Trial) *envelope.Opt[float64] { return &t.CostUSD }),
	"setup_cost_usd": positive(func(t *envelope.Trial) *envelope.Opt[float64] { return &t.SetupCostUSD }),
	"attempt":        whole(func(t *envelope.Trial) *envelope.Opt[int32] { return &t.Attempt }),
	"category":       whole(func(t *envelope.Trial) *envelope.Opt[int32] { return &t.Category }),
	"tool_calls":     whole(func(t *envelope.Trial) *envelope.Opt[int32] { return &t.ToolCalls }),
	"tokens": func(t *envelope.Trial, v value) error {
		n, err := v.whole(1 << 53)
		t.Tokens = envelope.Opt[int64]{V: n, OK: err == nil}
		return err
	},
	"line": func(t *envelope.Trial, v value) error {
		n, err := v.whole(math.MaxInt32)
		t.Line = int(n)
		return err
	},
}

// required are the fields without which a record is no trial.
var required = map[string]bool{"test": true, "status": true, "suite": true, "variant": true, "run": true, "attempt": true, "truth": true}

func positive(field func(*envelope.Trial) *envelope.Opt[float64]) func(*envelope.Trial, value) error {
	return func(t *envelope.Trial, v value) (err error) {
		*field(t), err = v.positive()
		return err
	}
}

func whole(field func(*envelope.Trial) *envelope.Opt[int32]) func(*envelope.Trial, value) error {
	return func(t *envelope.Trial, v value) error {
		n, err := v.whole(math.MaxInt32)
		*field(t) = envelope.Opt[int32]{V: int32(n), OK: err == nil}
		return err
	}
}

func setScore(t *envelope.Trial, v value) error {
	n, err := v.parseFloat()
	t.Score = envelope.Opt[float64]{V: n, OK: err == nil}
	return err
}

// setStatus takes the words of the native stream, and truth values as runners and
// spreadsheets write them: true, yes and 1, false, no and 0.
func setStatus(t *envelope.Trial, v value) error {
	word := truthValue(v.text)
	status, ok := envelope.ParseStatus(word)
	if !ok {
		return fmt.Errorf("%s is not a status: use pass, fail, error, skip, or true and false", quoted(v.text))
	}
	t.Status = status
	if truth := word == "true" || word == "false"; !truth && word != string(status) {
		t.RawStatus = word
	}
	return nil
}

// truthValue is a word, or true or false for what means that.
func truthValue(text string) string {
	word := strings.TrimSpace(text)
	switch strings.ToLower(word) {
	case "1", "yes", "y", "true":
		return "true"
	case "0", "no", "n", "false":
		return "false"
	}
	return word
}

// setTruth takes the words of a status that say pass or fail.
func setTruth(t *envelope.Trial, v value) error {
	truth, ok := envelope.ParseTruth(truthValue(v.text))
	if !ok {
		return fmt.Errorf("%s is not a label: use pass and fail, true and false, or categories from 0 to 9", quoted(v.text))
	}
	t.Truth = truth
	return nil
}

func (v value) flag() (bool, error) {
	flag, err := strconv.ParseBool(strings.TrimSpace(v.text))
	if err != nil {
		return false, fmt.Errorf("%s is neither true nor false", quoted(v.text))
	}
	return flag, nil
}

func setStartedAt(t *envelope.Trial, v value) error {
	at, err := v.instant()
	if err == nil {
		t.StartedAt = at
	}
	return err
}

// setEndedAt makes a duration of two times, where the record has none itself.
func setEndedAt(t *envelope.Trial, v value) error {
	at, err := v.instant()
	if err == nil && !t.DurationMS.OK && !t.StartedAt.IsZero() && !at.Before(t.StartedAt) {
		t.DurationMS = envelope.Some(float64(at.Sub(t.StartedAt)) / float64(time.Millisecond))
	}
	return err
}

// layouts are how times are written. One without a zone is taken as UTC.
var layouts = [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999"}

// The least numbers of seconds, milliseconds, microseconds and nanoseconds since 1970
// that are taken as a time: all are in 2001.
var sinceEpoch = [...]struct {
	least float64
	unit  time.Duration
}{{1e18, time.Nanosecond}, {1e15, time.Microsecond}, {1e12, time.Millisecond}, {1e9, time.Second}}

// instant is a time: RFC 3339, or a number since 1970.
func (v value) instant() (time.Time, error) {
	text := strings.TrimSpace(v.text)
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	n, err := (value{text: text, scale: 1}).parseFloat()
	for _, e := range sinceEpoch {
		if err == nil && n >= e.least && n < e.least*1000 {
			whole, part := math.Modf(n / (float64(time.Second) / float64(e.unit)))
			return time.Unix(int64(whole), int64(part*1e9)).UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time: use RFC 3339, as 2026-03-14T02:00:00Z, or a number since 1970", quoted(v.text))
}

// setError makes an error of a trial with a message where one stands.
func setError(t *envelope.Trial, v value) error {
	if said := strings.TrimSpace(v.text); said != "" && said != "false" && v.text != "{}" && v.text != "[]" {
		t.Status, t.Message = envelope.Error, failure.Reason(said, 1)
		t.Output = failure.Ends(said)
	}
	return nil
}

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
		return errors.New(quoted(v.text) +
			" has no scores: an object of them by name is expected, or an array of objects with a name and a score")
	}
	return nil
}

// isEmpty reports whether a value says nothing: of scores that are null nobody knows anything.
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

func addScores(t *envelope.Trial, under string, scores gjson.Result) {
	scores.ForEach(func(name, one gjson.Result) bool {
		addCheck(t, under+name.String(), one)
		return true
	})
}

// The names under which platforms keep the parts of a check, in the order in which they count.
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
	c.Name = cmp.Or(first(parts, nameKeys[:]), name)
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
	c.Reason = first(parts, reasonKeys[:])
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
		c.Status = cmp.Or(c.Status, trialfields.PassFail(envelope.Some(v.Bool())))
	case !c.Score.OK && isNumber(v):
		n, err := (value{text: v.String(), scale: 1}).parseFloat()
		c.Score = envelope.Opt[float64]{V: n, OK: err == nil}
	case c.Status == "" && v.Type == gjson.String:
		c.Status, _ = envelope.ParseStatus(v.Str)
	}
}

// first is the first of the members that says something in words.
func first(parts map[string]gjson.Result, keys []string) string {
	for _, key := range keys {
		if v := parts[key]; isText(v) && v.Str != "" {
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
	var names []string
	for _, c := range t.Checks {
		if scorer != "" && c.Name == scorer {
			t.Status, t.Score = c.Status, c.Score
			return nil
		}
		names = append(names, c.Name)
	}
	switch {
	case len(names) == 0:
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation, "nobody scored it"
	case scorer != "":
		return errors.New("the scorer " + quoted(scorer) + " has no score here; scorers that have one: " + words.Some(names, quoted))
	}
	return nil
}
