package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	stdhtml "html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/render/html"
	"tribunal/render/internal/rendertest"
	"tribunal/templates"
)

// empty is what an input without a trial gives.
func empty() *envelope.Envelope {
	return &envelope.Envelope{Gate: envelope.Gate{Status: envelope.Error, ExitCode: 2, Reasons: []string{"no trial in the input"}}}
}

func onePass() *envelope.Envelope {
	e := &envelope.Envelope{Tests: []envelope.Test{testOf(envelope.Key{Test: "answers"}, envelope.Pass, "PPPP")}, Gate: envelope.Gate{Status: envelope.Pass}}
	e.Summary.Add(envelope.Pass)
	e.Summary.Trials = envelope.TrialCounts{Total: 4, Counted: 4, Passed: 4}
	e.Summary.Rate.PerProtocol = rateOf(4, 4)
	return e
}

// samples are the runs every property is tested on.
var samples = []struct {
	name   string
	reason string
	make   func() *envelope.Envelope
}{
	{"empty", "nothing to show must still be a page that says so", empty},
	{"one-pass", "the smallest run: no part of the page that has nothing to say", onePass},
	{"review", "every status, flag and part of the page", review},
	{"inside", "checks, where trials part and conversations", inside},
	{"hostile", "hostile text in every place that takes text", hostileRun},
}

func render(t *testing.T, e *envelope.Envelope) string {
	t.Helper()
	return string(rendertest.Document(t, e, write))
}

func write(w io.Writer, e *envelope.Envelope) error { return html.Write(w, e, html.Options{}) }

// withoutAssets leaves style and script out, so that a golden shows what the envelope became and a change of the look does not touch it.
func withoutAssets(page string) string {
	page = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(page, "<style>…</style>")
	page = regexp.MustCompile(`(?s)<script( type="module" async)?>.*?</script>`).ReplaceAllString(page, `<script$1>…</script>`)
	page = regexp.MustCompile(`(class="island"[^>]*>)".*?"`).ReplaceAllString(page, "$1…")
	return regexp.MustCompile(`sha256-[^&']*?(?:&#43;[^&']*?)*&#39;`).ReplaceAllString(page, "sha256-…&#39;")
}

func TestGoldens(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			got := withoutAssets(render(t, s.make()))
			rendertest.Golden(t, s.name+".html", got)
		})
	}
}

func TestSameBytesAndInputUnchanged(t *testing.T) {
	for _, s := range samples {
		if s.name != "hostile" { // a func in its parameters has no JSON
			rendertest.Written(t, s.make(), write)
		}
		if first := render(t, s.make()); render(t, s.make()) != first {
			t.Errorf("%s: an equal envelope gives another page", s.name)
		}
	}
}

func TestSecurityPolicyNamesTheInlineContents(t *testing.T) {
	page := render(t, review())
	meta := between(t, page, `http-equiv="Content-Security-Policy" content="`, `"`)
	policy := stdhtml.UnescapeString(meta)
	hash := func(start, end string) string {
		sum := sha256.Sum256([]byte(between(t, page, start, end)))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for _, want := range []string{
		"style-src " + hash("<style>", "</style>") + ";",
		"script-src " + hash("<script>", "</script>") + " " + hash(`<script type="module" async>`, "</script>") + ";",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not hold %q", policy, want)
		}
	}
	for _, want := range []string{"default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not hold %q", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy %q allows something unsafe", policy)
	}
}

func between(t *testing.T, s, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, from)
	inner, _, ended := strings.Cut(rest, to)
	if !ok || !ended {
		t.Fatalf("nothing between %q and %q", from, to)
	}
	return inner
}

func TestAssetsCannotEndTheirElements(t *testing.T) {
	for _, file := range slices.Concat(templates.Review.Styles, templates.Review.Scripts, []string{templates.Early}) {
		text, err := templates.FS.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if lower := bytes.ToLower(text); bytes.Contains(lower, []byte("</")) || bytes.Contains(lower, []byte("<!--")) {
			t.Errorf("%s holds </ or <!--, which a browser may take for markup", file)
		}
	}
}

