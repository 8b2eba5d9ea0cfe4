package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tribunal/envelope"
	"tribunal/internal/history/trend"
	"tribunal/internal/hostile"
	"tribunal/render"
)

func everyPage(t *testing.T, hold func(t *testing.T, html []byte)) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) { hold(t, s.page(t)) })
	}
}

// Nothing leaves the page, nothing runs that we did not write, and it fits every
// width: a page that scrolls sideways hides columns.
func TestEveryPageIsQuietAndFits(t *testing.T) {
	everyPage(t, func(t *testing.T, html []byte) {
		tb := newTab(t)
		for _, width := range []int64{1440, 1024, 390} {
			tb.size(width, 900)
			tb.open(html, "")
			for _, open := range []bool{false, true} {
				eval[int](tb, fmt.Sprintf(`Array.from(document.querySelectorAll("details"), (d) => d.open = %v || d.open).length`, open))
				if wide := eval[int64](tb, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("at %d pixels (all opened: %v) the page is %d wide: %s", width, open, wide, widest(tb, width))
				}
			}
		}
		tb.quiet()
	})
}

// widest names an element that sticks out, for whoever has to mend it.
func widest(tb *tab, width int64) string {
	return eval[string](tb, fmt.Sprintf(`(() => {
		const out = Array.from(document.querySelectorAll("body *")).filter((e) => e.getBoundingClientRect().right > %d);
		return out.slice(0, 5).map((e) => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)).join(" | ");
	})()`, width))
}

