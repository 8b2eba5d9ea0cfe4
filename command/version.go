package command

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/suggest"
	"tribunal/verdict/gate"
)

// What a release is linked with, by -ldflags -X; empty in any other build, of which
// the Go tool knows more.
var releaseVersion, releaseCommit, releaseDate string

// build is what this program is. What is not known is left out.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the checkout had changes that are in no commit
	Date     string `json:"date,omitempty"`     // of the commit, so that a build can be repeated
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// unreleased is the version of a build that has none.
const unreleased = "development version"

// thisBuild is what the linker was told, else what the Go tool recorded.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, build{Version: releaseVersion, Commit: releaseCommit, Date: releaseDate})
}

func buildOf(info *debug.BuildInfo, linked build) build {
	b := linked
	b.Go, b.OS, b.Arch = runtime.Version(), runtime.GOOS, runtime.GOARCH
	if info != nil && b.Version == "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	if b.Version == "" {
		b.Version = unreleased
	}
	if info == nil || linked.Commit != "" {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// words tells a build to people, a line each.
func (b build) words() string {
	var s strings.Builder
	fmt.Fprintf(&s, "tribunal %s\n", b.Version)
	if b.Commit != "" {
		changed := ""
		if b.Modified {
			changed = ", with changes that are in no commit"
		}
		fmt.Fprintf(&s, "commit   %s%s\n", b.Commit, changed)
	}
	if b.Date != "" {
		fmt.Fprintf(&s, "date     %s\n", b.Date)
	}
	fmt.Fprintf(&s, "built    with %s for %s/%s\n", b.Go, b.OS, b.Arch)
	return s.String()
}

// version is the version alone.
func version() string { return thisBuild().Version }

// versionFormats are the formats of the command version, the first by default.
var versionFormats = []string{"text", "json"}

func versionCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "print the version",
		Description:  "Prints the version, its commit and date, and what built it.",
		Flags:        []cli.Flag{&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: versionFormats[0], Usage: "format of standard output: " + strings.Join(versionFormats, ", ")}},
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage(fmt.Errorf("version takes no argument, found %q", c.Args().First()))
			}
			switch c.String("format") {
			case "text":
				_, err := fmt.Fprint(env.Stdout, thisBuild().words())
				return err
			case "json":
				enc := json.NewEncoder(env.Stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(thisBuild())
			}
			return &exitError{code: gate.ExitUnusable, err: suggest.Unknown("format of version", c.String("format"), versionFormats)}
		},
	}
}
