package junit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/internal/rendertest"
	"tribunal/render/junit"
)

var profiles = []string{junit.ProfileDefault, junit.ProfileGitLab, junit.ProfileJenkins, junit.ProfileStrict, junit.ProfileSurefire}

func write(t *testing.T, e *envelope.Envelope, o junit.Options) []byte {
	t.Helper()
	return rendertest.Document(t, e, rendertest.With(junit.Write, o))
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		for _, p := range profiles {
			got := write(t, rendertest.Envelopes()[name], junit.Options{Profile: p, Flaky: p == junit.ProfileSurefire})
			rendertest.Golden(t, name+"."+p+".xml", got)
		}
	}
}

func TestContract(t *testing.T) {
	for name, e := range rendertest.Envelopes() {
		for _, p := range profiles {
			t.Run(name+"/"+p, func(t *testing.T) {
				o := junit.Options{Profile: p, Flaky: true}
				doc := rendertest.Written(t, e, rendertest.With(junit.Write, o))
				document(t, parse(t, doc), e, p)
			})
		}
	}
}

// document holds a parsed document against the envelope it was made of.
func document(t *testing.T, root *element, e *envelope.Envelope, profile string) {
	t.Helper()
	suites := []*element{root}
	if profile != junit.ProfileSurefire {
		gitlab(t, root)
		suites = root.all("testsuite")
		tests, failures, errors, _ := counters(t, suites)
		for attr, want := range map[string]int{"tests": tests, "failures": failures, "errors": errors} {
			if root.attr(attr) != fmt.Sprint(want) {
				t.Errorf("testsuites: %s=%q, the children say %d", attr, root.attr(attr), want)
			}
		}
	}
	counters(t, suites)
	pairs, verdicts := map[[2]string]bool{}, map[string]int{}
	for _, s := range suites {
		for _, c := range s.all("testcase") {
			pairs[[2]string{c.attr("classname"), c.attr("name")}] = true
			verdicts[verdictOf(c)]++
		}
	}
	want := map[string]int{"success": e.Summary.Pass, "failure": e.Summary.Fail, "error": e.Summary.Error, "skipped": e.Summary.Skip + e.Summary.Inconclusive}
	broken, unheld := rendertest.Beside(e)
	want["error"] += broken
	want["failure"] += unheld
	total := 0
	for verdict, n := range want {
		total += n
		if verdicts[verdict] != n {
			t.Errorf("%d testcases are %s, want %d", verdicts[verdict], verdict, n)
		}
	}
	if len(pairs) != total {
		t.Errorf("%d different pairs of classname and name for %d testcases", len(pairs), total)
	}
}

func TestInconclusiveExactly(t *testing.T) {
	const exact = `<skipped message="inconclusive"/>`
	for _, p := range profiles {
		doc := string(write(t, hostile.Plain(), junit.Options{Profile: p}))
		if got := strings.Contains(doc, exact); got != (p != junit.ProfileGitLab) {
			t.Errorf("%s: has %s: %t", p, exact, got)
		}
	}
	doc := string(write(t, hostile.Plain(), junit.Options{Profile: junit.ProfileGitLab}))
	if want := `<skipped message="inconclusive"><![CDATA[3 counted trials: at least 5 are needed]]></skipped>`; !strings.Contains(doc, want) {
		t.Errorf("gitlab shows the body: want %s", want)
	}
}

// TestNoTextLost looks for what trials and problems said in the parsed report.
func TestNoTextLost(t *testing.T) {
	e := hostile.Plain()
	n := 0
	for i := range e.Tests {
		for j := range e.Tests[i].Details {
			n++
			e.Tests[i].Details[j].Message = fmt.Sprintf("said-%03d", n)
		}
	}
	for _, p := range profiles {
		var said strings.Builder
		parse(t, write(t, e, junit.Options{Profile: p})).walk(func(e *element) { said.WriteString(e.Text + e.attr("value") + "\n") })
		for i := 1; i <= n; i++ {
			if want := fmt.Sprintf("said-%03d", i); !strings.Contains(said.String(), want) {
				t.Errorf("%s: the message %s of a trial is lost", p, want)
			}
		}
		if !strings.Contains(said.String(), "3 lines are no trials") {
			t.Errorf("%s: the problem of the run is lost", p)
		}
	}
}

func TestProperties(t *testing.T) {
	e := hostile.All()
	i := 0
	for _, s := range parse(t, write(t, e, junit.Options{})).all("testsuite") {
		for _, c := range s.all("testcase") {
			if c.attr("classname") == "(tribunal)" {
				continue // of no test
			}
			has := map[string]string{}
			for _, p := range c.all("properties")[0].all("property") {
				if name := p.attr("name"); name == "tribunal.incomplete" {
					has[p.attr("value")] = "left out"
				} else {
					has[name] = p.attr("value")
				}
			}
			test := &e.Tests[i]
			i++
			if has["key"] == "" && utf8.ValidString(test.Test) { // an envelope is valid UTF-8, the corpus is not
				var key []string
				if err := json.Unmarshal([]byte(has["tribunal.key"]), &key); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{test.Suite, test.Test, test.Variant}, key); diff != "" {
					t.Errorf("key (-want +got):\n%s", diff)
				}
			} else if len(test.Test) < 10_000 && utf8.ValidString(test.Test) {
				t.Errorf("%q: the key is left out", test.Test)
			}
			var rows envelope.Rows
			if err := json.Unmarshal([]byte(has["tribunal.rows"]), &rows); err != nil {
				t.Fatal(err)
			}
			if rows.Outcome.String() != test.Rows.Outcome.String() || has["tribunal.trials"] != rows.Outcome.String() {
				t.Errorf("%q: trials %q, rows %q, want %q", test.Test, has["tribunal.trials"], rows.Outcome, test.Rows.Outcome)
			}
			if has["tribunal.verdict"] != string(test.Status) || has["tribunal.n"] != fmt.Sprint(test.Verdict.N) {
				t.Errorf("%q: %v", test.Test, has)
			}
		}
	}
	if i != len(e.Tests) {
		t.Errorf("%d testcases for %d tests", i, len(e.Tests))
	}
}

func TestNames(t *testing.T) {
	e := hostile.Plain()
	e.Tests = nil
	keys := []struct {
		reason string
		envelope.Key
		marked bool
	}{
		{"a plain name", envelope.Key{Suite: "s", Test: "a"}, false},
		{"a plain variant", envelope.Key{Suite: "s", Test: "a", Variant: "b"}, false},
		{"brackets that are no variant's", envelope.Key{Suite: "s", Test: "a[b]"}, false},
		{"a test that looks like a variant", envelope.Key{Suite: "s", Test: "a [b]"}, true},
		{"a variant that looks like two", envelope.Key{Suite: "s", Test: "a", Variant: "b] [c"}, true},
		{"a name that only differs in a control character", envelope.Key{Suite: "s", Test: "a\n"}, true},
		{"another one that reads the same", envelope.Key{Suite: "s", Test: "\ta"}, true},
		{"a name of nothing visible", envelope.Key{Suite: "s", Test: "\x1b[m"}, true},
		{"a name that looks marked", envelope.Key{Suite: "s", Test: "a ~0123456789ab"}, true},
		{"joined by _ like the next one", envelope.Key{Suite: "a", Test: "a_a_x"}, true},
		{"joined by _ like the one before", envelope.Key{Suite: "a_a", Test: "x"}, false},
	}
	for _, k := range keys {
		test := hostile.Plain().Tests[0]
		test.Key = k.Key
		e.Tests = append(e.Tests, test)
	}
	names := map[string]string{}
	cases := gitlab(t, parse(t, write(t, e, junit.Options{})))
	if len(cases) != len(keys) {
		t.Errorf("%d keys for %d tests", len(cases), len(keys))
	}
	for _, c := range cases {
		var key []string
		if err := json.Unmarshal([]byte(c.all("properties")[0].all("property")[0].attr("value")), &key); err != nil {
			t.Fatal(err)
		}
		names[strings.Join(key, "\x00")] = c.attr("name")
	}
	for i, k := range keys {
		name := names[strings.Join([]string{k.Suite, k.Test, k.Variant}, "\x00")]
		if strings.Contains(name, "~") != k.marked {
			t.Errorf("%s: named %q, marked %t wanted", k.reason, name, k.marked)
		}
		// alone, without the tests it could be taken for, it has the same name
		alone := *e
		alone.Tests = e.Tests[i : i+1]
		for _, c := range gitlab(t, parse(t, write(t, &alone, junit.Options{}))) {
			if c.attr("name") != name {
				t.Errorf("%s: alone %q, among others %q", k.reason, c.attr("name"), name)
			}
		}
	}
}

func TestFlaky(t *testing.T) {
	for _, flaky := range []bool{false, true} {
		n := 0
		parse(t, write(t, hostile.Plain(), junit.Options{Flaky: flaky})).walk(func(e *element) {
			if e.XMLName.Local == "flakyFailure" {
				n++
			}
		})
		if want := map[bool]int{true: 1}[flaky]; n != want { // PPFPP is the one flaky pass
			t.Errorf("flaky %t: %d flakyFailure elements, want %d", flaky, n, want)
		}
	}
}

func TestUnknownProfile(t *testing.T) {
	err := junit.Write(&bytes.Buffer{}, hostile.Plain(), junit.Options{Profile: "gitlob"})
	if err == nil || !strings.Contains(err.Error(), "gitlab") {
		t.Errorf("error %v does not list the profiles", err)
	}
}

// TestSkipMessage: the reason is in the attribute, which some readers show alone,
// and is never one of the marks that are read back as something else.
func TestSkipMessage(t *testing.T) {
	for reason, want := range map[string]string{"no network": "no network", "inconclusive": "skipped: inconclusive", "quarantined": "skipped: quarantined", "": "0 of 0 trials passed"} {
		e := hostile.Plain()
		for i := range e.Tests {
			if e.Tests[i].Status == envelope.Skip {
				e.Tests[i].Details, e.Tests[i].Verdict.Reason = []envelope.Detail{{Message: reason}}, reason
			}
		}
		var b strings.Builder
		if err := junit.Write(&b, e, junit.Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `<skipped message="`+want+`">`) {
			t.Errorf("%q: no message %q", reason, want)
		}
	}
}
