package native

import (
	"io"
	"runtime"
	"sync"

	"tribunal/envelope"
)

// Counter is a sink that takes trials by the batch (see envelope.Batch), unless
// it gives none.
type Counter interface {
	envelope.Sink
	Batch() *envelope.Batch
	Count(*envelope.Batch)
}

const (
	// mostHands is how many blocks are read side by side at most: beyond it,
	// fetching the bytes is what takes the time.
	mostHands = 8
	// liveSize is how many bytes a block has at least when the producer is ahead
	// of us. Of one that is not, each block is counted before more is waited for.
	liveSize = 16 << 10
)

// pool reads a stream with several hands. One after the other they take the
// next block of the input, read it side by side, and line up to deliver what
// they found: the sink sees the order of the input, whoever was first.
type pool struct {
	input struct {
		sync.Mutex
		blocks
		taken int // blocks so far
		ended bool
	}
	delivery delivery
	hands    int // how many may work
	working  sync.WaitGroup
	once     sync.Once
}

// readSideBySide reads the input in blocks with at most so many hands.
func readSideBySide(r io.Reader, to Counter, hands, size, limit int) error {
	p := &pool{hands: hands}
	p.input.blocks = blocks{r: r, size: size, limit: limit}
	p.delivery = delivery{to: to, ready: map[int]*found{}, spare: 2 * hands}
	p.delivery.moved.L = &p.delivery
	p.work()
	p.working.Wait()
	p.delivery.notes.report(to)
	return p.input.failure(p.delivery.lines)
}

// defaultHands is how many hands read by default.
func defaultHands() int { return min(runtime.GOMAXPROCS(0), mostHands) }

// work is what a hand does.
func (p *pool) work() {
	h := newHand(p.delivery.empty(), p.input.limit)
	for p.step(h) {
	}
}

// step takes a block, reads it and delivers. It reports whether there may be
// another.
func (p *pool) step(h *hand) bool {
	p.input.Lock()
	if p.input.ended {
		p.input.Unlock()
		return false
	}
	b := p.input.next(h.buf)
	turn := p.input.taken
	p.input.taken++
	p.input.ended = b.last
	live := len(b.text) < liveSize
	if live {
		defer p.input.Unlock()
	} else {
		p.input.Unlock()
		p.once.Do(p.hire)
	}
	h.buf = b.text
	h.read(b)
	p.delivery.put(turn, h.found)
	if live {
		p.delivery.wait(turn)
	}
	h.found = p.delivery.empty()
	return true
}

// hire gets the other hands, once there is work for them.
func (p *pool) hire() {
	for range p.hands - 1 {
		p.working.Go(p.work)
	}
}

// delivery puts what was found in the blocks back into their order.
type delivery struct {
	sync.Mutex
	moved sync.Cond
	to    Counter
	turn  int            // the block that is delivered next
	ready map[int]*found // blocks before whose turn it is not
	free  []*found
	spare int // how many more may be made
	lines int
	notes notes
}

// empty returns room for what is in a block. It waits while too much is ready
// behind a block that takes its time.
func (d *delivery) empty() *found {
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
	return &found{batch: d.to.Batch()}
}

// put delivers what was found in a block as soon as all before it is delivered.
func (d *delivery) put(turn int, f *found) {
	d.Lock()
	defer d.Unlock()
	d.ready[turn] = f
	for {
		f, ok := d.ready[d.turn]
		if !ok {
			break
		}
		delete(d.ready, d.turn)
		f.deliver(d.to, d.lines, &d.notes)
		d.lines += f.lines
		f.reset()
		d.free = append(d.free, f)
		d.turn++
	}
	d.moved.Broadcast()
}

// wait returns when the block and all before it are delivered.
func (d *delivery) wait(turn int) {
	d.Lock()
	defer d.Unlock()
	for d.turn <= turn {
		d.moved.Wait()
	}
}
