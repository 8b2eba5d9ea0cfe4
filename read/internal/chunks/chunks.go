// Package chunks splits an input into chunks of whole lines and reads them in parallel.
//
// Large inputs have one record per line. Parsing a line takes longer than fetching it, and
// each line can be parsed alone. Results are delivered in the order of the input, so the
// number of workers does not show.
//
// What a line means is up to the caller.
package chunks

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"

	"tribunal/internal/crash"
	"tribunal/read/internal/position"
)

// Work is what workers do with the blocks of an input. F is room for what is found
// in a block, which is used again for a later one.
type Work[F any] struct {
	// Empty makes room.
	Empty func() F
	// Worker makes a worker. It reads a block while others read theirs.
	Worker func() func(Block, F)
	// Deliver takes what was found in a block, in the order of the input, and
	// empties the room. It is told how many lines come before the block and tells
	// how many the block has.
	Deliver func(found F, before int) (lines int)
}

const (
	// mostWorkers is how many blocks are read side by side at most: beyond it,
	// fetching the bytes is what takes the time.
	mostWorkers = 8
	// ahead is how many blocks there is room for, by hand: one that is kept waiting
	// by others of the machine does not stop the rest at once.
	ahead = 4
	// liveSize is how many bytes a block has at least when the producer is ahead
	// of us. Of one that is not, each block is counted before more is waited for.
	liveSize = 16 << 10
)

// pool reads a stream with several workers. One after the other they take the
// next block of the input, read it side by side, and line up to deliver what
// they found: the receiver sees the order of the input, whoever was first.
type pool[F any] struct {
	input struct {
		sync.Mutex
		*Cutter
		taken int // blocks so far
		ended bool
	}
	delivery delivery[F]
	new      func() func(Block, F)
	workers  int // how many may work
	working  sync.WaitGroup
	once     sync.Once
}

// SideBySide reads the input with at most so many workers. The error is that of
// the input as a *position.Error.
func SideBySide[F any](input *Cutter, workers int, w Work[F]) error {
	p := &pool[F]{workers: workers, new: w.Worker}
	p.input.Cutter = input
	p.delivery = delivery[F]{make: w.Empty, deliver: w.Deliver, ready: map[int]F{}, spare: ahead * workers}
	p.delivery.moved.L = &p.delivery
	p.work()
	p.working.Wait()
	return input.Failure(p.delivery.lines)
}

// Workers is how many workers read best on this machine.
func Workers() int { return min(runtime.GOMAXPROCS(0), mostWorkers) }

// worker is one that reads, its memory, and room for what it finds next.
type worker[F any] struct {
	read  func(Block, F)
	buf   []byte
	found F
}

func (p *pool[F]) work() {
	h := &worker[F]{read: p.new(), found: p.delivery.empty()}
	for p.step(h) {
	}
}

// step takes a block, reads it and delivers. It reports whether there may be
// another.
func (p *pool[F]) step(h *worker[F]) bool {
	p.input.Lock()
	if p.input.ended {
		p.input.Unlock()
		return false
	}
	b := p.input.Next(h.buf)
	turn := p.input.taken
	p.input.taken++
	p.input.ended = b.Last
	live := len(b.Text) < liveSize
	if live {
		defer p.input.Unlock()
	} else {
		p.input.Unlock()
		p.once.Do(p.hire)
	}
	h.buf = b.Text
	h.read(b, h.found)
	p.delivery.put(turn, h.found)
	if live {
		p.delivery.wait(turn)
	}
	h.found = p.delivery.empty()
	return true
}

// hire gets the other workers, once there is work for them.
func (p *pool[F]) hire() {
	for range p.workers - 1 {
		p.working.Go(func() {
			defer crash.Exit()
			p.work()
		})
	}
}

// delivery puts what was found in the blocks back into their order.
type delivery[F any] struct {
	sync.Mutex
	moved   sync.Cond
	make    func() F
	deliver func(found F, before int) (lines int)
	busy    bool      // whether a worker is delivering, which does it for all
	turn    int       // the block that is delivered next
	ready   map[int]F // blocks before whose turn it is not
	free    []F
	spare   int // how many more may be made
	lines   int
}

// empty returns room for what is in a block. It waits while too much is ready
// behind a block that takes its time.
func (d *delivery[F]) empty() F {
	d.Lock()
	defer d.Unlock()
	for len(d.free) == 0 && d.spare == 0 {
		d.moved.Wait()
	}
	if n := len(d.free); n > 0 {
		f := d.free[n-1]
		d.free = d.free[:n-1]
		return f
	}
	d.spare--
	return d.make()
}

// put delivers what was found in a block as soon as all before it is delivered.
// While one worker delivers, the others read on: what they bring is delivered by
// that one, too.
func (d *delivery[F]) put(turn int, f F) {
	d.Lock()
	defer d.Unlock()
	d.ready[turn] = f
	if d.busy {
		return
	}
	d.busy = true
	for {
		f, ok := d.ready[d.turn]
		if !ok {
			break
		}
		delete(d.ready, d.turn)
		d.next(f)
	}
	d.busy = false
}

// next delivers the block whose turn it is, without keeping others from putting
// theirs.
func (d *delivery[F]) next(f F) {
	before := d.lines
	d.Unlock()
	lines := d.deliver(f, before)
	d.Lock()
	d.lines += lines
	d.free = append(d.free, f)
	d.turn++
	d.moved.Broadcast()
}

// wait returns when the block and all before it are delivered.
func (d *delivery[F]) wait(turn int) {
	d.Lock()
	defer d.Unlock()
	for d.turn <= turn {
		d.moved.Wait()
	}
}

// MaxLine is how many bytes a line may have. A longer one is skipped whole.
const MaxLine = 64 << 20

const (
	// Size is how many bytes are best asked for at once: few enough to stay in
	// the cache of a core until they are read.
	Size = 256 << 10
	// memoryKept is how much memory is kept from block to block: one huge line
	// is no reason to stay huge.
	memoryKept = 4 << 20
)

// Block is some whole lines of the input. Its text lies in memory of whoever
// asked for it.
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
