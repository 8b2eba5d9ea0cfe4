package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/text"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict"
)

const reportExamples = `Examples:
   runner | tribunal report
   tribunal report shard-*.ndjson.gz                             several inputs are one run
   tribunal report trials.ndjson --rule wilson --threshold 0.9   pass, fail or undecided
   tribunal report trials.ndjson -o junit=report.xml -o report.html
   tribunal report trials.ndjson -o gitlab=gl-code-quality.json
   tribunal report trials.ndjson -f json > run.json
   tribunal report run.json --rule wilson --threshold 0.8        judge recorded trials again
   tribunal report monday.json tuesday.json -f ndjson            merge

Exit codes:
   0  nothing failed
   1  a test or gate failed, or something undecided with --treat-as fail
   2  wrong usage, unreadable input, malformed records, or an output that could not be written
   3  nothing failed, something is undecided, and --treat-as is exit3
   If several apply: 1, then 2, then 3. A journal edited afterwards is always 2. --explain keeps the code.`

func reportCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "judge the trials in the reports of your runner, and write reports",
		ArgsUsage: "[INPUT ...]",
		Description: "Reads files, folders and globs, plain, .gz or .zst, or standard input (-). All inputs are one run.\n" +
			"Judges it and writes the reports you ask for.\n\n" + reportExamples,
		Flags:  reportFlags(),
		Action: func(c *cli.Context) error { return report(c, env) },
	}
}

func report(c *cli.Context, env Env) error {
	outs, inputs, err := outputsAndInputs(c, env, render.Formats, c.String("explain") != "")
	if err != nil {
		return err
	}
	if err := cmp.Or(explainsAlone(c, outs), checkHistoryFlags(c)); err != nil {
		return err
	}
	past := &historyLookup{c: c, env: env}
	past.rows = past.asked() || slices.ContainsFunc(outs, func(o output[*envelope.Envelope]) bool { return o.format.Rows })
	judged, err := readAndJudge(c, env, inputs, past)
	if err != nil {
		return err
	}
	if test := c.String("explain"); test != "" {
		if err := explain(env, judged, test); err != nil {
			return err
		}
	}
	return finish(env, judged, outs, past.err)
}

func outputsAndInputs[D any](c *cli.Context, env Env, table render.Table[D], stdoutTaken bool) (
	outs []output[D], inputs []input.File, err error) {
	if outs, err = outputs(c, env, table, stdoutTaken); err != nil {
		return nil, nil, err
	}
	inputs, err = inputsBeside(c, env, outs, c.Command.Name, c.Args().Slice())
	for i := range outs { // reports may open the files that trials name by their paths
		outs[i].settings.Files = input.BelowAny(inputs, c.StringSlice("root"))
	}
	return outs, inputs, err
}

// finish writes every report. Its error has the exit code of the gate.
func finish(env Env, e *envelope.Envelope, outs []output[*envelope.Envelope], before error) error {
	asks := func(o output[*envelope.Envelope]) bool {
		return strings.Contains(o.settings.Options["source-url"], "{commit}")
	}
	if e.Run.Commit == "" && slices.ContainsFunc(outs, asks) {
		fmt.Fprintln(env.Stderr, "tribunal: --source-url: no commit is known, so tests have no links; write $(git rev-parse HEAD) for {commit}")
	}
	return end(env, e, outs, ending{len(e.Tests), e.Problems, e.Policy.Policy, e.Gate.ExitCode, e.Gate.Reasons}, before)
}

// readAndJudge returns one envelope of all inputs. Its errors are about usage. A broken
// input is a problem in the envelope.
func readAndJudge(c *cli.Context, env Env, inputs []input.File, past *historyLookup) (*envelope.Envelope, error) {
	file, layer, err := configured(c)
	if err != nil {
		return nil, err
	}
	return readUnder(c, env, inputs, file, layer, past)
}

