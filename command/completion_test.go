package command

import (
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

func testApp() (*cli.App, Env) {
	env := Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }}
	return newApp(env, &behindDashes{}), env
}

// eachCommand calls do with every command that has none below it.
func eachCommand(commands []*cli.Command, above []string, do func(path []string, c *cli.Command)) {
	for _, c := range commands {
		path := append(slices.Clone(above), c.Name)
		if len(c.Subcommands) == 0 {
			do(path, c)
		}
		eachCommand(c.Subcommands, path, do)
	}
}

// TestEveryFormatFlagIsCompleted: a command that writes formats, and is not known to
// the completion, is found.
func TestEveryFormatFlagIsCompleted(t *testing.T) {
	app, env := testApp()
	eachCommand(app.Commands, nil, func(path []string, c *cli.Command) {
		for _, f := range c.Flags {
			if f.Names()[0] == "format" && len(candidates(app, env, append(path, "-f"), "")) == 0 {
				t.Errorf("tribunal %s -f completes nothing", strings.Join(path, " "))
			}
		}
	})
}

// TestCompleted: what can stand where, by words that the tables and help have.
func TestCompleted(t *testing.T) {
	app, env := testApp()
	for _, c := range []struct {
		reason, line string
		has, not     []string
	}{
		{"commands", "", []string{"report", "history", "version"}, []string{"--help", "trend"}},
		{"commands below a command", "history ", []string{"trend", "release"}, []string{"report"}},
		{"flags by all names, the hidden ones left out", "run -", []string{"-n", "--trials", "--help"}, []string{"--cost-limit-usd"}},
		{"words of compare, which has an --adjust of its own", "compare a b --adjust ", []string{"holm"}, []string{"json"}},
		{"words of a setting", "run --stop ", []string{"full", "early"}, nil},
		{"an output begins with its format", "report -o ", []string{"junit="}, []string{"junit"}},
		{"a value behind =", "report --treat-as=", []string{"--treat-as=exit3"}, nil},
		{"an option of a format", "report --junit-profile ", []string{"gitlab", "jenkins"}, nil},
		{"inputs are files", "report ", nil, []string{"report"}},
		{"a test behind =, where no input is named", "report --explain=", nil, []string{"--explain="}},
		{"a file of formats, which is none of init's starters", "formats --for ", nil, []string{"agent"}},
		{"words of rank", "rank a --pairing ", []string{"auto"}, nil},
		{"what a run starts is no word of ours", "run -n 2 -- -", nil, []string{"--trials"}},
		{"a switch has no value", "report --lenient --r", []string{"--rule"}, nil},
	} {
		words := strings.Split(c.line, " ")
		var offered []string
		for _, v := range candidates(app, env, words[:len(words)-1], words[len(words)-1]) {
			offered = append(offered, v.word)
		}
		for _, want := range c.has {
			if !slices.Contains(offered, want) {
				t.Errorf("%s: %q does not offer %s, but %q", c.reason, c.line, want, offered)
			}
		}
		for _, not := range c.not {
			if slices.Contains(offered, not) {
				t.Errorf("%s: %q offers %s", c.reason, c.line, not)
			}
		}
	}
}

// TestBuilds: what the linker was told goes before what the Go tool recorded.
func TestBuilds(t *testing.T) {
	recorded := &debug.BuildInfo{Main: debug.Module{Version: "v0.3.1-0.20260102030405-9f2c1e7d4b8a+dirty"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "9f2c1e7d"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	for _, c := range []struct {
		reason string
		info   *debug.BuildInfo
		linked build
		want   string
	}{
		{"a release", recorded, build{Version: "v1.0.0", Commit: "41b6e0d2", Date: "2026-02-03T00:00:00Z"}, "tribunal v1.0.0\ncommit   41b6e0d2\ndate     2026-02-03T00:00:00Z\n"},
		{"go build in a checkout with changes", recorded, build{}, "tribunal v0.3.1-0.20260102030405-9f2c1e7d4b8a+dirty\ncommit   9f2c1e7d, with uncommitted changes\ndate     2026-01-02T03:04:05Z\n"},
		{"go install of a version", &debug.BuildInfo{Main: debug.Module{Version: "v1.0.0"}}, build{}, "tribunal v1.0.0\n"},
		{"go run without version control", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, build{}, "tribunal development version\n"},
		{"nothing recorded", nil, build{}, "tribunal development version\n"},
	} {
		words := buildOf(c.info, c.linked).words()
		got, _, _ := strings.Cut(words, "built ")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}
