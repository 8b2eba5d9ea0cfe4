package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

//go:embed watch.js
var watch string

// patience is how long a visit may take: what is not usable by then is reported
// as such.
const patience = time.Minute

// visit is what one opening of a page showed. Times are seconds, sizes bytes.
type visit struct {
	paint     float64 // first contentful paint
	usable    float64 // a filter is there and nothing blocks the page any more
	firstKey  float64 // the first key typed into the filter, until what it changes is on the screen
	middleKey float64 // the median of some keys
	heap      float64 // of its scripts
	memory    float64 // resident in the process of the tab
}

// state is what watch.js tells; times are milliseconds, 0 for what was not yet.
type state struct {
	Filter, Busy, Usable, Now, Paint float64
	Elements                         int
}

// open starts a browser of its own for one page, so that no page profits from
// what another left in a cache.
func open(path string) (visit, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.NoSandbox, chromedp.DisableGPU)
	if browser := os.Getenv("BROWSER"); browser != "" {
		options = append(options, chromedp.ExecPath(browser))
	}
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	ctx, closeBrowser := chromedp.NewContext(ctx)
	defer closeBrowser()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.EmulateViewport(1440, 900)); err != nil {
		return visit{}, fmt.Errorf("starting Chromium: %w", err)
	}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		return visit{}, fmt.Errorf("preparing the tab: %w", err)
	}
	return measure(ctx, "file://"+path)
}

func measure(ctx context.Context, url string) (visit, error) {
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return visit{}, fmt.Errorf("loading: %w", err)
	}
	s, err := ready(ctx)
	if err != nil {
		return visit{}, err
	}
	v := visit{paint: s.Paint / 1000, usable: s.Usable / 1000}
	keys, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`watched.type()`, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("typing into the filter: %w", err)
	}
	v.firstKey, v.middleKey = keys[0]/1000, median(keys)/1000
	heap, err := chromedp.Call(ctx, runtime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		return v, err
	}
	v.heap = heap.UsedSize
	v.memory, err = memory(ctx)
	return v, err
}

// ready waits until the page is usable. What is in the way of that is the error.
func ready(ctx context.Context) (state, error) {
	var last state
	for {
		s, err := chromedp.Run(ctx, chromedp.Evaluate[state](`watched.state()`))
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return last, fmt.Errorf("not usable: %s", last)
		case err != nil:
			return last, fmt.Errorf("waiting for a filter: %w", err)
		case s.Usable > 0:
			return s, nil
		}
		last = s
		select {
		case <-ctx.Done():
			return last, fmt.Errorf("not usable: %s", last)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// String says how far a page got.
func (s state) String() string {
	if s.Filter == 0 {
		return fmt.Sprintf("%.0f s after it began to load it has %d elements and no filter", s.Now/1000, s.Elements)
	}
	return fmt.Sprintf("its filter came after %.1f s, and %.0f s after it began to load its last long task ended at %.1f s", s.Filter/1000, s.Now/1000, s.Busy/1000)
}

// memory is what the largest renderer of the browser holds: the tab, since
// nothing else is open.
func memory(ctx context.Context) (float64, error) {
	info, err := chromedp.CallBrowser(ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	most := 0.0
	for _, p := range info.ProcessInfo {
		if p.Type == "renderer" {
			most = max(most, resident(p.ID))
		}
	}
	return most, nil
}

// resident reads VmRSS of /proc: this benchmark is for Linux.
func resident(pid int64) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it ended meanwhile
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kB * 1000
		}
	}
	return 0
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, cmp.Compare[float64])
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
