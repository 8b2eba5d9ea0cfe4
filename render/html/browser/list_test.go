package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tribunal/internal/hostile"
)

// The stream of these tests has 1,000 tests of 2 trials: 50 fail both (names
// ending in 07, 27, 47, 67, 87), 100 fail the second (ending in 3), 850 pass. Only
// those that did not pass are in the page as HTML.
const tests, failing, flaky = 1000, 150, 100

func longList(t *testing.T, hash string) *tab {
	t.Helper()
	tb := newTab(t)
	tb.size(1440, 900)
	tb.open(tribunal(t, stream(tests, 2), "report", "--no-config", "-f", "html", "--html-static", "10"), hash)
	tb.until(`document.documentElement.dataset.loaded === ""`)
	return tb
}

// names are the tests that are drawn, in order.
func names(tb *tab) []string {
	return eval[[]string](tb, `Array.from(document.querySelectorAll("#rows .test .name bdi:not(.suite)"), (e) => e.textContent)`)
}

// shown is what the page says of how many tests it shows, "" when all.
const shown = `document.getElementById("shown").textContent`

func click(tb *tab, selector string) {
	tb.t.Helper()
	tb.run(chromedp.Click(chromedp.CSS(selector)))
}

func press(tb *tab, keys string) {
	tb.t.Helper()
	tb.run(chromedp.KeyEvent(keys))
}

// slash presses "/" as a keyboard does: the character is no event of its own, so
// a page that takes the key for itself gets no character.
func slash(tb *tab) {
	tb.t.Helper()
	call(tb, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Text: "/"})
	call(tb, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "/"})
}

func choose(tb *tab, id, value string) {
	tb.t.Helper()
	eval[bool](tb, fmt.Sprintf(`(document.querySelector('#%s input[value="%s"]').click(), true)`, id, value))
}

func TestListDrawsWhatIsNearAndReachesTheEnd(t *testing.T) {
	tb := longList(t, "")
	if n := eval[int](tb, `document.querySelectorAll("#rows > li").length`); n > 200 {
		t.Errorf("%d rows of %d are drawn at once: the list is to draw what is near", n, tests)
	}
	if first := names(tb)[0]; first != "test-00003" && first != "test-00007" {
		t.Errorf("the list starts with %s, which did not fail", first)
	}
	for range 60 { // the guesses of heights become right on the way
		eval[bool](tb, `(window.scrollTo(0, document.documentElement.scrollHeight), new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))`)
	}
	tb.until(`document.querySelector("#rows > li.waiting") === null`)
	if drawn := names(tb); !slices.Contains(drawn, "test-00999") {
		t.Errorf("at the end of the list stand %v, not the last test", drawn[max(0, len(drawn)-3):])
	}
	if place := eval[string](tb, `document.querySelector("#rows > li:last-child").getAttribute("aria-posinset") + " of " + document.querySelector("#rows > li:last-child").getAttribute("aria-setsize")`); strings.Split(place, " of ")[0] != strings.Split(place, " of ")[1] {
		t.Errorf("the last row says it is %s", place)
	}
	tb.quiet()
}

// A page that has all its tests as HTML draws what is near as well, once they are
// many, and still has the others.
func TestManyTestsThatAreHTMLAreDrawnOnDemand(t *testing.T) {
	tb := newTab(t)
	tb.size(1440, 900)
	tb.open(tribunal(t, stream(600, 2), "report", "--no-config", "-f", "html"), "")
	tb.until(`document.documentElement.dataset.loaded === ""`)
	if n := len(names(tb)); n == 0 || n > 200 {
		t.Errorf("%d rows of 600 are drawn at once: the list is to draw what is near", n)
	}
	slash(tb)
	press(tb, "test-00599")
	tb.until(`document.querySelectorAll("#rows .test").length === 1`)
	eval[bool](tb, `(document.querySelector("#rows .test summary").click(), true)`)
	tb.until(`document.querySelector("#pane .numbers")?.checkVisibility() === true`)
	tb.quiet()
}

func TestFiltersShowWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		reason string
		do     func(tb *tab)
		want   int
	}{
		{"the kind", func(tb *tab) { click(tb, `#tools [data-kind="broken"]`) }, failing - flaky},
		{"two kinds", func(tb *tab) { click(tb, `[data-kind="flaky"]`); click(tb, `[data-kind="broken"]`) }, failing},
		{"a cause: all failing tests have it", func(tb *tab) { click(tb, `[data-cause]`) }, failing},
		{"a cause and a kind", func(tb *tab) { click(tb, `[data-cause]`); click(tb, `#tools [data-kind="flaky"]`) }, flaky},
		{"a suite: even tests", func(tb *tab) { choose(tb, "suite", "/suite-0") }, 500},
		{"a suite and a verdict: all failing tests are odd", func(tb *tab) {
			choose(tb, "suite", "/suite-0")
			click(tb, `#tools [data-kind="broken"]`)
		}, 0},
		{"a label: 0, 3, … 999", func(tb *tab) { choose(tb, "label", "team=team-0") }, 334},
		{"a word of the name", func(tb *tab) { slash(tb); press(tb, "test-0001") }, 10},
		{"a word of the reason", func(tb *tab) { slash(tb); press(tb, "wrong") }, failing},
	} {
		t.Run(c.reason, func(t *testing.T) {
			tb := longList(t, "")
			c.do(tb)
			want := fmt.Sprintf("%d of 1,000 tests shown", c.want)
			if c.want == tests {
				want = ""
			}
			tb.becomes("the page says", shown, want)
			tb.until(fmt.Sprintf(`((drawn) => %d < 50 ? drawn === %[1]d : drawn > 0)(document.querySelectorAll("#rows .test").length)`, c.want))
			if c.want < tests {
				click(tb, "#clear")
				tb.becomes("after Show all the page says", shown, "")
			}
			tb.quiet()
		})
	}
}

// The median times of the stream are (100 + (7t mod 900) + 100 + (7t+13 mod 900))/2:
// computed here again, apart from the page.
func TestSortingByAColumn(t *testing.T) {
	tb := longList(t, "")
	choose(tb, "group", "none")
	time := func(test int) int { return (test*7)%900 + (test*7+13)%900 }
	highest := 0
	for test := range tests {
		if time(test) > time(highest) {
			highest = test
		}
	}
	click(tb, `#columns [data-sort="time"] button`)
	tb.until(`document.querySelector("#rows > li.waiting") === null`)
	first := names(tb)[0]
	var number int
	if _, err := fmt.Sscanf(first, "test-%d", &number); err != nil || time(number) != time(highest) {
		t.Errorf("by time, highest first, the list starts with %s (%d), want one like test-%05d (%d)", first, time(number), highest, time(highest))
	}
	tb.becomes("the order that the column says", `document.querySelector('#columns [data-sort="time"] button').dataset.order`, "down")
	click(tb, `#columns [data-sort="name"] button`)
	tb.becomes("the first of the list by name, suite first", `Array.from(document.querySelectorAll("#rows .test .name bdi:not(.suite)"), (e) => e.textContent).slice(0, 2).join()`, "test-00000,test-00002")
	tb.quiet()
}

func TestGroupsCountTheirTests(t *testing.T) {
	tb := longList(t, "#group=label:team&kind=passed")
	got := eval[string](tb, `document.querySelector("#rows > .heading").innerText.replace(/\s+/g, " ").trim()`)
	passing := 0
	for test := 0; test < tests; test += 3 {
		if test%20 != 7 && test%10 != 3 {
			passing++
		}
	}
	if !strings.Contains(got, "team-0") || !strings.HasSuffix(got, fmt.Sprint(passing)) {
		t.Errorf("the first group is headed %q, want team-0 with its %d passing tests", got, passing)
	}
	tb.quiet()
}

func TestKeyboardWalksTheList(t *testing.T) {
	tb := longList(t, "")
	const focused = `document.activeElement.closest(".test")?.querySelector(".name bdi:not(.suite)").textContent ?? document.activeElement.id`
	all := names(tb)
	press(tb, "j")
	press(tb, "j")
	press(tb, "j")
	press(tb, "k")
	tb.becomes("the focus after j j j k, on the second test", focused, all[1])
	press(tb, kb.ArrowDown)
	tb.becomes("the focus after the arrow down", focused, all[2])
	press(tb, "o")
	tb.becomes("the test beside the list after o", beside, all[2])
	tb.until(`location.hash.includes(document.getElementById("pane").dataset.test)`)
	press(tb, "j")
	tb.becomes("the test beside the list after j", beside, all[3])
	press(tb, kb.Escape)
	tb.becomes("the test beside the list after Escape", beside, "")
	tb.becomes("the focus after Escape, on the test that was open", focused, all[3])
	tb.until(`location.hash === "" || location.hash === "#"`)
	slash(tb)
	tb.becomes("the focus after /, on the filter", focused, "find")
	press(tb, "test-0099")
	press(tb, kb.Escape)
	tb.becomes("after Escape the page says", shown, "")
	press(tb, "?")
	tb.until(`document.getElementById("help").open`)
	press(tb, kb.Escape)
	tb.until(`!document.getElementById("help").open`)
	tb.quiet()
}

// beside is the name of the test beside the list, "" without one.
const beside = `(document.querySelector("#pane:not([hidden]) .name bdi:not(.suite)")?.textContent ?? "")`

// On a wide page a test opens beside the list, on a narrow one in its place; Back closes
// it and leaves the filters. Its address opens it again.
func TestBackClosesATest(t *testing.T) {
	for _, width := range []int64{1440, 390} {
		tb := longList(t, "#find=test-005")
		tb.size(width, 900)
		tb.becomes("the page says", shown, "100 of 1,000 tests shown")
		open := map[bool]string{true: beside, false: `document.querySelector(".test[open] .name bdi:not(.suite)")?.textContent ?? ""`}[width == 1440]
		eval[bool](tb, `(document.querySelector("#rows .test[data-kind=passed] > summary").click(), true)`)
		tb.becomes("the open test", open, "test-00500")
		tb.until(`location.hash.startsWith("#t-") && location.hash.endsWith("&find=test-005")`)
		hash := eval[string](tb, `location.hash`)
		tb.travel(-1)
		tb.becomes("the open test after Back", open, "")
		tb.becomes("the address after Back", `location.hash`, "#find=test-005")
		tb.travel(1)
		tb.becomes("the open test after Forward", open, "test-00500")
		tb.quiet()
		again := longList(t, strings.TrimSuffix(hash, "&find=test-005"))
		again.becomes("the test that the link opens", beside, "test-00500")
		again.until(`document.querySelector("#pane .body")?.textContent.includes("team-2") === true`)
		click(again, `#pane [data-do="next"]`)
		again.becomes("the next test", beside, "test-00502")
		click(again, `#pane [data-do="close"]`)
		again.becomes("the open test after Close", beside, "")
		again.quiet()
	}
}

func TestAddressKeepsTheState(t *testing.T) {
	tb := longList(t, "")
	click(tb, `#tools [data-kind="flaky"]`)
	click(tb, `#tools [data-kind="broken"]`)
	click(tb, `[data-cause]`)
	slash(tb)
	press(tb, "test-0000")
	choose(tb, "sort", "-time")
	tb.until(`location.hash.includes("sort=")`)
	hash, drawn := eval[string](tb, `location.hash`), names(tb)
	again := longList(t, hash)
	if got := names(again); !slices.Equal(got, drawn) || len(got) != 2 {
		t.Errorf("opened at %s the page shows %v, before it showed %v, want the 2 failing tests of test-0000", hash, got, drawn)
	}
	again.becomes("the filter of the address is pressed", `document.querySelector('#tools [data-kind="flaky"]').ariaPressed`, "true")
	again.until(`document.querySelector('[data-cause][aria-current="true"]') !== null && !document.getElementById("cause").hidden`)
	again.quiet()
}

func TestCopyButtons(t *testing.T) {
	tb := longList(t, "#find=test-00007")
	eval[bool](tb, `(Object.defineProperty(navigator, "clipboard", {value: {writeText: (text) => { window.copied = text; return Promise.resolve() }}}), true)`)
	tb.until(`document.querySelectorAll("#rows .test").length === 1`)
	eval[bool](tb, `(document.querySelector("#rows .test summary").click(), true)`)
	tb.until(`document.querySelector("#pane [data-copy=name]") !== null`)
	for what, want := range map[string]string{"name": "suite-1/test-00007", "link": "report.html#t-", "message": "wrong answer 0 in test 7"} {
		click(tb, "#pane [data-copy="+what+"]")
		tb.until(fmt.Sprintf(`window.copied?.includes(%q)`, want)) // what is copied
	}
	tb.quiet()
}

func TestThemeIsChosenAndKept(t *testing.T) {
	tb := longList(t, "")
	tb.media("screen", "light")
	ground := func() string {
		return eval[string](tb, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.documentElement).backgroundColor`)
	}
	light := ground()
	click(tb, "#theme") // light
	if got := ground(); got != light {
		t.Errorf("chosen light is %s, of the system %s", got, light)
	}
	click(tb, "#theme") // dark
	dark := ground()
	if dark == light {
		t.Errorf("dark and light have the same ground %s", dark)
	}
	call(tb, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		new MutationObserver((_, watch) => {
			if (!document.body) return;
			window.atFirst = document.documentElement.dataset.theme ?? "none";
			watch.disconnect();
		}).observe(document, {childList: true, subtree: true})`})
	tb.run(chromedp.Reload())
	if got := ground(); got != dark {
		t.Errorf("after loading again the ground is %s, want the chosen dark %s", got, dark)
	}
	tb.becomes("the colours when there is something to draw, so that nothing flashes", `window.atFirst`, "dark")
	click(tb, "#theme") // back to the system's, for the other tests
	tb.quiet()
}

func TestPaperHasTheWholeList(t *testing.T) {
	tb := longList(t, "")
	eval[bool](tb, `(window.dispatchEvent(new Event("beforeprint")), true)`)
	if n := len(names(tb)); n != tests {
		t.Errorf("%d of %d tests go on paper", n, tests)
	}
	if room := eval[string](tb, `document.getElementById("rows").style.paddingBottom`); room != "" {
		t.Errorf("%s below the list are empty on paper", room)
	}
	tb.until(`document.getElementById("paper").textContent.startsWith("Left out on paper: the details of 2,000 trials.")`) // two of each test
	eval[bool](tb, `(window.dispatchEvent(new Event("afterprint")), true)`)
	tb.quiet()
}

