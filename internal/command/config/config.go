// Package config reads tribunal.yaml.
//
// It turns a file people write by hand into a policy layer, and answers mistakes with
// their place. Package verdict decides which values are valid together.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/internal/run/dialect/agentv"
	"tribunal/internal/run/dialect/cerberus"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/internal/yamltree"
	"tribunal/policy"
	"tribunal/verdict"
)

// FileName is what a configuration is called; Names are all that it may be called.
const FileName = "tribunal.yaml"

// Names are those of files that are read where no other is named: nearest to the
// working directory, and of one folder the only one.
var Names = []string{FileName, "tribunal.yml", ".tribunal.yaml", ".tribunal.yml"}

const maxSize = 1 << 20

// Config is what a configuration file says.
type Config struct {
	Policy envelope.Policy
	// Map and Records say how to read inputs of no known format, as --map and
	// --records do; Scorer is --scorer.
	Map, Records, Scorer string
	// Maps are mappings by the names that --map @name calls them by.
	Maps map[string]NamedMap
	// Run is how the trials of a run are started.
	Run settings.Block
	// Eval is said by an eval file of AgentV, nil in any other.
	Eval *Eval
	// Contracts are those of a cerberus.yaml, nil in any other.
	Contracts *cerberus.Suite
	// Path is the file that was read, "" where there was none; Places are where in it the
	// keys of the policy are said, by their names, in overrides as tests[0].threshold.
	Path   string
	Places map[string]Place
}

// Place is a line:column, and the value that stands there.
type Place struct{ At, Value string }

// NamedMap is a mapping and where its records stand.
type NamedMap struct{ Map, Records string }

// Error is a mistake in a configuration file.
type Error struct {
	File         string
	Line, Column int    // 1-based; 0 when the file as a whole is meant
	Key          string // the dotted key, "" when there is none
	Err          error
}

// Error implements error: file:line:column: key: what is wrong.
func (e *Error) Error() string {
	return e.File + words.If(e.Line > 0, fmt.Sprintf(":%d:%d", e.Line, e.Column)) + words.Around(": ", e.Key) + ": " + e.Err.Error()
}

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// Parse reads a configuration, and by open the files it takes tests from. The error
// joins an *Error for every mistake.
func Parse(file string, text []byte, open func(path string) ([]byte, error)) (Config, error) {
	r := &reader{file: file, places: map[string]Place{}, open: open}
	var c Config
	if body := r.tree(text); body != nil {
		if d := r.dialect(body); d != nil {
			c = d.read(r, body)
		} else {
			c.Policy = r.policy(body, "", topKeys)
			r.fromAgentV(&c.Policy)
			c.Run = r.run
		}
		c.Places = r.places
		c.Map, c.Records, c.Scorer, c.Maps = r.inputs.Map, r.inputs.Records, r.inputs.Scorer, r.inputs.Maps
	}
	if len(r.errs) > 0 {
		return Config{}, errors.Join(r.errs...)
	}
	return c, nil
}

// tree is the value of a file, nil where there is none or it cannot be read.
func (r *reader) tree(text []byte) ast.Node {
	if len(text) > maxSize {
		r.errs = append(r.errs, &Error{File: r.file, Err: fmt.Errorf("the file has %d bytes; a configuration may have %d", len(text), maxSize)})
		return nil
	}
	tree, err := yamltree.Parse(string(text))
	if err != nil {
		r.errs = append(r.errs, syntaxError(r.file, err))
		return nil
	}
	if len(tree.Docs) > 1 {
		r.fail(tree.Docs[1].Body, "", errors.New("this is a second YAML document: keep one, and delete the --- between them"))
	}
	if len(tree.Docs) == 0 {
		return nil
	}
	return tree.Docs[0].Body
}

func syntaxError(file string, err error) error {
	var deep *yamltree.TooDeep
	if errors.As(err, &deep) {
		return &Error{File: file, Line: deep.Line, Column: deep.Column, Err: fmt.Errorf("%w: check the brackets and the indentation", err)}
	}
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		at := syntax.Token.Position
		hint := "; check the indentation, the colons and the quotes"
		switch {
		case strings.HasPrefix(syntax.Message, "mapping key"):
			hint = "; give each key once"
		case strings.HasPrefix(syntax.Message, "invalid header option"):
			hint = "; put a value that has > or | into quotes"
		case strings.Contains(syntax.Message, "'\t'"):
			hint = "; indent with spaces, not with tabs"
		}
		return &Error{File: file, Line: at.Line, Column: at.Column, Err: errors.New("this is not valid YAML: " + syntax.Message + hint)}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &Error{File: file, Err: errors.New(first)}
}

