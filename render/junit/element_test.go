package junit

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/internal/hostile"
)

// reference is a testcase as encoding/xml writes it.
func reference(t *testing.T, x caseXML) string {
	t.Helper()
	var b strings.Builder
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ")
	if err := enc.Encode(struct {
		XMLName xml.Name  `xml:"r"`
		Cases   []caseXML `xml:"testcase"`
	}{Cases: []caseXML{x}}); err != nil {
		t.Fatal(err)
	}
	return shortened(b.String())
}

// shortened writes <a></a> as <a/>, but for what stands in CDATA.
func shortened(s string) string {
	var b strings.Builder
	for s != "" {
		part, cdata, _ := strings.Cut(s, "<![CDATA[")
		b.WriteString(regexp.MustCompile(`></[A-Za-z-]+>`).ReplaceAllString(part, "/>"))
		if cdata == "" {
			break
		}
		inside, rest, _ := strings.Cut(cdata, "]]>")
		b.WriteString("<![CDATA[" + inside + "]]>")
		s = rest
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), "<r>"), "\n</r>")
}

// texts are what a testcase may have to show.
var texts = func() []string {
	all := []string{"", "plain", "]]>", "a]]>b]]>", "]]", ">", "\"'&<>\t\n\r\x7f", "\x00\x01\x1f\ufffe\uffff\xff\xc3", "é\u2028\U0001f600\ufffd"}
	for _, h := range hostile.Texts {
		all = append(all, h.Text)
	}
	return all
}()

// someCases are testcases of every shape with a text in every place.
func someCases(s string) []caseXML {
	result := &upstream.Result{Message: s, Type: s, Data: s}
	full := caseXML{Name: s, Classname: s, Time: s, File: s, Line: 7, Properties: &[]upstream.Property{{Name: s, Value: s}, {Name: "b", Value: s}},
		Flaky: []flakyXML{{s, s, s}, {Message: s}}}
	full.Skipped, full.Error, full.Failure, full.SystemOut = result, result, result, &upstream.Output{Data: s}
	bare := caseXML{Name: s}
	empty := caseXML{Name: s, Properties: &[]upstream.Property{}, Flaky: []flakyXML{{}}}
	empty.Failure, empty.SystemOut = &upstream.Result{}, &upstream.Output{}
	return []caseXML{full, bare, empty}
}

// TestTestcaseIsWrittenAlike holds the writer against encoding/xml.
func TestTestcaseIsWrittenAlike(t *testing.T) {
	for _, s := range texts {
		for _, x := range someCases(s) {
			e := &elements{depth: 1}
			e.testcase(&x)
			if want := reference(t, x); string(e.b) != want {
				t.Errorf("%.60q is written\n%.2000s\nwant\n%.2000s", s, e.b, want)
			}
		}
	}
}

func FuzzTestcase(f *testing.F) {
	for _, s := range texts {
		if len(s) < 1000 {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, x := range someCases(s) {
			e := &elements{depth: 1}
			e.testcase(&x)
			if want := reference(t, x); string(e.b) != want {
				t.Errorf("%q is written\n%s\nwant\n%s", s, e.b, want)
			}
		}
	})
}

func many(n int) *envelope.Envelope {
	e := hostile.Plain()
	models := e.Tests
	e.Tests = nil
	for i := range n {
		t := models[i%len(models)]
		rows := *t.Rows
		t.Rows = &rows
		t.Suite, t.Test = fmt.Sprintf("suite %d", i/20), fmt.Sprintf("test %d", i)
		e.Tests = append(e.Tests, t)
	}
	return e
}

func fitted(t *testing.T, e *envelope.Envelope, profile string, size, cases int) (string, *draft) {
	t.Helper()
	p, err := profileOf(profile)
	if err != nil {
		t.Fatal(err)
	}
	d := &draft{env: e, profile: p, suites: group(e, p)}
	d.fit(size, cases)
	var b bytes.Buffer
	if err := d.write(&b); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b.Bytes(), new(struct{ XMLName xml.Name })); err != nil {
		t.Fatal(err)
	}
	return b.String(), d
}

