package command

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/command/config"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict"
)

const runExamples = `Examples:
   tribunal run --threshold 0.9 --test refund -- ./flaky {test}    its exit code is the outcome
   tribunal run --threshold 0.9 --list ./names -- ./flaky {test}   ./names prints one test per line
   tribunal run -n 20 -- go test ./...                             20 trials of every test; all must pass
   tribunal run --rule paired --variants old,new -- ./agent {test} {variant}   which of two is better, pair by pair
   tribunal run --resume                                           after Ctrl-C, kill -9 or a reboot
   tribunal run --threshold 0.9 --max-cost 25                      the command is in tribunal.yaml

Everything after -- is run directly, without a shell. These are replaced in it: {test}, {suite}, {variant}, {attempt},
{seed}, {dir}, {out}, {id}, {run}, {tests}, {test:regex}, {tests:regex} and {label.NAME}; write {{ for a {. The
variables TRIBUNAL_TEST, _SUITE, _VARIANT, _ATTEMPT, _SEED, _DIR, _OUT and _RUN have the same values; {id} is TRIBUNAL_TRIAL.

Exit codes are those of report. An interrupted run exits with 1 if a test failed or has
no finished trial, else with 2.`

func runCommand(env Env, behind *behindDashes) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "start trials until each test has its verdict, and report them",
		ArgsUsage: "[-- COMMAND ARG ...]",
		Description: "Starts trials of each test, and writes the same reports as report. Rules anytime (the default with --threshold)\n" +
			"and sprt stop a test as soon as its trials decide.\nA journal records every trial, so that --resume can continue " +
			"after a crash.\n\n" + runExamples,
		Flags:  runFlags(),
		Action: func(c *cli.Context) error { return run(c, env, behind) },
	}
}

// Flags of run that are no settings: of this call alone.
const (
	flagJournal    = "journal"
	flagResume     = "resume"
	flagDryRun     = "dry-run"
	flagOnlyFailed = "only-failed"
	flagTestsFrom  = "tests-from" // of next, too
)

func runFlags() []cli.Flag {
	var flags []cli.Flag
	for i := range settings.Table {
		flags = append(flags, SettingFlag(&settings.Table[i]))
	}
	flags = append(flags,
		&cli.BoolFlag{Name: flagDryRun, Usage: "show what would start and what it may cost; start nothing"},
		&cli.StringSliceFlag{Name: flagVariants, Usage: "variants to try every test with, as {variant}; may be repeated",
			DefaultText: "run.variants of tribunal.yaml"},
		&cli.StringSliceFlag{Name: flagFailOn, Usage: "rule paired: what makes the exit code 1; may be repeated: " +
			strings.Join(compare.FailOns, ", "), DefaultText: compare.OnRegressed},
		&cli.StringFlag{Name: flagOnlyFailed, Usage: "try only tests that did not pass in this report or journal"},
		&cli.BoolFlag{Name: flagResume, Usage: "resume the run of --journal, or the latest unfinished one"},
		&cli.StringFlag{Name: flagJournal, Usage: "folder of the journal", DefaultText: journal.Runs + "/ID"},
		testsFromFlag(), &cli.BoolFlag{Name: flagByTime, Usage: "with --shard: split by the durations in the history"})
	flags = within(groupRun, append(flags,
		&cli.BoolFlag{Name: flagNew, Usage: "try only tests not in --base; fail those clearly flakier than 2 %"},
		&cli.StringFlag{Name: flagBase, Usage: "with --new: history, report or journal with the known tests"}))
	flags = append(flags, without(inputFlags(), "from", "verbose", "label")...)
	flags = append(flags, within(groupInput, []cli.Flag{codeOwnersFlag()})...)
	flags = append(flags, &cli.BoolFlag{Name: "verbose", Category: groupOutput, Aliases: []string{"v"},
		Usage: "a longer report; every trial on standard error, not only tests"})
	return slices.Concat(flags, judgingFlags(), outputFlags(render.Formats), historyReportFlags(showsHistory))
}

func testsFromFlag() cli.Flag {
	return &cli.StringFlag{Name: flagTestsFrom, Usage: "file with a test on each line; lines that begin with # are skipped"}
}

// insteadOf are the flags of report that a run refuses, and those that it has in their place.
var insteadOf = map[string]string{"cost-limit-usd": "max-cost-per-test", "run-cost-limit-usd": "max-cost"}

// judgingFlags are the flags of the policy with rule paired; help is silent of those that are refused.
func judgingFlags() []cli.Flag {
	flags := policyFlags()
	for _, f := range flags {
		switch s, is := f.(*cli.StringFlag); {
		case is && s.Name == "rule":
			s.Usage += ", paired"
		case is && insteadOf[s.Name] != "":
			s.Hidden = true
		}
	}
	return flags
}

