package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/render"
	"tribunal/scripts/bench/stream"
)

// settings are the flags.
type settings struct {
	quick, ours bool
	runs        int
	parts       string
	cache       string
	write       string
}

// parts are what can be measured by itself.
var parts = []string{"speed", "gotest", "growth", "formats", "readers", "talks", "live"}

func main() {
	s := settings{}
	cache, _ := os.UserCacheDir() // without one, -cache must be given
	flag.BoolVar(&s.quick, "quick", false, "a twentieth of the data and two runs: for a look")
	flag.BoolVar(&s.ours, "ours", false, "without the peers")
	flag.IntVar(&s.runs, "runs", 0, "runs of each job (default 5, with -quick 2)")
	flag.StringVar(&s.parts, "parts", strings.Join(parts, ","), "what to measure")
	flag.StringVar(&s.cache, "cache", filepath.Join(cache, "tribunal-bench"), "folder for data, peers and output")
	flag.StringVar(&s.write, "write", "", "file for the results, whose rows of other parts stay, beside standard output (default scripts/bench/RESULTS.md when everything is measured)")
	flag.Parse()
	missed, err := compare(s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "bench: %d targets not met\n", missed)
		os.Exit(1)
	}
}

// has says whether a part is to be measured.
func (s settings) has(part string) bool { return slices.Contains(strings.Split(s.parts, ","), part) }

// only says in words what of all parts was measured, and nothing if all of them were.
func (s settings) only() string {
	if s.parts == strings.Join(parts, ",") {
		return ""
	}
	return " -parts " + s.parts
}

// settle fills in what other flags decide.
func (s settings) settle() (settings, error) {
	for _, part := range strings.Split(s.parts, ",") {
		if !slices.Contains(parts, part) {
			return s, fmt.Errorf("-parts: unknown part %q; there are %s", part, strings.Join(parts, ", "))
		}
	}
	if s.write == "" && !s.quick && !s.ours && s.only() == "" {
		s.write = filepath.Join("scripts", "bench", "RESULTS.md")
	}
	if s.runs == 0 {
		s.runs = 5
		if s.quick {
			s.runs = 2
		}
	}
	return s, nil
}

// compare prepares, measures, checks and reports.
func compare(s settings) (missed int, err error) {
	s, err = s.settle()
	if err != nil {
		return 0, err
	}
	by := 1
	if s.quick {
		by = 20
	}
	c := contest{settings: s, workshop: workshop{s.cache}, sizes: sized(by), formats: render.Formats.Names(),
		outcome: outcome{board{}, map[string]float64{}}}
	made, err := c.prepare(!s.ours, c.streams())
	if err != nil {
		return 0, err
	}
	if made {
		return 0, anew()
	}
	for _, step := range []struct {
		part    string
		measure func() error
	}{{"speed", c.speed}, {"gotest", c.gotests}, {"growth", c.grow}, {"formats", c.write}, {"readers", c.readReports}, {"talks", c.talk}, {"live", c.follow}} {
		if !s.has(step.part) {
			continue
		}
		say("%s", step.part)
		if err := step.measure(); err != nil {
			return 0, err
		}
	}
	return c.report()
}

// anew measures in a process of its own. One that made data has been large, and what it
// starts would seem to be so (see peak).
func anew() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return err
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}

// contest is a measurement under way.
type contest struct {
	settings
	workshop
	sizes   sizes
	formats []string
	outcome outcome
	jobs    []job // measured so far
}

// streams are the data of the parts that are measured.
func (c *contest) streams() []data {
	var all []data
	if c.has("speed") {
		all = append(all, c.sizes.long, c.sizes.short)
	}
	if c.has("gotest") {
		all = append(all, c.sizes.gotest)
	}
	if c.has("growth") {
		for _, p := range c.sizes.growth {
			all = append(all, p.small, p.four)
		}
	}
	if c.has("formats") {
		all = append(all, c.sizes.formats.small, c.sizes.formats.four)
	}
	if c.has("readers") {
		for _, r := range c.sizes.reports {
			all = append(all, r.data)
		}
	}
	if c.has("talks") {
		all = append(all, c.sizes.talks, c.sizes.unread, c.sizes.bare, c.sizes.checked, c.sizes.stepped)
	}
	if c.has("live") {
		all = append(all, c.sizes.long, tiny)
	}
	return all
}

// tiny is a stream that takes no time.
var tiny = trials("tiny", stream.Options{Trials: 1})

func (c *contest) play(jobs []job, runs int) error {
	c.jobs = append(c.jobs, jobs...)
	return c.outcome.play(jobs, runs)
}

func (c *contest) speed() error {
	for _, d := range []data{c.sizes.long, c.sizes.short} {
		if err := c.play(c.speedJobs(d, !c.ours), c.runs); err != nil {
			return err
		}
		if c.ours {
			continue
		}
		if err := c.agree(d); err != nil {
			return err
		}
	}
	return nil
}

func (c *contest) gotests() error {
	if err := c.play(c.gotestJobs(c.sizes.gotest, !c.ours), c.runs); err != nil || c.ours {
		return err
	}
	return c.agreeOnGoTest()
}

// Growth needs no peers and has large files: fewer runs do.
func (c *contest) grow() error { return c.play(c.growthJobs(c.sizes), min(c.runs, 3)) }

func (c *contest) write() error { return c.play(c.formatJobs(c.sizes, c.formats), min(c.runs, 3)) }

func (c *contest) readReports() error {
	if err := c.play(c.readerJobs(c.sizes.reports, !c.ours), c.runs); err != nil {
		return err
	}
	return c.agreeOnReports(c.sizes.reports, !c.ours)
}

func (c *contest) talk() error { return c.play(c.talkJobs(c.sizes), c.runs) }

func (c *contest) follow() error {
	info, err := os.Stat(c.tribunal())
	if err != nil {
		return err
	}
	c.outcome.figures["binary"] = float64(info.Size()) / 1e6
	start := c.workshop.report("start-up", c.file(tiny), "minimal")
	idle := job{name: "start-up: schema", argv: []string{c.tribunal(), "schema", "trial"}, out: c.workshop.out("start-up: schema")}
	if err := c.play([]job{start, idle}, 20); err != nil {
		return err
	}
	if err := c.live(c.outcome.figures); err != nil {
		return err
	}
	return c.steady(c.file(c.sizes.long), c.outcome.figures)
}

func (c *contest) report() (missed int, err error) {
	all := targets(c.sizes, c.formats)
	missed = results(os.Stdout, c.only(), c.outcome, all, names(c.jobs))
	if c.quick {
		say("a quick look: with so little data, starting a program is most of its time, and no target is judged")
		missed = 0
	}
	if c.settings.write == "" {
		return missed, nil
	}
	var now strings.Builder
	results(&now, c.only(), c.outcome, all, names(c.jobs))
	before, err := os.ReadFile(c.settings.write)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return missed, err
	}
	return missed, os.WriteFile(c.settings.write, []byte(withOlder(now.String(), string(before))), 0o644)
}
