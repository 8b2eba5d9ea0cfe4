package contract_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tribunal/reliability"
)

// TestStatisticsExamples runs every worked example of docs/statistics.md, and
// wants one for every function and metric: the manual cannot lie.
func TestStatisticsExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for fn := range classical {
		missing[fn] = true
	}
	for _, m := range reliability.Metrics() {
		missing[m.Name], missing[m.Name+"_ci"] = true, true
	}
	for _, block := range exampleBlock.FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			fn, err := checkExample(line)
			if err != nil {
				t.Errorf("%s\n%v", line, err)
			}
			delete(missing, fn)
		}
	}
	for _, fn := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("docs/statistics.md has no worked example of %s", fn)
	}
}

var (
	exampleBlock = regexp.MustCompile("(?s)```example\n(.*?)```")
	exampleLine  = regexp.MustCompile(`^(\w+)\((.*)\) = (.*)$`)
	exampleArg   = regexp.MustCompile(`(\w+)=(\[.*?\]\]|\[.*?\]|[^,\[]+)`)
	bareWord     = regexp.MustCompile(`[\w]+`)
)

// checkExample runs one line, name(argument=value, ...) = results. Numbers are
// held to the digits printed.
func checkExample(line string) (fn string, err error) {
	parts := exampleLine.FindStringSubmatch(line)
	if parts == nil {
		return "", errors.New("not of the form name(argument=value) = result")
	}
	c := vectorCase{Fn: parts[1]}
	args := map[string]json.RawMessage{}
	for _, arg := range exampleArg.FindAllStringSubmatch(parts[2], -1) {
		name, value := arg[1], strings.TrimSpace(arg[2])
		switch name {
		case "R":
			c.R = bareWord.FindAllString(value, -1)
		case "R0", "outcomes":
			value = strings.NewReplacer("P", "1", "F", "0").Replace(value)
			args[name] = json.RawMessage(bareWord.ReplaceAllString(value, `"$0"`))
		default:
			args[name] = json.RawMessage(value)
		}
	}
	if c.Args, err = json.Marshal(args); err != nil {
		return c.Fn, err
	}
	got, err := evaluate(c)
	if err != nil {
		return c.Fn, err
	}
	return c.Fn, matchesPrinted(inOrder(got), strings.Split(parts[3], ", "))
}

// inOrder lists a result as the page prints it.
func inOrder(got any) []any {
	if object, ok := got.(map[string]any); ok {
		var list []any
		for _, key := range []string{"verdict", "trials", "llr", "lower", "upper", "log_e_fail", "log_e_pass"} {
			if v, ok := object[key]; ok {
				list = append(list, v)
			}
		}
		return list
	}
	if list, err := asList(got); err == nil {
		return list
	}
	return []any{got}
}

func matchesPrinted(got []any, printed []string) error {
	if len(got) != len(printed) {
		return fmt.Errorf("got %v", got)
	}
	for i, word := range printed {
		text := fmt.Sprint(got[i])
		if x, ok := got[i].(float64); ok {
			_, decimals, _ := strings.Cut(word, ".")
			text = strconv.FormatFloat(x, 'f', len(decimals), 64)
		}
		if text != word {
			return fmt.Errorf("got %v, which prints as %s, not %s", got[i], text, word)
		}
	}
	return nil
}
