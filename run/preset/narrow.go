package preset

import (
	"encoding/json"
	"slices"
	"strings"
)

// This file leaves tests that are decided out of starts of all tests. What it leaves out is
// always a whole file, or all test cases of one description, so that those that are left
// have the names that they had. A test that it leaves out by mistake is not reported, which
// is never a pass.

// filesOf are the files of tests, which reports of Jest have as suites.
func filesOf(tests []Test) (files []string) {
	for _, t := range tests {
		files = append(files, t.Suite)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// narrowJest names the files that are left, unless the command names any: an argument that
// is no option may be one. A limit of coverage holds for all files.
func narrowJest(c *command) (func(asked, all []Test) []string, func([]byte)) {
	if slices.ContainsFunc(c.options, func(o option) bool { return !strings.HasPrefix(o.args[0], "-") }) {
		return nil, nil
	}
	return func(asked, all []Test) []string {
		left := filesOf(asked)
		if len(left) == len(filesOf(all)) || slices.Contains(left, "") {
			return nil
		}
		arguments := []string{"--coverage=false"}
		for _, file := range left {
			arguments = append(arguments, `[\\/]`+strings.ReplaceAll(spellJS(file), "/", `[\\/]`)+"$")
		}
		return arguments
	}, nil
}

// narrowVitest excludes the files that are decided.
func narrowVitest(*command) (func(asked, all []Test) []string, func([]byte)) {
	return func(asked, all []Test) []string {
		left := filesOf(asked)
		arguments := []string{"--coverage.enabled=false"}
		for _, file := range filesOf(all) {
			if file != "" && !strings.ContainsAny(file, `*?[]{}()!+@\`) && !slices.Contains(left, file) { // no sign of a glob
				arguments = append(arguments, "--exclude="+file)
			}
		}
		if len(arguments) == 1 {
			return nil
		}
		return arguments
	}, nil
}

// narrowPromptfoo asks for the descriptions of the tests that are left, where all test cases
// have one: a pattern leaves out those that have none.
func narrowPromptfoo(c *command) (func(asked, all []Test) []string, func([]byte)) {
	const filter = "--filter-pattern"
	if slices.ContainsFunc(c.options, func(o option) bool { return o.name == filter }) {
		return nil, nil
	}
	var descriptions []string
	learn := func(output []byte) {
		var report struct {
			Results struct {
				Results []struct {
					TestCase struct{ Description string }
				}
			}
		}
		if json.Unmarshal(output, &report) != nil {
			return
		}
		for _, r := range report.Results.Results {
			descriptions = append(descriptions, strings.TrimSpace(r.TestCase.Description))
		}
		slices.Sort(descriptions)
		descriptions = slices.Compact(descriptions)
	}
	return func(asked, _ []Test) []string {
		var left []string
		for _, d := range descriptions { // the reader names a test by its description, or that and more in brackets
			if slices.ContainsFunc(asked, func(t Test) bool { return t.Test == d || strings.HasPrefix(t.Test, d+" (") }) {
				left = append(left, spellJS(d))
			}
		}
		if len(left) == 0 || len(left) == len(descriptions) || slices.Contains(descriptions, "") {
			return nil
		}
		return []string{filter, `^\s*(?:` + strings.Join(left, "|") + `)\s*$`}
	}, learn
}
