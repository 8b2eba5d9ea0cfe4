package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// pace is how fast the steady producer is, in bytes a second.
const pace = 200e6

// steady lets a producer write a file at a steady pace into the program, and
// notes by how much it was late at the end, in per cent of its time, and the
// longest time that one write took it, in milliseconds: both beyond what the
// same producer sees when it writes to cat, for that is the machine's doing.
func (w workshop) steady(file string, figures map[string]float64) error {
	least, shortest, err := produce(file, []string{"cat"})
	if err != nil {
		return fmt.Errorf("producing for cat: %w", err)
	}
	late, wait, err := produce(file, []string{w.tribunal(), "report", "--no-config", "-f", "junit"})
	if err != nil {
		return fmt.Errorf("producing for tribunal: %w", err)
	}
	figures["late"], figures["wait"] = max(late-least, 0), max(wait-shortest, 0)
	say("  producer of 200 MB/s: into cat late by %.2f %%, longest wait %.2f ms; into tribunal %.2f %%, %.2f ms", least, shortest, late, wait)
	return nil
}

func produce(path string, argv []string) (late, wait float64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	late, wait, err = write(pipe, file)
	pipe.Close()
	_ = cmd.Wait() // its exit code is that of the made-up failures
	return late, wait, err
}

// write copies at the pace. It does not catch up where the machine let it sleep
// too long: the schedule moves on by that, so that only waiting counts.
func write(to io.Writer, from io.Reader) (late, wait float64, err error) {
	const piece = 128 << 10
	buffer := make([]byte, piece)
	each := time.Duration(piece / pace * float64(time.Second))
	start := time.Now()
	due, behind := start, time.Duration(0)
	for {
		n, err := io.ReadFull(from, buffer)
		if n == 0 {
			return 100 * behind.Seconds() / time.Since(start).Seconds(), wait, nil
		}
		if time.Sleep(time.Until(due)); err != nil && err != io.ErrUnexpectedEOF {
			return 0, 0, err
		}
		begun := time.Now()
		if _, err := to.Write(buffer[:n]); err != nil {
			return 0, 0, err
		}
		took := time.Since(begun)
		wait = max(wait, 1000*took.Seconds())
		behind += max(took-each, 0)
		due = begun.Add(max(each, took))
	}
}

// live lets a slow producer write trials of ever new tests, some of them in
// quick pairs, and notes how long the slowest of them took to appear in the live
// line of a terminal, in milliseconds.
func (w workshop) live(figures map[string]float64) error {
	screen, terminal, err := openTerminal()
	if err != nil {
		say("  live line: not measured: %v", err)
		return nil
	}
	defer screen.Close()
	cmd := exec.Command(w.tribunal(), "report", "--no-config")
	cmd.Env = append(os.Environ(), "CI=", "TERM=xterm")
	cmd.Stderr = terminal
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	terminal.Close()
	seen := make(chan []time.Time)
	go func() { seen <- watch(screen) }()
	written := slowly(pipe)
	pipe.Close()
	_ = cmd.Wait()
	figures["live"] = slowest(written, <-seen)
	say("  slow producer: the slowest of %d tests was in the live line after %.1f ms", tests, figures["live"])
	return nil
}

// tests is how many tests the slow producer completes.
const tests = 24

// slowly writes the trials and returns when each was written. Every third comes
// 30 ms after the one before it, the others 300 ms.
func slowly(to io.Writer) (written []time.Time) {
	for i := range tests {
		if i%3 == 2 {
			time.Sleep(30 * time.Millisecond)
		} else {
			time.Sleep(300 * time.Millisecond)
		}
		fmt.Fprintf(to, `{"test":"test %d","status":"pass"}`+"\n", i)
		written = append(written, time.Now())
	}
	time.Sleep(300 * time.Millisecond)
	return written
}

// watch reads the terminal to its end and returns when each number of tests was
// first on it.
func watch(screen io.Reader) []time.Time {
	seen := make([]time.Time, tests)
	var line []byte
	for buffer := make([]byte, 4096); ; {
		n, err := screen.Read(buffer)
		now := time.Now()
		line = append(line, buffer[:n]...)
		for i := range seen {
			if seen[i].IsZero() && bytes.Contains(line, fmt.Appendf(nil, " %d test", i+1)) {
				seen[i] = now
			}
		}
		if err != nil { // Linux ends a terminal by an error
			return seen
		}
	}
}

// slowest is the longest delay in milliseconds. Of a test that was never in the
// line by itself, that of the next number counts; of the last, the whole wait.
func slowest(written, seen []time.Time) float64 {
	worst, next := 0.0, time.Now()
	for i := len(written) - 1; i >= 0; i-- {
		if !seen[i].IsZero() {
			next = seen[i]
		}
		worst = max(worst, 1000*next.Sub(written[i]).Seconds())
	}
	return worst
}
