package preset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"tribunal/envelope"
)

// binaryID is the label with the name that nextest gives a binary. Its report has the
// names of the package and the binary, which a library may share with a program.
const binaryID = "binary_id"

// nextestList is what cargo nextest list --message-format json prints, in one line.
type nextestList struct {
	Suites map[string]struct {
		Package   string `json:"package-name"`
		Binary    string `json:"binary-name"`
		Kind      string `json:"kind"`
		Testcases map[string]struct {
			Filter struct{ Status string } `json:"filter-match"`
		}
	} `json:"rust-suites"`
}

// listNextest reads the list. It has all tests, and says which of them would run.
func listNextest(*command) (func([]byte) ([]Test, error), error) {
	return func(stdout []byte) ([]Test, error) {
		at := bytes.IndexByte(stdout, '{')
		if at < 0 {
			return nil, errors.New("there is no list; is nextest installed?")
		}
		all := nextestList{}
		if err := json.NewDecoder(bytes.NewReader(stdout[at:])).Decode(&all); err != nil {
			return nil, fmt.Errorf("the list is not JSON as nextest writes it: %w", err)
		}
		var tests []Test
		kinds := map[envelope.Key]string{}
		for _, id := range slices.Sorted(maps.Keys(all.Suites)) {
			s := all.Suites[id]
			for _, name := range slices.Sorted(maps.Keys(s.Testcases)) {
				if name == "" || s.Testcases[name].Filter.Status != "matches" {
					continue
				}
				test := Test{Key: envelope.Key{Suite: s.Package + "::" + s.Binary, Test: name}, Labels: map[string]string{binaryID: id}}
				if other, twice := kinds[test.Key]; twice {
					return nil, fmt.Errorf("package %s has two binaries named %s (%s and %s), and both have the test %s: nextest reports both under "+
						"one name; choose one with --lib, --bins or -E 'kind(%s)' after nextest run, and run the other alone",
						s.Package, s.Binary, other, s.Kind, name, other)
				}
				kinds[test.Key] = s.Kind
				tests = append(tests, test)
			}
		}
		if len(tests) == 0 {
			return nil, errors.New("there is no test to run")
		}
		return tests, nil
	}, nil
}

func spellNextest(t Test) string {
	if id := t.Labels[binaryID]; id != "" {
		return "binary_id(=" + spellFilter(id) + ") & test(=" + spellFilter(t.Test) + ")"
	}
	crate, binary, _ := strings.Cut(t.Suite, "::")
	return "package(=" + spellFilter(crate) + ") & binary(=" + spellFilter(binary) + ") & test(=" + spellFilter(t.Test) + ")"
}

func spellFilter(name string) string {
	var s strings.Builder
	for _, r := range name {
		switch {
		case strings.ContainsRune(`\),`, r):
			s.WriteString(`\` + string(r))
		case unicode.IsSpace(r) || unicode.IsControl(r):
			fmt.Fprintf(&s, `\u{%x}`, r)
		default:
			s.WriteRune(r)
		}
	}
	return s.String()
}
