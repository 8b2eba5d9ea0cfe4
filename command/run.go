package command

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/command/config"
	"tribunal/command/input"
	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/internal/heap"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/render"
	"tribunal/run/driver"
	"tribunal/run/driver/settings"
	"tribunal/run/journal"
	"tribunal/run/runner"
	"tribunal/verdict"
	"tribunal/verdict/rule"
)

const runExamples = `Examples:
   tribunal run --threshold 0.9 --test refund -- ./flaky {test}    its exit code is the verdict
   tribunal run --threshold 0.9 --list ./names -- ./flaky {test}   ./names prints a test a line
   tribunal run -n 20 -- go test ./...                             20 of every test, all must pass
   tribunal run --rule paired --variants old,new -- ./agent {test} {variant}   which of two is better, pair by pair
   tribunal run --resume                                           after Ctrl-C, kill -9 or a reboot
   tribunal run --threshold 0.9 --max-cost 25                      the command is in tribunal.yaml

What stands behind -- is the command: a program and its arguments, no line of a shell. {test}, {suite},
{variant}, {attempt}, {seed}, {dir}, {out}, {id}, {run}, {tests}, {test:regex}, {tests:regex} and {label.NAME} are
replaced in it; {{ is a brace. The same stands in TRIBUNAL_TEST and so on.

Exit codes are those of report; 2 also for a run that was interrupted and failed nothing.`

func runCommand(env Env, behind *behindDashes) *cli.Command {
	return &cli.Command{
		Name:         "run",
		Usage:        "start trials until each test has its verdict, and write reports",
		ArgsUsage:    "[-- COMMAND ARG ...]",
		Description:  "Starts the trials of each test, several at a time, stops each test at its verdict, and reports the run\nas report does. Everything is in a journal before anything depends on it.\n\n" + runExamples,
		Flags:        runFlags(),
		OnUsageError: usageError,
		Action:       func(c *cli.Context) error { return run(c, env, behind) },
	}
}

// Flags of run that are no settings: of this call alone.
const (
	flagJournal    = "journal"
	flagResume     = "resume"
	flagDryRun     = "dry-run"
	flagOnlyFailed = "only-failed"
)

func runFlags() []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: flagJournal, Usage: "keep the journal of the run in `DIR`", DefaultText: journal.Runs + "/ID"},
		&cli.BoolFlag{Name: flagResume, Usage: "go on with the run of --journal, else with the latest unfinished one"},
		&cli.BoolFlag{Name: flagDryRun, Usage: "say what would be started, how much of it, and what it may cost; start nothing"},
		&cli.StringSliceFlag{Name: flagVariants, Usage: "try every test under each of `A,B`, which {variant} is in the command; may be repeated", DefaultText: "variants of the block run"},
		&cli.StringSliceFlag{Name: flagFailOn, Usage: "rule paired: what makes the exit code 1: " + strings.Join(compare.FailOns, ", ") + "; may be repeated", DefaultText: compare.OnRegressed},
		&cli.StringFlag{Name: flagOnlyFailed, Usage: "try only the tests that failed, erred or stayed inconclusive in `INPUT`, as a new run"},
	}
	for i := range settings.Table {
		flags = append(flags, settingFlag(&settings.Table[i]))
	}
	flags = within(groupRun, flags)
	for _, f := range inputFlags() {
		if name := f.Names()[0]; name != "from" && name != "verbose" {
			flags = append(flags, f)
		}
	}
	flags = append(flags, &cli.BoolFlag{Name: "verbose", Category: groupInput, Aliases: []string{"v"}, Usage: "say every trial on standard error, and not only how each test ended"})
	return slices.Concat(flags, judgingFlags(), outputFlags(render.Formats), pastFlags())
}

// insteadOf are the flags of report that a run refuses, and those that it has in
// their place.
var insteadOf = map[string]string{"cost-limit-usd": "max-cost-per-test", "run-cost-limit-usd": "max-cost"}

// judgingFlags are the flags of the policy; help is silent of those that are refused.
func judgingFlags() []cli.Flag {
	flags := policyFlags()
	for i, f := range flags {
		if limit, is := f.(*cli.StringFlag); is && insteadOf[limit.Name] != "" {
			refused := *limit
			refused.Hidden = true
			flags[i] = &refused
		}
	}
	return flags
}

func settingFlag(s *settings.Setting) cli.Flag {
	usage := s.Doc
	if len(s.Choices) > 0 {
		usage += ": " + strings.Join(s.Choices, ", ")
	}
	var aliases []string
	if s.Alias != "" {
		aliases = []string{s.Alias}
	}
	switch {
	case s.Switch:
		return &cli.BoolFlag{Name: s.Name, Usage: usage}
	case s.Several:
		return &cli.StringSliceFlag{Name: s.Name, Usage: usage}
	}
	return &cli.StringFlag{Name: s.Name, Aliases: aliases, Usage: usage, DefaultText: s.Otherwise}
}

