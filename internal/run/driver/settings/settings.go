// Package settings is what can be said of a run that starts its trials: by flags,
// and by the block run of tribunal.yaml. It exists so that a setting is described
// once, in a row of [Table], from which both are made.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"tribunal/envelope"
	"tribunal/internal/suggest"
)

// Settings are what can be said of a run by a flag or by a key of the block run
// of tribunal.yaml; what nobody says stays absent.
type Settings struct {
	Trials      envelope.Opt[int]
	Jobs        envelope.Opt[int]
	Tests, Only []string
	List        []string
	From        string
	Preset      string
	Stop        string
	Order       string
	Seed        envelope.Opt[int64]
	Shard       string
	Margin      envelope.Opt[float64]

	Timeout, Grace, MaxTime                        envelope.Opt[time.Duration]
	MaxCostUSD, MaxCostPerTestUSD, CostPerTrialUSD envelope.Opt[float64]
	Rate                                           rate.Limit
	InfraRetries                                   envelope.Opt[int]
	FailFast, AllowStarved, Isolate                envelope.Opt[bool]
	EnvOnly                                        []string
}

// Setting is one of them. Its type says what its value is.
type Setting struct {
	Name        string // of the flag; the key has underscores
	Alias       string
	Doc         string
	Otherwise   string // what holds when nobody says it
	Several     bool   // it may be said more than once, in the file as a list
	Choices     []string
	least, most int    // of a whole number
	field       string // of Settings
}

// in is where the value is: a pointer to the field.
func (s *Setting) in(settings *Settings) any {
	return reflect.ValueOf(settings).Elem().FieldByName(s.field).Addr().Interface()
}

// Switch reports that the value is true or false.
func (s *Setting) Switch() bool {
	_, is := s.in(&Settings{}).(*envelope.Opt[bool])
	return is
}

// Key is the name of a setting in tribunal.yaml.
func (s *Setting) Key() string { return strings.ReplaceAll(s.Name, "-", "_") }

// The values of settings that are words.
const (
	FromExit  = "exit"
	FromAuto  = "auto"
	NoPreset  = "none"
	StopFull  = "full"
	StopEarly = "early"
	ByRound   = "round"
	ByTest    = "test"
	ByValue   = "value"
	ShardAuto = "auto"
)

// Table is the table of all settings: flags, help, the block run and its schema are made from it.
var Table = []Setting{
	{Name: "trials", Alias: "n", Doc: "maximum number of counted trials per test",
		Otherwise: "100 for sprt and anytime, 200 for paired; else required, or --max-time or --max-cost", least: 1, most: math.MaxInt32,
		field: "Trials"},
	{Name: "jobs", Alias: "j", Doc: "trials at once; TRIBUNAL_SLOT numbers them from 0", Otherwise: "1", least: 1, most: 4096, field: "Jobs"},
	{Name: "test", Several: true, Doc: "test to try; may be repeated", field: "Tests"},
	{Name: "list", Doc: "command that prints the tests: names, or JSON with suite and test", field: "List"},
	{Name: "only", Several: true, Doc: "name or suite/name of tests, or 'flaky' (--history); may be repeated", field: "Only"},
	{Name: "shard", Doc: "try shard I of N; auto asks the CI system or Slurm", Otherwise: "all tests", field: "Shard"},
	{Name: "from", Doc: "format of the command's output, or exit: its exit code is the outcome",
		Otherwise: "the preset's; with {test} and no {out}: exit; else found by content, or exit if nothing is found", field: "From"},
	{Name: "preset", Doc: "known runner, or none", Otherwise: "found in the command", field: "Preset"},
	{Name: "stop", Choices: []string{StopFull, StopEarly}, Doc: "with a fixed N: full (try all), early (stop when the trials decide)",
		Otherwise: StopFull, field: "Stop"},
	{Name: "order", Choices: []string{ByRound, ByTest, ByValue},
		Doc: "round (fewest starts first), test (as given), value (cheapest verdict)", Otherwise: ByRound + "; " + ByValue +
			" with --max-cost under sprt and anytime", field: "Order"},
	{Name: "margin", Doc: "rule paired: largest change of rate that does not matter, 0.05 or 5%", Otherwise: "0.05", field: "Margin"},
	{Name: "seed", Doc: "seed of the run, from which the seeds of trials come", Otherwise: "random, and recorded", field: "Seed"},
	{Name: "timeout", Doc: "time limit of a trial, such as 90s or 20m", Otherwise: "none", field: "Timeout"},
	{Name: "grace", Doc: "time between SIGTERM and SIGKILL for a trial that must end", Otherwise: "10s", field: "Grace"},
	{Name: "max-time", Doc: "time limit of the run; running trials are ended", Otherwise: "none", field: "MaxTime"},
	{Name: "max-cost", Doc: "cost limit of the run in US dollars, checked before each start", Otherwise: "none", field: "MaxCostUSD"},
	{Name: "max-cost-per-test", Doc: "cost limit of each test in US dollars, checked before each start", Otherwise: "none",
		field: "MaxCostPerTestUSD"},
	{Name: "cost-per-trial", Doc: "assumed cost of running trials in US dollars, until one reports it", Otherwise: "unknown",
		field: "CostPerTrialUSD"},
	{Name: "rate", Doc: "maximum starts of trials, as `N/s`, N/m or N/h", Otherwise: "none", field: "Rate"},
	{Name: "infra-retries", Doc: "trials of a test to replace after infrastructure failures", Otherwise: "3", least: 0, most: math.MaxInt32,
		field: "InfraRetries"},
	{Name: "fail-fast", Doc: "stop the run as soon as one test is sure to fail", field: "FailFast"},
	{Name: "isolate", Doc: "start each test alone, where a preset starts several at once", field: "Isolate"},
	{Name: "allow-starved", Doc: "accept tests whose -n is too low to pass", field: "AllowStarved"},
	{Name: "env-only", Several: true, Doc: "pass only these variables to the command; may be repeated", field: "EnvOnly"},
}

// Block is the block run of tribunal.yaml: settings, and what no flag can say.
type Block struct {
	Settings
	// Command is the command of each start; Setup and Teardown are run once, Check
	// once a test, Before and After around each trial.
	Command, Setup, Teardown, Check, Before, After []string
	Variants                                       []string
	Cases                                          []Case
	ExitCodes                                      map[int]string
	Infrastructure                                 []*regexp.Regexp
	HideEnv                                        bool
	Cookie                                         string
	LeaveBehind                                    bool
}

// Case is an entry of tests: one by its name, or one for each file of a glob.
type Case struct {
	Suite, Test, Glob string
	Labels            map[string]string
	Trials            int
	Timeout           envelope.Opt[time.Duration]
}

// Meanings are what an exit code can be said to mean.
var Meanings = []string{"pass", "fail", "skip", "error", envelope.ClassInfrastructure, envelope.ClassTimeout, envelope.ClassPreValidation}

// ByKey finds a setting by its key in tribunal.yaml.
func ByKey(key string) (*Setting, bool) {
	for i := range Table {
		if Table[i].Key() == key {
			return &Table[i], true
		}
	}
	return nil, false
}

// Schema is the JSON schema of the key.
func (s *Setting) Schema() json.RawMessage {
	one := map[string]any{"type": "string"}
	switch s.in(&Settings{}).(type) {
	case *envelope.Opt[bool]:
		one["type"] = "boolean"
	case *envelope.Opt[int], *envelope.Opt[int64]:
		one["type"], one["minimum"] = "number", 0
	case *envelope.Opt[float64]:
		if s.Name != "margin" { // a text, with its sign of percent
			one["type"], one["minimum"] = "number", 0
		}
	}
	if len(s.Choices) > 0 {
		one["enum"] = s.Choices
	}
	if s.Several {
		one = map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one}}}
	}
	one["description"] = strings.ReplaceAll(s.Doc, "`", "")
	text, err := json.Marshal(one)
	if err != nil {
		panic("settings: " + s.Name + ": " + err.Error()) // plain data
	}
	return text
}

// Over is what these settings say, and where they say nothing, what the others say.
func (s Settings) Over(o Settings) Settings {
	for i := range Table {
		to, from := reflect.ValueOf(Table[i].in(&s)).Elem(), reflect.ValueOf(Table[i].in(&o)).Elem()
		if to.IsZero() || to.Kind() == reflect.Slice && to.Len() == 0 {
			to.Set(from)
		}
	}
	return s
}

