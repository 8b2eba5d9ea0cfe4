package taubench

import (
	"encoding/json"
	"errors"
)

// tokens reads JSON a token at a time, so that memory is bounded by the longest
// string. Its errors say that the text is no JSON.
type tokens struct{ dec *json.Decoder }

// scalar reads a value and returns it when it is neither object nor array, and
// its opening bracket otherwise.
func (t tokens) scalar() (json.Token, error) {
	token, err := t.dec.Token()
	if err != nil {
		return nil, err
	}
	return token, t.rest(token)
}

// skip passes over a value.
func (t tokens) skip() error {
	_, err := t.scalar()
	return err
}

// rest passes over what is left of a value that began with token.
func (t tokens) rest(token json.Token) error {
	for depth := step(token); depth > 0; {
		token, err := t.dec.Token()
		if err != nil {
			return err
		}
		if depth += step(token); depth > maxDepth {
			return errors.New("values are nested more than 10000 deep")
		}
	}
	return nil
}

// maxDepth bounds the memory that open brackets take in a json.Decoder.
const maxDepth = 10000

// step is by how much a token changes the depth.
func step(token json.Token) int {
	switch token {
	case json.Delim('{'), json.Delim('['):
		return 1
	case json.Delim('}'), json.Delim(']'):
		return -1
	}
	return 0
}

// object reads a value and calls member for every key when it is an object;
// member must read the value. It reports whether it is one.
func (t tokens) object(member func(key string) error) (bool, error) {
	token, err := t.dec.Token()
	if err != nil {
		return false, err
	}
	if token != json.Delim('{') {
		return false, t.rest(token)
	}
	return true, t.members(member)
}

// members reads the members of an object whose brace is read already.
func (t tokens) members(member func(key string) error) error {
	for t.dec.More() {
		token, err := t.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if err := member(key); err != nil {
			return err
		}
	}
	_, err := t.dec.Token() // the closing brace
	return err
}

// array reads a value and calls element for every element when it is an array;
// element must read the value. It reports whether it is one.
func (t tokens) array(element func() error) (bool, error) {
	token, err := t.dec.Token()
	if err != nil {
		return false, err
	}
	if token != json.Delim('[') {
		return false, t.rest(token)
	}
	for t.dec.More() {
		if err := element(); err != nil {
			return true, err
		}
	}
	_, err = t.dec.Token() // the closing bracket
	return true, err
}
