package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"time"
)

// job is one command that is measured.
type job struct {
	name  string // stream and what is done with it
	argv  []string
	reads string // the file whose size is what it reads
	out   string // the file that takes its standard output
}

// sample is what one run of a job took.
type sample struct {
	wall, cpu     time.Duration // of the whole process; cpu is user and system time
	peak          int64         // resident memory in bytes, 0 where the system does not tell
	read, written int64         // bytes
}

// run measures the job once. Exit code 1 says that tests failed, as those of the streams do.
func (b *bench) run(j job) error {
	out, err := os.Create(j.out + ".part")
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(j.argv[0], j.argv[1:]...)
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &complaint
	began := time.Now()
	err = cmd.Run()
	wall := time.Since(began)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w: %.500s", j.name, cmd, err, complaint.Bytes())
	}
	s := sample{wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak: peak(cmd.ProcessState)}
	if info, err := os.Stat(j.reads); err == nil {
		s.read = info.Size()
	}
	if info, err := out.Stat(); err == nil && info.Size() > 0 { // DuckDB writes its file itself
		s.written = info.Size()
		if err := os.Rename(out.Name(), j.out); err != nil {
			return err
		}
	}
	if b.samples[j.name] == nil {
		b.order = append(b.order, j.name)
	}
	b.samples[j.name] = append(b.samples[j.name], s)
	fmt.Fprintf(os.Stderr, "  %-44s %8.3f s wall %8.3f s cpu %6.0f MB\n", j.name, wall.Seconds(), s.cpu.Seconds(), float64(s.peak)/1e6)
	return nil
}

// measures are what is known of a sample.
var measures = map[string]func(sample) float64{
	"time":           func(s sample) float64 { return s.wall.Seconds() },
	"processor time": func(s sample) float64 { return s.cpu.Seconds() },
	"memory":         func(s sample) float64 { return float64(s.peak) },
	"size":           func(s sample) float64 { return float64(s.written) },
}

// median is over the runs of a job, NaN when it was not run.
func (b *bench) median(name, of string) float64 {
	var values []float64
	for _, s := range b.samples[name] {
		values = append(values, measures[of](s))
	}
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return (values[len(values)/2] + values[(len(values)-1)/2]) / 2
}
