//go:build linux || darwin

package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"tribunal/internal/each"
)

type entry struct {
	pid, ppid, pgid, sid int
	start                uint64 // grows with time; the unit is the system's
	dead                 bool   // not reaped yet
}

type identity struct {
	pid   int
	start uint64
}

func (e entry) identity() identity { return identity{e.pid, e.start} }

// tally is what was done to leftovers.
type tally struct{ left, survived int }

// killWait is how long a process may live after SIGKILL until it counts as one that
// cannot be ended: it waits for a device, or is another user's.
const killWait = 5 * time.Second

// endAll kills the groups, and whom mine chooses of all processes, again and again
// until mine chooses nobody who lives: what was killed may have started others.
// Dead children of self among them are reaped.
func endAll(groups []int, mine func([]entry) []entry, self int) tally {
	var t tally
	seen := map[identity]bool{}
	began := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		all, err := snapshot()
		if err != nil {
			killGroups(groups)
			return t
		}
		living := 0
		for _, e := range mine(all) {
			if !e.dead {
				living++
				seen[e.identity()] = true
			}
		}
		killGroups(groups)
		killChosen(all, seen, self)
		t.left = len(seen)
		if living == 0 {
			return t
		}
		if time.Since(began) > killWait {
			t.survived = living
			return t
		}
		time.Sleep(pause)
	}
}

// killChosen kills those who were chosen and reaps those of them that are dead and ours.
func killChosen(all []entry, chosen map[identity]bool, self int) {
	for _, e := range all {
		switch {
		case !chosen[e.identity()]:
		case !e.dead:
			killEntry(e)
		case e.ppid == self:
			_, _ = unix.Wait4(e.pid, nil, unix.WNOHANG, nil)
		}
	}
}

func killGroups(groups []int) {
	for _, g := range groups {
		unix.Kill(-g, unix.SIGKILL)
	}
}

// withDescendants returns those of all processes that are chosen or descend from one
// that is. Who stays is never among them, nor are its descendants for its sake.
func withDescendants(all []entry, stays map[int]bool, chosen func(entry) bool) []entry {
	byPID := make(map[int]entry, len(all))
	for _, e := range all {
		byPID[e.pid] = e
	}
	decided := make(map[int]bool, len(all))
	var decide func(e entry) bool
	decide = func(e entry) bool {
		if is, ok := decided[e.pid]; ok {
			return is
		}
		decided[e.pid] = false // a circle cannot be, but a list is not taken at one moment
		if e.pid <= 1 || stays[e.pid] {
			return false
		}
		parent, there := byPID[e.ppid]
		is := chosen(e) || there && decide(parent)
		decided[e.pid] = is
		return is
	}
	return each.Where(all, decide)
}

// ancestors returns this process and those it descends from.
func ancestors(all []entry) map[int]bool {
	parent := make(map[int]int, len(all))
	for _, e := range all {
		parent[e.pid] = e.ppid
	}
	above := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !above[pid]; pid = parent[pid] {
		above[pid] = true
	}
	return above
}