// SettingFlag is the flag of a setting of a run.
func SettingFlag(s *settings.Setting) cli.Flag {
	usage := withChoices(s.Doc, s.Choices)
	var aliases []string
	if s.Alias != "" {
		aliases = []string{s.Alias}
	}
	switch {
	case s.Switch():
		return &cli.BoolFlag{Name: s.Name, Usage: usage}
	case s.Several:
		return &cli.StringSliceFlag{Name: s.Name, Usage: usage}
	}
	return &cli.StringFlag{Name: s.Name, Aliases: aliases, Usage: usage, DefaultText: s.Otherwise}
}

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
		case s.Switch():
			words = []string{fmt.Sprint(c.Bool(s.Name))}
		}
		for _, word := range words {
			if err := s.Set(&said, word); err != nil {
				errs = append(errs, fmt.Errorf("--%s: %w", s.Name, err))
			}
		}
	}
	if file := c.String(flagTestsFrom); file != "" {
		names, err := testsFrom(file)
		said.Tests, errs = append(said.Tests, names...), append(errs, err)
	}
	return said, errors.Join(errs...)
}

// testsFrom are the tests that a file names, one a line, without blank lines and comments.
func testsFrom(file string) (names []string, err error) {
	lines, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: cannot open: %w", flagTestsFrom, file, words.OfFile(err))
	}
	for line := range strings.Lines(strings.TrimPrefix(string(lines), "\uFEFF")) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("--%s %s: the file names no test", flagTestsFrom, file)
	case regex.Of(`^([{[]|[{[]\s*["{].*[][,{}]|<\?xml.*)$`)().MatchString(names[0]):
		return nil, fmt.Errorf("--%s %s: this is JSON or XML; give a file with the name of a test on each line", flagTestsFrom, file)
	}
	return names, nil
}

type trialRun struct {
	c      *cli.Context
	env    Env
	behind *behindDashes
	outs   []output[*envelope.Envelope]
	file   config.Config
	layer  envelope.Policy
	set    settings.Settings
	past   *historyLookup
	owners *ownership
	pairs  *pairedRun // nil under a rule that judges tests
	looked int        // tests that were held against the base of --new, and fresh of them are new
	fresh  int
	next   string            // the command that resumes the run; empty where it ended
	ended  *driver.Run       // nil where it was stopped
	inputs map[string]string // the files of scenarios, by study; see contracts
}

