// Package settings is what can be said of a run that starts its trials: by flags,
// and by the block run of tribunal.yaml. It exists so that a setting is described
// once, in a row of [Table], from which both are made.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
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

// Setting is one of them.
type Setting struct {
	Name      string // of the flag; the key has underscores
	Alias     string
	Doc       string
	Otherwise string // what holds when nobody says it
	Switch    bool   // true or false
	Several   bool   // it may be said more than once, in the file as a list
	Choices   []string
	Number    bool // else a text, where it is no switch
	Set       func(*Settings, string) error
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

// Table is the table of all settings: flags, help, the block run and its
// schema are made from it.
var Table = []Setting{
	{Name: "trials", Alias: "n", Doc: "most counted trials of each test", Otherwise: "100 for sprt and anytime, 200 for paired, else required", Number: true, Set: whole(1, math.MaxInt32, func(s *Settings) *envelope.Opt[int] { return &s.Trials })},
	{Name: "jobs", Alias: "j", Doc: "trials at once; TRIBUNAL_SLOT numbers them from 0", Otherwise: "1", Number: true, Set: whole(1, 4096, func(s *Settings) *envelope.Opt[int] { return &s.Jobs })},
	{Name: "test", Several: true, Doc: "test to try; may be repeated", Set: list(func(s *Settings) *[]string { return &s.Tests })},
	{Name: "list", Doc: "command that prints the tests: names, or records of a trial stream", Set: words(func(s *Settings) *[]string { return &s.List })},
	{Name: "only", Several: true, Doc: "try only tests whose name or suite/name matches; may be repeated", Set: list(func(s *Settings) *[]string { return &s.Only })},
	{Name: "shard", Doc: "try part I of N of the tests; auto asks the CI system or Slurm", Otherwise: "all of them", Set: shard},
	{Name: "from", Doc: "format of the command's output, or exit: its exit code is the outcome", Otherwise: "the preset's; exit for {test}, else by the content", Set: text(func(s *Settings) *string { return &s.From })},
	{Name: "preset", Doc: "known runner, or none", Otherwise: "by the command", Set: text(func(s *Settings) *string { return &s.Preset })},
	{Name: "stop", Choices: []string{StopFull, StopEarly}, Doc: "early stops a test of a fixed N when no trial can change its verdict", Otherwise: StopFull, Set: choice([]string{StopFull, StopEarly}, func(s *Settings) *string { return &s.Stop })},
	{Name: "order", Choices: []string{ByRound, ByTest, ByValue}, Doc: "next test: with fewest starts, in order, or with the cheapest verdict", Otherwise: ByRound + "; " + ByValue + " with --max-cost under sprt and anytime", Set: choice([]string{ByRound, ByTest, ByValue}, func(s *Settings) *string { return &s.Order })},
	{Name: "margin", Doc: "rule paired: largest change of rate that does not matter, 0.05 or 5%", Otherwise: "0.05", Set: share(func(s *Settings) *envelope.Opt[float64] { return &s.Margin })},
	{Name: "seed", Doc: "seed of the run, from which the seeds of trials come", Otherwise: "random, and recorded", Number: true, Set: seed},
	{Name: "timeout", Doc: "time limit of a trial, such as 90s or 20m", Otherwise: "none", Set: duration(func(s *Settings) *envelope.Opt[time.Duration] { return &s.Timeout })},
	{Name: "grace", Doc: "time between SIGTERM and kill of a trial that has to end", Otherwise: "10s", Set: duration(func(s *Settings) *envelope.Opt[time.Duration] { return &s.Grace })},
	{Name: "max-time", Doc: "time limit of the run; running trials are ended", Otherwise: "none", Set: duration(func(s *Settings) *envelope.Opt[time.Duration] { return &s.MaxTime })},
	{Name: "max-cost", Doc: "cost limit of the run in US dollars, checked before each start", Otherwise: "none", Number: true, Set: dollars(func(s *Settings) *envelope.Opt[float64] { return &s.MaxCostUSD })},
	{Name: "max-cost-per-test", Doc: "cost limit of each test in US dollars, checked before each start", Otherwise: "none", Number: true, Set: dollars(func(s *Settings) *envelope.Opt[float64] { return &s.MaxCostPerTestUSD })},
	{Name: "cost-per-trial", Doc: "assumed cost of a trial in US dollars, until one reports its cost", Otherwise: "unknown", Number: true, Set: dollars(func(s *Settings) *envelope.Opt[float64] { return &s.CostPerTrialUSD })},
	{Name: "rate", Doc: "most starts of trials, as `N/s`, N/m or N/h", Otherwise: "none", Set: setRate},
	{Name: "infra-retries", Doc: "trials of a test to replace after infrastructure failures", Otherwise: "3", Number: true, Set: whole(0, math.MaxInt32, func(s *Settings) *envelope.Opt[int] { return &s.InfraRetries })},
	{Name: "fail-fast", Switch: true, Doc: "stop the run as soon as one test is sure to fail", Set: flag(func(s *Settings) *envelope.Opt[bool] { return &s.FailFast })},
	{Name: "isolate", Switch: true, Doc: "start each test alone, where a preset starts several at once", Set: flag(func(s *Settings) *envelope.Opt[bool] { return &s.Isolate })},
	{Name: "allow-starved", Switch: true, Doc: "also run tests that have too few trials to pass", Set: flag(func(s *Settings) *envelope.Opt[bool] { return &s.AllowStarved })},
	{Name: "env-only", Several: true, Doc: "pass only these variables to the command; may be repeated", Set: variables},
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
	switch {
	case s.Switch:
		one["type"] = "boolean"
	case s.Number:
		one["type"], one["minimum"] = "number", 0
	case len(s.Choices) > 0:
		one["enum"] = s.Choices
	}
	if s.Several {
		one = map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one}}}
	}
	one["description"] = strings.NewReplacer("`", "").Replace(s.Doc)
	text, err := json.Marshal(one)
	if err != nil {
		panic("settings: " + s.Name + ": " + err.Error()) // plain data
	}
	return text
}

