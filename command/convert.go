package command

import (
	"github.com/urfave/cli/v2"

	"tribunal/command/config"
	"tribunal/envelope"
	"tribunal/render"
	"tribunal/verdict/gate"
)

const convertExamples = `Examples:
   tribunal convert results.trx -o junit=report.xml          one report as another
   tribunal convert allure-results -f ndjson                 a folder as one stream
   tribunal convert shard-*.xml -o allure=allure-results/    several reports as one

Exit codes:
   0  written, whatever the tests did
   2  usage, unreadable input, malformed records, or an output that could not be written`

func convertCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "write trials in another format, without a verdict on the build",
		ArgsUsage: "[INPUT ...]",
		Description: "Reads the inputs as report does and writes them in other formats. There is no policy: a test is shown as its\n" +
			"runner saw it. It passes if its last try passed, or all its repeats. Failed tests do not change the exit code.\n" +
			"docs/formats/output.md lists what each format loses.\n\n" + convertExamples,
		Flags:        append(outputFlags(render.Formats), readingOnly()...),
		OnUsageError: usageError,
		Action:       func(c *cli.Context) error { return convert(c, env) },
	}
}

// readingOnly are the flags of a command that reads trials and judges nothing.
func readingOnly() []cli.Flag {
	var flags []cli.Flag
	for _, f := range inputFlags() {
		if name := f.Names()[0]; name != "config" && name != "no-config" {
			flags = append(flags, f)
		}
	}
	return flags
}

// convert reads, counts and writes.
func convert(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.Formats, c.IsSet("output"))
	if err != nil {
		return usage(err)
	}
	inputs, err := inputFiles(env, "convert", c.Args().Slice())
	if err != nil {
		return usage(err)
	}
	if err := spares(c, env, outs, inputs); err != nil {
		return usage(err)
	}
	below(outs, inputs, c.StringSlice("root"))
	judged, err := readUnder(c, env, inputs, config.Config{}, envelope.Policy{}, nil)
	if err != nil {
		return usage(err)
	}
	code := gate.ExitOK
	if judged.Gate.InputErrors > 0 || judged.Gate.ExitCode == gate.ExitUnusable {
		code = gate.ExitUnusable
	}
	return end(env, judged, outs, ending{len(judged.Tests), judged.Problems, judged.Policy.Policy, code, judged.Gate.Reasons}, nil)
}
