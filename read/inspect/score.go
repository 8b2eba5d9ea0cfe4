package inspect

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// letters are the values that Inspect's own scorers and its value_to_float know.
var letters = map[string]float64{"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}

// score is what the deciding scorer said.
type score struct {
	value envelope.Opt[float64] // absent when unscored
	open  bool                  // on a scale beyond 1: the policy says which value passes
	text  string                // its value as it was written
	why   string
	more  string // the explanation, when it is longer than why
}

func (s score) reason() string {
	switch {
	case s.why != "" && s.text != "":
		return "score " + s.text + ": " + s.why
	case s.text != "":
		return "score " + s.text
	case s.why != "":
		return s.why
	}
	return "no score"
}

// score finds the score that decides a sample.
func (l *log) score(v jsonwalk.Value) score {
	chosen, scorer, key, names := l.choose(v)
	if !chosen.Present() {
		if l.options.Scorer != "" && len(names) > 0 {
			l.once(v, "unknown-scorer", "no scorer "+jsonwalk.Short(l.options.Scorer)+" here; there are "+list(names))
		}
		return score{}
	}
	if l.options.Scorer == "" && len(names) > 1 {
		l.once(v, "several-scorers", "there are several scorers, "+list(names)+"; the first decides unless one is named")
	}
	value := chosen
	if chosen.IsObject() {
		value = chosen.Get("value")
	}
	if value.IsObject() || value.IsArray() {
		value, scorer = l.inside(v, value, key)
	}
	s := score{value: number(value), text: jsonwalk.Short(value.String())}
	s.open = s.value.V > 1 || l.beyond[scorer]
	if chosen.IsObject() {
		explanation := chosen.Get("explanation").Text()
		if s.why = failure.FirstLine(explanation); s.why != strings.TrimSpace(explanation) {
			s.more = explanation
		}
	}
	return s
}

// choose finds the scorer that is named, as name or name.key, or else the first.
func (l *log) choose(v jsonwalk.Value) (chosen jsonwalk.Value, scorer, key string, names []string) {
	name := l.options.Scorer
	scores := v.Get("scores")
	stem, last := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		stem, last = name[:dot], name[dot+1:]
	}
	for each, value := range scores.Members() {
		names = append(names, each)
		switch {
		case name == "" && len(names) == 1, name == each:
			chosen, scorer, key = value, each, ""
		case name != "" && stem == each && !chosen.Present():
			chosen, scorer, key = value, each, last
		}
	}
	if only := v.Get("score"); len(names) == 0 && name == "" { // version 1
		chosen = only
	}
	return chosen, scorer, key, names
}

// inside is the value under a key of an object, and the key: the one that is named, or
// the only one.
func (l *log) inside(v, value jsonwalk.Value, key string) (jsonwalk.Value, string) {
	var names []string
	var only jsonwalk.Value
	for name, each := range value.Members() {
		if names = append(names, name); name == key {
			return each, key
		}
		only = each
	}
	if len(names) == 1 && key == "" {
		return only, names[0]
	}
	l.once(v, "several-scorers", "a score has several values, "+list(names)+"; name one as scorer.key, or it is not scored")
	return jsonwalk.Value{}, ""
}

// number is a score as a number; absent for what is none, such as NaN.
func number(v jsonwalk.Value) envelope.Opt[float64] {
	switch {
	case v.IsNumber():
		return v.Number()
	case !v.IsText() && v.Present():
		if v.Bool().V {
			return envelope.Some(1.0)
		}
		return envelope.Some(0.0)
	case !v.Present():
		return envelope.Opt[float64]{}
	}
	word := strings.TrimSpace(v.Text())
	if f, ok := letters[word]; ok {
		return envelope.Some(f)
	}
	if f, ok := letters[strings.ToLower(word)]; ok {
		return envelope.Some(f)
	}
	return trialfields.Finite(word)
}

func list(names []string) string {
	const most = 10
	names = slices.Clone(names[:min(len(names), most)])
	return jsonwalk.Short(strings.Join(names, ", "))
}