// axeTags are the standards axe-core is asked for.
const axeTags = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`

// axeRules are the rules of the standards, by the scheme of colours: what is no
// matter of colour is the same in both, and asked once.
var axeRules = map[string]string{
	"light": axeTags,
	"dark":  `{type: "rule", values: axe.getRules(["cat.color"]).filter((r) => r.tags.some((t) => ` + axeTags + `.includes(t))).map((r) => r.ruleId)}`,
}

func TestEveryPageIsAccessible(t *testing.T) {
	axe := tool(t, "axe-core/axe.min.js")
	script, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal(err)
	}
	everyPage(t, func(t *testing.T, html []byte) {
		tb := newTab(t)
		tb.size(1440, 900)
		for _, scheme := range []string{"light", "dark"} {
			tb.media("screen", scheme)
			tb.open(html, "")
			tb.until(settled)
			eval[int](tb, `Array.from(document.querySelectorAll("details"), (d) => d.open = true).length`)
			tb.until(`document.querySelectorAll(".test[open] > .body:not(.unread) > .away").length === 0 || !document.querySelector("[data-ready]")`)
			eval[int](tb, `Array.from(document.querySelectorAll("[role=tabpanel]"), (panel) => panel.hidden = false).length`)
			tb.run(chromedp.Evaluate[chromedp.Void](string(script)))
			for _, v := range eval[[]string](tb, `axe.run(document, {runOnly: `+axeRules[scheme]+`, resultTypes: ["violations"]}).then((r) => r.violations.map((v) =>
				v.id + ": " + v.help + ": " + v.nodes.length + " times: " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " (" + n.failureSummary + ")").join(" | ")))`) {
				t.Errorf("axe-core, %s: %s", scheme, v)
			}
		}
	})
}

func TestEveryPageIsValidHTML(t *testing.T) {
	validate := tool(t, ".bin/html-validate")
	config := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(config, []byte(validation), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // for all pages at once: starting the validator takes longer than a page
	everyPage(t, func(t *testing.T, html []byte) {
		if err := os.WriteFile(filepath.Join(dir, path.Base(t.Name())+".html"), html, 0o666); err != nil {
			t.Fatal(err)
		}
	})
	args := []string{"--config", config, "--formatter", "json"}
	for _, s := range subjects {
		args = append(args, filepath.Join(dir, s.name+".html"))
	}
	report, err := os.Create(filepath.Join(dir, "report.json")) // Node ends before all is in a pipe
	if err != nil {
		t.Fatal(err)
	}
	defer report.Close()
	cmd := exec.Command(validate, args...)
	cmd.Stdout = report
	failed := cmd.Run()
	out, err := os.ReadFile(report.Name())
	if err != nil || failed != nil && len(out) == 0 {
		t.Fatalf("html-validate did not run: %v, %v", failed, err)
	}
	for i, m := range messages(t, out) {
		if i < 10 {
			t.Errorf("html-validate: %s", m)
		}
	}
}

// validation leaves out what is a matter of taste: blanks at the end of a line,
// which a hostile text may bring, and how long a title is.
const validation = `{"root": true, "extends": ["html-validate:recommended"], "rules": {
	"no-trailing-whitespace": "off", "long-title": "off", "no-inline-style": "error", "require-sri": "off"}}`

func messages(t *testing.T, report []byte) []string {
	t.Helper()
	var files []struct {
		FilePath string
		Messages []struct {
			RuleID  string `json:"ruleId"`
			Message string
			Line    int
		}
	}
	if err := json.Unmarshal(report, &files); err != nil {
		t.Fatalf("html-validate wrote no JSON: %v: %.300s", err, report)
	}
	var out []string
	for _, f := range files {
		for _, m := range f.Messages {
			out = append(out, fmt.Sprintf("%s: line %d: %s (%s)", filepath.Base(f.FilePath), m.Line, m.Message, m.RuleID))
		}
	}
	return out
}

// tool is a file below the npm modules that scripts/browser installs. One that
// is missing is a failure: a check that is skipped in silence holds nothing.
func tool(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("BROWSER_TOOLS"), name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is missing: run scripts/browser, which installs it", name)
	}
	return path
}

// settled holds when what a page draws from data is drawn; pages without data are
// always settled.
const settled = `!document.querySelector("script.island") || document.documentElement.dataset.loaded === ""`

// Paper has what the screen shows: what is folded stays folded, and the page and its
// address are afterwards what they were.
func TestEveryPageStaysAsItIsOnPaper(t *testing.T) {
	everyPage(t, func(t *testing.T, html []byte) {
		tb := newTab(t)
		tb.open(html, "")
		tb.until(settled)
		const state = `document.querySelectorAll("details[open]").length + " open at " + location.hash`
		before := eval[string](tb, state)
		eval[bool](tb, `(window.addEventListener("beforeprint", () => { window.printed = `+state+` }), true)`)
		call(tb, page.PrintToPDF, page.PrintToPDFParams{})
		tb.becomes("printed", `window.printed ?? "not told that it is printed"`, before)
		tb.becomes("after printing", state, before)
		tb.media("print", "light")
		if data := eval[int](tb, `Array.from(document.querySelectorAll(".data table")).filter((e) => e.checkVisibility()).length`); data > 0 {
			t.Errorf("the data of %d charts goes on paper", data)
		}
		tb.quiet()
	})
}

// jenkinsPolicy is what Jenkins serves archived pages with: no script and no
// inline style (DEFAULT_CSP_VALUE of hudson.model.DirectoryBrowserSupport).
const jenkinsPolicy = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"

// The words of a page are there with scripts, without them, and without styles.
func TestEveryPageReadsWithoutScripts(t *testing.T) {
	everyPage(t, func(t *testing.T, html []byte) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", jenkinsPolicy)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(html) // a browser that went away is no matter
		}))
		defer server.Close()
		bare := newTab(t)
		withoutScripts(bare)
		bare.open(html, "")
		jenkins := newTab(t)
		jenkins.run(chromedp.Navigate(server.URL))
		want := headings(bare)
		if len(want) == 0 {
			t.Error("the page has no headings without scripts")
		}
		if got := headings(jenkins); !slices.Equal(got, want) {
			t.Errorf("under the policy of Jenkins the headings are %q, without scripts %q", got, want)
		}
		for _, dead := range eval[[]string](bare, visibleControls) {
			t.Errorf("without scripts this control does nothing and is shown: %s", dead)
		}
		bare.quiet()
	})
}

func withoutScripts(tb *tab) {
	tb.t.Helper()
	call(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

func headings(tb *tab) []string {
	return eval[[]string](tb, `Array.from(document.querySelectorAll("h1, h2, h3"), (h) => h.innerText.replace(/\s+/g, " ").trim())`)
}

const visibleControls = `Array.from(document.querySelectorAll("button, input, select"))
	.filter((e) => e.checkVisibility({visibilityProperty: true})).map((e) => e.outerHTML.slice(0, 120))`

// What failed can be read from the words alone.
func TestFailuresReadWithoutScripts(t *testing.T) {
	tb := newTab(t)
	withoutScripts(tb)
	tb.open(tribunal(t, stream(60, 4), "report", "--no-config", "-f", "html"), "")
	eval[int](tb, `Array.from(document.querySelectorAll("details"), (d) => d.open = true).length`)
	words := eval[string](tb, `document.body.innerText`)
	for test := range 60 {
		name := fmt.Sprintf("test-%05d", test)
		if failed := test%20 == 7 || test%10 == 3; failed && !strings.Contains(words, name) {
			t.Errorf("%s did not pass and is not in the words of the page", name)
		} else if failed && !strings.Contains(words, fmt.Sprintf("wrong answer 1 in test %d", test)) {
			t.Errorf("the message of %s is not in the words of the page", name)
		}
	}
	tb.quiet()
}

func init() {
	subjects = append(subjects,
		subject{"trend", "tests over runs, one in each state", trendPage(func(i int) string { return fmt.Sprint("word ", i) })},
		subject{"trend-hostile", "every text of tests and runs attacks the page", trendPage(func(i int) string { return hostile.Texts[i%len(hostile.Texts)].Text })},
		subject{"history", "the index of a history, with a change of each kind", historyPage(func(i int) string { return fmt.Sprint("word ", i) }, true)},
		subject{"history-hostile", "every text of tests and runs attacks the index", historyPage(func(i int) string { return hostile.Texts[i%len(hostile.Texts)].Text }, true)},
		subject{"history-run", "the page of a run, with links to the runs beside it", historyPage(func(i int) string { return fmt.Sprint("word ", i) }, false)},
	)
}

// courses are what tests did in twelve runs: the trials that passed, of five.
var courses = []string{"555555555555", "555555550000", "555555534243", "554544343323", "353535353535", "112233344455", "222222555555", "000000000000"}

// trendPage is the page of a trend whose words come from texts.
func trendPage(texts func(i int) string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		f, err := render.Trends.ByName("html")
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := f.Write(&page, trendOf(texts), render.Settings{}); err != nil {
			t.Fatal(err)
		}
		return page.Bytes()
	}
}

// trendOf is a trend whose words come from texts.
func trendOf(texts func(i int) string) *trend.Trend {
	b := trend.NewBuilder(trend.DefaultConfidence)
	for r := range 12 {
		h := envelope.RunHeader{Header: envelope.Header{Name: texts(r), ID: texts(r + 1), Commit: texts(r + 2)}}
		b.Run(fmt.Sprintf("%02d%062d", r, 0), h, envelope.Effective{Policy: envelope.Policy{Rule: "all"}}, envelope.Summary{CostUSD: envelope.Some(float64(r + 1))})
		for i, c := range courses {
			key := envelope.Key{Suite: texts(3 * i), Test: texts(3*i+1) + "!", Variant: texts(3*i + 2)}
			b.Point(b.Test(key), trend.Point{Counted: 5, Passed: int32(c[r] - '0'), Status: trend.CodeOf(envelope.Pass), CostUSD: 0.1, DurationMS: float64(100 + r)})
		}
	}
	return b.Trend()
}

// historyPage is the index of a history, or the page of one of its runs. What its tests
// did is hostile where its texts are.
func historyPage(texts func(i int) string, index bool) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		t.Helper()
		h := &render.History{Trend: trendOf(texts), Quarantined: 2, Run: func(int) (*envelope.Envelope, error) { return hostile.Plain(), nil },
			Releases: []render.Released{{Key: envelope.Key{Suite: texts(1), Test: texts(2)}, Why: texts(3)}}}
		pages := map[string]*file{}
		err := render.WriteHistory(h, func(name string) (io.WriteCloser, error) { pages[name] = new(file); return pages[name], nil })
		if err != nil {
			t.Fatal(err)
		}
		for name, page := range pages {
			if (name == render.HistoryIndex) == index {
				return page.Bytes()
			}
		}
		t.Fatal("no such page")
		return nil
	}
}

// file is one in memory.
type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }
