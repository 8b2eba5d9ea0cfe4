package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render"
	"tribunal/verdict"
)

func reportFlags() []cli.Flag {
	owners := within(groupInput, []cli.Flag{ownerFlag(), codeOwnersFlag()})
	return slices.Concat(inputFlags(), owners, policyFlags(), outputFlags(render.Formats), historyReportFlags(showsHistory), []cli.Flag{
		&cli.StringFlag{Name: "explain", Usage: "explain why `TEST` has its verdict, and what would change it"},
	})
}

// outputFlags are the flags of a command that writes documents in the formats of
// the table: which, where to, and the options of each.
func outputFlags[D any](table render.Table[D]) []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "format of standard output: " + strings.Join(table.Names(), ", "),
			DefaultText: render.Default},
		&cli.StringSliceFlag{Name: "output", Aliases: []string{"o"}, Usage: "report to write: FORMAT=FILE, run.json" +
			words.If(slices.Contains(table.Names(), "html"), ", page.html") + "; may be repeated"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only errors, and reports that you ask for with -f or -o"},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: "colors in the terminal: " + strings.Join(colorModes, ", ")},
		&cli.BoolFlag{Name: "ascii", Usage: "draw the terminal report in ASCII; names and messages keep their text"},
	}
	flags = within(groupOutput, flags)
	for _, f := range table {
		for _, o := range f.Options {
			if o.Switch {
				flags = append(flags, &cli.BoolFlag{Name: o.Name, Usage: f.Name + ": " + o.Doc, Category: groupFormats})
				continue
			}
			choices := words.If(!o.Number && o.Text == nil, ": "+strings.Join(o.Choices(), ", "))
			flags = append(flags, &cli.StringFlag{Name: o.Name, Usage: f.Name + ": " + o.Doc + choices, DefaultText: o.Values[0],
				Category: groupFormats})
		}
	}
	return flags
}

// inputFlags are the flags of a command that reads trials: how, and what the
// configuration adds.
func inputFlags() []cli.Flag {
	return append(within(groupInput, []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "input format; 'tribunal formats' lists them", DefaultText: "found by content"},
		&cli.StringFlag{Name: "scorer", Usage: "inspect: the scorer that decides, as name or name.key", DefaultText: "the first"},
		&cli.StringFlag{Name: "map", Usage: "map your records: 'test=.name,status=.ok', or @NAME (tribunal formats)"},
		&cli.StringFlag{Name: "records", Usage: "with --map: path of the records, such as .results or .tasks[].runs[]"},
		&cli.StringSliceFlag{Name: "label", Usage: "label of all trials of the inputs, as in model=x; may be repeated"},
		&cli.StringSliceFlag{Name: "root", Usage: "repository folder where the tests ran; may be repeated",
			DefaultText: "$CI_PROJECT_DIR, $GITHUB_WORKSPACE, the working directory"},
		configFlag("read the policy from this file"),
		&cli.BoolFlag{Name: "no-config", Usage: "read no configuration file"},
	}), &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Category: groupOutput,
		Usage: "more details, if any; on standard error, what was found in each input"})
}

func without(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return slices.Contains(names, f.Names()[0]) })
}

// policyFlags are the flags of a command that judges: one for each key, and a shorthand.
func policyFlags() []cli.Flag {
	return within(groupVerdict, append(keyFlags(policy.Keys), inconclusiveFlag()))
}

func inconclusiveFlag() cli.Flag {
	return &cli.BoolFlag{Name: "inconclusive", Category: groupVerdict, Usage: "short for --rule wald --threshold 0.5, unless you name a rule"}
}

func keyFlags(keys []policy.Key) []cli.Flag {
	var flags []cli.Flag
	for i := range keys {
		if keys[i].FlagName() != "" {
			flags = append(flags, KeyFlag(&keys[i]))
		}
	}
	return within(groupVerdict, flags)
}

// countingKeys say how trials are counted: for commands that judge no run.
func countingKeys() []policy.Key {
	return slices.DeleteFunc(slices.Clone(policy.Keys), func(k policy.Key) bool { return !k.Counting })
}

// withChoices is a text with the words to choose from, unless it explains each: "full (try all)".
func withChoices(doc string, choices []string) string {
	return doc + words.If(len(choices) > 0 && !strings.Contains(doc, "("), ": "+strings.Join(choices, ", "))
}