// readUnder reads without digests of rows if no report has rows, which is faster, and
// reads again with them if trials cannot be told apart otherwise.
func readUnder(c *cli.Context, env Env, inputs []input.File, file config.Config, layer envelope.Policy,
	past *historyLookup) (*envelope.Envelope, error) {
	redactStderr(env, layer)
	if past != nil && !past.rows && !slices.ContainsFunc(inputs, func(f input.File) bool { return !f.Rereadable() }) {
		judged, err := readOnce(c, env, inputs, file, layer, past, func(b *count.Builder) { b.PublishRows(false) })
		if !errors.Is(err, errClashed) {
			return judged, err
		}
		env.Stderr, env.StderrSize = io.Discard, nil // all notes were written
	}
	return readOnce(c, env, inputs, file, layer, past, func(b *count.Builder) { b.PublishRows(true) })
}

func readOnce(c *cli.Context, env Env, inputs []input.File, file config.Config, layer envelope.Policy,
	past *historyLookup, prepare func(*count.Builder)) (*envelope.Envelope, error) {
	builder, err := verdict.NewBuilder(layer)
	if err != nil {
		return nil, err
	}
	prepare(builder)
	if err := readAll(c, env, builder, inputs, file); err != nil {
		return nil, err
	}
	for _, name := range builder.Repeated() {
		fmt.Fprintf(env.Stderr, "tribunal: %s is the same report as an earlier input; its trials count once\n", text.Line(name))
	}
	if past == nil {
		return judge(builder, layer, nil, nil)
	}
	owners, err := owning(c, env)
	if err != nil {
		return nil, err
	}
	return judge(builder, layer, past, owners)
}

func explainsAlone(c *cli.Context, outs []output[*envelope.Envelope]) error {
	if c.IsSet("explain") && c.String("explain") == "" {
		return errors.New("--explain: name a test of the report after it")
	}
	for _, o := range outs {
		if c.String("explain") != "" && o.path == input.Standard {
			return fmt.Errorf("--explain and %s both write to standard output; for %[1]s give only -o %[1]s=PATH", o.format.Name)
		}
	}
	return nil
}

func explain(env Env, e *envelope.Envelope, test string) error {
	words, err := verdict.Explain(e, test)
	if err != nil {
		return fmt.Errorf("--explain: %w", err)
	}
	_, err = io.WriteString(env.Stdout, text.Block(words))
	return err
}

// configured is the configuration, and the layer of policy that it and the flags make.
func configured(c *cli.Context) (file config.Config, layer envelope.Policy, err error) {
	if file, err = loadConfig(c); err == nil {
		layer, err = policyLayer(c, file)
	}
	return file, layer, err
}

// policyLayer merges the configuration file and the flags. Flags win; gates of both apply.
func policyLayer(c *cli.Context, file config.Config) (envelope.Policy, error) {
	flags, err := flagValues(c, policy.Keys)
	if err != nil {
		return envelope.Policy{}, err
	}
	if c.Bool("inconclusive") && flags.Rule == "" {
		flags.Rule = rule.UnlessNamed
	}
	layer := verdict.Layer(file.Policy, flags)
	layer.Gates = append(slices.Clone(file.Policy.Gates), flags.Gates...)
	switch {
	case flags.Rule != "": // parameters of the file are for the rule of the file
		err = verdict.CheckUsed(flags, layer)
	case file.Policy.Rule != "":
		err = verdict.CheckUsed(layer, layer)
	}
	if names, _ := c.App.Metadata[strays].([]string); err == nil && layer.Strict.V && len(names) > 0 {
		err = fmt.Errorf("the policy is strict: correct or unset %s", strings.Join(names, ", "))
	}
	return layer, err
}

// countingLayer is policyLayer for commands that count trials and judge no run.
func countingLayer(c *cli.Context) (file config.Config, layer envelope.Policy, err error) {
	if file, err = loadConfig(c); err != nil {
		return file, layer, err
	}
	flags, err := flagValues(c, countingKeys())
	return file, verdict.Layer(file.Policy, flags), err
}

