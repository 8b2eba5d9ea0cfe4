package contract_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"tribunal/verdict/rule"
)

// TestRulesAreInTheDocs: the table of README has every rule of the program and no
// other, and docs/statistics.md speaks of each that makes a statement with an
// error rate.
func TestRulesAreInTheDocs(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, table, found := strings.Cut(read("../README.md"), "| rule | a test passes when |\n| --- | --- |\n")
	table, _, ends := strings.Cut(table, "\n\n")
	if !found || !ends {
		t.Fatal("README.md has no table of rules")
	}
	inTable := map[string]bool{}
	for _, line := range strings.Split(table, "\n") {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.SplitN(line, "|", 3)[1], -1) {
			inTable[m[1]] = true
			if r, err := rule.ByName(m[1]); err != nil || r.Name != m[1] {
				t.Errorf("README.md has rule %s, the program has not", m[1])
			}
		}
	}
	statistics := read("../docs/statistics.md")
	for _, r := range rule.Table {
		if !inTable[r.Name] {
			t.Errorf("rule %s is not in the table of README.md", r.Name)
		}
		if r.ThreeWay && !strings.Contains(statistics, "`"+r.Name+"`") {
			t.Errorf("rule %s is not in docs/statistics.md", r.Name)
		}
	}
}
