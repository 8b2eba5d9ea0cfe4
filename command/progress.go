package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/crash"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/pretty"
)

// progress draws one live line on standard error while inputs are read: only on
// a terminal, never in a pipe or in CI. It draws beside the reader, at most so
// often, and whether or not more comes: the reader of a slow producer waits most
// of the time, and what came last must be seen meanwhile.
type progress struct {
	*drawing
	builder *count.Builder
	bytes   atomic.Int64
	total   int64 // 0 when unknown
	start   time.Time

	// Guarded by mu of the drawing.
	seen   count.Glance
	read   int64
	room   int
	waited time.Duration // for the first byte, as it was drawn
}

// redraw is the time between two drawings of the line. What is new is in it
// within a tenth of a second, which people take for at once.
const redraw = 50 * time.Millisecond

// newProgress returns a progress line, or one that draws nothing. It is to be
// ended with done.
func newProgress(env Env, b *count.Builder, total int64) *progress {
	p := &progress{drawing: newDrawing(env), builder: b, total: total, start: time.Now()}
	if p.size != nil {
		p.keepLooking(time.Tick(redraw), p.draw)
	}
	return p
}

// drawing is drawn on standard error by a goroutine of its own, until done.
type drawing struct {
	size        func() (columns, rows int) // nil where nothing is drawn
	quit, ended chan struct{}
	settled     func() // nil where no goroutine looks

	mu     sync.Mutex
	screen screen
}

func newDrawing(env Env) *drawing {
	return &drawing{screen: newScreen(env), size: liveSize(env), quit: make(chan struct{}), ended: make(chan struct{})}
}

func (d *drawing) keepLooking(ticks <-chan time.Time, look func(now time.Time)) {
	d.settled = stop.meanwhile(d.gone)
	go func() {
		defer crash.Exit()
		defer close(d.ended)
		for {
			select {
			case now := <-ticks:
				look(now)
			case <-d.quit:
				return
			}
		}
	}()
}

func (d *drawing) say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screen.above(format, args...)
}

// gone removes the drawing for good, whatever goes on.
func (d *drawing) gone() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screen.erase()
	d.screen.w = io.Discard
}

func (d *drawing) done() {
	if d.settled == nil {
		return
	}
	close(d.quit)
	<-d.ended
	d.screen.erase()
	d.settled()
	d.settled = nil
}

func (p *progress) watch(r io.Reader) io.Reader {
	if p.size == nil {
		return r
	}
	return &watched{r: r, p: p}
}

type watched struct {
	r io.Reader
	p *progress
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.p.bytes.Add(int64(n))
	return n, err
}

func (p *progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen, read := p.builder.Glance(), p.bytes.Load()
	waited := now.Sub(p.start).Round(time.Second)
	waits := read == 0 && waited > p.waited // for the first byte, as of an agent in a pipe
	columns, _ := p.size()
	if seen == p.seen && read == p.read && columns-1 == p.room && !waits {
		return
	}
	p.waited = waited
	p.seen, p.read, p.room = seen, read, columns-1
	p.screen.draw(progressLine(seen, read, p.total, now.Sub(p.start), p.room))
}

// roomOfFailed is how much of the name of the test that failed last is worth more than
// how fast the trials come.
const (
	roomOfFailed  = 40
	leastOfFailed = 8 // below that, a name says nothing
)

// progressLine is the line itself, in room columns: trials and their rate, tests by how
// they look so far, the time it took and the time left where the size is known, bytes,
// and the test that failed last. On a narrow terminal its name comes before bytes, rates
// and what can be counted together.
func progressLine(g count.Glance, bytes, total int64, elapsed time.Duration, room int) string {
	if bytes == 0 {
		return first("waiting for the runner ... "+elapsed.Round(time.Second).String(), room)
	}
	seconds := max(elapsed.Seconds(), 1e-3)
	took := elapsed.Round(time.Second).String()
	if total > 0 {
		left := time.Duration(seconds * float64(total-bytes) / float64(bytes) * float64(time.Second))
		took += fmt.Sprintf(", %s left", max(left, 0).Round(time.Second))
	}
	trials := words.Plural(g.Trials, "trial", "trials")
	rate := fmt.Sprintf("%s, %.0f/s", trials, float64(g.Trials)/seconds)
	tests := words.Plural(g.Tests, "test", "tests")
	states := fmt.Sprintf("%d pass, %d fail, %d mixed", g.Passing, g.Failing, g.Mixed)
	const between = " | "
	line := strings.Join([]string{rate, tests + " so far: " + states, took, size(bytes)}, between)
	if g.Failed != (envelope.Key{}) {
		failed := text.Line(g.Failed.String())
		lead := between + "failed last: "
		wanted := min(roomOfFailed, pretty.Width(failed))
		for _, parts := range [][]string{{rate, tests + " so far: " + states, took}, {trials, tests + ": " + states, took},
			{trials, states, took}, {states}} {
			if len(line)+len(lead)+wanted <= room {
				break
			}
			line = strings.Join(parts, between)
		}
		left := room - len(line) - len(lead)
		if left < leastOfFailed {
			return first(line, room)
		}
		return line + lead + pretty.Short(failed, left)
	}
	return first(line, room)
}

func first(s string, room int) string { return s[:max(0, min(len(s), room))] }

func size(bytes int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	v, i := float64(bytes), 0
	for v >= 1000 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	return fmt.Sprintf("%.*f %s", min(i, 1), v, units[i])
}

// screen is the last lines of a terminal, drawn over again. A narrower window wraps them: they are counted at its width now.
type screen struct {
	w       io.Writer
	columns func() int // of the terminal, now
	cuts    bool       // it cuts lines that a smaller window has no room for, and wraps none
	drawn   []string   // the lines that stand there; the cursor is behind the last
}

// newScreen knows whether lines are cut where a window shrinks: terminals of today wrap them; xterm and GNU screen do not.
func newScreen(env Env) screen {
	cuts := env.Getenv("TMUX") == "" && (env.Getenv("STY") != "" || env.Getenv("XTERM_VERSION") != "")
	return screen{w: env.Stderr, cuts: cuts, columns: func() int { columns, _ := env.StderrSize(); return columns }}
}

// over goes back to where the drawing begins, and clears from there.
func (s *screen) over() string {
	if len(s.drawn) == 0 {
		return ""
	}
	up, columns := -1, s.columns()
	for _, line := range s.drawn {
		if s.cuts {
			up++
		} else {
			up += pretty.Rows(line, columns)
		}
	}
	s.drawn = nil
	if up == 0 {
		return "\r\x1b[J"
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", up)
}

func (s *screen) draw(lines ...string) {
	fmt.Fprint(s.w, s.over(), strings.Join(lines, "\n"))
	s.drawn = lines
}

// above writes in the place of the drawing, which is gone until it is drawn again.
func (s *screen) above(format string, args ...any) {
	fmt.Fprint(s.w, s.over(), fmt.Sprintf(format, args...))
}

func (s *screen) erase() {
	if len(s.drawn) > 0 {
		fmt.Fprint(s.w, s.over())
	}
}
