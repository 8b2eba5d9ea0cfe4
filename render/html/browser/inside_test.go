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

// opened shows the page of trials with its first test opened and its conversations drawn.
func opened(t *testing.T, width int64, trials string) *tab {
	t.Helper()
	tb := newTab(t)
	tb.size(width, map[bool]int64{true: 844, false: 900}[width < 400])
	tb.open(tribunal(t, trials, "report", "--no-config", "-f", "html"), "")
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.until(`document.querySelector(".pair .who") !== null`)
	return tb
}

const firstTest = `"#" + document.querySelector("#rows .test").id`

// inWindow holds for what is seen without scrolling.
const inWindow = `((e) => { const b = e.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; })`

// A test opened answers without scrolling which check fails, what its trials did,
// and what they did when they passed.
func TestAnOpenedTestSaysWhy(t *testing.T) {
	tb := opened(t, 1440, conversations(8))
	tb.until(`Math.abs(document.querySelector("#rows .test").getBoundingClientRect().top) < 60`)
	for what, selector := range map[string]string{"the check that fails": "#rows .test .why", "where trials part": ".parting .reason", "the first difference": ".pair .diff",
		"the call of the failing trial": `.cell.l .call[data-step]:has(.differs)`, "the call of the passing one": `.cell.r .call[data-step]:has(.differs)`} {
		tb.becomes(what+" is in view", `String(`+inWindow+`(document.querySelector('`+selector+`')))`, "true")
	}
	for selector, want := range map[string]string{"#rows .test .why": "2× failed check: cancels FDZ0T5", ".checks .name": "cancels FDZ0T5", ".checks .kn": "passed 2/4", ".parting .kn": "passed 2/2", ".parting .then": "then end", ".diff": "at step 9: transfer_to_human_agents against cancel_reservation",
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
	tb := opened(t, 1440, conversations(8))
	search(tb, "the user of trial 3")
	tb.becomes("tests shown", `document.getElementById("shown").textContent`, "")
	search(tb, "nobody said this")
	tb.becomes("tests shown", `document.getElementById("shown").textContent`, "0 of 1 tests shown")
	tb.until(`location.hash.endsWith("&find=nobody%20said%20this")`)

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
// fail, for the ways on are folded.
func TestAnOpenedTestSaysWhyOnATelephone(t *testing.T) {
	for _, failing := range [][]string{nil, {"dates", "exact fare", "tells the rule", "asks first", "writes once"}} {
		tb := opened(t, 390, conversations(8, failing...))
		for what, selector := range map[string]string{"the check that fails": "#rows .test .why", "where trials part": ".parting .reason", "the fold of the ways": ".parting .ways > summary", "the first difference": ".pair .diff"} {
			tb.becomes(what+" is in view", `String(`+inWindow+`(document.querySelector('`+selector+`')))`, "true")
		}
		eval[bool](tb, `(document.querySelectorAll(".ways > summary").forEach((s) => s.click()), true)`)
		tb.until(`[...document.querySelectorAll(".ways .kn")].every((e) => e.checkVisibility())`)
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
	tb := opened(t, 1600, trials.String())
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
	tb := opened(t, 1440, conversations(8))
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
	tb := opened(t, 1440, conversations(8))
	id := eval[string](tb, firstTest)
	again := newTab(t)
	again.size(1440, 900)
	again.open(tribunal(t, conversations(8), "report", "--no-config", "-f", "html"), id+"&trial=3&turn=21")
	again.until(`document.querySelector(".turn.here") !== null`)
	if got := eval[string](again, `document.querySelector(".turn.here").textContent`); !strings.Contains(got, "cancel_reservation") || !strings.Contains(got, "HSR97W") {
		t.Errorf("the address leads to %q, want the call of turn 21 of trial 3", got)
	}
	again.until(inWindow + `(document.querySelector(".turn.here"))`)
	again.becomes("the number of the turn leads to", `document.querySelector(".turn.here a.no").hash`, id+"&trial=3&turn=21")
	eval[bool](again, `(location.hash = "`+id+`&trial=44&turn=2", true)`) // no silent miss
	again.becomes("the page says", `document.querySelector(".pair output").textContent`, "trial 44 is not among these")
	again.quiet()
}

// Whoever hears the page is told whose turns follow, where others see it by their column.
func TestConversationsSayWhoseTheyAre(t *testing.T) {
	tb := opened(t, 1440, conversations(8))
	for _, c := range []struct{ what, expression, want string }{
		{"before the turns", `[...document.querySelectorAll(".diff + .row .tag")].map((e) => (e.checkVisibility() ? "" : "hidden ") + e.textContent).join(", ")`, "Trial 1 FAIL, Trial 2 PASS"},
		{"and takes no room", `String(document.querySelector(".tag").getBoundingClientRect().height)`, "1"},
		{"with their numbers", `document.querySelector(".diff + .row .cell.r .turn a.no").getAttribute("aria-label")`, "Turn 19 of trial 2"},
	} {
		tb.becomes(c.what, c.expression, c.want)
	}
	// One of two trials is read alone by its number: on a narrow page there is no left one.
	const views, seen = `[...document.querySelectorAll(".views button")].map((e) => e.textContent + (e.ariaPressed === "true" ? "*" : "")).join(", ")`, `[...document.querySelectorAll(".head, .diff + .row .cell")].filter((e) => e.checkVisibility()).map((e) => e.className).join(", ")`
	tb.becomes("both are shown", views, "Both*, Trial 1, Trial 2")
	eval[bool](tb, `(document.querySelectorAll(".views button")[2].click(), true)`)
	tb.becomes("the passing one is chosen", views, "Both, Trial 1, Trial 2*")
	tb.becomes("and stands alone", seen, "head r, cell r, cell r")
	eval[bool](tb, `(document.querySelector("[data-do=swap]").click(), true)`)
	tb.becomes("swapped, the words follow", views, "Both, Trial 2, Trial 1*")
	tb.quiet()
}

// Paper has no equal steps that are folded on the screen, and no controls.
func TestConversationsOnPaper(t *testing.T) {
	tb := opened(t, 1440, conversations(8))
	tb.media("print", "light")
	for _, c := range []struct{ what, expression, want string }{
		{"equal steps", `String(document.querySelector(".alike .cell.l .tool pre").checkVisibility())`, "false"},
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
	tb := opened(t, 1440, fmt.Sprintf(line+line, 0, "fail", "no", 1, "pass", "yes"))
	tb.becomes("above the talk", `document.querySelector(".pair h5")?.textContent ?? ""`, "Neither calls a tool")
	tb.becomes("beside the tools", `document.querySelector(".pair output").textContent`, "no step differs")
	tb.becomes("a long role stands behind its number", `String(document.querySelector(".turn .who b").getBoundingClientRect().left > document.querySelector(".turn .no").getBoundingClientRect().right)`, "true")
	tb.quiet()
}

// Which of two trials stands on the left is no reason for more differences.
func TestSwappedTrialsDifferAlike(t *testing.T) {
	const line = `{"test":"a","attempt":%d,"status":%q,"transcript":[{"role":"assistant","tool_calls":[{"name":%q,"arguments":{}},{"name":"search","arguments":{}}]}]}` + "\n"
	trials := strings.ReplaceAll(fmt.Sprintf(line+line, 0, "fail", "look", 1, "pass", "search"), `},{"name":"search"`, `}]},{"role":"assistant","tool_calls":[{"name":"search"`)
	tb := opened(t, 1440, trials)
	const words = `[...document.querySelectorAll(".diff")].map((e) => e.textContent).join("; ")`
	tb.becomes("one step in place of another", words, "Difference 1 of 1 at step 1: look against search")
	eval[bool](tb, `(document.querySelector("[data-do=swap]").click(), true)`)
	tb.becomes("the same from the other side", words, "Difference 1 of 1 at step 1: search against look")
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

// The parts of an open test are tabs: beside the list, in its place, and on the keyboard.
// An address of a turn leads back to the conversations.
func TestPartsOfATestAreTabs(t *testing.T) {
	for _, width := range []int64{1440, 390} {
		tb := opened(t, width, conversations(8))
		const tabs, seen = `[...document.querySelectorAll(".body [role=tab]")].map((e) => e.textContent + (e.ariaSelected === "true" ? "*" : "") + (e.tabIndex === 0 ? "" : "-")).join(", ")`,
			`[...document.querySelectorAll(".body [role=tabpanel]")].filter((e) => e.checkVisibility()).map((e) => document.getElementById(e.getAttribute("aria-labelledby")).textContent).join(", ")`
		tb.becomes("at first", tabs, "Conversations*, All trials 4-, Checks 2-, Numbers-")
		press := func(key string) {
			eval[bool](tb, fmt.Sprintf(`((e) => (e.focus(), e.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true, cancelable: true})), true))(document.querySelector(".body [role=tab][tabindex='0']"))`, key))
		}
		for _, step := range []struct{ key, want string }{{"ArrowRight", "All trials 4"}, {"ArrowRight", "Checks 2"}, {"End", "Numbers"}, {"ArrowRight", "Conversations"}, {"ArrowLeft", "Numbers"}, {"Home", "Conversations"}, {"ArrowLeft", "Numbers"}} {
			press(step.key)
			tb.becomes("shown after "+step.key, seen, step.want)
			tb.becomes("focused after "+step.key, `document.activeElement.textContent`, step.want)
		}
		tb.becomes("the numbers are open, and no fold says so", `String(document.querySelector(".numbers .facts").checkVisibility() && !document.querySelector(".numbers > summary").checkVisibility())`, "true")
		eval[bool](tb, `(location.hash = `+firstTest+` + "&trial=3&turn=21", true)`)
		tb.becomes("shown at a turn", seen, "Conversations")
		tb.quiet()
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
	tb := opened(t, 1440, trials.String())
	const want = "These two diverge earlier, at the first step. The place above, after 2 steps, fits the outcomes of all trials best."
	tb.becomes("the page says", `document.querySelector(".pair .elsewhere")?.textContent ?? ""`, want)
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
