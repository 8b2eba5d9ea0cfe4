package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// child is a tribunal run that a worker started.
type child struct {
	cmd   *exec.Cmd
	alive io.Closer // it ends when this is closed, by the end of the worker too
	ended chan struct{}
}

// start starts tribunal run for a part of a run, told by its header.
func start(header string, args []string, stderr io.Writer) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self, slices.Concat([]string{roleRun, header}, args)...), ended: make(chan struct{})}
	c.cmd.Stderr = stderr
	if c.alive, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting tribunal run: %w", err)
	}
	go func() {
		_ = c.cmd.Wait() // code tells
		close(c.ended)
	}()
	return c, nil
}

// stop asks for the end: trials get their grace, and the journal is closed.
func (c *child) stop() { _ = c.cmd.Process.Signal(syscall.SIGTERM) }

// kill ends it at once, and its trials, if it still runs.
func (c *child) kill() {
	_ = c.alive.Close()
	<-c.ended
}

// killed reports that a signal ended it.
func (c *child) killed() bool { return c.code() < 0 }

// code is the exit code, when it has ended.
func (c *child) code() int { return c.cmd.ProcessState.ExitCode() }
