// Command trials measures what tribunal run costs beside the commands that it
// starts: processor time and memory of its own, next to GNU parallel and hyperfine
// on the same command.
//
// The processor time of a program is split by the system into its own and that of
// its children. What a peer starts is the same, so that the own part compares.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/scripts/bench/record"
)

func main() {
	tests := flag.Int("tests", 100, "tests")
	repeats := flag.Int("trials", 20, "trials of each test")
	runs := flag.Int("runs", 3, "runs of each program, in turns; medians are told")
	jobs := flag.Int("j", 8, "trials at once")
	large := flag.Int("large", 0, "tests of one more run of ours, and of going on with it, for their memory; 0 for none")
	write := flag.String("write", "", "also write the results to this file")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: trials [flags] TRIBUNAL")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *tests, *repeats, *runs, *jobs, *large, *write); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		os.Exit(1)
	}
}

// program is what is measured: a command line that starts `true` so many times.
type program struct {
	name string
	argv func(dir string) []string
	used []usage
}

// usage is what a program took.
type usage struct {
	wall             time.Duration
	own, children    time.Duration // processor time
	residentKilobyte int           // at most, of the program itself
}

func run(tribunal string, tests, repeats, runs, jobs, large int, write string) error {
	n := tests * repeats
	dir, err := os.MkdirTemp("", "trials")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := lists(dir, tests, n); err != nil {
		return err
	}
	programs := []*program{
		{name: "tribunal run", argv: func(string) []string { return ours(tribunal, repeats, jobs) }},
		{name: "GNU parallel", argv: func(string) []string {
			return []string{"parallel", "--will-cite", "-j", strconv.Itoa(jobs), "-N0", "-a", "lines", "true"}
		}},
		{name: "GNU parallel with a job log", argv: func(string) []string {
			return []string{"parallel", "--will-cite", "-j", strconv.Itoa(jobs), "-N0", "--joblog", "log", "--results", "results", "-a", "lines", "true"}
		}},
		{name: "hyperfine (one at a time)", argv: func(string) []string {
			return []string{"hyperfine", "-N", "--runs", strconv.Itoa(n), "--export-json", "hyperfine.json", "true"}
		}},
	}
	programs = slices.DeleteFunc(programs, func(p *program) bool {
		_, err := exec.LookPath(p.argv(dir)[0])
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s is not installed, and left out\n", p.name)
		}
		return err != nil
	})
	for range runs {
		for _, p := range programs {
			for _, old := range []string{"journal", "results"} {
				if err := os.RemoveAll(filepath.Join(dir, old)); err != nil {
					return err
				}
			}
			used, err := measure(dir, p.argv(dir))
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			p.used = append(p.used, used)
		}
	}
	var most []usage
	if large > 0 {
		if most, err = memory(dir, tribunal, large, repeats, jobs); err != nil {
			return err
		}
	}
	out := io.Writer(os.Stdout)
	if write != "" {
		f, err := os.Create(write)
		if err != nil {
			return err
		}
		defer f.Close()
		out = io.MultiWriter(out, f)
	}
	return tell(out, programs, most, tests, repeats, runs, jobs, large)
}

func ours(tribunal string, repeats, jobs int) []string {
	return []string{tribunal, "run", "-n", strconv.Itoa(repeats), "-j", strconv.Itoa(jobs), "--list", "cat tests", "--journal", "journal", "--no-config", "-f", "minimal", "--", "true"}
}

// left is how many trials are left to a run that is gone on with.
const left = 60

// memory measures a run of many tests, and one that goes on where that stood when all
// but the last trials were written.
func memory(dir, tribunal string, tests, repeats, jobs int) ([]usage, error) {
	if err := lists(dir, tests, 0); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(dir, "journal")); err != nil {
		return nil, err
	}
	fresh, err := measure(dir, ours(tribunal, repeats, jobs))
	if err != nil {
		return nil, fmt.Errorf("%d tests: %w", tests, err)
	}
	if err := cutBehind(filepath.Join(dir, "journal", "journal.ndjson"), tests*repeats-left); err != nil {
		return nil, err
	}
	resumed, err := measure(dir, []string{tribunal, "run", "--resume", "--journal", "journal", "--no-config", "-f", "minimal"})
	if err != nil {
		return nil, fmt.Errorf("going on with %d tests: %w", tests, err)
	}
	return []usage{fresh, resumed}, nil
}