func TestFitSize(t *testing.T) {
	e := many(210)
	full, _ := fitted(t, e, "", 1<<30, 1<<30)
	for _, p := range profiles {
		last := level(-1)
		for size := len(full); size > 5_000; size = size * 3 / 4 {
			doc, d := fitted(t, e, p.name, size, 1<<30)
			if len(doc) > size {
				t.Errorf("%s: %d bytes, the limit is %d", p.name, len(doc), size)
			}
			if d.level > complete && (levelNotes[d.level] == "" || !strings.Contains(doc, "under 30 MB: "+levelNotes[d.level])) {
				t.Errorf("%s, %d bytes, level %d: the report does not say what it leaves out", p.name, size, d.level)
			}
			if d.level < last {
				t.Errorf("%s: less room shows more", p.name)
			}
			last = d.level
			// a failure is left out only when no pass is in
			if strings.Count(doc, "<failure") < 30 && strings.Contains(doc, `name="test 0"`) {
				t.Errorf("%s, %d bytes: failures were left out before passes", p.name, size)
			}
		}
		if last != bare {
			t.Errorf("%s: the smallest size was not tested", p.name)
		}
	}
}

func TestFitCases(t *testing.T) {
	doc, d := fitted(t, many(700), "", 1<<30, 450) // 100 of each of seven kinds
	if n := strings.Count(doc, "<testcase "); n != 450 {
		t.Errorf("%d testcases, the limit is 450", n)
	}
	if d.level != complete {
		t.Errorf("level %d: there is room for everything about the rest", d.level)
	}
	for _, want := range []string{`name="tests left out"`, "251 of 700 tests left out"} {
		if !strings.Contains(doc, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Count(doc, "<failure") != 100 || strings.Count(doc, "<error") != 100 {
		t.Error("failures were left out before passes")
	}
}

func TestNodeLimit(t *testing.T) {
	e := many(7)
	e.Tests[2].Details[0].Output = strings.Repeat("]]>::error::x\n", 1<<20) // 14 MB
	doc, _ := fitted(t, e, "", fileLimit, caseLimit)
	if len(doc) > 4*nodeLimit {
		t.Errorf("%d bytes for a test with a long output", len(doc))
	}
	if !strings.Contains(doc, "bytes cut") {
		t.Error("the report does not say what was cut")
	}
}

// TestNothingThatFitsIsGivenUp: a level is left out when its document is too large by a byte,
// and never before, also where a sample is asked first.
func TestNothingThatFitsIsGivenUp(t *testing.T) {
	mixed := func(i int) int { return 50 * (i % 3) }
	rare := func(i int) int { return max(0, 1-i%100) * 2000 }
	for n, trials := range map[int]func(i int) int{70: mixed, 1100: mixed, 6400: rare} {
		e := many(n)
		for i := range e.Tests {
			rows := e.Tests[i].Rows
			outcome := rows.Outcome
			rows = rows.Changed(func(c *envelope.Columns) {
				for n := len(c.Given) + 1; n <= trials(i); n++ {
					c.Given, outcome = append(c.Given, 'F'), append(outcome, envelope.Failed)
					c.DurationMS.Set(n-1, math.Pi/float64(n))
					c.CostUSD.Set(n-1, 123456.789012)
				}
			})
			rows.Outcome = outcome
			e.Tests[i].Rows = rows
			if i%3 == 0 { // a flaky pass, and one with nothing to say
				e.Tests[i].Status, e.Tests[i].Flaky = envelope.Pass, i%2 == 0
			}
		}
		for limit, want := 1<<30, complete; want <= bare; want++ {
			doc, d := fitted(t, e, "", limit, 1<<30)
			if d.level != want {
				t.Fatalf("%d tests: level %d at %d bytes, want %d", n, d.level, limit, want)
			}
			if again, d := fitted(t, e, "", len(doc), 1<<30); d.level != want || again != doc {
				t.Errorf("%d tests: level %d has %d bytes, and that limit gives level %d", n, want, len(doc), d.level)
			}
			limit = len(doc) - 1
		}
	}
}

// TestIncomplete: a property that does not fit is named, never shortened.
func TestIncomplete(t *testing.T) {
	e := many(1)
	e.Tests[0].Test = strings.Repeat("x", nodeLimit)
	doc, _ := fitted(t, e, "", fileLimit, caseLimit)
	if !strings.Contains(doc, `<property name="tribunal.incomplete" value="key"/>`) || strings.Contains(doc, `"tribunal.key"`) {
		t.Error("a key over the limit is not reported as left out")
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		e := many(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Write(&counter{left: math.MaxInt}, e, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
