// Package chunks splits an input into chunks of whole lines and reads them in parallel.
//
// Large inputs have one record per line. Parsing a line takes longer than fetching it, and each line can be parsed
// alone. Results are delivered in the order of the input, so the number of workers does not show.
//
// What a line means is up to the caller.
package chunks

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"tribunal/internal/crash"
	"tribunal/read/internal/position"
)

// Work is what workers do with the blocks of an input. F is what is found in a block. Its
// memory is reused for later blocks.
type Work[F any] struct {
	// Empty makes an F.
	Empty func() F
	// Worker makes a worker, which reads a block while others read theirs.
	Worker func() func(Block, F)
	// Deliver takes what was found in a block, in the order of the input, and empties it.
	// It gets the number of lines before the block and returns that of the block.
	Deliver func(found F, before int) (lines int)
}

const (
	// mostWorkers is the most blocks that are read in parallel. With more workers, fetching the bytes takes the time.
	mostWorkers = 8
	// ahead is how many blocks per worker may wait for their turn, so that a worker that
	// is slow does not stop the others at once.
	ahead = 4
	// liveSize is the least size of a block of an input that comes faster than it is read.
	// Smaller blocks are delivered before more is read, so that a slow pipe is followed live.
	liveSize = 16 << 10
)

// pool reads an input with several workers. A worker takes the next block and a place in
// the order of delivery at the same time.
type pool[F any] struct {
	Work[F]
	workers int
	input   struct {
		sync.Mutex
		*Cutter
		ended bool
	}
	hired     sync.Once
	order     chan *result[F]
	free      chan *result[F]
	spare     atomic.Int32  // how many more results may be made
	delivered chan struct{} // a small block was
}

type result[F any] struct {
	found F
	done  chan struct{} // the block was read
	small bool
}

// SideBySide reads the input with at most so many workers. The error is that of the input as a *position.Error.
func SideBySide[F any](input *Cutter, workers int, w Work[F]) error {
	room := ahead * workers
	p := &pool[F]{Work: w, workers: workers, order: make(chan *result[F], room), free: make(chan *result[F], room),
		delivered: make(chan struct{})}
	p.input.Cutter = input
	p.spare.Store(int32(room))
	p.hire(1)
	lines := 0
	for r := range p.order {
		<-r.done
		lines += w.Deliver(r.found, lines)
		small := r.small
		if p.free <- r; small {
			p.delivered <- struct{}{}
		}
	}
	return input.Failure(lines)
}

// Workers is how many workers read best on this machine.
func Workers() int { return min(runtime.GOMAXPROCS(0), mostWorkers) }

func (p *pool[F]) hire(n int) {
	for range n {
		go func() {
			defer crash.Exit()
			read, buf := p.Worker(), []byte(nil)
			for more := true; more; {
				buf, more = p.step(read, buf)
			}
		}()
	}
}

// step reads the next block. It reports whether there may be another.
func (p *pool[F]) step(read func(Block, F), buf []byte) (_ []byte, more bool) {
	r := p.empty()
	p.input.Lock()
	if p.input.ended {
		p.input.Unlock()
		p.free <- r
		return nil, false
	}
	b := p.input.Next(buf)
	r.small = len(b.Text) < liveSize
	p.order <- r // has room for all
	if p.input.ended = b.Last; b.Last {
		close(p.order)
	}
	if r.small {
		defer p.input.Unlock()
		defer func() { <-p.delivered }()
	} else {
		p.input.Unlock()
		p.hired.Do(func() { p.hire(p.workers - 1) })
	}
	read(b, r.found)
	r.done <- struct{}{}
	return b.Text, true
}

// empty returns a result to fill. It waits while too many wait behind a slow block.
func (p *pool[F]) empty() *result[F] {
	select {
	case r := <-p.free:
		return r
	default:
	}
	if p.spare.Add(-1) >= 0 {
		return &result[F]{found: p.Empty(), done: make(chan struct{}, 1)}
	}
	return <-p.free
}

// MaxLine is how many bytes a line may have. A longer one is skipped whole.
const MaxLine = 64 << 20

const (
	// Size is how many bytes are best asked for at once: few enough to stay in the cache of a core until they are read.
	Size = 256 << 10
	// memoryKept is how much memory is kept from block to block: one huge line is no reason to stay huge.
	memoryKept = 4 << 20
)

