package html_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	stdhtml "html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/render/html"
)

// islands reads the data of a page the way its script does.
func islands(t *testing.T, page string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`<script type="application/json" class="island" id="([^"]+)">(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		var packed string
		if err := json.Unmarshal([]byte(m[2]), &packed); err != nil {
			t.Fatalf("island %s: %v", m[1], err)
		}
		z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
		if err != nil {
			t.Fatalf("island %s: %v", m[1], err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("island %s: %v", m[1], err)
		}
		out[m[1]] = string(text)
	}
	return out
}

// textsOf are the texts of all islands of a name, in order.
func textsOf(all map[string]string, name string) []string {
	var out []string
	for i := 0; ; i++ {
		text, ok := all[fmt.Sprintf("%s-%d", name, i)]
		if !ok {
			return out
		}
		out = append(out, split(text)...)
	}
}

// split are the texts of an island.
func split(island string) []string { return strings.Split(strings.TrimSuffix(island, "\x00"), "\x00") }

// wireIndex is what the script takes from the index.
type wireIndex struct {
	Rows, LinesPer   int
	Tests            []string
	Suites, Variants struct {
		Words []string
		Cells []int
	}
	Passed, Counted, Total, Flags []int
	Time, Cost                    []*float64
}

func indexOf(t *testing.T, all map[string]string) wireIndex {
	t.Helper()
	var x wireIndex
	if err := json.Unmarshal([]byte(all["index"]), &x); err != nil {
		t.Fatal(err)
	}
	return x
}

func renderStatic(t *testing.T, e *envelope.Envelope, static int) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, e, html.Options{Static: static}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var testElement = regexp.MustCompile(`(?s)<li><details class="test" id="([^"]+)".*?</details></li>`)

var plainLine = regexp.MustCompile(`<li id="([^"]+)">`)

// mixed is a run of every kind: a tenth fails, some are skipped, the rest pass.
func mixed(tests int) *envelope.Envelope {
	e := many(tests, 6)
	for i := range e.Tests {
		e.Tests[i].CostLimited = i%10 == 5
		if i%10 == 3 {
			e.Tests[i].Status = envelope.Skip
		}
		e.Tests[i].Labels = map[string]string{"team": fmt.Sprint("team ", i%3), "<b>": "\x1b[1m"}
	}
	return e
}

func TestEveryTestIsInOnePlace(t *testing.T) {
	for _, c := range []struct {
		tests, static, asHTML, asLines int
		reason                         string
	}{
		{300, 300, 300, 0, "all fit the budget"},
		{300, 299, 30, 269, "one does not: lines of those that pass fill the budget"},
		{300, 100, 30, 70, "the same with a smaller one"},
		{300, 1, 30, 0, "those that need looking at are HTML, whatever the budget"},
		{2500, 40, 250, 0, "more lines than one island holds"},
	} {
		page := renderStatic(t, mixed(c.tests), c.static)
		all := islands(t, page)
		places := map[string]int{}
		for _, m := range testElement.FindAllStringSubmatch(page, -1) {
			places[m[1]]++
		}
		if len(places) != c.asHTML {
			t.Errorf("%s: %d tests are HTML that opens, want %d", c.reason, len(places), c.asHTML)
		}
		lines := plainLine.FindAllStringSubmatch(page, -1)
		if len(lines) != c.asLines {
			t.Errorf("%s: %d tests are a line of HTML, want %d", c.reason, len(lines), c.asLines)
		}
		for row := range slices.Chunk(textsOf(all, "lines"), 3) {
			places[row[0]]++
		}
		for _, line := range lines {
			if places[line[1]] != 1 {
				t.Errorf("%s: %s is a line of HTML and not data once", c.reason, line[1])
			}
		}
		for id, n := range places {
			if n != 1 {
				t.Errorf("%s: %s is in %d places", c.reason, id, n)
			}
		}
		if x := indexOf(t, all); len(places) != c.tests || len(x.Tests) != c.tests || x.Rows != c.asHTML {
			t.Errorf("%s: %d tests in the page, %d in the index, data from %d on; want %d, and from %d on", c.reason, len(places), len(x.Tests), x.Rows, c.tests, c.asHTML)
		}
		if bodies := len(textsOf(all, "bodies")); bodies != map[bool]int{true: 0, false: c.tests}[c.static >= c.tests] {
			t.Errorf("%s: %d bodies are data", c.reason, bodies)
		}
	}
}

// What is left out is said in words, with the number and the way to get it.
func TestReadersWithoutScriptsAreToldWhatIsData(t *testing.T) {
	text := words(renderStatic(t, mixed(300), 100))
	for _, want := range []string{
		"Passes 240",
		"Of 40 tests below only the line is HTML: what is behind it, and 200 more tests, needs JavaScript to show. " +
			"To have all tests as HTML, write the report with --html-static 300.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if all := words(renderStatic(t, mixed(300), 300)); strings.Contains(all, "takes JavaScript") {
		t.Error("a page that holds all says that it does not")
	}
}

func TestIndexHoldsWhatTheEnvelopeHolds(t *testing.T) {
	e := mixed(300)
	x := indexOf(t, islands(t, renderStatic(t, e, 50)))
	byName := map[string]*envelope.Test{}
	for i := range e.Tests {
		byName[e.Tests[i].Test] = &e.Tests[i]
	}
	for place, name := range x.Tests {
		test := byName[name]
		if test == nil {
			t.Fatalf("place %d: no test is called %q", place, name)
		}
		got := []any{x.Suites.Words[x.Suites.Cells[place]], x.Variants.Words[x.Variants.Cells[place]], x.Passed[place], x.Counted[place], x.Total[place], *x.Time[place], *x.Cost[place], x.Flags[place]}
		flags := 0
		if test.CostLimited {
			flags = 1
		}
		want := []any{test.Suite, test.Variant, test.Trials.Passed, test.Trials.Counted, test.Trials.Total, test.MedianMS().V, test.CostUSD.V, flags}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: the index has %v, the envelope %v", name, got, want)
		}
	}
}

