package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/run/driver/settings"
)

// runBlock reads the block run: the settings of the table, and what no flag can
// say.
func runBlock(r *reader, n ast.Node, key string, _ *envelope.Policy) {
	r.policy(n, key, runKeys(&r.run))
}

func runKeys(block *settings.Block) map[string]setter {
	keys := map[string]setter{
		"command":  argv(&block.Command),
		"setup":    argv(&block.Setup),
		"teardown": argv(&block.Teardown),
		"check":    argv(&block.Check),
		"before":   argv(&block.Before),
		"after":    argv(&block.After),
		"variants": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			block.Variants, _ = value[[]string](r, n, key, "a list of names")
		},
		"tests":      func(r *reader, n ast.Node, key string, _ *envelope.Policy) { cases(r, n, key, block) },
		"exit_codes": func(r *reader, n ast.Node, key string, _ *envelope.Policy) { exitCodes(r, n, key, block) },
		"infrastructure": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			block.Infrastructure = append(block.Infrastructure, expressions(r, n, key)...)
		},
		"env": func(r *reader, n ast.Node, key string, p *envelope.Policy) {
			r.policy(n, key, map[string]setter{
				"hide": truth(&block.HideEnv),
				"cookie": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
					block.Cookie, _ = value[string](r, n, key, "the name of a variable")
				},
				"only": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
					setting, _ := settings.ByKey("env_only")
					set(r, n, key, setting, block)
				},
			})
		},
		"leave_behind": truth(&block.LeaveBehind),
	}
	for i := range settings.Table {
		s := &settings.Table[i]
		if name := s.Key(); keys[name] == nil && name != "test" {
			keys[name] = func(r *reader, n ast.Node, key string, _ *envelope.Policy) { set(r, n, key, s, block) }
		}
	}
	keys["list"] = argv(&block.List)
	return keys
}

func set(r *reader, n ast.Node, key string, s *settings.Setting, block *settings.Block) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok && s.Several {
		nodes = list.Values
	}
	for _, item := range nodes {
		word, ok := scalar(r, item, key)
		if !ok {
			return
		}
		if err := s.Set(&block.Settings, word); err != nil {
			r.fail(item, key, err)
		}
	}
}

// scalar is the text of a value as it is written.
func scalar(r *reader, n ast.Node, key string) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case ast.ScalarNode:
		if n.Type() != ast.NullType {
			return strings.TrimSpace(n.String()), true
		}
	}
	r.fail(n, key, fmt.Errorf("one value is expected, found %s", strings.ToLower(n.Type().String())))
	return "", false
}

// argv reads a command: a program and its arguments.
func argv(to *[]string) setter {
	return func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
		const expected = "a program and its arguments as a list, such as [./agent-test, --case, '{test}']"
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			r.fail(n, key, errors.New(expected+" is expected; for a shell, write [sh, -c, '…']"))
			return
		}
		for _, item := range list.Values {
			if word, ok := scalar(r, item, key); ok {
				*to = append(*to, word)
			}
		}
		if len(*to) == 0 {
			r.fail(n, key, errors.New("it is empty: "+expected+" is expected"))
		}
	}
}

func truth(to *bool) setter {
	return func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
		*to, _ = value[bool](r, n, key, "true or false")
	}
}

// cases reads the list of tests: names, or entries with test or glob.
func cases(r *reader, n ast.Node, key string, block *settings.Block) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, key, errors.New("a list of tests is expected, each a name or {test: NAME} or {glob: PATTERN}"))
		return
	}
	for i, item := range list.Values {
		at := fmt.Sprintf("%s[%d]", key, i)
		var c settings.Case
		if item.Type() == ast.MappingType || item.Type() == ast.MappingValueType {
			mistakes := len(r.errs)
			r.policy(item, at, caseKeys(&c))
			if len(r.errs) == mistakes && (c.Test == "") == (c.Glob == "") {
				r.fail(item, at, errors.New("it names no test, or two: give it either test or glob"))
			}
		} else {
			c.Test, _ = value[string](r, item, at, "the name of a test")
		}
		block.Cases = append(block.Cases, c)
	}
}

func caseKeys(c *settings.Case) map[string]setter {
	return map[string]setter{
		"suite": word(&c.Suite, "the name of a suite"),
		"test":  word(&c.Test, "the name of a test"),
		"glob":  word(&c.Glob, "a pattern of files such as cases/*.yaml"),
		"labels": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			c.Labels, _ = value[map[string]string](r, n, key, "a mapping of label names to values")
		},
		"trials": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			if v, ok := value[int](r, n, key, "a whole number"); ok {
				c.Trials = v
				if v < 1 {
					r.fail(n, key, errors.New("a number of 1 or more is expected"))
				}
			}
		},
		"timeout": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			if word, ok := scalar(r, n, key); ok {
				d, err := settings.ParseDuration(word)
				if err != nil {
					r.fail(n, key, err)
				}
				c.Timeout = envelope.Some(d)
			}
		},
	}
}

// exitCodes reads what exit codes mean beside the usual.
func exitCodes(r *reader, n ast.Node, key string, block *settings.Block) {
	block.ExitCodes = map[int]string{}
	for _, entry := range r.entries(n, key) {
		var code int
		at := join(key, keyText(entry.Key))
		if _, err := fmt.Sscanf(keyText(entry.Key), "%d", &code); err != nil || fmt.Sprint(code) != keyText(entry.Key) || code < 0 || code > 255 {
			r.fail(entry.Key, at, errors.New("an exit code is expected, a number from 0 to 255"))
			continue
		}
		word, ok := value[string](r, entry.Value, at, "a meaning")
		if ok && !slices.Contains(settings.Meanings, word) {
			r.fail(entry.Value, at, fmt.Errorf("%q is not a meaning of an exit code: known are %s", word, strings.Join(settings.Meanings, ", ")))
		}
		block.ExitCodes[code] = word
	}
}

func expressions(r *reader, n ast.Node, key string) (all []*regexp.Regexp) {
	var words []string
	if n.Type() == ast.SequenceType {
		words, _ = value[[]string](r, n, key, "a list of expressions (RE2)")
	} else if word, ok := value[string](r, n, key, "an expression (RE2)"); ok {
		words = []string{word}
	}
	for _, word := range words {
		compiled, err := regexp.Compile(word)
		if err == nil && compiled.MatchString("") {
			err = errors.New("it matches everything")
		}
		if err != nil {
			r.fail(n, key, fmt.Errorf("%q: %w", word, err))
			continue
		}
		all = append(all, compiled)
	}
	return all
}