// Block is some whole lines of the input. Its text lies in memory of whoever asked for it.
type Block struct {
	Text    []byte
	TooLong bool // a line over the limit, which was skipped, follows the text
	Last    bool // nothing follows; the last line may lack its end
}

// Cutter cuts an input into blocks. It hands out what is there as soon as that
// ends a line, so that a slow pipe is followed live.
type Cutter struct {
	r     io.Reader
	size  int
	limit int    // of a line
	rest  []byte // what was read behind the last block
	open  int    // bytes of the last line, when it has no end
	err   error
}

// Cut cuts r into blocks of about size bytes. A line may have limit bytes.
func Cut(r io.Reader, size, limit int) *Cutter { return &Cutter{r: r, size: size, limit: limit} }

// Next returns the next block, in buf or, when that is too small, in memory of
// its own. Behind the last one come empty ones.
func (c *Cutter) Next(buf []byte) Block {
	buf = c.begin(buf)
	searched := 0
	for {
		if end := bytes.LastIndexByte(buf[searched:], '\n') + 1; end > 0 {
			end += searched
			c.rest = append(c.rest, buf[end:]...)
			return Block{Text: buf[:end]}
		}
		if len(buf) > c.limit {
			return c.skip(buf)
		}
		if c.err != nil {
			c.open = len(buf) // there is no line end in it
			return Block{Text: buf, Last: true}
		}
		searched = len(buf)
		buf = c.read(buf)
	}
}

// begin puts the rest of the last block into buf.
func (c *Cutter) begin(buf []byte) []byte {
	if cap(buf) < c.size || cap(buf) > memoryKept {
		buf = make([]byte, 0, c.size)
	}
	buf = append(buf[:0], c.rest...)
	if c.rest = c.rest[:0]; cap(c.rest) > memoryKept {
		c.rest = nil
	}
	return buf
}

// read waits for more of the input. Memory for it grows with what a line has.
func (c *Cutter) read(buf []byte) []byte {
	if len(buf) == cap(buf) {
		buf = append(make([]byte, 0, min(2*cap(buf), cap(buf)+c.limit)), buf...)
	}
	n, err := c.r.Read(buf[len(buf):cap(buf)])
	for tries := 1; n == 0 && err == nil; tries++ {
		if n, err = c.r.Read(buf[len(buf):cap(buf)]); tries == 100 {
			err = io.ErrNoProgress
		}
	}
	c.err = err
	return buf[:len(buf)+n]
}

// skip passes over the rest of a line that is too long.
func (c *Cutter) skip(buf []byte) Block {
	for c.open = len(buf); c.err == nil; c.open += len(buf) {
		buf = c.read(buf[:0])
		if end := bytes.IndexByte(buf, '\n'); end >= 0 {
			c.open, c.rest = 0, append(c.rest, buf[end+1:]...)
			return Block{Text: buf[:0], TooLong: true}
		}
	}
	return Block{Text: buf[:0], TooLong: true, Last: true}
}

// Failure is the error that ended the input behind so many lines, with its
// place as a *position.Error; nil at the natural end.
func (c *Cutter) Failure(lines int) error {
	if c.err == nil || errors.Is(c.err, io.EOF) {
		return nil
	}
	if c.open > 0 { // the last of the lines has no end
		lines--
	}
	return &position.Error{Line: lines + 1, Column: c.open + 1, Err: c.err}
}

// Line is a line of an input, without its end.
type Line struct {
	Text    []byte // the next line reuses its memory
	Number  int    // 1-based
	Ended   bool   // has a line end; only the last line may lack it
	TooLong bool   // the line is over the limit; Text is empty
	Broken  bool   // the input failed in this line
}

// Lines calls take for every line of r, in blocks of about size bytes. The error is that of r.
func Lines(r io.Reader, size, limit int, take func(Line)) error {
	in, b, n := Cut(r, size, limit), Block{}, 0
	for !b.Last {
		b = in.Next(b.Text)
		for text := b.Text; len(text) > 0; {
			n++
			l := Line{Number: n}
			l.Text, text, l.Ended = bytes.Cut(text, []byte("\n"))
			l.Broken = !l.Ended && in.Failure(n) != nil
			take(l)
		}
		if b.TooLong {
			n++
			take(Line{Number: n, TooLong: true})
		}
	}
	return in.Failure(n)
}