type reader struct {
	file   string
	errs   []error
	inputs Config // what the keys about inputs say
	run    settings.Block
	places map[string]Place // of the keys of the policy

	agentV   agentv.File
	unlisted []string   // where tests stand that are not known
	files    []caseFile // that tests are taken from
	opened   int
	open     func(path string) ([]byte, error) // nil where none is to be read
}

// fail notes a mistake, unless one inside the same value was noted just before, of which it may be a consequence.
func (r *reader) fail(n ast.Node, key string, err error) {
	if last := new(Error); len(r.errs) > 0 && errors.As(r.errs[len(r.errs)-1], &last) && strings.HasPrefix(last.Key, key+".") {
		return
	}
	if n != nil && (n.Type() == ast.AliasType || n.Type() == ast.AnchorType || n.Type() == ast.MergeKeyType) {
		err = errors.New("YAML anchors (&), aliases (*) and << are not read here: write the value out, or quote it")
	}
	e := &Error{File: r.file, Key: key, Err: err}
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		e.Line, e.Column = n.GetToken().Position.Line, n.GetToken().Position.Column
	}
	r.errs = append(r.errs, e)
}

// items are the entries of a list, each by its key. Anything else is a mistake.
func (r *reader) items(n ast.Node, key string, mistake error) iter.Seq2[string, ast.Node] {
	return func(yield func(string, ast.Node) bool) {
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			r.fail(n, key, mistake)
			return
		}
		for i, item := range list.Values {
			if !yield(fmt.Sprintf("%s[%d]", key, i), item) {
				return
			}
		}
	}
}

// entries returns the keys and values of a mapping in order. Anything else is a
// mistake; an empty value is an empty mapping.
func (r *reader) entries(n ast.Node, key string) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	case *ast.NullNode:
		return nil
	}
	r.fail(n, key, fmt.Errorf("a mapping of keys to values is expected, found %s", shortened(n)))
	return nil
}

// policy reads the keys of one policy; keys says which there may be.
func (r *reader) policy(n ast.Node, path string, keys map[string]setter) envelope.Policy {
	var p envelope.Policy
	if name, alone := n.(*ast.StringNode); alone && keys["match"] != nil {
		r.fail(n, path, fmt.Errorf("write {match: %s, %s}", name, cmp.Or(words.If(keys["expires"] != nil, "expires: DAY"), "threshold: 0.9")))
		return p
	}
	seen := map[string]bool{}
	for _, entry := range r.entries(n, path) {
		name := keyText(entry.Key)
		full := join(path, name)
		set, known := keys[name]
		switch {
		case !known && strings.HasPrefix(path, "tests[") && topKeys[name] != nil && policyKeys[name] == nil:
			r.fail(entry.Key, full, errors.New("applies to the run, not to some tests: write it at the top of the file"))
		case !known && path == "" && runKeys(&r.run)[name] != nil:
			r.fail(entry.Key, full, errors.New("belongs in the block run: indent it there"))
		case !known && path == "quarantine" && quarantineEntry(new(envelope.Quarantine))[name] != nil:
			r.fail(entry.Key, full, errors.New("belongs in the list tests, as in tests: [{match: SUITE/TEST, expires: DAY}]"))
		case !known:
			r.fail(entry.Key, full, suggest.Unknown("key", name, sortedKeys(keys)))
		case seen[name]:
			r.fail(entry.Key, full, errors.New("the key is given twice"))
		default:
			before := p
			set(r, entry.Value, full, &p)
			r.note(path, entry, &before, &p)
		}
		seen[name] = true
	}
	return p
}

// note keeps where an entry stands, and the keys that it changed, and their values.
func (r *reader) note(path string, entry *ast.MappingValueNode, before, after *envelope.Policy) {
	at := entry.Key.GetToken().Position
	place := Place{fmt.Sprintf("%d:%d", at.Line, at.Column), entry.Value.String()}
	r.places[join(path, keyText(entry.Key))] = place
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if k.IsSet(after) && !reflect.DeepEqual(k.In(before), k.In(after)) {
			r.places[join(path, k.Name)] = place
		}
	}
}

