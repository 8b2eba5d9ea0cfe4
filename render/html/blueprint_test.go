package html_test

import (
	stdhtml "html"
	"net/url"
	"strconv"
	"strings"
)

// draw follows a blueprint as its documentation says, apart from the script of
// the page: what it draws must be what the templates write.
func draw(parts map[string][]any, name string, dot any) string {
	return drawNodes(parts, parts[name], dot, map[string]any{"$": dot})
}

// detailField is the place of a test's body among the fields of its line.
const detailField = 16

func drawNodes(parts map[string][]any, nodes []any, dot any, vars map[string]any) string {
	var b strings.Builder
	for _, n := range nodes {
		if text, ok := n.(string); ok {
			b.WriteString(text)
			continue
		}
		b.WriteString(drawNode(parts, n.([]any), dot, vars))
	}
	return b.String()
}

func drawNode(parts map[string][]any, n []any, dot any, vars map[string]any) string {
	if n[0] == 4.0 {
		return draw(parts, n[1].(string), find(n[2], dot, vars))
	}
	v := find(n[1], dot, vars)
	switch n[0] {
	case 0.0:
		return escaped(v, n[2].(float64))
	case 1.0, 2.0:
		if !truth(v) {
			return drawNodes(parts, n[3].([]any), dot, vars)
		}
		if n[0] == 2.0 {
			dot = v
		}
		return drawNodes(parts, n[2].([]any), dot, vars)
	}
	if !truth(v) {
		return drawNodes(parts, n[3].([]any), dot, vars)
	}
	out := ""
	for i, each := range v.([]any) {
		inner := map[string]any{n[4].(string): float64(i), n[5].(string): each}
		for name, old := range vars {
			if _, ok := inner[name]; !ok {
				inner[name] = old
			}
		}
		out += drawNodes(parts, n[2].([]any), each, inner)
	}
	return out
}

// find is a value: a path, a constant or a function of values.
func find(v, dot any, vars map[string]any) any {
	path, ok := v.([]any)
	if !ok {
		return called(v.(map[string]any), dot, vars)
	}
	for _, step := range path {
		if name, ok := step.(string); ok {
			dot = vars[name]
			continue
		}
		dot = dot.([]any)[int(step.(float64))]
	}
	return dot
}

func called(f map[string]any, dot any, vars map[string]any) any {
	if constant, ok := f["v"]; ok {
		return constant
	}
	var args []any
	for _, a := range f["a"].([]any) {
		args = append(args, find(a, dot, vars))
	}
	switch f["f"] {
	case "not":
		return !truth(args[0])
	case "eq":
		return args[0] == args[1]
	case "ne":
		return args[0] != args[1]
	}
	for _, a := range args {
		if truth(a) == (f["f"] == "or") {
			return a
		}
	}
	return args[len(args)-1]
}

// truth is what both templates and scripts take for true.
func truth(v any) bool { return v != nil && v != "" && v != 0.0 && v != false }

func escaped(v any, how float64) string {
	text, ok := v.(string)
	if !ok {
		text = strconv.Itoa(int(v.(float64)))
	}
	switch how {
	case 1:
		if u, err := url.Parse(text); err == nil {
			text = u.String()
		}
	case 2:
		text = url.QueryEscape(text)
	}
	return stdhtml.EscapeString(text)
}

// decoded makes ways to write the same character equal.
func decoded(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "&#43;", "+"), "&#34;", `"`)
}
