package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/command/config"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render/pretty"
	"tribunal/verdict"
)

func configCommand(env Env, set *[]string) *cli.Command {
	return &cli.Command{
		Name:  "config",
		Usage: "print the policy in force, and where each value comes from",
		Description: "Prints the keys that decide verdicts in this folder, and their values. Each has its source: a line of a file, a flag,\n" +
			"an environment variable, or the default. 'tribunal schema config' describes the keys.\n\n" +
			"Examples:\n   tribunal config\n   tribunal config --rule wilson --threshold 90%",
		Flags: slices.Concat([]cli.Flag{
			configFlag("print the policy of this file"),
			&cli.BoolFlag{Name: "no-config", Usage: "read no configuration file"},
		}, policyFlags()),
		Action: func(c *cli.Context) error { return printConfig(c, env, *set) },
	}
}

func configFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: usage, DefaultText: "the nearest " + config.FileName}
}

func printConfig(c *cli.Context, env Env, set []string) error {
	file, layer, err := configured(c)
	if err != nil {
		return err
	}
	redactStderr(env, layer)
	held, err := verdict.Resolve(layer)
	if layer.Rule == "" {
		err = cmp.Or(err, verdict.CheckUsed(layer, layer))
	}
	if err != nil {
		return err
	}
	rows := [][]string{{"KEY", "VALUE", "FROM"}}
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if k.Path() == "" || !k.IsSet(&held.Policy) {
			continue
		}
		value, err := verdict.Hide(k.Written(held.Policy), layer)
		if err != nil {
			return err
		}
		rows = append(rows, []string{k.Path(), text.Line(value), origin(c, k, file, held, set)})
	}
	for _, in := range []struct{ name, value string }{{"map", file.Map}, {"records", file.Records}, {"scorer", file.Scorer}} {
		if in.value != "" {
			rows = append(rows, []string{in.name, text.Line(in.value), text.Line(file.Path)})
		}
	}
	if err := pretty.Columns(env.Stdout, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "\nconfiguration: %s\n", text.Line(cmp.Or(file.Path, "none; 'tribunal init' writes one")))
	return err
}

func origin(c *cli.Context, k *policy.Key, file config.Config, held envelope.Effective, set []string) string {
	flag := k.FlagName()
	switch {
	case flag != "" && c.IsSet(flag) && says(set, flag):
		return "$" + variable(flag)
	case flag != "" && c.IsSet(flag):
		return "--" + flag
	case k.IsSet(&file.Policy):
		return text.Line(file.Path) + words.Around(":", file.Places[k.Name].At)
	case k.Name == "rule" && c.Bool("inconclusive"):
		return "--inconclusive"
	case k.Name == "rule" && held.RunJudgedAlone():
		return "default; only the run is judged"
	case k.LookedAt != policy.ByAllRules:
		return "rule " + held.Rule
	}
	return "default"
}

func initCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "write a first " + config.FileName + " with comments",
		Description: "Writes " + config.FileName + " into this folder. Commands find it from here and, in a repository, " +
			"from every folder below.\n" +
			"An existing file is never replaced.\n\nExamples:\n   tribunal init\n   tribunal init --for flaky",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Value: config.Starters[0], Usage: "what you test: " + strings.Join(config.Starters, ", ")},
		},
		Action: func(c *cli.Context) error { return writeStarter(c, env) },
	}
}

func writeStarter(c *cli.Context, env Env) error {
	starter, err := config.Starter(c.String("for"))
	if err != nil {
		return fmt.Errorf("--for: %w", err)
	}
	there, err := config.In(".")
	if err == nil && there == "" {
		err = words.OfFile(writeTo(config.FileName, os.O_EXCL, starter))
	}
	if there != "" || errors.Is(err, os.ErrExist) {
		err = errors.New("it already exists; edit it, or delete it first")
	}
	if err != nil {
		return fmt.Errorf("init: cannot write %s: %w", text.Line(cmp.Or(there, config.FileName)), err)
	}
	_, err = io.WriteString(env.Stdout, "Wrote "+config.FileName+". 'tribunal config' shows its settings; 'tribunal report' and "+
		"'tribunal run' use them.\n")
	return err
}
