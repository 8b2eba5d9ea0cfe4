package contract_test

import (
	"fmt"
	"strings"

	"tribunal/command/ci"
	"tribunal/envelope"
	"tribunal/policy"
	"tribunal/verdict/rule"
)

// The tables of the documentation that no command prints.

// ruleTable is the list of rules in Markdown, as it is in docs/statistics/rules.md.
func ruleTable() string {
	var b strings.Builder
	for _, r := range rule.Table {
		fmt.Fprintf(&b, "* `%s`: %s\n", r.Name, r.Doc)
	}
	return b.String()
}

// policyTable is the table of policy keys in Markdown, as it stands in
// docs/policy.md.
func policyTable() string {
	var b strings.Builder
	b.WriteString("| key | what it sets | values | default |\n| --- | --- | --- | --- |\n")
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if k.Path() == "" {
			continue
		}
		key := "`" + k.Path() + "`"
		switch flag := k.FlagName(); {
		case flag == "":
			key += ", no flag"
		case flag != strings.ReplaceAll(k.Path(), "_", "-"):
			key += ", `--" + flag + "`"
		}
		if k.PerTest {
			key += " *"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", key, k.Doc, valuesOfKey(k), k.Otherwise())
	}
	return b.String()
}

// valuesOfKey is what a key can be.
func valuesOfKey(k *policy.Key) string {
	if k.OfRules {
		return "a rule"
	}
	if len(k.Words) > 0 {
		return "`" + strings.Join(k.Words, "`, `") + "`"
	}
	switch k.In(new(envelope.Policy)).(type) {
	case *envelope.Opt[bool]:
		return "true, false"
	case *envelope.Opt[float64], *envelope.Opt[int], *envelope.Opt[int64]:
		return k.Range.Words()
	case *string:
		return "a word"
	}
	return "a list"
}

// systemTable is the systems in Markdown, as it stands in docs/ci.md.
func systemTable() string {
	var b strings.Builder
	b.WriteString("| command | write it to | the system shows |\n| --- | --- | --- |\n")
	for _, s := range ci.Systems {
		fmt.Fprintf(&b, "| `tribunal ci %s` | `%s` | %s |\n", s.Name, s.File, s.Doc)
	}
	return b.String()
}
