package cerberus

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
)

// TestAsserts: the expected answers are those of JavaScript (Node prints them), with
// Boolean around them as cerberus has it; its own tests are among them.
func TestAsserts(t *testing.T) {
	const output = `{"value":42,"zero":0,"name":"","items":[1,2],"none":null,"word":"10","tags":["a","b"],"deep":{"list":[{"ok":true}]},"é":"ü"}`
	s := Suite{Studies: []Study{{Name: "s", Input: Input{Text: "test input", Metadata: map[string]any{"category": "test"}}}}}
	study := &s.Studies[0]
	for _, c := range []struct {
		text  string
		holds bool
	}{
		{"output.parsed.value === 42", true}, {"output.parsed.value === 42.0", true}, {"output.parsed.value === '42'", false}, {"output.parsed.zero === 42", false},
		{"output.meta.exitCode === 0", true}, {"output.meta.exitCode !== 0", false}, {"output.meta.jsonParsed === true", true},
		{"output.parsed.items", true}, {"output.parsed.name", false}, {"output.parsed.zero", false}, {"output.parsed.none", false}, {"output.parsed", true},
		{"output.parsed.absent === undefined", true}, {"output.parsed.none === undefined", false}, {"output.parsed.none === null", true}, {"output.parsed.absent === null", false},
		{"scenario.input.includes('test')", true}, {"scenario.metadata.category === \"test\"", true}, {"scenario.metadata.absent", false},
		{"Array.isArray(output.parsed.items)", true}, {"Array.isArray(output.parsed.word)", false}, {"!Array.isArray(output.parsed.absent)", true},
		{"output.parsed.items.length === 2", true}, {"output.parsed.name.length === 0", true}, {"output.parsed['é'].length === 1", true}, {"output.parsed['é'] === 'ü'", true},
		{"output.parsed.items[1] === 2", true}, {"output.parsed.items[2] === undefined", true}, {"output.parsed['value'] === 42", true},
		{"output.parsed.deep.list[0].ok", true}, {"output.parsed.absent?.deep.er === undefined", true}, {"output.parsed.deep?.list.length > 0", true},
		{"output.parsed.value > 41 && output.parsed.value <= 42", true}, {"output.parsed.absent > 1", false}, {"output.parsed.absent <= 1", false}, {"output.parsed.none >= 0", true},
		{"output.parsed.word > 9", true}, {"output.parsed.word > '9'", false}, {"output.parsed.name || output.parsed.value", true}, {"true ? output.parsed.zero : 1", false},
		{"output.parsed.value % 5 === 2", true}, {"-7 % 5 === -2", true}, {"1 / 0 > 1000", true}, {"0.1 + 0.2 === 0.3", false}, {"'a' + 'b' === 'ab'", true}, {"!output.parsed.name && !false", true},
		{"output.parsed.tags.includes('b')", true}, {"output.parsed.items.includes('1')", false}, {"['x', 'b'].includes(output.parsed.tags[1])", true},
		{"output.meta.raw.startsWith('{') && output.meta.raw.trim().endsWith('}')", true}, {"output.meta.stderr.toUpperCase() === 'SAID === \"X\"'", true}, {"true", true}, {"false", false},
		{"output.meta.durationMs < 1500.5", true}, {"output.parsed.not === undefined", true},
	} {
		a, err := NewAssert(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		study.Contracts = []Contract{{Name: "c", Assert: a}}
		got := s.Judge([]envelope.Key{{Suite: "s", Test: "c"}, {Suite: "s", Test: "none"}}, Ended{Stdout: output, Stderr: `said === "x"`, Duration: 1500 * time.Millisecond})
		if want := map[bool]envelope.Status{true: envelope.Pass, false: envelope.Fail}[c.holds]; len(got) != 1 || got[0].Status != want {
			t.Errorf("%s: %+v, want %s", c.text, got, want)
		}
	}
}

// TestThrown: what JavaScript throws is an error of the trial, and so is a comparison
// that is never what is meant.
func TestThrown(t *testing.T) {
	for text, says := range map[string]string{
		"output.parsed.absent.deep":                  "undefined has no member deep",
		"output.parsed.none.x":                       "null has no member x",
		"output.parsed.absent.includes('x')":         "includes needs two strings",
		"output.parsed.items === output.parsed.list": "",
		"output.parsed.items === [1]":                "=== with an array is not supported",
		"output.parsed.items > 1":                    "an array is not a number",
		"output.parsed.name + 1 === 'x1'":            "needs two strings or two numbers",
	} {
		a, err := NewAssert(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		_, err = a.Holds(map[string]any{"output": map[string]any{"meta": map[string]any{}, "parsed": map[string]any{"none": nil, "items": []any{1.0}, "name": "x"}}})
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

// TestRefused: what is JavaScript and not run here, or is of the expression language and
// no JavaScript, is refused and never taken for something else.
func TestRefused(t *testing.T) {
	for _, text := range []string{
		"output.parsed.items.every(i => i.ok)", "typeof output.parsed.x === 'string'", "output.meta.exitCode == 0", "output.meta.exitCode != 0", "process.exit(0)",
		"(function() { while(true) {} })()", "Math.round(output.parsed.value) === 3", "JSON.stringify(output.parsed.items) === '[1,2,3]'", "/a/.test(output.meta.raw)",
		"`a` === 'a'", "output.meta.raw matches 'a'", "output.meta.raw contains 'a'", "'a' in output.parsed", "not true", "true and false", "true or false", "len(output.meta.raw) > 1", "2 ** 3 === 8", "2 ^ 3 === 8",
		"1 < output.parsed.value < 3", "(1 < 2) === true", "(output.parsed.a && output.parsed.b) === 3", "output.parsed.a ?? 1", "output.parsed.a | trim()", "1..3", "nil", "Array.from(output.parsed)", "Array",
		"output.meta.exitcode === 0", "output.exitCode === 0", "scenario.text", "outptu.meta", "output.parsed.items[0:1]", "let x = 1; x", "x = 1", "output.parsed.a = 1", "{a: 1}", "filter(output.parsed.items, # > 1)", "// true", "true /* x */",
		"!output.parsed.a * 2", "output.parsed.a.b()", "'a'.repeat(3)", "Array.isArray()", "é", "", "(", "'", strings.Repeat("(", 5000), "!" + strings.Repeat("!", 400) + "true", strings.Repeat("1+", 6000) + "1",
	} {
		if a, err := NewAssert(text); err == nil {
			t.Errorf("%.60s: taken for %s", text, a.node)
		}
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
		ok      bool
	}{
		{"node ./my-agent.js --scenario {{scenario}}", []string{"node", "./my-agent.js", "--scenario", "{suite}"}, true},
		{"  a\t--in={{scenario}}.x  {{scenario}} ", []string{"a", "--in={suite}.x", "{{{{scenario}}"}, true}, // the first argument alone, as there
		{`a '{"x":1}' {{scenario}}`, []string{"a", `'{{"x":1}'`, "{suite}"}, true},
		{"{{scenario}} x", []string{"{{{{scenario}}", "x"}, false}, // a program is none
		{"a b", []string{"a", "b"}, false},
	} {
		if got, ok := CommandOf(c.command); ok != c.ok || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q %v, want %q %v", c.command, got, ok, c.want, c.ok)
		}
	}
}

func FuzzAssert(f *testing.F) {
	for _, text := range []string{"output.parsed.a?.b[0] === 'x' && !scenario.input", "Array.isArray(output.parsed) ? 1 : -2 % 3", "output.meta.raw.includes(\"é\")"} {
		f.Add(text)
	}
	values := map[string]any{"output": map[string]any{"meta": map[string]any{"raw": "x"}, "parsed": map[string]any{"a": []any{nil, 1.0, "x"}}}, "scenario": map[string]any{"input": "i"}}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := NewAssert(text)
		if err != nil {
			return
		}
		first, err := a.Holds(values)
		again, wrong := a.Holds(values)
		if first != again || (err == nil) != (wrong == nil) {
			t.Errorf("%q: %v %v, then %v %v", text, first, err, again, wrong)
		}
	})
}