func run(c *cli.Context, env Env, behind *behindDashes) error {
	p := &trialRun{c: c, env: env, behind: behind, past: &historyLookup{c: c, env: env}}
	if err := p.usage(); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if c.Bool(flagResume) {
		return p.resume()
	}
	r, err := p.spec(nil)
	if errors.Is(err, errNothing) {
		fmt.Fprintln(env.Stderr, "tribunal:", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	scheduler, err := runner.New(r.Plan)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if c.Bool(flagDryRun) {
		return p.dryRun(r, scheduler)
	}
	dir := cmp.Or(c.String(flagJournal), filepath.Join(journal.Runs, r.Header.ID))
	begin, err := r.Journal(scheduler, r.Plan.Tests)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	j, err := journal.Create(dir, journal.Header{Run: r.Header, Plan: begin, Boot: driver.Boot()})
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	hideFromVersionControl(dir)
	if err := writeInvocation(dir, behind.args); err != nil {
		return errors.Join(fmt.Errorf("run: %w", err), j.Close())
	}
	return p.drive(r, j, false)
}

// usage reads what the call and the configuration say, and what of it cannot be.
func (p *trialRun) usage() (err error) {
	c := p.c
	if args := strings.Join(c.Args().Slice(), " "); c.NArg() > 0 && c.Bool(flagResume) {
		return fmt.Errorf("--resume takes no argument, found %q; to choose the run, name the folder of its journal: --journal DIR", args)
	} else if c.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; the command comes after --, as in: tribunal run --threshold 0.9 -- %s", args, args)
	}
	if c.Bool(flagResume) && c.Bool(flagDryRun) {
		return errors.New("--dry-run shows a new run and --resume starts trials: leave out one of them")
	}
	for name, instead := range insteadOf {
		if c.IsSet(name) {
			return fmt.Errorf("--%s leaves out trials that you paid for; to not start them, use --%s", name, instead)
		}
	}
	if err := checkHistoryFlags(c); err != nil {
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
	if err := errors.Join(p.asPairs(), p.asNew()); err != nil {
		return err
	}
	if p.pairs == nil {
		if p.outs, err = outputs(c, p.env, render.Formats, false); err != nil {
			return err
		}
		if p.owners, err = owning(c, p.env); err != nil { // before any trial is paid for
			return err
		}
	}
	p.file.Policy = p.costs(p.file.Policy)
	if p.layer, err = policyLayer(p.c, p.file); err != nil {
		return err
	}
	redactStderr(p.env, p.layer)
	return nil
}

// costs makes the cost limits of a configuration, which leave trials out of a report, those of the run, which does not start them.
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

// newID draws the name of a run, and a seed where none is given.
func newID(now time.Time) (id string, seed int64) {
	var bits [9]byte
	_, _ = rand.Read(bits[:]) // it never fails
	const most = 1<<53 - 1
	return journal.NewID(now, binary.BigEndian.Uint16(bits[:])), int64(binary.BigEndian.Uint64(bits[1:]) & most)
}

func (p *trialRun) drive(r *driver.Run, j *journal.Journal, resuming bool) error {
	if err := p.redaction(r, j); err != nil {
		return errors.Join(fmt.Errorf("run: %w", err), j.Close())
	}
	tidy, err := p.scenarios(j.Dir())
	if err != nil {
		return errors.Join(fmt.Errorf("run: %w", err), j.Close())
	}
	defer tidy()
	signals, settled := stop.asSignals()
	defer settled()
	view := newLive(watchedBy(p.c, p.env), p.c.Bool("verbose"), p.c.Bool("quiet"), r)
	end, err := driver.Drive(r, j, resuming, signals, &view.watched)
	view.done()
	err = cmp.Or(err, j.Close())
	if how := endInWords[end]; how != "" {
		p.next = "tribunal run --resume --journal " + words.Shell(j.Dir())
		if end == runner.MoneySpent {
			spent := view.watched.Snapshot(0).Totals
			p.next += raised("max-cost", p.set.MaxCostUSD, spent.SpentUSD.V) + raised("max-cost-per-test", p.set.MaxCostPerTestUSD, spent.DearestUSD)
		}
		fmt.Fprintf(p.env.Stderr, "tribunal: %s; resume with: %s\n", how, p.next)
	}
	if err != nil {
		err = fmt.Errorf("run: %w", err)
	} else if endInWords[end] == "" {
		p.ended = r
	}
	return p.report(j, err)
}

// raised is twice the limit, or twice what was spent beyond it, so that trials start again.
func raised(flag string, limit envelope.Opt[float64], spent float64) string {
	return words.If(limit.OK, " --"+flag+" "+words.Number(cmp.Or(math.Ceil(200*max(limit.V, spent))/100, 1)))
}

var endInWords = map[runner.RunEnd]string{
	runner.MoneySpent: "the cost limit was reached", runner.TimeIsOver: "the time limit was reached (--max-time)",
	runner.Stopped: "the run was interrupted", runner.FirstFail: "a test failed, and the run stopped there (--fail-fast)",
	runner.SetupFailed:        "the setup failed, and nothing was started",
	runner.InfrastructureDown: "the infrastructure broke trial after trial, and the run stopped",
}

// report writes the reports of a journal, of what the runner wrote and nobody else; what went wrong before goes with them.
func (p *trialRun) report(j *journal.Journal, before error) error {
	defer func() { _ = j.Forget() }()
	if p.pairs != nil {
		return p.reportPairs(j, before)
	}
	judged, err := p.judge(j)
	if err != nil {
		return errors.Join(before, err)
	}
	other := func(q envelope.Problem) bool {
		return q.Code != envelope.CodeNothingToTry && gate.Breaks(q, judged.Policy.Policy)
	}
	if before == nil && p.looked > 0 && p.fresh == 0 && !slices.ContainsFunc(judged.Problems, other) { // a runner that lists no tests
		fmt.Fprintln(p.env.Stderr, "tribunal:", errNothingNew)
		return nil
	}
	p.misspelt(judged)
	for i := range p.outs {
		suggests := &p.outs[i].settings.Terminal
		dir := words.Shell(j.Dir())
		suggests.Report, suggests.Show, suggests.Plan, suggests.Resume = dir, dir, dir, p.next
		suggests.Rerun = invocation{p.behind.args[1:]}.rerun()
	}
	return finish(p.env, judged, p.outs, errors.Join(before, p.past.err))
}

// misspelt says which tests of the runner somebody may have meant by those of --test that have no result.
func (p *trialRun) misspelt(e *envelope.Envelope) {
	without := func(t envelope.Test) bool { return t.Status == envelope.Error && t.Trials.Counted == 0 }
	if p.ended == nil || p.ended.Recipe.List == nil || len(p.set.Tests) == 0 || !slices.ContainsFunc(e.Tests, without) {
		return
	}
	tests, err := listOf(p.ended)
	if err != nil {
		return
	}
	all := &envelope.Envelope{Tests: each.Of(tests, func(t runner.Test) envelope.Test { return envelope.Test{Key: t.Key} })}
	for _, name := range p.set.Tests {
		named := func(t envelope.Test) bool { return without(t) && (t.Test == name || t.Key == envelope.Named(name)) }
		if _, err := verdict.FindTest(all, name); err != nil && slices.ContainsFunc(e.Tests, named) {
			fmt.Fprintf(p.env.Stderr, "tribunal: --test: %s\n", text.Line(err.Error()))
		}
	}
}

func (p *trialRun) judge(j *journal.Journal) (*envelope.Envelope, error) {
	builder, err := verdict.NewBuilder(p.layer)
	if err != nil {
		return nil, err
	}
	read.Stream(builder, j.Path(), j.Seen(), "")
	return judge(builder, p.layer, p.past, p.owners)
}
