package contract_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"tribunal/verdict/rule"
)

// TestRulesOfTheReadme: the rules that README.md shows are rules of the program.
func TestRulesOfTheReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, begins := strings.Cut(string(text), "| rule | a test passes when |\n| --- | --- |\n")
	table, _, ends := strings.Cut(table, "\n\n")
	if !begins || !ends {
		t.Fatal("README.md has no table of rules")
	}
	for _, line := range strings.Split(table, "\n") {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.SplitN(line, "|", 3)[1], -1) {
			if r, err := rule.ByName(m[1]); err != nil || r.Name != m[1] {
				t.Errorf("README.md has rule %s, the program has not", m[1])
			}
		}
	}
}