// KeyFlag is the flag of a key of the policy.
func KeyFlag(k *policy.Key) cli.Flag {
	name, usage := k.FlagName(), withChoices(cmp.Or(k.Help, k.Doc), k.Choices(rule.Names()))
	switch k.In(new(envelope.Policy)).(type) {
	case *envelope.Opt[bool]:
		return &cli.BoolFlag{Name: name, Usage: usage}
	case *envelope.Opt[int], *envelope.Opt[int64]:
		return &cli.IntFlag{Name: name, Usage: usage, DefaultText: k.Otherwise()}
	case *[]envelope.GateExpr, *[]envelope.MetricCall, *[]string:
		return &cli.StringSliceFlag{Name: name, Usage: usage}
	}
	return &cli.StringFlag{Name: name, Usage: usage, DefaultText: k.Otherwise()}
}

// flagValues is what the flags of the keys say. Every value is checked here.
func flagValues(c *cli.Context, keys []policy.Key) (envelope.Policy, error) {
	var p envelope.Policy
	var errs []error
	for i := range keys {
		k := &keys[i]
		if name := k.FlagName(); name == "" || !c.IsSet(name) {
			continue
		}
		var alone envelope.Policy
		err := setByFlag(c, k, &alone)
		if err == nil {
			if err = verdict.CheckLayer(alone); err != nil && !errors.As(err, new(*policy.KeyError)) {
				err = errors.New(strings.Replace(dashed(k.FlagName())+": "+err.Error(), ": "+k.Name+" ", " ", 1))
			}
		}
		errs = append(errs, err)
		p = policy.Fill(alone, p)
	}
	return p, errors.Join(errs...)
}

// typed names the keys in an error as they were typed: by the flag and the word, or by the place in the configuration.
func typed(c *cli.Context, err error) error {
	e := new(policy.KeyError)
	if !errors.As(err, &e) {
		return err
	}
	if several, are := err.(interface{ Unwrap() []error }); are {
		return errors.Join(each.Of(several.Unwrap(), func(err error) error { return typed(c, err) })...)
	}
	key := e.Key[strings.LastIndexByte(e.Key, '.')+1:] // which an override has from the policy where it does not say it
	file, _ := loadConfig(c)
	at := cmp.Or(file.Places[e.Key], file.Places[key])
	as := words.Around(file.Path+":", at.At, ": ") + e.Typed(e.Key, cmp.Or(at.Value, e.Value))
	if flag := policy.ByName(key).FlagName(); c.IsSet(flag) && (key == e.Key || file.Places[e.Key].At == "") {
		as = e.Typed(dashed(flag), c.String(flag))
	}
	return errors.New(strings.Replace(err.Error(), e.Error(), as, 1))
}

func setByFlag(c *cli.Context, k *policy.Key, p *envelope.Policy) (err error) {
	name := k.FlagName()
	switch field := k.In(p).(type) {
	case *string:
		*field = c.String(name)
	case *envelope.Opt[bool]:
		*field = envelope.Some(c.Bool(name) != k.Off)
	case *envelope.Opt[float64]:
		if *field, err = number(c, name); k.Percent {
			field.V = policy.Fraction(field.V)
		}
		if k.Rate {
			field.V = policy.Rate(field.V)
		}
		return err
	case *envelope.Opt[int]:
		*field = envelope.Some(c.Int(name))
	case *envelope.Opt[int64]:
		*field = envelope.Some(int64(c.Int(name)))
	case *[]int:
		if *field, err = wholeNumbers(c.String(name)); err != nil {
			err = fmt.Errorf("%s: %w", dashed(name), err)
		}
	case *[]string:
		*field = c.StringSlice(name)
	case *[]envelope.GateExpr:
		*field = each.Of(c.StringSlice(name), func(expr string) envelope.GateExpr { return gate.Named("", expr) })
	case *[]envelope.MetricCall:
		for _, text := range c.StringSlice(name) {
			call, fault := verdict.ParseMetric(text)
			*field, err = append(*field, call), errors.Join(err, fault)
		}
	default:
		panic("no flag is made for a key of the type of " + k.Name) // TestEveryKeyHasItsFlag
	}
	return err
}

// number reads a flag that takes a number, a percentage or US dollars.
func number(c *cli.Context, name string) (envelope.Opt[float64], error) {
	word := c.String(name)
	if word == "" && !c.IsSet(name) {
		return envelope.Opt[float64]{}, nil
	}
	read := policy.Number
	if valueKinds[name] == "USD" {
		read = settings.Dollars
	}
	v, err := read(word)
	if err != nil {
		return envelope.Opt[float64]{}, fmt.Errorf("--%s %w", name, err)
	}
	return envelope.Some(v), nil
}

// level is what a flag says that takes a level, such as 95 or 0.95.
func level(c *cli.Context, name string) (envelope.Opt[float64], error) {
	v, err := number(c, name)
	v.V = policy.Fraction(v.V)
	return v, err
}

func wholeNumbers(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var numbers []int
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number: give a list such as 1,5,10", word)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}
