package command

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/command/ci"
)

const ciExamples = `Examples:
   tribunal ci gitlab > .gitlab-ci.yml
   tribunal ci github --runner pytest > .github/workflows/evals.yml
   tribunal ci jenkins --release https://artifacts.example.org/tribunal/v1.2.0 > Jenkinsfile`

func ciCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "ci",
		Usage:     "print a complete job for a CI system: " + strings.Join(ci.Names(), ", "),
		ArgsUsage: strings.Join(ci.Names(), "|"),
		Description: "Prints a complete job. It installs tribunal from a release, checks the checksum, runs the trials and keeps the reports\n" +
			"that the system reads. It fails if a test fails or the runner crashes.\n\n" + ciExamples,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "runner", Usage: "runner that starts the tests; own is your program that writes trials: " + strings.Join(ci.RunnerNames(), ", "), Value: ci.OwnRunner},
			&cli.StringFlag{Name: "release", Usage: "folder with the archives of a release and its checksums.txt", DefaultText: ci.Placeholder},
		},
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage(fmt.Errorf("ci: name one of %s", strings.Join(ci.Names(), ", ")))
			}
			if err := ci.Write(env.Stdout, c.Args().First(), ci.Options{Runner: c.String("runner"), Release: c.String("release")}); err != nil {
				return usage(fmt.Errorf("ci: %w", err))
			}
			return nil
		},
	}
}