func TestElementsAreBalanced(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			for _, problem := range unbalanced(render(t, s.make())) {
				t.Errorf("%s: %s", s.reason, problem)
			}
		})
	}
}

func TestNothingActiveFromTheRun(t *testing.T) {
	page := render(t, hostileRun())
	tags := parse(page)
	for _, tag := range tags {
		if kind := tag.attributes["type"]; tag.name == "script" && kind != "" && kind != "module" && kind != "application/json" {
			t.Errorf("a script of type %q", kind)
		}
	}
	for _, ours := range []string{"<script>", `<script type="module" async>`} {
		if n := strings.Count(page, ours); n != 1 {
			t.Errorf("%d times %s, want our own only", n, ours)
		}
	}
	if n := count(tags, "style"); n != 1 {
		t.Errorf("%d style elements, want our own only", n)
	}
	for _, forbidden := range []string{"img", "iframe", "object", "embed", "form", "base", "audio", "video"} {
		if n := count(tags, forbidden); n != 0 {
			t.Errorf("%d %s elements, want none", n, forbidden)
		}
	}
	for _, tag := range tags {
		for name, value := range tag.attributes {
			checkAttribute(t, tag.name, name, value)
		}
	}
	for _, r := range withoutAssets(page) {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r == '\u202e' || r == '\u2066' || r == '\uFFFE' || r == '\uFFFF' {
			t.Fatalf("the page holds %U", r)
		}
	}
}

func checkAttribute(t *testing.T, tag, name, value string) {
	t.Helper()
	switch {
	case strings.HasPrefix(name, "on"), name == "style", name == "src", name == "srcdoc", name == "action":
		t.Errorf("<%s %s=%q>: no such attribute may be in the page", tag, name, value)
	case name == "href" && !strings.HasPrefix(value, "#") && value != "data:,":
		t.Errorf("<%s href=%q>: leads out of the page", tag, value)
	}
}

func TestIdentifiersAreUnique(t *testing.T) {
	for _, s := range samples {
		page := render(t, s.make())
		seen, targets := map[string]bool{}, map[string]bool{}
		for _, tag := range parse(page) {
			if id, ok := tag.attributes["id"]; ok {
				if seen[id] {
					t.Errorf("%s: id %q is there twice", s.name, id)
				}
				seen[id] = true
			}
			if target := strings.TrimPrefix(tag.attributes["href"], "#"); target != tag.attributes["href"] {
				targets[target] = true
			}
		}
		for target := range targets {
			if !seen[target] {
				t.Errorf("%s: a link leads to #%s, which is not in the page", s.name, target)
			}
		}
	}
}

// Names that look the same once they are made safe are still different tests.
func TestEqualLookingNamesStayApart(t *testing.T) {
	e := &envelope.Envelope{}
	for _, test := range []string{"a", "a ", "a\n", "\x1b[1ma", "a\x00", ""} {
		e.Tests = append(e.Tests, testOf(envelope.Key{Test: test}, envelope.Pass, "P"))
	}
	e.Tests = append(e.Tests, testOf(envelope.Key{Suite: "a", Test: "b"}, envelope.Pass, "P"), testOf(envelope.Key{Test: "b", Variant: "a"}, envelope.Pass, "P"))
	ids := map[string]bool{}
	for _, tag := range parse(render(t, e)) {
		if tag.attributes["class"] == "test" {
			ids[tag.attributes["id"]] = true
		}
	}
	if len(ids) != len(e.Tests) {
		t.Errorf("%d tests have %d places in the page", len(e.Tests), len(ids))
	}
}

func TestWriterErrorsAreReturned(t *testing.T) {
	e := review()
	for range 60 {
		e.Tests = append(e.Tests, failing()) // more than one buffer
	}
	rendertest.SaysFull(t, e, write)
}