// saidOfRun is what the flags of the settings say.
func saidOfRun(c *cli.Context) (settings.Settings, error) {
	var said settings.Settings
	var errs []error
	for i := range settings.Table {
		s := &settings.Table[i]
		if !c.IsSet(s.Name) {
			continue
		}
		words := []string{c.String(s.Name)}
		switch {
		case s.Several:
			words = c.StringSlice(s.Name)
		case s.Switch:
			words = []string{fmt.Sprint(c.Bool(s.Name))}
		}
		for _, word := range words {
			if err := s.Set(&said, word); err != nil {
				errs = append(errs, fmt.Errorf("--%s: %w", s.Name, err))
			}
		}
	}
	return said, errors.Join(errs...)
}

// behindDashes is what stands behind the first -- of a call of run.
type behindDashes struct {
	given bool
	words []string
	args  []string // all of the call
	set   []string // the flags of any command that the environment sets
}

// cut takes the command of run or next off the arguments, before anything else looks at
// them: what is in it is nobody's flag.
func (b *behindDashes) cut(args []string) []string {
	if len(args) < 2 || args[1] != "run" && args[1] != "next" {
		return args
	}
	b.args = args
	at := slices.Index(args, "--")
	if at < 0 {
		return args
	}
	b.given, b.words = true, args[at+1:]
	return args[:at]
}

// remember keeps the flags that the environment sets with the call, for a run that is
// gone on with elsewhere.
func (b *behindDashes) remember(set []string) {
	b.set = set
	if b.args != nil {
		b.args = slices.Concat(b.args[:2], set, b.args[2:])
	}
}

// trialRun is all that a call of run asks for.
type trialRun struct {
	c      *cli.Context
	env    Env
	behind *behindDashes
	outs   []output[*envelope.Envelope]
	file   config.Config
	layer  envelope.Policy
	set    settings.Settings
	past   *recall
	pairs  *pairedRun        // nil under a rule that judges tests
	inputs map[string]string // the files of scenarios, by study; see contracts
}

// run starts trials until the verdicts.
func run(c *cli.Context, env Env, behind *behindDashes) error {
	p := &trialRun{c: c, env: env, behind: behind, past: &recall{c: c, env: env}}
	if err := p.usage(); err != nil {
		return usage(fmt.Errorf("run: %w", err))
	}
	heap.Lean()
	if c.Bool(flagResume) {
		return p.resume()
	}
	r, err := p.spec(nil)
	if err != nil {
		return usage(fmt.Errorf("run: %w", err))
	}
	scheduler, err := runner.New(r.Plan)
	if err != nil {
		return usage(fmt.Errorf("run: %w", err))
	}
	if c.Bool(flagDryRun) {
		return p.rehearse(r, scheduler)
	}
	dir := c.String(flagJournal)
	if dir == "" {
		dir = filepath.Join(journal.Runs, r.Header.ID)
	}
	begin, err := r.Journal(scheduler)
	if err != nil {
		return usage(fmt.Errorf("run: %w", err))
	}
	j, err := journal.Create(dir, journal.Header{Run: r.Header, Plan: begin, Boot: driver.Boot()})
	if err != nil {
		return usage(fmt.Errorf("run: %w", err))
	}
	hideFromVersionControl(dir)
	if err := writeInvocation(dir, behind.args); err != nil {
		return usage(errors.Join(fmt.Errorf("run: %w", err), j.Close()))
	}
	return p.drive(r, j, false)
}

// usage reads what the call and the configuration say, and what of it cannot be.
func (p *trialRun) usage() (err error) {
	c := p.c
	if c.NArg() > 0 {
		words := strings.Join(c.Args().Slice(), " ")
		return fmt.Errorf("%q stands where nothing is expected: the command stands behind --, as in: tribunal run --threshold 0.9 -- %s", words, words)
	}
	for name, instead := range insteadOf {
		if c.IsSet(name) {
			return fmt.Errorf("--%s leaves trials out that were paid for; a run does not start them: --%s", name, instead)
		}
	}
	if err := usedPast(c); err != nil {
		return err
	}
	if p.file, err = loadConfig(c); err != nil {
		return err
	}
	said, err := saidOfRun(c)
	if err != nil {
		return err
	}
	p.set = said.Over(p.file.Run.Settings)
	if err := p.asPairs(); err != nil {
		return err
	}
	if p.pairs == nil {
		if p.outs, err = outputs(c, p.env, render.Formats, false); err != nil {
			return err
		}
	}
	p.file.Policy = p.costs(p.file.Policy)
	if p.layer, err = p.judging(); err != nil {
		return err
	}
	hideOnStderr(p.env, p.layer)
	return nil
}

