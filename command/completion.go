package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/text"
)

// completeCommand is what the script of a shell calls, with the words before the
// cursor; the last is the one to be completed, and may be empty.
const completeCommand = "__complete"

// askedToComplete tells such a call. It is no command of cli, which would take the
// words for its own flags.
func askedToComplete(args []string) (words []string, asked bool) {
	if len(args) < 2 || args[1] != completeCommand {
		return nil, false
	}
	return args[2:], true
}

// candidate is a word that can stand where the cursor is. One that ends in = goes
// on with what stands behind it.
type candidate struct{ word, doc string }

// complete prints the candidates that begin as the last word does, each with what it
// is behind a tab. None is an answer: the shell offers its files.
func complete(app *cli.App, env Env, words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	for _, c := range candidates(app, env, words[:last], words[last]) {
		if strings.HasPrefix(c.word, words[last]) {
			fmt.Fprintf(env.Stdout, "%s\t%s\n", text.Line(c.word), short(c.doc))
		}
	}
}

// candidates are what can stand behind the words.
func candidates(app *cli.App, env Env, before []string, current string) []candidate {
	if slices.Contains(before, "--") {
		return nil // the command of a run, or files
	}
	at := standing(app, before)
	flagWord, _, assigned := strings.Cut(current, "=")
	switch {
	case at.flag != nil:
		return at.values(env, at.flag)
	case assigned && strings.HasPrefix(current, "-"):
		return prefixed(flagWord+"=", at.values(env, at.flagNamed(flagWord)))
	case strings.HasPrefix(current, "-"):
		return flagsOf(at.all)
	case len(at.commands) > 0:
		return commandsOf(at.commands)
	}
	return at.arguments()
}

// place is where the cursor stands.
type place struct {
	path     string         // of the command, such as history trend
	commands []*cli.Command // that can be named here
	all      []cli.Flag     // of the command
	flag     cli.Flag       // whose value is to come
	words    []string       // behind the command
}

// standing follows the words to the command that they name.
func standing(app *cli.App, before []string) place {
	at := place{commands: app.Commands, all: app.Flags, words: before}
	for len(at.words) > 0 {
		i := slices.IndexFunc(at.commands, func(c *cli.Command) bool { return c.HasName(at.words[0]) })
		if i < 0 {
			break
		}
		c := at.commands[i]
		at.path = strings.TrimPrefix(at.path+" "+c.Name, " ")
		at.commands, at.all, at.words = c.Subcommands, c.Flags, at.words[1:]
	}
	if n := len(at.words); n > 0 && !strings.Contains(at.words[n-1], "=") {
		if f := at.flagNamed(at.words[n-1]); f != nil && valued(at.all)[strings.TrimLeft(at.words[n-1], "-")] {
			at.flag = f
		}
	}
	return at
}

func (p place) flagNamed(word string) cli.Flag {
	name := strings.TrimLeft(word, "-")
	if name == word {
		return nil
	}
	i := slices.IndexFunc(p.all, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return p.all[i]
}

func flagsOf(flags []cli.Flag) []candidate {
	var all []candidate
	for _, f := range flags {
		if v, is := f.(cli.VisibleFlag); is && !v.IsVisible() {
			continue
		}
		doc := ""
		if d, is := f.(cli.DocGenerationFlag); is {
			doc = d.GetUsage()
		}
		for _, name := range f.Names() {
			if len(name) == 1 {
				all = append(all, candidate{"-" + name, doc})
			} else {
				all = append(all, candidate{"--" + name, doc})
			}
		}
	}
	return append(all, candidate{"--help", "show help"})
}

func commandsOf(commands []*cli.Command) (all []candidate) {
	for _, c := range commands {
		if !c.Hidden {
			all = append(all, candidate{c.Name, c.Usage})
		}
	}
	return all
}

func prefixed(prefix string, candidates []candidate) []candidate {
	for i := range candidates {
		candidates[i].word = prefix + candidates[i].word
	}
	return candidates
}

// shortLength is how many letters of a description fit beside a candidate.
const shortLength = 70

// short is a description in one line beside its candidate.
func short(doc string) string {
	doc = strings.ReplaceAll(text.Line(doc), "`", "")
	if letters := []rune(doc); len(letters) > shortLength {
		return strings.TrimSpace(string(letters[:shortLength-1])) + "…"
	}
	return doc
}
