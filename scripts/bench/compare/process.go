package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// job is one command that is measured.
type job struct {
	name  string   // for people and for targets
	argv  []string // program and arguments
	reads string   // file whose size is what it reads, "" where that is of no interest
	pipe  string   // file that cat pipes into it, "" for none
	out   string   // file that takes its standard output, "" to drop it
	gate  bool     // it ends with 1 when tests failed, as those of made-up data do
}

// sample is what one run of a job took.
type sample struct {
	wall, cpu time.Duration // of the whole process; cpu is user and system time
	peak      int64         // resident memory in bytes, 0 where the system does not tell
	read      int64         // bytes that it reads, 0 where they are of no interest
	written   int64         // bytes of its standard output, 0 where that is dropped
}

// measure runs the job once. Where the job reads from a pipe, only its own time
// and memory count, not those of cat.
func (j job) measure() (sample, error) {
	cmd := exec.Command(j.argv[0], j.argv[1:]...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if j.out != "" {
		out, err := os.Create(j.out)
		if err != nil {
			return sample{}, err
		}
		defer out.Close()
		cmd.Stdout = out
	}
	stop, err := j.feed(cmd)
	if err != nil {
		return sample{}, err
	}
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	stop()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 && j.gate {
		err = nil
	}
	if err != nil {
		return sample{}, fmt.Errorf("%s: %s: %w: %s", j.name, strings.Join(j.argv, " "), err, tail(complaint.String()))
	}
	state := cmd.ProcessState
	s := sample{wall: wall, cpu: state.UserTime() + state.SystemTime(), peak: peak(state)}
	if s.read, err = sizeOf(j.reads); err != nil {
		return sample{}, err
	}
	s.written, err = sizeOf(j.out)
	return s, err
}

// sizeOf is the size of a file, 0 of none.
func sizeOf(path string) (int64, error) {
	if path == "" {
		return 0, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// feed connects standard input to cat. The returned function ends cat.
func (j job) feed(cmd *exec.Cmd) (stop func(), err error) {
	if j.pipe == "" {
		return func() {}, nil
	}
	cat := exec.Command("cat", j.pipe)
	pipe, err := cat.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdin = pipe.(io.Reader)
	if err := cat.Start(); err != nil {
		return nil, fmt.Errorf("starting cat: %w", err)
	}
	return func() { pipe.Close(); _ = cat.Wait() }, nil // it ends by a closed pipe when not by itself
}

// tail is the end of what a program complained about.
func tail(s string) string {
	const most = 500
	if s = strings.TrimSpace(s); len(s) > most {
		s = "…" + s[len(s)-most:]
	}
	return s
}

// board holds the samples of all jobs by name.
type board map[string][]sample

// play measures each job in turn, several times over, so that whatever else the
// machine does meets all of them.
func (b board) play(jobs []job, runs int) error {
	for run := range runs {
		for _, j := range jobs {
			s, err := j.measure()
			if err != nil {
				return err
			}
			b[j.name] = append(b[j.name], s)
			say("  %d/%d %-44s %8s wall %8s cpu %9s", run+1, runs, j.name, seconds(s.wall), seconds(s.cpu), megabytes(s.peak))
		}
	}
	return nil
}

// of is a median over the runs of a job, 0 when it was not run.
func (b board) of(name string, what func(sample) float64) float64 {
	var values []float64
	for _, s := range b[name] {
		values = append(values, what(s))
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	mid := len(values) / 2
	if len(values)%2 == 0 {
		return (values[mid-1] + values[mid]) / 2
	}
	return values[mid]
}

func wall(s sample) float64   { return s.wall.Seconds() }
func cpu(s sample) float64    { return s.cpu.Seconds() }
func memory(s sample) float64 { return float64(s.peak) }
func size(s sample) float64   { return float64(s.written) }
func read(s sample) float64   { return float64(s.read) }

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }
