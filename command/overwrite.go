package command

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/run/journal"
	"tribunal/internal/words"
)

// target is an output as it was asked for, and the file that is there already, nil for none and for what is no file.
type target struct {
	words string
	to    destination
	there os.FileInfo
	// folder reports that a folder is replaced as a whole.
	folder bool
}

// targetOf looks where an output goes. Standard output is one when it is a file.
func targetOf(env Env, words, path string) (target, error) {
	t := target{words: words, to: destination{descriptor: 1}}
	if path == input.Standard || path == "" {
		t.there = regular(streamInfo(env.Stdout))
		return t, nil
	}
	var err error
	if t.to, err = follow(path); err != nil {
		return t, fmt.Errorf("%s: %w", words, err)
	}
	if t.to.path != "" {
		t.there = regular(os.Stat(t.to.path))
	}
	return t, nil
}

func streamInfo(stream any) (os.FileInfo, error) {
	if file, ok := stream.(interface{ Stat() (os.FileInfo, error) }); ok {
		return file.Stat()
	}
	return nil, os.ErrInvalid
}

func regular(info os.FileInfo, err error) os.FileInfo {
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

func (t target) holds(path string) bool {
	return t.folder && t.to.path != "" && path != "" && input.Within(path, t.to.path)
}

func (t target) isFile(info os.FileInfo) bool {
	return t.there != nil && info != nil && os.SameFile(t.there, info)
}

// isAt reports whether an output goes to a path, where perhaps nothing is yet.
func (t target) isAt(path string) bool {
	to, err := follow(path)
	return err == nil && t.to.path != "" && (t.to == to || t.isFile(regular(os.Stat(path))))
}

func targets[D any](env Env, outs []output[D]) ([]target, error) {
	var all []target
	for _, o := range outs {
		words := "-o " + o.format.Name + "=" + o.path
		if o.toStdout() {
			words = o.format.Name + " on standard output"
		}
		t, err := targetOf(env, words, o.path)
		if err != nil {
			return nil, err
		}
		t.folder = o.folder
		all = append(all, t)
	}
	return all, nil
}

// distinct refuses two outputs that are one file: of what was written first, nothing would be left. What goes to
// standard output beside another report is written behind that one.
func distinct[D any](env Env, outs []output[D]) error {
	all, err := targets(env, outs)
	if err != nil {
		return err
	}
	for i, o := range outs {
		for j := range i {
			if o.path != "" && (all[j].to == all[i].to || all[j].isFile(all[i].there)) { // under whichever names
				return fmt.Errorf("two reports go to %s; give each its own path (%s, %s)", o.place(), all[j].words, all[i].words)
			}
			if all[j].holds(all[i].to.path) || all[i].holds(all[j].to.path) {
				return fmt.Errorf("two reports go to one folder; give each its own (%s, %s)", all[j].words, all[i].words)
			}
		}
		if a := o.format.Append; a != nil && env.Getenv(a.Env) != "" {
			for j, t := range all {
				if !outs[j].toStdout() && t.isAt(env.Getenv(a.Env)) {
					return fmt.Errorf("%s would replace the file of $%s, which %s adds to: name another file", t.words, a.Env, o.format.Name)
				}
			}
		}
	}
	return nil
}

// checkOwn rejects outputs that would replace the configuration or a history.
func checkOwn[D any](c *cli.Context, env Env, outs []output[D]) error {
	all, err := targets(env, outs)
	for i, t := range all {
		if err == nil && !outs[i].toStdout() {
			err = t.checkOwnFiles(c, env)
		}
	}
	return err
}

// checkOverwrites rejects outputs that would replace an input. It marks inputs that are
// earlier reports, which may be replaced.
func checkOverwrites[D any](c *cli.Context, env Env, outs []output[D], inputs ...[]input.File) error {
	all, err := targets(env, outs)
	if err != nil {
		return err
	}
	for _, t := range all {
		for _, arg := range c.Args().Slice() {
			if to, err := follow(arg); err == nil && t.folder && t.to == to {
				return fmt.Errorf("%s would replace the input %s: name another folder", t.words, arg)
			}
		}
	}
	file, err := loadConfig(c)
	if err != nil {
		return err
	}
	byContent := c.String("from") == "" && c.String("map") == "" && file.Map == "" // else a file of no known format is read
	for _, side := range inputs {
		for i := range side {
			for j, t := range all {
				if err := t.checkInput(env, &side[i], outs[j].toStdout(), byContent); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkOwnFiles refuses an output in the place of what the program keeps.
func (t target) checkOwnFiles(c *cli.Context, env Env) error {
	if slices.Contains(config.Names, filepath.Base(t.to.path)) {
		return fmt.Errorf("%s would replace the configuration: name another file", t.words)
	}
	for _, flag := range []string{"config", "map", "codeowners", flagBase, flagTestsFrom, flagJournal} {
		if file := c.String(flag); file != "" && (t.isAt(file) || t.isAt(filepath.Join(file, journal.FileName))) {
			return fmt.Errorf("%s would replace the file of --%s: name another file", t.words, flag)
		}
	}
	return t.checkHistory(c, env)
}

const databaseMark = "SQLite format 3\x00"

func (t target) checkHistory(c *cli.Context, env Env) error {
	place := historyPlace(c, env)
	if !strings.Contains(place, "://") {
		besideHistory := []string{"", "-journal", "-wal", "-shm"} // what SQLite adds to the name of a database for its journals
		for _, more := range besideHistory {
			if t.isAt(place + more) {
				return fmt.Errorf("%s would replace the history %s: name another file", t.words, place+more)
			}
		}
	}
	if t.there != nil && bytes.HasPrefix(beginning(t.to.path, len(databaseMark)), []byte(databaseMark)) {
		return fmt.Errorf("%s would replace a database, perhaps a history: name another file", t.words)
	}
	return nil
}

func beginning(path string, size int) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	head := make([]byte, size)
	n, _ := io.ReadFull(file, head)
	return head[:n]
}

// checkInput refuses a report in the place of an input. A file that was merely found in a directory may be replaced when
// it is a report of ours, and when no reader knows it, for then it is not read. Standard output adds to a file; one that
// the shell has emptied is lost already.
func (t target) checkInput(env Env, in *input.File, added, byContent bool) error {
	if t.folder {
		return t.checkPart(in)
	}
	if !t.isFile(inputInfo(env, *in)) || added && t.there.Size() == 0 {
		return nil
	}
	does, reason := cmp.Or(words.If(added, "be added to"), "replace"), ""
	if in.Found {
		format, own := input.RecogniseOwn(in.Name)
		unread := byContent && format == ""
		if unread || own && !added {
			in.Replaced = !added
			return nil
		}
		reason = words.If(!own, ", which is not a report of Tribunal")
	}
	named := in.Name
	if named == input.Standard {
		named = "that standard input is redirected from"
	}
	return fmt.Errorf("%s would %s the input %s%s: name another file", t.words, does, named, reason)
}

// checkPart refuses a folder in the place of an input that somebody named. What was
// merely found in it is of an earlier report, or else the folder is not replaced.
func (t target) checkPart(in *input.File) error {
	to, err := follow(in.Name)
	if in.Name == input.Standard || err != nil || !t.holds(to.path) {
		return nil
	}
	if info, err := os.Stat(in.Name); !in.Found && err == nil && !info.IsDir() {
		return fmt.Errorf("%s would replace the input %s: name another folder", t.words, in.Name)
	}
	in.Replaced = true
	return nil
}

func inputInfo(env Env, in input.File) os.FileInfo {
	if in.Name == input.Standard {
		return regular(streamInfo(env.Stdin))
	}
	return regular(os.Stat(in.Name))
}