func keyText(key ast.MapKeyNode) string {
	if s, ok := key.(*ast.StringNode); ok {
		return s.Value
	}
	return strings.TrimSpace(key.String())
}

func join(path, key string) string {
	return path + words.If(path != "", ".") + key
}

// shortened is a value as a message shows it, in one line.
func shortened(n ast.Node) string {
	return words.Head(strings.Join(strings.Fields(n.String()), " "), 200)
}

func value[T any](r *reader, n ast.Node, key, expected string) (v T, ok bool) {
	if n.Type() == ast.NullType {
		r.fail(n, key, errors.New("the value is missing: "+expected+" is expected"))
		return v, false
	}
	if err := yaml.NodeToValue(n, &v, yaml.Strict()); err != nil || !written(n, any(v)) {
		r.fail(n, key, fmt.Errorf("%s is expected, found %s", expected, shortened(n)))
		return v, false
	}
	return v, true
}

// written reports whether a value stands in the file as what it was read as. The
// library also takes 5.5 and "7" for whole numbers.
func written(n ast.Node, v any) bool {
	kind := n.Type()
	whole := kind == ast.IntegerType
	switch v.(type) {
	case int, int64:
		return whole
	case float64:
		return whole || kind == ast.FloatType || kind == ast.InfinityType || kind == ast.NanType
	case bool:
		return kind == ast.BoolType
	}
	return kind != ast.AnchorType
}

// checked checks one value alone, so that a bad value is reported at its line.
func checked(r *reader, n ast.Node, key string, p envelope.Policy) bool {
	if err := verdict.CheckLayer(p); err != nil {
		if found := new(policy.KeyError); errors.As(err, &found) {
			err = errors.New(found.Typed("", n.String()))
		}
		says := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "quarantine of "), "quarantine: ")
		r.fail(n, key, errors.New(strings.TrimPrefix(says, key[strings.LastIndexByte(key, '.')+1:]+" ")))
		return false
	}
	return true
}

// Load reads the named file, or the one that Find finds in the working directory when
// none is named. That one may be missing.
func Load(name string) (Config, error) {
	path := name
	if path == "" {
		var err error
		if path, err = Find("."); err != nil || path == "" {
			return Config{}, err
		}
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, fmt.Errorf("--config %s: there is no such file; check it, or leave out --config to use the nearest tribunal.yaml", path)
	}
	if err != nil {
		return Config{}, fmt.Errorf("cannot read the configuration %s: %w", path, words.OfFile(err))
	}
	c, err := Parse(path, text, os.ReadFile)
	if err != nil {
		return Config{}, err
	}
	c.Path = path
	if !reflect.ValueOf(c.Policy).IsZero() { // else it says nothing of how a run is judged
		c.Policy.Config = shown(path)
	}
	return c, nil
}

// Find looks for a configuration in a folder and, within a repository, in those above it up to
// the root; the nearest is found, or "". Outside of a repository it looks at no folder above,
// because a file left in a home folder would judge everything below it.
func Find(folder string) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("cannot look for the configuration in the current folder, which may be deleted; go to another one: %w", err)
	}
	path := folder
	for root := rootOf(absolute); ; path, absolute = filepath.Join(path, ".."), filepath.Dir(absolute) {
		found, err := In(path)
		if found != "" || err != nil || root == "" || absolute == root {
			return found, err
		}
	}
}

// In is the configuration in a folder, "" where there is none.
func In(folder string) (string, error) {
	var found []string
	for _, name := range Names {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			found = append(found, path)
		}
	}
	if len(found) < 2 {
		return strings.Join(found, ""), nil
	}
	return "", fmt.Errorf("there are several configurations, %s: keep one, or choose one with --config", strings.Join(found, " and "))
}

// rootOf is the root of the repository that a folder is in, "" where there is none.
func rootOf(folder string) string {
	for ; ; folder = filepath.Dir(folder) {
		for _, name := range []string{".git", ".hg", ".jj"} { // the entries that the root of a repository has
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				return folder
			}
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// shown is a configuration as reports name it: from the root of its repository, so
// that no path of a machine stands in them, else as it was given.
func shown(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	root := rootOf(filepath.Dir(absolute))
	if from, err := filepath.Rel(root, absolute); root != "" && err == nil && filepath.IsLocal(from) {
		return filepath.ToSlash(from)
	}
	if filepath.IsAbs(path) {
		return filepath.Base(path)
	}
	return filepath.ToSlash(path)
}
