package lineblocks

import (
	"runtime"
	"sync"

	"tribunal/internal/crash"
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

// work is what a worker does.
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
