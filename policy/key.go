// Package policy holds the table of policy keys.
//
// It exists so that a key is described once: flags and their help, the keys of
// tribunal.yaml, the JSON Schemas, range errors, what `compare` holds two sides
// to, the details of a page and docs/policy.md are made from its row. The type of
// a key is that of its field in envelope.Policy, the wire form of a policy.
//
// Rules, gates and patterns are languages of their own; the packages that own them check their values.
package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/words"
)

// Key is a row of the table: a setting of a policy. Where a text is left empty,
// the setting has none of that kind.
type Key struct {
	Name  string // in JSON and in tribunal.yaml; the flag has dashes
	Doc   string // what it says, one line
	Title string // in the details of a page

	Flag string // when it is not the name with dashes; noFlag for none
	Help string // of the flag, when it is not Doc
	Off  bool   // the flag says false and not true
	YAML string // dotted path in tribunal.yaml, when it is not the name

	OfRules bool     // its value is the name of a rule
	Words   []string // the values of a key that is one of some other words
	Range   Range    // of a number, or of each number of a list
	Unit    Unit     // how a number is shown
	Percent bool     // a level, of which a number above 1 is a percentage whatever the rule is
	Rate    bool     // a pass rate, of which a number from 10 on is a percentage
	Default any      // what holds when nobody says it, whatever the rule is
	Absent  string   // the same in words, when Default does not say

	LookedAt LookedAt // which rules look at it

	PerTest  bool // an override can say it for some tests
	Counting bool // commands that read trials and judge nothing have its flag
	Outcomes bool // it decides what a trial counts as
	Compared bool // verdicts under different values cannot be compared

	check   func(envelope.Policy) error // what Words and Range cannot say
	pattern string                      // of a word that need not be one of Words
	least   int                         // fewest values of a list that is not empty
	written []fragment                  // what can be written in tribunal.yaml, where that is not what is on the wire
}

// noFlag is the Flag of a key that is said in tribunal.yaml alone.
const noFlag = "-"

// noPath is the YAML of a key that no file says: it describes the policy and is no part of it.
const noPath = "-"

// Unit is how a number is shown.
type Unit int

// The units of numbers.
const (
	Plain Unit = iota
	Share      // a fraction, shown in percent
	Dollars
)

// LookedAt says which rules look at a key.
type LookedAt int

// The sets of rules.
const (
	ByAllRules LookedAt = iota
	ByThresholdRules
	ByThreeWayRules
	ByRangedRules
	BySequentialRules
)

// fields are the indices of the fields of a policy by their JSON keys.
var fields = func() map[string]int {
	index := map[string]int{}
	kind := reflect.TypeFor[envelope.Policy]()
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		index[name] = i
	}
	return index
}()

// FlagName is the name of the flag; empty for a key without one.
func (k *Key) FlagName() string {
	return words.If(k.Flag != noFlag, cmp.Or(k.Flag, strings.ReplaceAll(k.Name, "_", "-")))
}

// Path is where the key stands in tribunal.yaml; empty for one that does not.
func (k *Key) Path() string { return words.If(k.YAML != noPath, cmp.Or(k.YAML, k.Name)) }

// In returns a pointer to the field of the key: *string, *envelope.Opt of a
// float64, an int, an int64 or a bool, or a pointer to a slice.
func (k *Key) In(p *envelope.Policy) any { return k.field(p).Addr().Interface() }

func (k *Key) field(p *envelope.Policy) reflect.Value {
	return reflect.ValueOf(p).Elem().Field(fields[k.Name])
}

// IsSet reports whether the policy sets the key.
func (k *Key) IsSet(p *envelope.Policy) bool { return !k.field(p).IsZero() }

// set puts a string, float64, int, bool or list into the field of the key, which is of that kind.
func (k *Key) set(p *envelope.Policy, value any) {
	switch field := k.In(p).(type) {
	case *envelope.Opt[float64]:
		*field = envelope.Some(value.(float64))
	case *envelope.Opt[int]:
		*field = envelope.Some(value.(int))
	case *envelope.Opt[int64]:
		*field = envelope.Some(int64(value.(int)))
	case *envelope.Opt[bool]:
		*field = envelope.Some(value.(bool))
	default:
		k.field(p).Set(reflect.ValueOf(value))
	}
}

// Choices are the words the key can be, nil for any; rules are the names of the rules.
func (k *Key) Choices(rules []string) []string {
	if k.OfRules {
		return rules
	}
	return k.Words
}

// Otherwise is what holds when nobody says the key, in words; empty when nothing does.
func (k *Key) Otherwise() string {
	switch {
	case k.Absent != "":
		return k.Absent
	case k.Default != nil:
		return fmt.Sprint(k.Default)
	case k.LookedAt != ByAllRules:
		return "depends on the rule"
	}
	return ""
}

// Written is the value of a key as it can be written in tribunal.yaml, on one line.
func (k *Key) Written(p envelope.Policy) string {
	if word, is := k.In(&p).(*string); is {
		return *word
	}
	line, err := jsontext.Marshal(reflect.ValueOf(k.In(&p)).Elem().Interface())
	if err != nil {
		panic("policy: a value that does not marshal: " + err.Error()) // it was read from JSON, YAML or flags
	}
	return string(line)
}
