package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/internal/each"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/verdict"
)

func (p *trialRun) resume() error {
	dir := p.c.String(flagJournal)
	if dir == "" {
		var err error
		if dir, err = journal.Latest(journal.Runs); err != nil {
			return fmt.Errorf("run --resume: %w", err)
		}
	}
	was, err := readInvocation(dir)
	if err == nil && !p.env.resumed {
		if p.c.String(flagJournal) == "" {
			p.note("resuming %s, started with: tribunal %s", text.Line(dir), text.Line(words.Shell(was.Args...)))
		}
		return p.again(dir, was)
	}
	if err != nil && journal.IsRun(dir) && !p.behind.given && len(p.file.Run.Command) == 0 { // before Open leaves a lock
		return fmt.Errorf("run --resume: the command of the run is unknown (%w): give its flags again, and the command after --", err)
	}
	j, err := journal.Open(dir)
	if err != nil {
		return fmt.Errorf("run --resume: %w", err)
	}
	if j.Torn() > 0 {
		fmt.Fprintf(p.env.Stderr, "tribunal: the last line of %s is half-written and does not count; its %s moved to %s\n",
			text.Line(j.Path()), words.Plural(j.Torn(), "byte", "bytes"), text.Line(filepath.Join(dir, "torn")))
	}
	r, err := p.spec(j)
	if err == nil {
		var plan journal.Plan
		if plan, err = r.Again(j.Header().Plan); err == nil {
			err = j.Check(plan)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("run --resume: %w", err), j.Close())
	}
	if j.Ended() == journal.Finished {
		p.note("the run %s is finished: nothing is started, the reports are written", text.Line(r.Header.ID))
		if err := j.Close(); err != nil {
			return err
		}
		return p.report(j, nil)
	}
	return p.drive(r, j, true)
}

// note says what is no error, unless --quiet.
func (p *trialRun) note(format string, args ...any) {
	if !p.c.Bool("quiet") {
		fmt.Fprintf(p.env.Stderr, "tribunal: "+format+"\n", args...)
	}
}

// invocation stores how a run was called, for --resume. The journal, which people share, has no command: it may contain secrets.
type invocation struct {
	Args []string `json:"args"`
}

func writeInvocation(dir string, args []string) error {
	words, err := json.Marshal(invocation{args[1:]})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, journal.InvocationName), words, 0o600)
}

func readInvocation(dir string) (was invocation, err error) {
	words, _ := os.ReadFile(filepath.Join(dir, journal.InvocationName))
	if err = json.Unmarshal(words, &was); err != nil || len(was.Args) == 0 {
		err = fmt.Errorf("its %s is missing, or cannot be read", journal.InvocationName)
	}
	return was, err
}

// parted are the flags of the call and its command, with the -- before it.
func (was invocation) parted() (flags, command []string) {
	if at := slices.Index(was.Args, "--"); at >= 0 {
		return was.Args[:at], was.Args[at:]
	}
	return was.Args, nil
}

// rerun is the command that starts the run again, with a journal of its own.
func (was invocation) rerun() string {
	flags, command := was.parted()
	flags = unsaid(flags, func(name string) bool { return name == flagJournal || name == flagResume })
	return words.Around("tribunal ", suggestion(append(flags, command...)))
}

// again repeats the call of a run, with flags and command of this call in place of the old ones.
func (p *trialRun) again(dir string, was invocation) error {
	flags, command := was.parted()
	now := p.behind.args[2:]
	if p.behind.given {
		at := slices.Index(now, "--")
		now, command = now[:at], now[at:]
	}
	env := p.env
	env.resumed = true
	args := slices.Concat([]string{"tribunal"}, unsaid(flags, p.c.IsSet), now, []string{"--" + flagJournal, dir}, command)
	if code := Main(args, env); code != gate.ExitOK {
		return &exitError{code: code}
	}
	return nil
}

// unsaid are the flags of a call of run, without those that this call says itself.
func unsaid(flags []string, said func(name string) bool) (left []string) {
	takesValue := valued(runFlags())
	for i := 0; i < len(flags); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		words := flags[i : i+1]
		if takesValue[name] && !joined && i+1 < len(flags) {
			words = flags[i : i+2]
			i++
		}
		if !strings.HasPrefix(words[0], "-") || !said(name) {
			left = append(left, words...)
		}
	}
	return left
}

const namedTests = 10

