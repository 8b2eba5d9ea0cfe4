package gitlab_test

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/gitlab"
	"tribunal/render/internal/rendertest"
)

// issue is an entry as GitLab's parser reads it.
type issue struct {
	Type, Description, Fingerprint, Severity string
	CheckName                                string `json:"check_name"`
	Location                                 struct {
		Path  string
		Lines struct{ Begin int }
	}
}

func write(t *testing.T, e *envelope.Envelope, o gitlab.Options) []byte {
	t.Helper()
	return rendertest.Document(t, e, rendertest.With(gitlab.Write, o))
}

func read(t *testing.T, report []byte) []issue {
	t.Helper()
	var out []issue
	if err := json.Unmarshal(report, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		for _, inconclusive := range []string{gitlab.Info, gitlab.Omit} {
			got := write(t, rendertest.Envelopes()[name], gitlab.Options{Inconclusive: inconclusive})
			rendertest.Golden(t, name+"."+inconclusive+".json", got)
		}
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../testdata/schemas/gitlab-codeclimate.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	valid := schema(t)
	for name, e := range rendertest.Envelopes() {
		for _, o := range []gitlab.Options{{}, {Inconclusive: gitlab.Omit}} {
			t.Run(name+o.Inconclusive, func(t *testing.T) {
				report := rendertest.Written(t, e, rendertest.With(gitlab.Write, o))
				var elements []any // GitLab checks each one
				if err := json.Unmarshal(report, &elements); err != nil {
					t.Fatal(err)
				}
				for _, element := range elements {
					if err := valid.Validate(element); err != nil {
						t.Errorf("%v: %v", element, err)
					}
				}
				compare(t, read(t, report), e, o)
			})
		}
	}
}

// compare holds what GitLab reads against the envelope.
func compare(t *testing.T, issues []issue, e *envelope.Envelope, o gitlab.Options) {
	t.Helper()
	severities, prints := map[string]int{}, map[string]bool{}
	for _, i := range issues {
		severities[i.Severity]++
		prints[i.Fingerprint] = true
		if p := i.Location.Path; p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") || strings.ContainsAny(p, "\\#?%\n") {
			t.Errorf("path %q", p)
		}
		if i.Location.Lines.Begin < 1 || i.Type != "issue" || len(i.Fingerprint) != 64 || strings.ContainsAny(i.Description, "\n\t") || i.Description == "" {
			t.Errorf("entry %+v", i)
		}
	}
	if len(prints) != len(issues) {
		t.Errorf("%d fingerprints for %d entries", len(prints), len(issues))
	}
	flaky := 0
	for i := range e.Tests {
		if e.Tests[i].Flaky && e.Tests[i].Status == envelope.Pass {
			flaky++
		}
	}
	want := map[string]int{"major": e.Summary.Fail, "critical": e.Summary.Error, "info": e.Summary.Inconclusive, "minor": flaky}
	if o.Inconclusive == gitlab.Omit {
		want["info"] = 0
	}
	broken, unheld := rendertest.Beside(e)
	want["critical"] += broken
	want["major"] += unheld
	for severity, n := range want {
		if severities[severity] != n {
			t.Errorf("%d entries are %s, want %d", severities[severity], severity, n)
		}
		delete(severities, severity)
	}
	if len(severities) > 0 {
		t.Errorf("severities that GitLab does not know: %v", severities)
	}
}

func TestEmpty(t *testing.T) {
	if got := string(write(t, &envelope.Envelope{}, gitlab.Options{})); got != "[]\n" {
		t.Errorf("%q, want an empty array", got)
	}
}

// TestFingerprint changes one thing of a test at a time.
func TestFingerprint(t *testing.T) {
	print := func(change func(*envelope.Test)) string {
		e := hostile.Plain()
		e.Tests = e.Tests[2:3] // a fail
		change(&e.Tests[0])
		return read(t, write(t, e, gitlab.Options{}))[0].Fingerprint
	}
	same := print(func(*envelope.Test) {})
	seen := []string{same}
	for _, c := range []struct {
		reason string
		change func(*envelope.Test)
		same   bool
	}{
		{"a rate that moved", func(t *envelope.Test) { t.Rate.PerProtocol.Value = 0.3 }, true},
		{"more trials", func(t *envelope.Test) { t.Trials.Counted, t.Verdict.N = 50, 50 }, true},
		{"another reason", func(t *envelope.Test) { t.Verdict.Reason = "other" }, true},
		{"another place", func(t *envelope.Test) { t.File, t.Line = "b.py", 7 }, true},
		{"a flaky fail is a fail", func(t *envelope.Test) { t.Flaky = !t.Flaky }, true},
		{"another status", func(t *envelope.Test) { t.Status = envelope.Error }, false},
		{"not sure any more", func(t *envelope.Test) { t.Status = envelope.Inconclusive }, false},
		{"a flaky pass", func(t *envelope.Test) { t.Status, t.Flaky = envelope.Pass, true }, false},
		{"another suite", func(t *envelope.Test) { t.Suite = "x" }, false},
		{"another variant", func(t *envelope.Test) { t.Variant = "x" }, false},
		{"the end of the suite moved to the test", func(t *envelope.Test) { t.Suite, t.Test = "weathe", "rfails" }, false},
		{"the test moved to the variant", func(t *envelope.Test) { t.Test, t.Variant = "", "fails" }, false},
	} {
		got := print(c.change)
		if (got == same) != c.same {
			t.Errorf("%s: the same %t, want %t", c.reason, got == same, c.same)
		}
		if !c.same && slices.Contains(seen, got) {
			t.Errorf("%s: a fingerprint seen before", c.reason)
		}
		seen = append(seen, got)
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ reason, file, want string }{
		{"relative", "tests/a_test.py", "tests/a_test.py"},
		{"a leading dot", "./tests/a.py", "tests/a.py"},
		{"absolute", "/builds/a.py", "builds/a.py"},
		{"Windows", `C:\repo\tests\a.py`, "repo/tests/a.py"},
		{"out of the repository", "../../a.py", "a.py"},
		{"through the middle", "a/../../b/./c.py", "b/c.py"},
		{"blanks and letters stay", "my tests/日本.py", "my tests/日本.py"},
		{"what ends a path in a link", "a#b?c%d.py", "a_b_c_d.py"},
		{"none", "", "tribunal/weather/fails"},
		{"nothing left", "../..", "tribunal/weather/fails"},
	} {
		e := hostile.Plain()
		e.Tests = e.Tests[2:3]
		e.Tests[0].File = c.file
		if got := read(t, write(t, e, gitlab.Options{}))[0].Location.Path; got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.reason, c.file, got, c.want)
		}
	}
}

func TestUnknownOption(t *testing.T) {
	if err := gitlab.Write(&bytes.Buffer{}, hostile.Plain(), gitlab.Options{Inconclusive: "minor"}); err == nil || !strings.Contains(err.Error(), "use one of") {
		t.Errorf("error %v does not say what is known", err)
	}
}
