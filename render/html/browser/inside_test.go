package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func init() {
	subjects = append(subjects, subject{"inside", "checks, where trials part, conversations side by side", func(t *testing.T) []byte {
		return tribunal(t, conversations(8), "report", "--no-config", "-f", "html")
	}})
}

// conversations are four trials of a booking that was to be cancelled: after some
// equal steps two cancel the right one and pass, one cancels another, and one hands
// over to a person. Checks called failing fail where they do.
func conversations(equal int, failing ...string) string {
	var b strings.Builder
	for trial, end := range []string{"transfer_to_human_agents", "FDZ0T5", "HSR97W", "FDZ0T5"} {
		turns := []map[string]any{{"role": "system", "text": strings.Repeat("You are an agent of an airline. ", 40)}, {"role": "user", "text": "Please cancel my flight."}}
		call := func(name string, arguments map[string]any, answer string) {
			id := fmt.Sprint("call-", len(turns))
			turns = append(turns, map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": id, "name": name, "arguments": arguments}}, "duration_ms": 900},
				map[string]any{"role": "tool", "tool_call_id": id, "name": name, "text": answer})
		}
		for step := range equal {
			call("get_reservation_details", map[string]any{"reservation_id": fmt.Sprint("R", step)}, strings.Repeat(fmt.Sprintf("line of reservation %d\n", step), 30))
		}
		turns = append(turns, map[string]any{"role": "assistant", "text": "Shall I cancel it?"}, map[string]any{"role": "user", "text": fmt.Sprintf("Yes, please do, says the user of trial %d.", trial+1)})
		if end == "transfer_to_human_agents" {
			call(end, map[string]any{"summary": "The user wants to cancel " + strings.Repeat("and more ", 20)}, "Transfer successful")
		} else {
			call("cancel_reservation", map[string]any{"reservation_id": end}, strings.Repeat(`{"cancelled": true}`+"\n", 30))
		}
		status := map[bool]string{true: "pass", false: "fail"}[end == "FDZ0T5"]
		checks := []any{map[string]any{"name": "cancels FDZ0T5", "status": status, "reason": "cancelled " + end}, map[string]any{"name": "is polite", "status": "pass"}}
		for _, name := range failing {
			checks = append(checks, map[string]any{"name": name, "status": status, "reason": strings.Repeat("a reason of some length ", 4)})
		}
		line, _ := json.Marshal(map[string]any{"test": "cancels the right flight", "attempt": trial, "status": status, "message": "the database differs", "checks": checks, "transcript": turns})
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// opened shows the page of the conversations with its test opened.
func opened(t *testing.T, hash string) *tab {
	t.Helper()
	tb := newTab(t)
	tb.size(1440, 900)
	tb.open(tribunal(t, conversations(8), "report", "--no-config", "-f", "html"), hash)
	tb.until(`document.querySelector(".pair .diff") !== null`)
	return tb
}

const firstTest = `"#" + document.querySelector("#rows .test").id`

// inWindow holds for what is seen without scrolling.
const inWindow = `((e) => { const b = e.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; })`

// A test opened answers without scrolling which check fails, what its trials did,
// and what they did when they passed.
func TestAnOpenedTestSaysWhy(t *testing.T) {
	tb := opened(t, "")
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.until(`Math.abs(document.querySelector("#rows .test").getBoundingClientRect().top) < 60`)
	for what, selector := range map[string]string{"the check that fails": ".checks .line", "where trials part": ".parting .reason", "the first difference": ".pair .diff",
		"the call of the failing trial": `.cell.l .call[data-step]:has(.differs)`, "the call of the passing one": `.cell.r .call[data-step]:has(.differs)`} {
		tb.becomes(what+" is in view", `String(`+inWindow+`(document.querySelector('`+selector+`')))`, "true")
	}
	for selector, want := range map[string]string{".checks .name": "cancels FDZ0T5", ".checks .kn": "passed 2/4", ".parting .kn": "passed 2/2", ".parting .then": "then end", ".diff": "at step 9: transfer_to_human_agents against cancel_reservation",
		".alike summary": "8 equal steps 8 × get_reservation_details turns 2 to 18 in both"} {
		if got := eval[string](tb, `document.querySelector("`+selector+`").textContent.replace(/\s+/g, " ")`); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	tb.quiet()
}

// The list finds a test by what is said in its conversations; a comparison by the name
// that other reports print. Both keep what was searched in the address.
func TestSearchFindsWhatIsSaid(t *testing.T) {
	search := func(tb *tab, words string) {
		eval[bool](tb, `((e) => (e.value = `+fmt.Sprintf("%q", words)+`, e.dispatchEvent(new Event("input")), true))(document.getElementById("find"))`)
	}
	tb := opened(t, "")
	search(tb, "the user of trial 3")
	tb.becomes("tests shown", `document.getElementById("shown").textContent`, "")
	search(tb, "nobody said this")
	tb.becomes("tests shown", `document.getElementById("shown").textContent`, "0 of 1 tests shown")
	tb.until(`location.hash === "#find=nobody%20said%20this"`)

	junit := filepath.Join(t.TempDir(), "junit.xml")
	if err := os.WriteFile(junit, []byte(`<testsuites><testsuite name="pytest"><testcase classname="test_shop.TestCart" name="test_sync" file="test_shop.py"/></testsuite></testsuites>`), 0o644); err != nil {
		t.Fatal(err)
	}
	tb = newTab(t)
	tb.open(tribunal(t, "", "compare", "--no-config", "-f", "html", junit, junit), "")
	tb.becomes("the name as printed", `document.querySelector("#rows .path").textContent`, "test_shop.py::TestCart::test_sync")
	for _, found := range []string{"TestCart/test_sync", "passed before"} {
		search(tb, found)
		tb.becomes("tests shown for "+found, `document.getElementById("shown").textContent`, "")
	}
	search(tb, "no such test")
	tb.becomes("tests shown", `document.getElementById("shown").textContent`, "0 of 1 tests shown")
	tb.until(`location.hash === "#find=no+such+test"`)
	tb.quiet()
}

// On a telephone the first difference is on the first screen as well, however many checks
// fail, for the ways on and all but the worst check are folded.
func TestAnOpenedTestSaysWhyOnATelephone(t *testing.T) {
	for _, failing := range [][]string{nil, {"dates", "exact fare", "tells the rule", "asks first", "writes once"}} {
		tb := newTab(t)
		tb.size(390, 844)
		tb.open(tribunal(t, conversations(8, failing...), "report", "--no-config", "-f", "html"), "")
		eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
		tb.until(`document.querySelector(".pair .diff") !== null`)
		for what, selector := range map[string]string{"the worst check": ".checks .why", "where trials part": ".parting .reason", "the fold of the ways": ".parting .ways > summary", "the first difference": ".pair .diff"} {
			tb.becomes(what+" is in view", `String(`+inWindow+`(document.querySelector('`+selector+`')))`, "true")
		}
		eval[bool](tb, `(document.querySelectorAll(".ways > summary").forEach((s) => s.click()), true)`)
		tb.until(`[...document.querySelectorAll(".ways .kn")].every((e) => e.checkVisibility())`)
		if len(failing) > 0 {
			tb.becomes("the fold says how many", `document.querySelector(".checks .ways > summary").textContent`, "5 more checks fail, passed 2/4 to 2/4")
		}
		tb.quiet()
	}
}

// A wide page folds checks where many fail: what was done instead is not far below.
func TestManyChecksThatFail(t *testing.T) {
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprint("criterion ", i))
	}
	for _, c := range []struct {
		failing []string
		open    bool
	}{{many[:5], true}, {many, false}} {
		tb := newTab(t)
		tb.size(1440, 900)
		tb.open(tribunal(t, conversations(8, c.failing...), "report", "--no-config", "-f", "html"), "")
		eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
		tb.until(`document.querySelector(".pair .diff") !== null`)
		if got := eval[bool](tb, `document.querySelector(".checks .ways .line").checkVisibility()`); got != c.open {
			t.Errorf("%d more checks fail: shown %v, want %v", len(c.failing), got, c.open)
		}
		if got := eval[bool](tb, `document.querySelector(".checks .ways > summary").checkVisibility()`); got == c.open {
			t.Errorf("%d more checks fail: their fold shown %v, want %v", len(c.failing), got, !c.open)
		}
		tb.quiet()
	}
}

// What stands in a line of its own, stands there whole: an argument with its comma, how to
// copy a conversation, and which turns are folded.
func TestLinesOfConversations(t *testing.T) {
	var trials strings.Builder
	for trial, status := range []string{"fail", "pass"} {
		turn := func(name string) string {
			return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"name":%q,"arguments":{"first":"%s","second":[1,2],"third":"%s"}}]},{"role":"tool","text":"%s"}`, name, strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat(`a \u001b[32mgreen\u001b[0m line\n`, 30))
		}
		var turns []string
		for i := range 6 {
			turns = append(turns, turn(fmt.Sprint("tool_of_some_name_", i)))
		}
		turns = append(turns, turn([]string{"refuse", "accept"}[trial]))
		fmt.Fprintf(&trials, `{"test":"a","attempt":%d,"status":%q,"duration_ms":1234567,"cost_usd":0.1234,"checks":[{"name":"a criterion with a long name","status":%q}],"transcript":[%s]}`+"\n", trial, status, status, strings.Join(turns, ","))
	}
	tb := newTab(t)
	tb.size(1600, 900)
	tb.open(tribunal(t, trials.String(), "report", "--no-config", "-f", "html"), "")
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.until(`document.querySelector(".pair .diff") !== null`)
	for what, holds := range map[string]string{
		"arguments follow each other line by line":     `(([a, b, c]) => b.top > a.top && Math.abs(c.top - b.top - (b.top - a.top)) < 1 && b.top - a.top < 2 * a.height)([...document.querySelectorAll(".cell.l .call.long:has(.differs) .arg")].map((e) => e.getClientRects()[e.getClientRects().length - 1]))`,
		"Copy stands beside its trial":                 `[...document.querySelectorAll(".head")].every((h) => { const a = h.querySelector("select").getBoundingClientRect(), b = h.querySelector("button").getBoundingClientRect(); return b.top < a.bottom && b.bottom > a.top; })`,
		"an answer in colours is folded as others are": `(document.querySelector(".diff + .row .cell.l > .tool .said > pre").textContent.trimEnd().split("\n").length === 8 && document.querySelector(".diff + .row .cell.l > .tool .rest-of summary").textContent === "22 more lines" && document.querySelector(".diff + .row .cell.l > .tool .rest-of pre").textContent.split("green").length === 23)`,
	} {
		tb.becomes(what, "String("+holds+")", "true")
	}
	for width := int64(1000); width < 1400; width += 20 { // at one of them the names fill the line
		tb.size(width, 900)
		tb.becomes("which turns are folded stands above what follows", `String(document.querySelector(".alike .where").getBoundingClientRect().bottom <= document.querySelector(".diff").getBoundingClientRect().top)`, "true")
	}
	tb.quiet()
}

func TestKeysAndSearchInConversations(t *testing.T) {
	tb := opened(t, "")
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.until(`Math.abs(document.querySelector("#rows .test").getBoundingClientRect().top) < 60`)
	press := func(key string) {
		eval[bool](tb, fmt.Sprintf(`(document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true, cancelable: true})), true)`, key))
	}
	press("n")
	tb.becomes("n goes to the first difference", `document.activeElement.className`, "diff here")
	press("t")
	tb.becomes("t brings the trial that passed to the left", `document.querySelector(".head.l select").selectedOptions[0].textContent`, "Trial 2 PASS")
	press("/")
	tb.until(`document.activeElement === document.querySelector(".seek input")`) // the search of the open test in view
	eval[bool](tb, `(() => { const i = document.querySelector(".seek input"); i.value = "line of reservation 3"; i.dispatchEvent(new Event("input")); return true; })()`)
	tb.becomes("the search finds a turn in each trial", `document.querySelector(".pair output").textContent`, "turn 1 of 2")
	tb.until(`document.querySelector(".turn.here").checkVisibility()`) // and not folded away
	tb.quiet()
}

func TestAddressesOfTurns(t *testing.T) {
	tb := opened(t, "")
	id := eval[string](tb, firstTest)
	again := newTab(t)
	again.size(1440, 900)
	again.open(tribunal(t, conversations(8), "report", "--no-config", "-f", "html"), id+"&trial=3&turn=21")
	again.until(`document.querySelector(".turn.here") !== null`)
	if got := eval[string](again, `document.querySelector(".turn.here").textContent`); !strings.Contains(got, "cancel_reservation") || !strings.Contains(got, "HSR97W") {
		t.Errorf("the address leads to %q, want the call of turn 21 of trial 3", got)
	}
	again.until(inWindow + `(document.querySelector(".turn.here"))`)
	if got := eval[string](again, `document.querySelector(".turn.here a.no").href`); !strings.HasSuffix(got, id+"&trial=3&turn=21") {
		t.Errorf("the number of the turn leads to %s", got)
	}
	again.quiet()
}

// A trial whose conversation is not in the page is no silent miss.
func TestAddressesOfTrialsThatAreNotHere(t *testing.T) {
	tb := opened(t, "")
	eval[bool](tb, `(location.hash = `+firstTest+` + "&trial=44&turn=2", true)`)
	tb.becomes("the page says so", `document.querySelector(".pair output").textContent`, "trial 44 is not among these")
	tb.quiet()
}

// Whoever hears the page is told whose turns follow, where others see it by their column.
func TestConversationsSayWhoseTheyAre(t *testing.T) {
	tb := opened(t, "")
	for _, c := range []struct{ what, expression, want string }{
		{"before the turns", `[...document.querySelectorAll(".diff + .row .tag")].map((e) => (e.checkVisibility() ? "" : "hidden ") + e.textContent).join(", ")`, "Trial 1 FAIL, Trial 2 PASS"},
		{"and takes no room", `String(document.querySelector(".tag").getBoundingClientRect().height)`, "1"},
		{"with their numbers", `document.querySelector(".diff + .row .cell.r .turn a.no").getAttribute("aria-label")`, "Turn 19 of trial 2"},
	} {
		tb.becomes(c.what, c.expression, c.want)
	}
	tb.quiet()
}

// One of two trials is read alone by its number: on a narrow page there is no left one.
func TestOneOfTwoConversations(t *testing.T) {
	tb := opened(t, "")
	const views, seen = `[...document.querySelectorAll(".views button")].map((e) => e.textContent + (e.ariaPressed === "true" ? "*" : "")).join(", ")`, `[...document.querySelectorAll(".head, .diff + .row .cell")].filter((e) => e.checkVisibility()).map((e) => e.className).join(", ")`
	tb.becomes("both are shown", views, "Both*, Trial 1, Trial 2")
	eval[bool](tb, `(document.querySelectorAll(".views button")[2].click(), true)`)
	tb.becomes("the passing one is chosen", views, "Both, Trial 1, Trial 2*")
	tb.becomes("and stands alone", seen, "head r, cell r, cell r")
	eval[bool](tb, `(document.querySelector("[data-do=swap]").click(), true)`)
	tb.becomes("swapped, the words follow", views, "Both, Trial 2, Trial 1*")
	tb.quiet()
}

// Paper has what is folded on the screen, but not the same answer twice, and no controls.
func TestConversationsOnPaper(t *testing.T) {
	tb := opened(t, "")
	tb.media("print", "light")
	for _, c := range []struct{ what, expression, want string }{
		{"equal steps", `String(document.querySelector(".alike .cell.l .tool pre").checkVisibility())`, "true"},
		{"the same answer", `String(document.querySelector(".alike .same .tool pre").checkVisibility())`, "false"},
		{"the choice of a trial", `getComputedStyle(document.querySelector(".head select")).appearance`, "none"},
		{"the tools", `String(document.querySelector(".bar-tools").checkVisibility())`, "false"},
	} {
		tb.becomes(c.what, c.expression, c.want)
	}
	tb.quiet()
}

// Conversations without calls have no last step, and no differences to count.
func TestConversationsOfTalkAlone(t *testing.T) {
	const line = `{"test":"a","attempt":%d,"status":%q,"transcript":[{"role":"developer","text":"hi"},{"role":"assistant","text":%q}]}` + "\n"
	tb := newTab(t)
	tb.size(1440, 900)
	tb.open(tribunal(t, fmt.Sprintf(line+line, 0, "fail", "no", 1, "pass", "yes"), "report", "--no-config", "-f", "html"), "")
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.becomes("above the talk", `document.querySelector(".pair h5")?.textContent ?? ""`, "Neither calls a tool")
	tb.becomes("beside the tools", `document.querySelector(".pair output").textContent`, "no step differs")
	tb.becomes("a long role stands behind its number", `String(document.querySelector(".turn .who b").getBoundingClientRect().left > document.querySelector(".turn .no").getBoundingClientRect().right)`, "true")
	tb.quiet()
}

// Which of two trials stands on the left is no reason for more differences.
func TestSwappedTrialsDifferAlike(t *testing.T) {
	const line = `{"test":"a","attempt":%d,"status":%q,"transcript":[{"role":"assistant","tool_calls":[{"name":%q,"arguments":{}},{"name":"search","arguments":{}}]}]}` + "\n"
	trials := strings.ReplaceAll(fmt.Sprintf(line+line, 0, "fail", "look", 1, "pass", "search"), `},{"name":"search"`, `}]},{"role":"assistant","tool_calls":[{"name":"search"`)
	tb := newTab(t)
	tb.size(1440, 900)
	tb.open(tribunal(t, trials, "report", "--no-config", "-f", "html"), "")
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.until(`document.querySelector(".pair .diff") !== null`)
	const words = `[...document.querySelectorAll(".diff")].map((e) => e.textContent).join("; ")`
	tb.becomes("one step in place of another", words, "Difference 1 of 1 at step 1: look against search")
	eval[bool](tb, `(document.querySelector("[data-do=swap]").click(), true)`)
	tb.becomes("the same from the other side", words, "Difference 1 of 1 at step 1: search against look")
	tb.quiet()
}

// The keys are for the test that has the focus, also where it stands low in the window.
func TestKeysGoToTheFocusedTest(t *testing.T) {
	tb := opened(t, "")
	eval[bool](tb, `(scrollTo(0, 0), document.querySelector("#rows .test summary").focus({ preventScroll: true }), document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "n", bubbles: true, cancelable: true})), true)`)
	tb.becomes("n goes to its first difference", `document.activeElement.className`, "diff here")
	tb.quiet()
}

// Whoever reads without scripts sees what the failing trials did at last.
func TestConversationsReadWithoutScripts(t *testing.T) {
	tb := newTab(t)
	withoutScripts(tb)
	tb.open(tribunal(t, conversations(30), "report", "--no-config", "-f", "html"), "")
	eval[int](tb, `Array.from(document.querySelectorAll("details"), (d) => d.open = true).length`)
	words := eval[string](tb, `document.body.innerText`)
	for _, want := range []string{"says the user of trial 1", "says the user of trial 3", "HSR97W", "Transfer successful", "After 30 equal steps"} {
		if !strings.Contains(words, want) {
			t.Errorf("the words of the page lack %q", want)
		}
	}
}

// Where two conversations part elsewhere than the trials of their test together, both
// are told.
func TestTwoTrialsMayPartElsewhere(t *testing.T) {
	var trials strings.Builder
	for i := range 12 {
		end, status := "pay", "pass"
		if i >= 6 {
			end, status = "quit", "fail"
		}
		fmt.Fprintf(&trials, `{"test":"a","attempt":%d,"status":%q,"transcript":[{"role":"assistant","tool_calls":[{"name":"look","arguments":{"at":%d}},{"name":"find","arguments":{}},{"name":%q,"arguments":{}}]}]}`+"\n", i, status, i, end)
	}
	tb := newTab(t)
	tb.open(tribunal(t, trials.String(), "report", "--no-config", "-f", "html"), "")
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.until(`document.querySelector(".pair .elsewhere") !== null`)
	const want = "These two diverge earlier, at the first step. The place above, after 2 steps, fits the outcomes of all trials best."
	if got := eval[string](tb, `document.querySelector(".pair .elsewhere").textContent`); got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	tb.quiet()
}

// TestReviewerReadsAFailingTrial: who is sent the page of a red build gets to what a
// trial said in one click, from the first failure on the first screen.
func TestReviewerReadsAFailingTrial(t *testing.T) {
	tb := newTab(t)
	tb.size(1280, 800)
	tb.open(report("weather-agent.ndjson")(t), "")
	tb.until(`document.documentElement.dataset.loaded !== undefined`)
	if top := eval[float64](tb, `document.querySelector("details.test").getBoundingClientRect().top`); top > 420 {
		t.Errorf("the first failure stands at %v, want 420 or higher", top)
	}
	click(tb, "#rows > li:nth-of-type(6) summary") // plans a picnic for the driest day
	tb.until(`document.querySelector("#pane:not([hidden])") !== null`)
	shown := eval[string](tb, `document.querySelector("#pane").innerText`)
	for _, want := range []string{"plans a picnic for the driest day", "chose Saturday (80 % rain) instead of Sunday (10 %)", "agent: Saturday looks lovely!"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the open test does not show %q:\n%s", want, shown)
		}
	}
	tb.quiet()
}