// Run and Method are tabs of the page, with addresses: Back leads to the tests, where their
// reader left them, and a test that one of them names is shown.
func TestPartsOfThePageAreTabs(t *testing.T) {
	const at = `[...document.querySelectorAll("#views [aria-selected=true]")].map((e) => e.textContent).join() + ": " + [...document.querySelectorAll(".view")].filter((e) => e.checkVisibility()).map((e) => e.id).join()`
	tb := longList(t, "")
	click(tb, `#tools [data-kind="flaky"]`)
	tb.until(`location.hash === "#kind=flaky"`)
	eval[bool](tb, `(scrollTo(0, 700), true)`)
	eval[bool](tb, `(document.getElementById("views").lastElementChild.click(), true)`)
	tb.becomes("after a click", at, "Method: view-method")
	tb.becomes("the address", `location.hash`, "#view-method&kind=flaky")
	tb.becomes("the words", `String(document.querySelector("#view-method .rates").checkVisibility())`, "true")
	press(tb, "j")
	tb.becomes("keys of the list do nothing there", `document.activeElement.closest(".test")?.id ?? ""`, "")
	tb.travel(-1)
	tb.becomes("after Back", at, "Tests: view-tests")
	tb.becomes("the tests stand where they were left", `String(scrollY)`, "700")
	tb.becomes("and are filtered", shown, "100 of 1,000 tests shown")
	tb.quiet()

	again := newTab(t)
	again.size(1440, 900)
	again.open(report("two-variants.ndjson")(t), "#view-run")
	again.becomes("opened at an address", at, "Run: view-run")
	click(again, `#view-run .matrix a`)
	again.becomes("after a link to a test", at, "Tests: view-tests")
	again.until(`document.querySelector("#pane:not([hidden])") !== null`)
	eval[bool](again, `((real, timers) => { // the address is written after a link, and before the page follows it
		window.setTimeout = (timer) => timers.push(timer);
		document.querySelector("#tools [data-kind]").click();
		window.setTimeout = real;
		location.hash = (window.asked = [...document.querySelectorAll("#rows .test")].at(-1)).id;
		timers.forEach((timer) => timer());
		return true;
	})(window.setTimeout, [])`)
	again.becomes("the test of a link", `window.asked.firstElementChild.ariaCurrent`, "true")
	again.open(tribunal(t, stream(300, 2), "report", "--no-config", "-f", "html"), "#view-run")
	again.becomes("a large page opened there", at+` + " from " + scrollY`, "Run: view-run from 0")
	again.quiet()
}

// What is sorted, grouped and chosen is radio buttons, one for each choice; Escape closes them.
func TestChoicesAreRadioButtons(t *testing.T) {
	tb := longList(t, "#sort=-time")
	click(tb, "#tools .more > summary")
	tb.becomes("checked", `[...document.querySelectorAll("#tools fieldset:not([hidden])")].map((f) => f.querySelector("legend").textContent + ": " + f.querySelector(":checked").parentElement.textContent).join("; ")`,
		"Sort by: median time, highest first; Group by: what needs looking at; Suite: all; Label: all")
	tb.becomes("native selects", `String(document.querySelectorAll("#tools select").length)`, "0")
	eval[bool](tb, `(document.querySelector("#sort :checked").focus(), true)`)
	press(tb, kb.ArrowUp)
	tb.until(`location.hash === "#sort=time"`)
	press(tb, kb.Escape)
	tb.becomes("after Escape", `String(document.querySelector("#tools .more").open) + document.activeElement.textContent`, "falseSort and group")
	tb.quiet()
}

// What is drawn from data is as safe as what came as HTML.
func TestHostileTestsAreDrawnFromDataSafely(t *testing.T) {
	env := hostile.All()
	for i := range env.Tests {
		env.Tests[i].Status, env.Tests[i].Flaky = "pass", false
	}
	tb := newTab(t)
	tb.open(writtenWith(t, env, map[string]string{"html-static": "1"}), "")
	tb.until(`document.documentElement.dataset.loaded === ""`)
	n := eval[int](tb, `(async () => {
		for (let i = 0; i < 40; i++) {
			for (const d of document.querySelectorAll("#rows .test")) d.open = true;
			await new Promise((done) => setTimeout(done, 20));
			window.scrollBy(0, 5000);
		}
		return document.querySelectorAll("#rows .test").length;
	})()`)
	if n == 0 {
		t.Error("no test was drawn")
	}
	if found := eval[[]string](tb, `Array.from(document.querySelectorAll("#rows :is(script, iframe, img, object, embed, form, link, style, base, meta), #rows [onclick], #rows [onerror], #rows [style]"), (e) => e.outerHTML.slice(0, 200))`); len(found) > 0 {
		t.Errorf("drawn from data: %q", found)
	}
	tb.quiet()
}
