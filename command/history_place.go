package command

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
)

// historyVariable names the history where --db does not.
const historyVariable = "TRIBUNAL_DB"

// defaultHistory is the file of a project that names none.
const defaultHistory = ".tribunal/history.db"

// historyPlace is the history that the flags and the environment name.
func historyPlace(c *cli.Context, env Env) string {
	return cmp.Or(c.String("db"), env.Getenv(historyVariable), defaultHistory)
}

// sparesHistory refuses outputs in the place of the history.
func sparesHistory(c *cli.Context, env Env, paths []string) error {
	place := historyPlace(c, env)
	db, err := os.Stat(place)
	if err != nil {
		return nil // there is none yet, or it is no file
	}
	for _, path := range paths {
		if target, err := os.Stat(path); err == nil && os.SameFile(db, target) {
			return fmt.Errorf("the output %s would replace the history %s: name another file", path, place)
		}
	}
	return nil
}

// outputPaths are the paths of the -o FORMAT=PATH of a command.
func outputPaths(c *cli.Context) []string {
	var paths []string
	for _, word := range c.StringSlice("output") {
		_, path, _ := strings.Cut(word, "=")
		paths = append(paths, path)
	}
	return paths
}