func (p *trialRun) dryRun(r *driver.Run, s *runner.Scheduler) error {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("command   %s", p.written(r.Command.Text()))
	say("read as   %s", r.ReadAs())
	say("start     runs %s", formInWords[r.Plan.Form])
	word := "limits"
	for _, limit := range limitsOf(r) {
		say("%-9s %s", word, limit)
		word = ""
	}
	tests := r.Plan.Tests
	if len(tests) == 0 && !r.Sharded {
		say("tests     known from the first output")
		say("\nThe maximum number of trials is known once the tests are listed.")
		return p.print(b.String())
	}
	say("tests     %d%s", len(tests), words.If(r.Sharded, fmt.Sprintf(", and %d of other shards", len(r.Elsewhere))))
	for i, t := range tests[:min(namedTests, len(tests))] {
		most := "as many trials as fit into the limit"
		if trials := s.Progress(i).Trials; trials > 0 {
			most = "at most " + words.Plural(trials, "trial", "trials")
		}
		say("          %s, %s", t.Key.RunnerName(), most)
	}
	if more := len(tests) - namedTests; more > 0 {
		say("          and %d more", more)
	}
	if p.pairs != nil {
		return p.dryRunPairs(&b, s, len(tests))
	}
	if slices.ContainsFunc(r.Plan.Tests, func(t runner.Test) bool { id, _ := s.Find(t.Key); return s.Progress(id).Trials == 0 }) {
		say("\nNothing was started.")
		return p.print(b.String())
	}
	most, means := 0, make([]float64, len(exampleRates))
	known := map[*runner.Stopping][]float64{}
	for id := range tests {
		most += s.Progress(id).Trials
		stop := s.StoppingOf(id)
		if known[stop] == nil {
			known[stop] = append(known[stop], each.Of(exampleRates, stop.Mean)...)
		}
		for i, mean := range known[stop] {
			means[i] += mean
		}
	}
	price := p.set.CostPerTrialUSD
	say("\n                         trials%s", words.If(price.OK, "       cost"))
	row := func(what string, trials float64) {
		say("%-22s %8.0f%s", what, trials, words.If(price.OK, fmt.Sprintf("  %9s", words.Dollars(trials*price.V))))
	}
	row("at most", float64(most))
	if limit := r.Plan.Limits.MaxCostUSD; limit.OK && price.V > 0 && float64(most)*price.V > limit.V {
		row("within the cost limit", math.Floor(limit.V/price.V+1e-9))
	}
	for i, rate := range exampleRates {
		row(fmt.Sprintf("mean at pass rate %.2f", rate), means[i])
	}
	say("\nNothing was started.")
	return p.print(b.String())
}

func limitsOf(r *driver.Run) (limits []string) {
	add := func(is bool, of string, value any) {
		if is {
			limits = append(limits, fmt.Sprintf("%s: %v", of, value))
		}
	}
	l := r.Plan.Limits
	add(l.MaxCostPerTestUSD.OK, "cost of each test", words.Dollars(l.MaxCostPerTestUSD.V)+", if trials report their costs")
	add(l.MaxCostUSD.OK, "cost of the run", words.Dollars(l.MaxCostUSD.V)+", if trials report their costs")
	add(r.Timeout > 0, "time of each trial", r.Timeout)
	for _, t := range r.Plan.Tests {
		own, is := r.Timeouts[t.Key]
		add(is && len(r.Timeouts) <= namedTests, "time of each trial of "+t.Key.RunnerName(), own)
	}
	add(len(r.Timeouts) > namedTests, "time of each trial of "+words.Plural(len(r.Timeouts), "test", "tests"), "its own")
	add(r.MaxTime > 0, "time of the run", r.MaxTime)
	add(r.Rate > 0, "starts a minute", words.Number(float64(r.Rate)*60))
	return limits
}

// exampleRates are the true pass rates for which a dry run prints the mean number of trials.
var exampleRates = []float64{0.80, 0.90, 0.99}

var formInWords = map[runner.Form]string{
	runner.Each: "one trial of one test", runner.Batch: "one trial of each undecided test",
	runner.Sweep: "one trial of every test",
}

func (p *trialRun) print(s string) error {
	_, err := p.env.Stdout.Write([]byte(text.Block(s)))
	return err
}

// redaction removes secrets before the run writes: those that the policy finds, and the values of variables that are named like secrets.
func (p *trialRun) redaction(r *driver.Run, j *journal.Journal) error {
	hide, err := verdict.Hider(r.Plan.Policy.Policy)
	if err != nil {
		return err
	}
	values := secretValues(os.Environ(), r.Plan.Policy.Redact.Or(true))
	j.Redact = func(s string) string { return hide(values.Replace(s)) }
	r.Redact = j.Redact
	return nil
}

// secretValues replaces the values of variables that are called like secrets.
func secretValues(environ []string, wanted bool) *strings.Replacer {
	const shortest = 8 // shorter ones stand in texts by chance
	var secrets []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		if wanted && len(value) >= shortest && slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"},
			func(word string) bool { return strings.Contains(name, word) }) {
			secrets = append(secrets, value)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may begin another
	pairs := each.Of(secrets, func(secret string) []string { return []string{secret, "[redacted:environment]"} })
	return strings.NewReplacer(slices.Concat(pairs...)...)
}

func hideFromVersionControl(dir string) {
	runs := filepath.Dir(filepath.Dir(filepath.Clean(dir)))
	if filepath.Clean(runs) != filepath.Dir(journal.Runs) {
		return // it lies where somebody wants it
	}
	name := filepath.Join(runs, ".gitignore")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		_ = os.WriteFile(name, []byte("*\n"), 0o644) // without it, git shows the runs
	}
}