// costs makes the cost limits of a configuration, which leave trials out of a
// report, those of the run, which does not start them.
func (p *trialRun) costs(policy envelope.Policy) envelope.Policy {
	if !p.set.MaxCostUSD.OK {
		p.set.MaxCostUSD = policy.RunCostLimitUSD
	}
	if !p.set.MaxCostPerTestUSD.OK {
		p.set.MaxCostPerTestUSD = policy.CostLimitUSD
	}
	policy.RunCostLimitUSD, policy.CostLimitUSD = envelope.Opt[float64]{}, envelope.Opt[float64]{}
	return policy
}

// judging is the layer of policy that file and flags make. A threshold without a
// rule stops each test at its verdict.
func (p *trialRun) judging() (envelope.Policy, error) {
	flags, err := saidByFlags(p.c)
	if err != nil {
		return flags, err
	}
	if flags.Rule == "" && p.file.Policy.Rule == "" && (flags.Threshold.OK || p.file.Policy.Threshold.OK) {
		if err := p.c.Set("rule", rule.OfRuns); err != nil {
			return flags, err
		}
	}
	return policyLayer(p.c, p.file)
}

// newID draws the name of a run, and a seed where none is given.
func newID(now time.Time) (id string, seed int64) {
	var bits [9]byte
	_, _ = rand.Read(bits[:]) // it never fails
	const most = 1<<53 - 1
	return journal.NewID(now, binary.BigEndian.Uint16(bits[:])), int64(binary.BigEndian.Uint64(bits[1:]) & most)
}

// resume goes on with a run.
func (p *trialRun) resume() error {
	dir := p.c.String(flagJournal)
	if dir == "" {
		var err error
		if dir, err = journal.Latest(journal.Runs); err != nil {
			return usage(fmt.Errorf("run --resume: %w", err))
		}
	}
	if was, err := readInvocation(dir); err == nil && !p.env.resumed {
		if p.c.String(flagJournal) == "" && !p.c.Bool("quiet") {
			fmt.Fprintf(p.env.Stderr, "tribunal: going on with %s, begun by: tribunal %s\n", text.Line(dir), text.Line(quoted(was.Args)))
		}
		return p.again(dir, was)
	}
	j, err := journal.Open(dir)
	if err != nil {
		return usage(fmt.Errorf("run --resume: %w", err))
	}
	if j.Torn() > 0 {
		fmt.Fprintf(p.env.Stderr, "tribunal: %s ended within a line: its %d bytes are in %s, and what they told is not known\n", text.Line(j.Path()), j.Torn(), text.Line(filepath.Join(dir, "torn")))
	}
	r, err := p.spec(j)
	if err == nil {
		var plan journal.Plan
		if plan, err = r.Again(j.Header().Plan); err == nil {
			err = j.Check(plan)
		}
	}
	if err != nil {
		return usage(errors.Join(fmt.Errorf("run --resume: %w", err), j.Close()))
	}
	if j.Ended() == journal.Finished {
		fmt.Fprintf(p.env.Stderr, "tribunal: the run %s is finished: nothing is started, the reports are written\n", text.Line(r.Header.ID))
		if err := j.Close(); err != nil {
			return usage(err)
		}
		return p.report(dir, nil)
	}
	return p.drive(r, j, true)
}

// drive runs the run and reports its journal.
func (p *trialRun) drive(r *driver.Run, j *journal.Journal, resuming bool) error {
	if err := p.redaction(r, j); err != nil {
		return usage(errors.Join(fmt.Errorf("run: %w", err), j.Close()))
	}
	tidy, err := p.scenarios(j.Dir())
	if err != nil {
		return usage(errors.Join(fmt.Errorf("run: %w", err), j.Close()))
	}
	defer tidy()
	if why := unlimited(r); why != "" {
		fmt.Fprintf(p.env.Stderr, "tribunal: warning: %s\n", why)
	}
	signals, settled := stop.asSignals()
	defer settled()
	view := newLive(watchedBy(p.c, p.env), p.c.Bool("verbose"), p.c.Bool("quiet"), r)
	end, err := driver.Drive(r, j, resuming, signals, view.watch())
	view.done()
	if closing := j.Close(); err == nil {
		err = closing
	}
	if words := endInWords[end]; words != "" {
		fmt.Fprintf(p.env.Stderr, "tribunal: %s; go on with: tribunal run --resume%s\n", words, otherJournal(p.c.String(flagJournal)))
	}
	if err != nil {
		err = fmt.Errorf("run: %w", err)
	}
	return p.report(j.Dir(), err)
}

