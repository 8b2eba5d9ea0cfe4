package command

import (
	"cmp"

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