// Over is what these settings say, and where they say nothing, what the others say.
func (s Settings) Over(o Settings) Settings {
	or := func(a, b []string) []string {
		if len(a) > 0 {
			return a
		}
		return b
	}
	s.Trials, s.Jobs, s.Seed, s.InfraRetries = opt(s.Trials, o.Trials), opt(s.Jobs, o.Jobs), opt(s.Seed, o.Seed), opt(s.InfraRetries, o.InfraRetries)
	s.Tests, s.Only, s.List, s.EnvOnly = or(s.Tests, o.Tests), or(s.Only, o.Only), or(s.List, o.List), or(s.EnvOnly, o.EnvOnly)
	for _, pair := range []struct{ to, from *string }{{&s.From, &o.From}, {&s.Preset, &o.Preset}, {&s.Stop, &o.Stop}, {&s.Order, &o.Order}, {&s.Shard, &o.Shard}} {
		if *pair.to == "" {
			*pair.to = *pair.from
		}
	}
	s.Margin = opt(s.Margin, o.Margin)
	s.Timeout, s.Grace, s.MaxTime = opt(s.Timeout, o.Timeout), opt(s.Grace, o.Grace), opt(s.MaxTime, o.MaxTime)
	s.MaxCostUSD, s.MaxCostPerTestUSD, s.CostPerTrialUSD = opt(s.MaxCostUSD, o.MaxCostUSD), opt(s.MaxCostPerTestUSD, o.MaxCostPerTestUSD), opt(s.CostPerTrialUSD, o.CostPerTrialUSD)
	s.FailFast, s.AllowStarved, s.Isolate = opt(s.FailFast, o.FailFast), opt(s.AllowStarved, o.AllowStarved), opt(s.Isolate, o.Isolate)
	if s.Rate == 0 {
		s.Rate = o.Rate
	}
	return s
}

func opt[T any](a, b envelope.Opt[T]) envelope.Opt[T] {
	if a.OK {
		return a
	}
	return b
}

func whole(least, most int, field func(*Settings) *envelope.Opt[int]) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		n, err := strconv.Atoi(word)
		if err != nil || n < least || n > most {
			return fmt.Errorf("%q: a whole number from %d to %d is expected", word, least, most)
		}
		*field(s) = envelope.Some(n)
		return nil
	}
}