// unlimited says why no cost limit of a run can hold, where that is known before it starts.
func unlimited(r *driver.Run) string {
	limits := r.Plan.Limits
	if !limits.MaxCostUSD.OK && !limits.MaxCostPerTestUSD.OK || !r.ReadsExitCodes() {
		return ""
	}
	return "the cost limit cannot hold: trials are read by their exit code, which tells no cost; print it, and say --from native (or another format)"
}

func otherJournal(dir string) string {
	if dir == "" {
		return ""
	}
	return " --journal " + quoted([]string{dir})
}

var endInWords = map[runner.RunEnd]string{
	runner.MoneySpent: "the cost limit was reached", runner.TimeIsOver: "the time of the run was over (--max-time)",
	runner.Stopped: "the run was interrupted", runner.FirstFail: "a test failed, and the run stopped there (--fail-fast)",
	runner.InfrastructureDown: "the infrastructure broke trial after trial, and the run stopped",
}

// report writes the reports of a journal; what went wrong before goes with them.
func (p *trialRun) report(dir string, before error) error {
	if p.pairs != nil {
		return p.reportPairs(dir, before)
	}
	judged, err := p.judge(filepath.Join(dir, journal.FileName))
	if err != nil {
		return usage(errors.Join(before, err))
	}
	err = finish(p.env, judged, p.outs, errors.Join(before, p.past.err))
	return err
}

// judge makes the envelope of a journal, as report does.
func (p *trialRun) judge(path string) (*envelope.Envelope, error) {
	builder, err := verdict.NewBuilder(p.layer)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	read.Stream(builder, path, f, "")
	return judge(builder, p.layer, p.past)
}

// redaction takes secrets out of what is written down, before it is: those that
// policy and table know, and the values of variables that are called like secrets.
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
		if wanted && len(value) >= shortest && slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"}, func(word string) bool { return strings.Contains(name, word) }) {
			secrets = append(secrets, value)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may begin another
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, "[redacted:environment]")
	}
	return strings.NewReplacer(pairs...)
}

// hideFromVersionControl keeps the runs out of a repository.
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

// specOfCases are the tests of the configuration: names, and the files of globs.
func specOfCases(cases []settings.Case) (tests []runner.Test, timeouts map[envelope.Key]time.Duration, err error) {
	timeouts = map[envelope.Key]time.Duration{}
	for _, c := range cases {
		names := []string{c.Test}
		if c.Glob != "" {
			if names, err = input.Expand(c.Glob); err != nil {
				return nil, nil, err
			}
			if _, err := os.Stat(names[0]); err != nil {
				return nil, nil, fmt.Errorf("run.tests: no file matches %s", c.Glob)
			}
		}
		for _, name := range names {
			key := envelope.Key{Suite: c.Suite, Test: filepath.ToSlash(name)}
			tests = append(tests, runner.Test{Key: key, Labels: c.Labels, Trials: c.Trials})
			if c.Timeout.OK {
				timeouts[key] = c.Timeout.V
			}
		}
	}
	return tests, timeouts, nil
}

// only leaves the tests that a pattern means.
func only(tests []runner.Test, patterns []string) ([]runner.Test, error) {
	if len(patterns) == 0 {
		return tests, nil
	}
	var kept []runner.Test
	for _, pattern := range patterns {
		matches, any := verdict.Matcher(pattern), false
		for _, t := range tests {
			if matches(t.Key) {
				any = true
				if !slices.ContainsFunc(kept, func(k runner.Test) bool { return k.Key == t.Key }) {
					kept = append(kept, t)
				}
			}
		}
		if !any {
			return nil, fmt.Errorf("--only %s matches none of %s, such as %s: it is held to the whole name, so that a part of one is written '*part*'", pattern, words.Plural(len(tests), "test", "tests"), tests[0].Key)
		}
	}
	return kept, nil
}

// withVariants is every test under every variant.
func withVariants(tests []runner.Test, timeouts map[envelope.Key]time.Duration, variants []string) []runner.Test {
	if len(variants) == 0 {
		return tests
	}
	var all []runner.Test
	for _, t := range tests {
		for _, v := range variants {
			under := t
			under.Variant = cmp.Or(t.Variant, v)
			if d, ok := timeouts[t.Key]; ok {
				timeouts[under.Key] = d
			}
			all = append(all, under)
		}
	}
	return all
}
