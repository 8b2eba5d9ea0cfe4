package config

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// dialect is a file of another program that says how its tests are tried and judged.
type dialect struct {
	name string // of a file, with its article
	told func(body ast.Node, has func(keys ...string) bool) bool
	read func(*reader, ast.Node) Config
}

// dialects are told by what stands at the top of the file.
var dialects = []dialect{agentVFile, cerberusFile}

// oursAlone are keys that no file of another program has.
var oursAlone = []string{"rule", "run", "run_options", "gates", "redact", "quarantine", "map", "maps", "records", "scorer", "inconclusive", "min_trials", "treat_as"}

// dialect is that of a file, nil for one of our own. A file of two is a mistake.
func (r *reader) dialect(body ast.Node) (found *dialect) {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(topEntries(body), func(entry *ast.MappingValueNode) bool { return slices.Contains(keys, keyText(entry.Key)) })
	}
	if has(oursAlone...) {
		return nil
	}
	for i := range dialects {
		switch d := &dialects[i]; {
		case !d.told(body, has):
		case found != nil:
			r.fail(body, "", fmt.Errorf("this is %s and %s at once: keep them in files of their own", found.name, d.name))
		default:
			found = d
		}
	}
	return found
}

// topEntries are the keys and values of a file, none of one that is no mapping.
func topEntries(body ast.Node) []*ast.MappingValueNode {
	switch body := body.(type) {
	case *ast.MappingNode:
		return body.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{body}
	}
	return nil
}

// some reads those keys of a mapping that are known; the others are the business of
// the program whose file it is.
func (r *reader) some(n ast.Node, path string, keys map[string]func(n ast.Node, key string)) {
	for _, entry := range r.entries(n, path) {
		if set, known := keys[keyText(entry.Key)]; known {
			set(entry.Value, join(path, keyText(entry.Key)))
		}
	}
}