func many(tests, trials int) *envelope.Envelope {
	e := &envelope.Envelope{}
	for i := range tests {
		strip := strings.Repeat("P", trials)
		if i%10 == 0 {
			strip = strings.Repeat("PF", trials/2)
		}
		t := testOf(envelope.Key{Suite: fmt.Sprintf("suite-%02d", i%20), Test: fmt.Sprintf("test number %d", i)}, envelope.Pass, strip)
		t.Rate.PerProtocol = &envelope.Rate{Value: 0.75, Lo: 0.5, Hi: 1, Method: "wilson", Confidence: 0.95} // any: only the speed counts
		t.DurationMS, t.CostUSD = &envelope.Spread{Total: 1000, P50: some(50.0), P95: some(60.0)}, some(0.01)
		t.Reliability = &envelope.Reliability{Runs: trials, PassAtK: 100, PassHatK: 100, AllPassed: 100, GracefulDegradation: 100, Curve: []int{100}}
		if i%10 == 0 {
			t.Status = envelope.Fail
			t.Details = []envelope.Detail{{Trial: 3, Status: envelope.Fail, Message: "expected 3, got 4", Output: "line 1\nline 2\n"}}
		}
		e.Summary.Add(t.Status)
		e.Tests = append(e.Tests, t)
	}
	return e
}

func TestTenThousandTestsStayWhole(t *testing.T) {
	e := many(10_000, 20)
	page := render(t, e)
	if n := strings.Count(page, `<details class="test"`) + strings.Count(page, `<li id="t-`); n != html.DefaultStatic {
		t.Errorf("%d of %d tests are in the page", n, len(e.Tests))
	}
}

func TestHugeTextsAreWritten(t *testing.T) {
	e := onePass()
	e.Tests[0].Details = []envelope.Detail{{Message: strings.Repeat("<\x1b[1m", 2<<20), Output: strings.Repeat("]]>\n", 2<<20)}}
	if n := len(unbalanced(render(t, e))); n > 0 {
		t.Errorf("%d problems", n)
	}
}

// A variant per test would make a matrix of tests times tests.
func TestMatrixStaysBounded(t *testing.T) {
	e := &envelope.Envelope{}
	for i := range 2_000 {
		e.Tests = append(e.Tests, testOf(envelope.Key{Test: fmt.Sprintf("%04d", i), Variant: fmt.Sprint(i)}, envelope.Pass, "P"))
	}
	if n := len(render(t, e)); n > 10<<20 {
		t.Errorf("the page has %d bytes", n)
	}
}

func BenchmarkTenThousandTests(b *testing.B) {
	e := many(10_000, 20)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := html.Write(&out, e, html.Options{}); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}

// A link leads to the server that the user named, whatever tests call their files.
func TestSourceLinksStayOnTheirServer(t *testing.T) {
	const server = "https://example.org/source/"
	var b bytes.Buffer
	e := hostileRun()
	e.Run.Commit = "9fceb02"
	for i, file := range []string{"//evil.example/x", "javascript:alert(1)", "../../x", `a" onclick="x`, "ok.py"} {
		e.Tests[i].File, e.Tests[i].Line = file, 1
	}
	if err := html.Write(&b, e, html.Options{SourceURL: server + "{commit}/{file}#L{line}"}); err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, tag := range parse(b.String()) {
		href, ok := tag.attributes["href"]
		if strings.HasPrefix(href, server) {
			links++
		} else if ok && !strings.HasPrefix(href, "#") && href != "data:," {
			t.Errorf("<%s href=%q>: leads elsewhere", tag.name, href)
		}
	}
	if links < 3 {
		t.Errorf("%d links to the source, want those of ok.py and of the names that are escaped", links)
	}
	if err := html.Write(&b, e, html.Options{SourceURL: "ftp://x/{file}"}); err == nil {
		t.Error("an address that is not http or https is accepted")
	}
}