// cutBehind leaves of a journal what stood in it when so many trials were written.
func cutBehind(path string, trials int) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	in, size := bufio.NewReader(f), int64(0)
	for trials > 0 {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: %d trials are missing: %w", path, trials, err)
		}
		size += int64(len(line))
		if !bytes.HasPrefix(line, []byte(`{"type":`)) { // a line without one is a trial
			trials--
		}
	}
	return f.Truncate(size)
}

// lists writes the names of the tests, and a line for each trial.
func lists(dir string, tests, n int) error {
	var names, lines strings.Builder
	for i := range tests {
		fmt.Fprintf(&names, "test-%06d\n", i)
	}
	for i := range n {
		fmt.Fprintln(&lines, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "tests"), []byte(names.String()), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "lines"), []byte(lines.String()), 0o600)
}

// measure runs a program and looks at what it takes until it has ended.
func measure(dir string, argv []string) (usage, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var used usage
	for {
		select {
		case err := <-ended:
			used.wall = time.Since(began)
			return used, err
		case <-time.After(10 * time.Millisecond):
			used.look(cmd.Process.Pid)
		}
	}
}

// look reads the processor time and the memory so far: proc_pid_stat(5),
// proc_pid_status(5).
func (u *usage) look(pid int) {
	const tick = 10 * time.Millisecond // of the kernel's clock, USER_HZ
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return // it has just ended
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	number := func(i int) time.Duration { // counted as in the manual, the state is 3
		n, _ := strconv.Atoi(fields[i-3])
		return time.Duration(n) * tick
	}
	if own := number(14) + number(15); own > 0 {
		u.own, u.children = own, number(16)+number(17)
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			u.residentKilobyte = max(u.residentKilobyte, n)
		}
	}
}

// tell writes the results as Markdown.
func tell(w io.Writer, programs []*program, most []usage, tests, repeats, runs, jobs, large int) error {
	n := tests * repeats
	fmt.Fprintf(w, "# Trials\n\nWritten by `./scripts/bench/trials/run %s` on %s.\nMachine: %s.\n", strings.Join(os.Args[1:len(os.Args)-1], " "), record.Today(), record.Machine())
	fmt.Fprintf(w, "`true`, %d times (%d tests x %d), %d at once, medians of %d runs in turns.\n\n", n, tests, repeats, jobs, runs)
	fmt.Fprintln(w, "| program | own processor time a trial | of the commands | elapsed a trial | memory of its own |\n| --- | ---: | ---: | ---: | ---: |")
	each := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000/float64(n)) }
	var ours usage
	for i, p := range programs {
		m := usage{
			wall: median(p.used, func(u usage) time.Duration { return u.wall }), own: median(p.used, func(u usage) time.Duration { return u.own }),
			children:         median(p.used, func(u usage) time.Duration { return u.children }),
			residentKilobyte: int(median(p.used, func(u usage) time.Duration { return time.Duration(u.residentKilobyte) })),
		}
		if i == 0 {
			ours = m
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %.1f MB |\n", p.name, each(m.own), each(m.children), each(m.wall), float64(m.residentKilobyte)*1024/1e6)
	}
	for i, u := range most {
		fmt.Fprintf(w, "\n%s with %d tests x %d, once: %.1f MB of its own, %.1f s.\n", []string{"`tribunal run`", "`tribunal run --resume`"}[i], large, repeats, float64(u.residentKilobyte)*1024/1e6, u.wall.Seconds())
	}
	fmt.Fprintln(w, "\nThe own part of tribunal is that of starting, holding, reading and writing down each trial, safe on the disk before and after, and of the report at the end.\n\n## Targets")
	fmt.Fprintln(w)
	promises := []record.Promise{
		{What: "processor time of its own, a trial of `true`", Value: ours.own.Seconds() * 1000 / float64(n), Limit: 3, Unit: "ms"},
	}
	for i, what := range []string{"memory beside 50 MB, a trial of 200,000", fmt.Sprintf("the same, of a run gone on with when %d trials were left", left)} {
		p := record.Promise{What: what, Value: math.NaN(), Limit: 100, Unit: "bytes"}
		if all := large * repeats; all == 200_000 {
			p.Value = max(0, float64(most[i].residentKilobyte)*1024-50e6) / float64(all)
		}
		promises = append(promises, p)
	}
	record.Promises(w, promises)
	return nil
}

func median(used []usage, of func(usage) time.Duration) time.Duration {
	var all []time.Duration
	for _, u := range used {
		all = append(all, of(u))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
