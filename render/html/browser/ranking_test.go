package browser

import (
	"path/filepath"
	"testing"
)

// The page of a ranking loads nothing, says who may be the best, and fits a phone.
func TestRankingIsQuietAndFits(t *testing.T) {
	tb := newTab(t)
	html := tribunal(t, "", "rank", "--no-config", "-f", "html", filepath.Join("..", "..", "..", "testdata", "streams", "two-variants.ndjson"))
	for _, width := range []int64{1440, 390} {
		tb.size(width, 900)
		tb.open(html, "")
		tb.becomes("both variants have their places", `String(document.querySelectorAll("table tbody tr").length > 2)`, "true")
		if wide := eval[int64](tb, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("at %d pixels the page is %d wide: %s", width, wide, widest(tb, width))
		}
	}
	tb.quiet()
}
