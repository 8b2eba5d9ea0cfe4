package browser

import (
	"strings"
	"testing"
)

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
