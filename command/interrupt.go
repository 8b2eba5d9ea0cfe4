package command

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"tribunal/run/driver"
	"tribunal/verdict/gate"
)

// stopping is what happens when the program is told to stop in the middle.
// What was begun and would stay behind is undone. While a runner is piped in, the
// first interrupt is left to the runner, which gets it as well: its end is the
// end of the input, and what it told until then is reported.
type stopping struct {
	mu    sync.Mutex
	undo  map[int]func()
	begun int
	piped bool // standard input is being read
	asked bool // somebody interrupted it meanwhile
	run   chan driver.Signal
	level driver.Signal // what a run was asked for last
}

var stop stopping

// meanwhile has something undone if the program is told to stop before the
// function that it returns is called.
func (s *stopping) meanwhile(undo func()) (settled func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.undo == nil {
		s.undo = map[int]func(){}
	}
	id := s.begun
	s.begun++
	s.undo[id] = undo
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.undo, id)
	}
}

// whilePiped reads standard input and reports whether it was interrupted.
func (s *stopping) whilePiped(read func()) (interrupted bool) {
	s.setPiped(true)
	read()
	return s.setPiped(false)
}

func (s *stopping) setPiped(piped bool) (asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.piped = piped
	return s.asked
}

// asSignals gives a run that starts trials the signals of this program, until
// settled is called: the first interrupt lets what runs end, the second ends it, the
// third does so at once; SIGTERM and SIGHUP are like the second.
func (s *stopping) asSignals() (signals <-chan driver.Signal, settled func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run, s.level = make(chan driver.Signal, 8), driver.Finish-1
	resume := followSuspend(s.run)
	return s.run, func() {
		resume()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.run = nil
	}
}

func (s *stopping) handOn(sig os.Signal) {
	s.level = min(s.level+1, driver.Kill)
	if sig != os.Interrupt {
		s.level = max(s.level, driver.Stop)
	}
	select {
	case s.run <- s.level:
	default: // it has been told often enough
	}
}

// receive is asked what to do at a signal: wait for the end of the input, or stop
// now, in which case everything has been undone.
func (s *stopping) receive(sig os.Signal) (wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		s.handOn(sig)
		return true
	}
	if sig == os.Interrupt && s.piped && !s.asked {
		s.asked = true
		return true
	}
	s.undoAll()
	return false
}

func (s *stopping) undoAll() {
	for _, undo := range s.undo {
		undo()
	}
}

func (s *stopping) ofRun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run != nil
}

// obey follows signals until one of them ends the program.
func (s *stopping) obey(signals <-chan os.Signal, stderr io.Writer, exit func(code int)) {
	for sig := range signals {
		if s.receive(sig) {
			if s.ofRun() {
				continue // which says itself what it does
			}
			fmt.Fprintln(stderr, "tribunal: interrupted: waiting for the runner to end, then reporting; interrupt again to stop now")
			continue
		}
		exit(exitCodeOf(sig))
		return
	}
}

// exitCodeOf is 128 and the number of the signal, as shells have it.
func exitCodeOf(sig os.Signal) int {
	if n, ok := sig.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return gate.ExitUnusable
}

// handleSignals has this process stop in order. What it was started to ignore, by nohup or
// in the background of a script, it goes on to ignore. A pipe whose reader has gone
// is an error of that output and no end of the others.
func (s *stopping) handleSignals() {
	signals := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	signal.Ignore(syscall.SIGPIPE)
	go s.obey(signals, os.Stderr, os.Exit)
}
