package policy

import (
	"encoding/json"
	"reflect"
	"strings"

	"tribunal/envelope"
)

// Written is the value of a key as it can be written in tribunal.yaml, on one line.
func (k *Key) Written(p envelope.Policy) string {
	if word, is := k.In(&p).(*string); is {
		return *word
	}
	var line strings.Builder
	encode := json.NewEncoder(&line)
	encode.SetEscapeHTML(false)
	if err := encode.Encode(reflect.ValueOf(k.In(&p)).Elem().Interface()); err != nil {
		panic("policy: a value that does not marshal: " + err.Error()) // it was read from JSON, YAML or flags
	}
	return strings.TrimSuffix(line.String(), "\n")
}
