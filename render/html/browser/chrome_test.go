package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chrome is the one browser all tests share, a tab each.
var chrome context.Context

func TestMain(m *testing.M) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("force-device-scale-factor", "1"), chromedp.WSURLReadTimeout(patience))
	if path := os.Getenv("BROWSER"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		fmt.Fprintln(os.Stderr, "browser: cannot start Chromium; run scripts/browser, which installs it:", err)
		os.Exit(1)
	}
	chrome = ctx
	code := m.Run()
	closeBrowser()
	end()
	os.Exit(code)
}

// patience is how long the start of the browser, or one test, may take before the
// browser is taken for stuck: some hundred times what they take on a quiet
// machine, so that no busy one fails them.
const patience = 15 * time.Minute

// tab is a browser tab and what went wrong in it.
type tab struct {
	ctx   context.Context
	t     *testing.T
	mu    sync.Mutex
	wrong []string // dialogs, console errors, exceptions, requests
}

// newTab opens a tab that notes everything a page must not do.
func newTab(t *testing.T) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(chrome)
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(func() { cancel(); closeTab() })
	tb := &tab{ctx: ctx, t: t}
	tb.run(chromedp.Navigate("about:blank")) // there is a tab from here on
	if err := chromedp.Listen(ctx, tb.notice); err != nil {
		t.Fatal(err)
	}
	call(tb, network.Enable, network.EnableParams{})
	call(tb, log.Enable, cdp.Empty{})
	return tb
}

func (tb *tab) notice(event any) {
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		tb.note("dialog: " + e.Message)
		go chromedp.Call(tb.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}) // or the page waits for an answer
	case *runtime.EventExceptionThrown:
		tb.note("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		tb.note(fmt.Sprintf("console %s: %v", e.Type, e.Args))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			tb.note("log: " + e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file:") && !strings.HasPrefix(e.Request.URL, "data:") {
			tb.note("request: " + e.Request.URL)
		}
	}
}

func (tb *tab) note(what string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.wrong = append(tb.wrong, what)
}

// quiet fails the test when the page did what no page of ours may do.
func (tb *tab) quiet() {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, w := range tb.wrong {
		tb.t.Errorf("the page must load nothing, say nothing and ask nothing, but: %s", w)
	}
}

func (tb *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	if err := chromedp.Do(tb.ctx, actions...); err != nil {
		tb.t.Fatal(err)
	}
}

// call runs a command of the DevTools protocol.
func call[P, R any](tb *tab, command cdp.Command[P, R], params P) R {
	tb.t.Helper()
	result, err := chromedp.Call(tb.ctx, command, params)
	if err != nil {
		tb.t.Fatal(err)
	}
	return result
}

// open shows a page from a file, as from a downloaded artifact; hash is the part
// of the address from # on, or "".
func (tb *tab) open(html []byte, hash string) {
	tb.t.Helper()
	path := filepath.Join(tb.t.TempDir(), "report.html")
	if err := os.WriteFile(path, html, 0o666); err != nil {
		tb.t.Fatal(err)
	}
	tb.run(chromedp.Navigate("file://" + path + hash))
	tb.until(`document.readyState === "complete"`)
}

// size sets the width and height of the window.
func (tb *tab) size(width, height int64) {
	tb.t.Helper()
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
}

// media sets what the style sheet is told: screen or print, light or dark.
func (tb *tab) media(kind, scheme string) {
	tb.t.Helper()
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// eval is the value of an expression in the page.
func eval[T any](tb *tab, expression string) T {
	tb.t.Helper()
	v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tb.t.Fatal(err)
	}
	return v
}

// looks is how often until looks: for half a minute on a quiet machine. What is
// counted are turns of the page, not seconds, since a busy machine that delays
// the page delays its turns as well.
const looks = 1500

// until waits for an expression to be true.
func (tb *tab) until(expression string) {
	tb.t.Helper()
	if eval[bool](tb, expression) { // a page without scripts has no turns to wait for
		return
	}
	if !eval[bool](tb, fmt.Sprintf(`(async () => {
		for (let i = 0; i < %d; i++) {
			await new Promise((next) => setTimeout(next, 20));
			if (%s) return true;
		}
		return false;
	})()`, looks, expression)) {
		tb.t.Fatalf("waited in vain for %s", expression)
	}
}

// travel presses the browser's Back (-1) or Forward (1), once the browser has noted the
// address that the page gave itself: history.back() of a busy page can come too early and
// is then lost.
func (tb *tab) travel(by int64) {
	tb.t.Helper()
	address := eval[string](tb, `location.href`)
	for range looks {
		history := call(tb, page.GetNavigationHistory, cdp.Empty{})
		if history.Entries[history.CurrentIndex].URL == address {
			call(tb, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: history.Entries[history.CurrentIndex+by].ID})
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	tb.t.Fatalf("waited in vain for the browser to note the address %s", address)
}

// becomes waits for an expression to have a value: what a key or a click leads to is
// there some turns of the page later.
func (tb *tab) becomes(what, expression, want string) {
	tb.t.Helper()
	same := fmt.Sprintf(`(%s) === %q`, expression, want)
	if eval[bool](tb, same) {
		return
	}
	if got := eval[string](tb, fmt.Sprintf(`(async () => {
		for (let i = 0; i < %d && !(%s); i++) await new Promise((next) => setTimeout(next, 20));
		return String(%s);
	})()`, looks, same, expression)); got != want {
		tb.t.Errorf("%s: %q, want %q", what, got, want)
	}
}
