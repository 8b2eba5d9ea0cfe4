package command

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tribunal/envelope"
)

// progress draws one live line on standard error while inputs are read: only on
// a terminal, never in a pipe or in CI. It draws from within the reader's own
// calls, so it costs no goroutine and never delays the producer.
type progress struct {
	w       io.Writer
	width   int
	builder *envelope.Builder
	bytes   int64
	total   int64 // 0 when unknown
	start   time.Time
	drawn   time.Time
	shown   bool
}

// redraw is the time between two drawings of the line.
const redraw = 100 * time.Millisecond

// newProgress returns a progress line, or one that draws nothing.
func newProgress(env Env, b *envelope.Builder, total int64) *progress {
	width := width(env, env.StderrWidth)
	if ci := env.Getenv("CI"); ci != "" && ci != "false" || env.Getenv("TERM") == "dumb" {
		width = 0
	}
	now := time.Now()
	return &progress{w: env.Stderr, width: width, builder: b, total: total, start: now, drawn: now}
}

// watch counts what is read from r and draws before each wait for more.
func (p *progress) watch(r io.Reader) io.Reader {
	if p.width == 0 {
		return r
	}
	return &watched{r: r, p: p}
}

type watched struct {
	r io.Reader
	p *progress
}

func (w *watched) Read(b []byte) (int, error) {
	if now := time.Now(); now.Sub(w.p.drawn) >= redraw {
		w.p.drawn = now
		w.p.draw(now)
	}
	n, err := w.r.Read(b)
	w.p.bytes += int64(n)
	return n, err
}

func (p *progress) draw(now time.Time) {
	line := progressLine(p.builder.Glance(), p.bytes, p.total, now.Sub(p.start))
	if len(line) >= p.width {
		line = line[:max(0, p.width-1)]
	}
	fmt.Fprint(p.w, "\r\x1b[2K", line)
	p.shown = true
}

// done removes the line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[2K")
		p.shown = false
	}
}

// progressLine is the line itself: trials and their rate, tests by how they look
// so far, bytes, and the time left where the size is known. It is plain ASCII.
func progressLine(g envelope.Glance, bytes, total int64, elapsed time.Duration) string {
	seconds := max(elapsed.Seconds(), 1e-3)
	done := size(bytes)
	if total > 0 && bytes > 0 {
		left := time.Duration(seconds * float64(total-bytes) / float64(bytes) * float64(time.Second))
		done = fmt.Sprintf("%d %%, %s left", 100*min(bytes, total)/total, max(left, 0).Round(time.Second))
	}
	return strings.Join([]string{
		done, fmt.Sprintf("%d trials, %.0f/s", g.Trials, float64(g.Trials)/seconds),
		fmt.Sprintf("%d tests so far: %d pass, %d fail, %d mixed", g.Tests, g.Passing, g.Failing, g.Mixed),
	}, " | ")
}

func size(bytes int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	v, i := float64(bytes), 0
	for v >= 1000 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}
