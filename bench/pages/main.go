// Command pages measures HTML reports as their reader meets them: the size of
// the file, how long until something is drawn, until the page can be used, until
// a key pressed in its filter shows, and what the tab holds in memory.
//
//	pages [-runs N] NAME=FILE …
//
// It exists so that ours and its peers are measured by the same clock in the
// same browser, in turns; bench/pages/run makes the reports and calls it. It
// knows nothing of any report but how a reader finds its filter.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

func main() {
	runs := flag.Int("runs", 3, "how often each page is opened; the table shows medians")
	flag.Parse()
	if err := measureAll(os.Stdout, flag.Args(), *runs); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

// report is one file to open and what was measured of it.
type report struct {
	name, path string
	size       int64 // bytes
	visits     []visit
}

func measureAll(w io.Writer, args []string, runs int) error {
	reports, err := parse(args)
	if err != nil {
		return err
	}
	for range runs {
		for i := range reports {
			v, err := open(reports[i].path)
			if err != nil {
				return fmt.Errorf("%s: %w", reports[i].name, err)
			}
			reports[i].visits = append(reports[i].visits, v)
		}
	}
	return table(w, reports)
}

func parse(args []string) ([]report, error) {
	if len(args) == 0 {
		return nil, errors.New("name the pages to open as NAME=FILE")
	}
	var out []report
	for _, a := range args {
		name, path, ok := strings.Cut(a, "=")
		full, err := filepath.Abs(path)
		if !ok || err != nil {
			return nil, fmt.Errorf("%q: give NAME=FILE", a)
		}
		info, err := os.Stat(full)
		if err != nil {
			return nil, err
		}
		out = append(out, report{name: name, path: full, size: info.Size()})
	}
	return out, nil
}

// open starts a browser of its own for one page, so that no page profits from
// what another left in a cache.
func open(path string) (visit, error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.NoSandbox, chromedp.DisableGPU)
	if browser := os.Getenv("BROWSER"); browser != "" {
		options = append(options, chromedp.ExecPath(browser))
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	ctx, closeBrowser := chromedp.NewContext(allocator)
	defer closeBrowser()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.EmulateViewport(1440, 900)); err != nil {
		return visit{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return measure(ctx, "file://"+path)
}

func table(w io.Writer, reports []report) error {
	var b strings.Builder
	b.WriteString("| report | size | first paint | usable | key in the filter | memory of the tab |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range reports {
		fmt.Fprintf(&b, "| %s | %.1f MB | %.2f s | %.2f s | %.0f ms | %.0f MB |\n", r.name, float64(r.size)/1e6,
			r.median(func(v visit) float64 { return v.paint.Seconds() }), r.median(func(v visit) float64 { return v.usable.Seconds() }),
			r.median(func(v visit) float64 { return float64(v.key.Milliseconds()) }), r.median(func(v visit) float64 { return float64(v.memory) / 1e6 }))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r report) median(of func(visit) float64) float64 {
	values := make([]float64, len(r.visits))
	for i, v := range r.visits {
		values[i] = of(v)
	}
	slices.SortFunc(values, cmp.Compare[float64])
	return values[len(values)/2]
}