// seed reads one that every program that reads JSON can hold.
func seed(s *Settings, word string) error {
	const most = 1 << 53
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 || n >= most {
		return fmt.Errorf("%q: a whole number from 0 to 2^53 - 1 is expected", word)
	}
	s.Seed = envelope.Some(n)
	return nil
}

// shard reads a part, or where it is told.
func shard(s *Settings, word string) error {
	part, of, cut := strings.Cut(word, "/")
	n, err := strconv.Atoi(of)
	i, wrong := 1, error(nil)
	if part != ShardAuto {
		i, wrong = strconv.Atoi(part)
	}
	if word != ShardAuto && (!cut || err != nil || wrong != nil || n < 1 || i < 1 || i > n) {
		return fmt.Errorf("%q: I/N is expected, part I of N from 1/N on; or auto, or auto/N", word)
	}
	s.Shard = word
	return nil
}

func list(field func(*Settings) *[]string) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		if word == "" {
			return errors.New("it is empty")
		}
		*field(s) = append(*field(s), word)
		return nil
	}
}

// words cuts a command at its blanks. Quotes are a shell's business.
func words(field func(*Settings) *[]string) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		if strings.ContainsAny(word, `"'\$|;&<>`+"`") {
			return fmt.Errorf("%q: this is run without a shell; write it as a list in the block run of tribunal.yaml, or name a script", word)
		}
		*field(s) = strings.Fields(word)
		if len(*field(s)) == 0 {
			return errors.New("it is empty")
		}
		return nil
	}
}

func text(field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		*field(s) = word
		return nil
	}
}

func choice(known []string, field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		for _, k := range known {
			if word == k {
				*field(s) = word
				return nil
			}
		}
		return suggest.Unknown("value", word, known)
	}
}

func duration(field func(*Settings) *envelope.Opt[time.Duration]) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		d, err := ParseDuration(word)
		*field(s) = envelope.Some(d)
		return err
	}
}

// ParseDuration reads a time such as 90s, 20m or 1h30m.
func ParseDuration(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q: a time with a unit is expected, such as 90s, 20m or 1h30m", word)
	}
	return d, nil
}

func dollars(field func(*Settings) *envelope.Opt[float64]) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		usd, err := strconv.ParseFloat(strings.TrimPrefix(word, "$"), 64)
		if err != nil || !(usd >= 0) || math.IsInf(usd, 0) {
			return fmt.Errorf("%q: US dollars are expected, such as 25 or 0.50", word)
		}
		*field(s) = envelope.Some(usd)
		return nil
	}
}

// share reads a share of 1, also in percent.
func share(field func(*Settings) *envelope.Opt[float64]) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		number, percent := strings.CutSuffix(word, "%")
		v, err := strconv.ParseFloat(number, 64)
		if percent {
			v /= 100
		}
		if err != nil || !(v >= 0 && v < 1) {
			return fmt.Errorf("%q: a number of 0 or more and below 1 is expected, such as 0.05 or 5%%", word)
		}
		*field(s) = envelope.Some(v)
		return nil
	}
}

var rateUnits = map[string]float64{"s": 1, "m": 60, "h": 3600}

func setRate(s *Settings, word string) error {
	n, unit, _ := strings.Cut(word, "/")
	count, err := strconv.ParseFloat(n, 64)
	seconds, known := rateUnits[unit]
	if err != nil || !known || !(count > 0) || math.IsInf(count, 0) {
		return fmt.Errorf("%q: a number of starts and a unit are expected, such as 5/s, 30/m or 100/h", word)
	}
	s.Rate = rate.Limit(count / seconds)
	return nil
}

func flag(field func(*Settings) *envelope.Opt[bool]) func(*Settings, string) error {
	return func(s *Settings, word string) error {
		on, err := strconv.ParseBool(word)
		if err != nil {
			return fmt.Errorf("%q: true or false is expected", word)
		}
		*field(s) = envelope.Some(on)
		return nil
	}
}

func variables(s *Settings, word string) error {
	for name := range strings.SplitSeq(word, ",") {
		name = strings.TrimSpace(name)
		if name == "" || strings.ContainsAny(name, "= ") {
			return fmt.Errorf("%q: names of variables are expected, such as PATH,HOME", word)
		}
		s.EnvOnly = append(s.EnvOnly, name)
	}
	return nil
}