func loadConfig(c *cli.Context) (config.Config, error) {
	if c.Bool("no-config") && c.IsSet("config") {
		return config.Config{}, errors.New("--config and --no-config exclude each other; give one of them")
	}
	if c.Bool("no-config") {
		return config.Config{}, nil
	}
	return config.Load(c.String("config"))
}

// errClashed means that the inputs must be read again with digests of rows.
var errClashed = errors.New("different trials have the same run and attempt")

// judge finishes counting and judges the run. The policy is that of the inputs, the
// configuration and the flags. With --history, tests get their earlier runs first.
func judge(b *count.Builder, layer envelope.Policy, past *historyLookup, owners *ownership) (*envelope.Envelope, error) {
	effective, err := verdict.PolicyFor(b, layer)
	if err != nil {
		return nil, err
	}
	unchanged := asRecorded(b, effective)
	if !unchanged {
		if err := checkRecorded(b); err != nil {
			return nil, err
		}
	}
	recorded := b.Recorded()
	run, err := verdict.Counted(b, effective)
	if err != nil {
		return nil, err
	}
	if b.Clashed() {
		return nil, errClashed
	}
	owners.write(run)
	seal := verdict.Seal
	if !past.asked() && !owners.filters() {
		seal = verdict.SealOwned
	}
	problems := run.Problems
	sealed, err := seal(run, effective)
	if err != nil {
		return nil, err
	}
	var differences []envelope.Problem
	if unchanged {
		differences = verdict.Differences(recorded[0].Input, recorded[0].Envelope, sealed)
	} else if len(recorded) == 1 && b.Trials() == recorded[0].Run.Trials() && effective.Config != "" &&
		recorded[0].Envelope.Gate.Status != sealed.Gate.Status {
		differences = []envelope.Problem{{Severity: envelope.SeverityInfo, Code: envelope.CodeRecorded, Stage: envelope.StageJudge,
			Input: recorded[0].Input, Message: fmt.Sprintf("the recorded verdict is %s, under another policy than that of %s; "+
				"--no-config ignores %[2]s", recorded[0].Envelope.Gate.Status, effective.Config)}}
	}
	again := len(differences) > 0
	if again {
		run = wire.Counted(sealed)
		run.Problems = append(problems, differences...)
	}
	if again = past.write(sealed) || again; again || owners.filters() {
		for i := range run.Tests {
			run.Tests[i].History = sealed.Tests[i].History
		}
	}
	switch {
	case owners.filters():
		return owners.judge(run, sealed, effective)
	case !again:
		return sealed, nil
	}
	return verdict.Seal(run, effective)
}

// asRecorded reports whether the input is a single recorded envelope and its policy has
// not changed. Then the new envelope must be equal to it.
func asRecorded(b *count.Builder, policy envelope.Effective) bool {
	recorded := b.Recorded()
	return len(recorded) == 1 && len(recorded[0].Labels) == 0 && b.Trials() == recorded[0].Run.Trials() &&
		reflect.DeepEqual(recorded[0].Envelope.Policy, policy)
}

// checkRecorded judges every recorded envelope again under its own policy and reports what
// differs.
func checkRecorded(b *count.Builder) error {
	for _, rec := range b.Recorded() {
		alone, err := rederive(rec)
		if err != nil {
			return fmt.Errorf("%s: calculating its verdicts again: %w", rec.Input, err)
		}
		for _, p := range verdict.Differences(rec.Input, rec.Envelope, alone) {
			b.Problem(p)
		}
	}
	return nil
}

func rederive(rec *envelope.Recorded) (*envelope.Envelope, error) {
	effective, err := verdict.Resolve(verdict.Unresolve(rec.Envelope.Policy))
	if err != nil {
		return nil, err
	}
	b, err := verdict.NewBuilder(effective.Policy)
	if err != nil {
		return nil, err
	}
	b.Input(rec.Input, read.Envelope).Recorded(rec)
	run, err := verdict.Counted(b, effective)
	if err != nil {
		return nil, err
	}
	return verdict.Seal(run, effective)
}
