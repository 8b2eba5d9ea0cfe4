// Package schema holds the JSON Schemas of what Tribunal reads and writes:
// a line of the trial stream, the envelope, a comparison, a plan, a ranking, a
// trend, audits, the trials to run next, and tribunal.yaml.
//
// It exists so that `tribunal schema` prints exactly the texts that the tests
// validate every golden against. The keys of a policy stand in none of the files:
// their schemas are made from the table of package policy and put where a frame
// asks for them.
package schema

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
)

//go:embed trial.json envelope.frame.json comparison.json config.frame.json
//go:embed plan.json ranking.json trend.json next.json gate-audit.json tests-audit.json
var files embed.FS

// Names lists the schemas.
var Names = []string{"trial", "envelope", "comparison", "config", "plan", "ranking", "trend", "next", "gate-audit", "tests-audit"}

// Text returns a schema (JSON Schema 2020-12). The error lists near names.
func Text(name string) ([]byte, error) {
	switch {
	case name == "report":
		return nil, errors.New("unknown schema \"report\": for a report, give envelope")
	case !slices.Contains(Names, name):
		return nil, suggest.Unknown("schema", name, Names)
	case name == "envelope" || name == "config":
		frame, err := files.ReadFile(name + ".frame.json")
		return runSettings().ReplaceAllFunc(place().ReplaceAllFunc(frame, policyKeys), settingKeys), err
	}
	return files.ReadFile(name + ".json")
}

// place is a line of a frame that asks for keys of a policy.
var place = regex.Of(`(?m)^( *)"\$policy": "([^"]*)"`)

// policyKeys are the schemas of the keys that a line of a frame asks for, in its
// place.
func policyKeys(line []byte) []byte {
	asked := place().FindSubmatch(line)
	indent, chosen := string(asked[1]), string(asked[2])
	var members []string
	for i := range policy.Keys {
		if name, text := member(&policy.Keys[i], chosen); name != "" {
			members = append(members, indented(indent, name, text))
		}
	}
	return []byte(strings.Join(members, ",\n"))
}

// runSettings is the line of a frame that asks for the settings of a run.
var runSettings = regex.Of(`(?m)^( *)"\$settings": true`)

// settingKeys are the schemas of the settings of a run. Tests and list have one of
// their own: they say more than a flag can.
func settingKeys(line []byte) []byte {
	indent := string(runSettings().FindSubmatch(line)[1])
	var members []string
	for i := range settings.Table {
		s := &settings.Table[i]
		if s.Name == "test" || s.Name == "list" {
			continue
		}
		members = append(members, indented(indent, s.Key(), s.Schema()))
	}
	return []byte(strings.Join(members, ",\n"))
}

// indented is a member of an object as it stands in a frame.
func indented(indent, name string, text json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, text, indent, "  "); err != nil {
		panic("schema: " + name + ": " + err.Error()) // it was made by encoding/json
	}
	return indent + `"` + name + `": ` + out.String()
}

// member is the name and the schema of a key, without any where it does not
// belong. Chosen is wire for a policy in JSON, file for tribunal.yaml, tests for
// an entry of its tests, the name of a block, or names of keys.
func member(k *policy.Key, chosen string) (name string, text json.RawMessage) {
	block, within, inBlock := strings.Cut(k.Path(), ".")
	switch {
	case !k.Plain():
		return "", nil
	case chosen == "wire":
		return k.Name, k.Schema()
	case k.Path() == "":
		return "", nil
	case inBlock && chosen == block:
		return within, k.FileSchema(ruleNames())
	case !inBlock && (chosen == "file" || chosen == "tests" && k.PerTest || slices.Contains(strings.Fields(chosen), k.Name)):
		return k.Name, k.FileSchema(ruleNames())
	}
	return "", nil
}

// ruleNames are the names of the rules, then their other names. The one that
// stands for a rule unless another is named is not for a file.
func ruleNames() []string {
	names := rule.Names()
	for _, r := range rule.Table {
		names = append(names, each.Where(r.Aliases, func(alias string) bool { return alias != rule.UnlessNamed })...)
	}
	return names
}
