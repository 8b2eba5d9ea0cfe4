package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

// visit is what one opening of a page showed.
type visit struct {
	paint  time.Duration // first contentful paint
	usable time.Duration // a filter is there and the page rests
	key    time.Duration // slowest of a few keys typed into the filter, until the next frame
	memory int64         // bytes resident in the process of the tab
}

func measure(ctx context.Context, url string) (visit, error) {
	var v visit
	start := time.Now()
	err := chromedp.Do(ctx, chromedp.Navigate(url))
	if err != nil {
		return v, err
	}
	if v.usable, err = rest(ctx, start); err != nil {
		return v, fmt.Errorf("waiting for a filter and rest: %w", err)
	}
	paint, err := number(ctx, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
	if err != nil {
		return v, err
	}
	v.paint = time.Duration(paint * float64(time.Millisecond))
	key, err := number(ctx, typing)
	if err != nil {
		return v, fmt.Errorf("typing into the filter: %w", err)
	}
	v.key = time.Duration(key * float64(time.Millisecond))
	v.memory, err = memory(ctx)
	return v, err
}

// settled is how long nothing may run before a page is taken to rest.
const settled = 200 * time.Millisecond

// rest waits until the filter is there and a page answers at once for a while.
// The while itself is not counted.
func rest(ctx context.Context, start time.Time) (time.Duration, error) {
	quietSince := time.Time{}
	for {
		asked := time.Now()
		there, err := number(ctx, `document.readyState === "complete" && `+filter+` ? 1 : 0`)
		if err != nil {
			return 0, err
		}
		switch now := time.Now(); {
		case there == 0 || now.Sub(asked) > settled/4:
			quietSince = time.Time{}
		case quietSince.IsZero():
			quietSince = now
		case now.Sub(quietSince) > settled:
			return quietSince.Sub(start), nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// filter is the field a reader types into to find a test.
const filter = `Array.from(document.querySelectorAll("input[type=search], input[type=text], input:not([type])")).find((e) => e.checkVisibility())`

// typing types a word as a reader does, and takes the slowest key from its press
// to the frame after it.
const typing = `(async () => {
	const field = ` + filter + `;
	const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
	const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	let slowest = 0;
	field.focus();
	for (const text of ["t", "te", "tes", "test", "test-0", "test-00", "test-001"]) {
		await frame();
		const start = performance.now();
		set.call(field, text);
		field.dispatchEvent(new InputEvent("input", {bubbles: true}));
		await frame();
		slowest = Math.max(slowest, performance.now() - start);
	}
	return slowest;
})()`

func number(ctx context.Context, expression string) (float64, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[float64](expression, chromedp.EvalAwaitPromise))
}

// memory is what the largest renderer of the browser holds: the tab, since
// nothing else is open.
func memory(ctx context.Context) (int64, error) {
	info, err := chromedp.CallBrowser(ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	most := int64(0)
	for _, p := range info.ProcessInfo {
		if p.Type == "renderer" {
			most = max(most, resident(p.ID))
		}
	}
	return most, nil
}

// resident reads VmRSS of /proc: this benchmark is for Linux.
func resident(pid int64) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it ended meanwhile
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kB * 1000
		}
	}
	return 0
}
