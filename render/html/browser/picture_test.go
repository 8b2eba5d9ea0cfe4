package browser

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// Images of one by one, and what is none.
const (
	dot    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" // PNG
	screen = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"                                         // GIF
)

// pictured are two trials whose messages hold images in the forms of OpenAI and
// Anthropic, beside what would run if it were taken for one.
func pictured(more ...any) string {
	encode := base64.StdEncoding.EncodeToString
	parts := append([]any{
		map[string]any{"type": "text", "text": "What is on these?"},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64," + dot}},
		map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/gif", "data": screen}},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/svg+xml;base64," + encode([]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>`))}},
		map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": encode([]byte(`<script>alert(3)</script>`))}},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": `data:text/html,<script>alert(4)</script>`}},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": `javascript:alert(5)`}},
		map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": `image/png" onerror="alert(6)`, "data": `x" onerror="alert(7)`}},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "https://pictures.example/cat.png"}},
	}, more...)
	var b strings.Builder
	for i, status := range []string{"fail", "pass"} {
		line, _ := json.Marshal(map[string]any{"test": "sees", "attempt": i, "status": status, "messages": []any{
			map[string]any{"role": "user", "content": parts}, map[string]any{"role": "assistant", "content": "A dot, says trial " + status + "."}}})
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// drawn opens all of a page and counts the images of its conversations: those that
// the browser could draw, all, and files that are named.
func drawn(t *testing.T, page []byte) (shown, all, named int) {
	t.Helper()
	tb := newTab(t)
	tb.open(page, "")
	tb.until(`document.querySelector("#rows .test") !== null`)
	eval[bool](tb, `(location.hash = `+firstTest+`, true)`)
	tb.until(`document.querySelectorAll(".pair .file").length > 0`)
	eval[int](tb, `Array.from(document.querySelectorAll("details"), (d) => d.open = true).length`)
	tb.until(`Array.from(document.querySelectorAll(".pair img"), (i) => (i.loading = "eager", i.complete)).every((done) => done)`)
	for _, address := range eval[[]string](tb, `Array.from(document.images, (i) => i.src.slice(0, 15))`) {
		if address != "data:image/png;" && address != "data:image/gif;" {
			t.Errorf("an image has the address %q", address)
		}
	}
	if found := eval[[]string](tb, `Array.from(document.querySelectorAll(".file :is(script, iframe, object, embed, svg), .file [onerror], .file [onload], .file a:not([href^='#'])"), (e) => e.outerHTML.slice(0, 200))`); len(found) > 0 {
		t.Errorf("what would run, or lead elsewhere: %q", found)
	}
	tb.quiet() // no dialog, no request
	count := func(what string) int { return eval[int](tb, what) }
	return count(`Array.from(document.querySelectorAll(".pair img")).filter((i) => i.naturalWidth > 0).length`), count(`document.querySelectorAll(".pair img").length`), count(`document.querySelectorAll(".pair .file figcaption").length`)
}

// Images that messages hold are shown where somebody asks and are images; what is
// none is named, and nothing of either runs.
func TestImagesOfConversations(t *testing.T) {
	const trials, images, files = 2, 2, 8
	report := []string{"report", "--no-config", "-f", "html"}
	asked := tribunal(t, pictured(), append(report, "--embed-attachments")...)
	if shown, all, named := drawn(t, asked); shown != trials*images || all != trials*images || named != trials*files {
		t.Errorf("%d of %d images are drawn and %d files named; want %d and %d", shown, all, named, trials*images, trials*files)
	}
	plain := tribunal(t, pictured(), report...)
	if _, all, named := drawn(t, plain); all != 0 || named != trials*files {
		t.Errorf("unasked there are %d images and %d files, want none and %d", all, named, trials*files)
	}
}

// Images beyond the size of a page are left out.
func TestImagesObeyTheSizeOfThePage(t *testing.T) {
	head, _ := base64.StdEncoding.DecodeString(screen)
	var large []any
	for i := range 3 {
		bytes := append(append(head, byte(i)), make([]byte, 40<<10)...)
		large = append(large, map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/gif", "data": base64.StdEncoding.EncodeToString(bytes)}})
	}
	report := []string{"report", "--no-config", "--from", "native", "-f", "html", "--embed-attachments", "--html-transcripts", "100KB"}
	small, page := tribunal(t, pictured(), report...), tribunal(t, pictured(large...), report...)
	if most := len(small) + 100<<10; len(page) > most {
		t.Errorf("the page has %d bytes, want at most %d", len(page), most)
	}
}