// The conversations that travel as data are the HTML that the page has of those it shows without scripts.
func TestConversationsAreTheSameHTML(t *testing.T) {
	for _, s := range []struct {
		make   func() *envelope.Envelope
		reason string
		static int
	}{{inside, "two of three failed", 2}, {hostileRun, "hostile text in every place", len(hostile)}} {
		page := render(t, s.make())
		all := islands(t, page)
		x := indexOf(t, all)
		same := 0
		for i := range x.Tests {
			for _, talk := range split(all[fmt.Sprint("talk-", i)]) {
				if talk != "" && strings.Contains(page, talk) {
					same++
				}
			}
		}
		if same != s.static {
			t.Errorf("%s: %d conversations are the HTML of the page, want %d", s.reason, same, s.static)
		}
	}
}

// The tests that travel as data are the HTML that the page has of the same tests.
func TestDataIsTheSameHTML(t *testing.T) {
	const away = `<div class="body unread"><p class="note away">One moment.</p>
</div>
`
	for _, s := range []struct {
		make   func() *envelope.Envelope
		reason string
	}{{review, "every part of a test"}, {hostileRun, "hostile text in every place"}, {func() *envelope.Envelope { return mixed(300) }, "many tests"}} {
		e := s.make()
		for i := range e.Tests { // so that all of it may travel
			e.Tests[i].Status, e.Tests[i].Flaky = envelope.Pass, false
		}
		e.Tests = append(e.Tests, testOf(envelope.Key{Test: "one too many"}, envelope.Pass, "P"))
		asHTML := map[string]string{}
		for _, m := range testElement.FindAllStringSubmatch(renderStatic(t, e, len(e.Tests)), -1) {
			asHTML[m[1]] = m[0]
		}
		all := islands(t, renderStatic(t, e, 1))
		x := indexOf(t, all)
		bodies := textsOf(all, "bodies")[x.Rows:]
		for row := range slices.Chunk(textsOf(all, "lines"), 3) {
			body := bodies[0]
			bodies = bodies[1:]
			if got, want := "<li>"+strings.Replace(row[2], away, body, 1)+"</li>", asHTML[row[0]]; got != want {
				t.Fatalf("%s: the data is\n%s\nthe page has\n%s", s.reason, got, want)
			}
		}
	}
}

func TestIslandsHoldNothingThatEndsThem(t *testing.T) {
	page := renderStatic(t, hostileRun(), 1)
	for _, m := range regexp.MustCompile(`(?s)class="island" id="[^"]+">(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		if !regexp.MustCompile(`^"[A-Za-z0-9+/]+=*"$`).MatchString(m[1]) {
			t.Errorf("an island is not one string of base64: %.80s", m[1])
		}
	}
}

// A small reader of HTML, for the tests only: strict where a browser forgives,
// so that a page which gets through is one that any parser understands.

type tag struct {
	name       string
	closing    bool
	attributes map[string]string
}

var (
	tagPattern       = regexp.MustCompile(`^</?([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*)\s*/?>`)
	attributePattern = regexp.MustCompile(`([a-zA-Z-]+)(?:="([^"]*)")?`)
)

// void are the elements without an end; those of SVG that are closed by "/>" are told apart by that.
var void = map[string]bool{"meta": true, "link": true, "input": true}

// scan yields the tags of a page and complains about any < that starts none.
func scan(page string, yield func(t tag, selfClosing bool), complain func(string)) {
	page = strings.TrimPrefix(page, "<!DOCTYPE html>")
	for {
		at := strings.IndexByte(page, '<')
		if at < 0 {
			return
		}
		page = page[at:]
		m := tagPattern.FindStringSubmatch(page[:min(len(page), 1<<14)])
		if m == nil {
			complain(fmt.Sprintf("no tag: %q", page[:min(len(page), 60)]))
			page = page[1:]
			continue
		}
		t := tag{name: strings.ToLower(m[1]), closing: page[1] == '/', attributes: map[string]string{}}
		for _, a := range attributePattern.FindAllStringSubmatch(m[2], -1) {
			t.attributes[a[1]] = stdhtml.UnescapeString(a[2])
		}
		yield(t, strings.HasSuffix(m[0], "/>") || void[t.name])
		page = page[len(m[0]):]
		if raw := t.name; !t.closing && (raw == "script" || raw == "style") {
			page = page[max(0, strings.Index(page, "</"+raw)):]
		}
	}
}

func parse(page string) []tag {
	var tags []tag
	scan(page, func(t tag, _ bool) {
		if !t.closing {
			tags = append(tags, t)
		}
	}, func(string) {})
	return tags
}

// unbalanced lists what is wrong with the nesting of a page.
func unbalanced(page string) []string {
	var problems, open []string
	complain := func(p string) { problems = append(problems, p) }
	scan(page, func(t tag, selfClosing bool) {
		switch {
		case selfClosing:
		case !t.closing:
			open = append(open, t.name)
		case len(open) == 0 || open[len(open)-1] != t.name:
			complain(fmt.Sprintf("</%s> closes %v", t.name, open))
		default:
			open = open[:len(open)-1]
		}
	}, complain)
	if len(open) > 0 {
		complain(fmt.Sprintf("never closed: %v", open))
	}
	return problems
}

func count(tags []tag, name string) int {
	n := 0
	for _, t := range tags {
		if t.name == name {
			n++
		}
	}
	return n
}