// Set reads a word into the settings. A list of names grows by it.
func (s *Setting) Set(to *Settings, word string) (err error) {
	switch value := s.in(to).(type) {
	case *envelope.Opt[int]:
		value.V, err = strconv.Atoi(word)
		if value.OK = true; err != nil || value.V < s.least || value.V > s.most {
			err = fmt.Errorf("%q: a whole number from %d to %d is expected", word, s.least, s.most)
		}
	case *envelope.Opt[int64]: // every program that reads JSON can hold it
		value.V, err = strconv.ParseInt(word, 10, 64)
		if value.OK = true; err != nil || value.V < 0 || value.V >= 1<<53 {
			err = fmt.Errorf("%q: a whole number from 0 to 2^53 - 1 is expected", word)
		}
	case *envelope.Opt[bool]:
		if value.V, err = strconv.ParseBool(word); err != nil {
			err = fmt.Errorf("%q: true or false is expected", word)
		}
		value.OK = true
	case *envelope.Opt[time.Duration]:
		value.V, err = ParseDuration(word)
		value.OK = true
	case *envelope.Opt[float64]:
		if s.Name == "margin" {
			value.V, err = share(word)
		} else {
			value.V, err = Dollars(word)
		}
		value.OK = true
	case *rate.Limit:
		*value, err = parseRate(word)
	case *[]string:
		err = s.add(value, word)
	case *string:
		switch *value = word; {
		case s.Name == "shard":
			err = checkShard(word)
		case len(s.Choices) > 0 && !slices.Contains(s.Choices, word):
			err = suggest.Unknown("value", word, s.Choices)
		}
	}
	return err
}

// add takes one more name, a command of several words, or a list of variables.
func (s *Setting) add(to *[]string, word string) error {
	switch s.Name {
	case "list":
		if strings.ContainsAny(word, `"'\$|;&<>`+"`") {
			return fmt.Errorf("%q: this runs without a shell; give list: [sh, -c, LINE] in the block run of tribunal.yaml, or name a script", word)
		}
		*to = strings.Fields(word)
	case "env-only":
		for name := range strings.SplitSeq(word, ",") {
			name = strings.TrimSpace(name)
			if name == "" || strings.ContainsAny(name, "= ") {
				return fmt.Errorf("%q: names of variables are expected, such as PATH,HOME", word)
			}
			*to = append(*to, name)
		}
	default:
		*to = append(*to, word)
	}
	if word == "" || len(*to) == 0 {
		return errors.New("it is empty")
	}
	return nil
}

// checkShard checks I/N, auto or auto/N.
func checkShard(word string) error {
	part, of, cut := strings.Cut(word, "/")
	n, err := strconv.Atoi(of)
	i, wrong := 1, error(nil)
	if part != ShardAuto {
		i, wrong = strconv.Atoi(part)
	}
	if word != ShardAuto && (!cut || err != nil || wrong != nil || n < 1 || i < 1 || i > n) {
		return fmt.Errorf("%q: give I/N, shard I of N, such as 1/4; or auto, or auto/N", word)
	}
	return nil
}

// ParseDuration reads a time such as 90s, 20m or 1h30m.
func ParseDuration(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q: a time with a unit is expected, such as 90s, 20m or 1h30m", word)
	}
	return d, nil
}

// Dollars reads an amount such as 25, $25 or 0.50.
func Dollars(word string) (float64, error) {
	usd, err := strconv.ParseFloat(strings.TrimPrefix(word, "$"), 64)
	if err != nil || !(usd >= 0) || math.IsInf(usd, 0) {
		return 0, fmt.Errorf("%q: US dollars are expected, such as 25 or 0.50", word)
	}
	return usd, nil
}

// share reads a share of 1, also in percent.
func share(word string) (float64, error) {
	number, percent := strings.CutSuffix(word, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 1) {
		return 0, fmt.Errorf("%q: a number of 0 or more and below 1 is expected, such as 0.05 or 5%%", word)
	}
	return v, nil
}

var rateUnits = map[string]float64{"s": 1, "m": 60, "h": 3600}

func parseRate(word string) (rate.Limit, error) {
	n, unit, _ := strings.Cut(word, "/")
	count, err := strconv.ParseFloat(n, 64)
	seconds, known := rateUnits[unit]
	if err != nil || !known || !(count > 0) || math.IsInf(count, 0) {
		return 0, fmt.Errorf("%q: a number of starts and a unit are expected, such as 5/s, 30/m or 100/h", word)
	}
	return rate.Limit(count / seconds), nil
}
