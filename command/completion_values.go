package command

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/command/ci"
	"tribunal/command/config"
	"tribunal/command/input"
	"tribunal/command/schema"
	"tribunal/compare"
	"tribunal/envelope/wire"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/render"
	"tribunal/run/driver/settings"
	"tribunal/run/next"
	"tribunal/run/preset"
	"tribunal/verdict/gate"
	"tribunal/verdict/rule"
)

// formatsOf are the formats that a command writes, by its path.
func formatsOf(path string) []candidate {
	switch path {
	case "report", "convert", "run", "history show":
		return formatCandidates(render.Formats)
	case "compare":
		return formatCandidates(render.Comparisons)
	case "plan":
		return formatCandidates(render.Plans)
	case "next":
		return formatCandidates(render.Nexts)
	case "rank":
		return formatCandidates(render.Rankings)
	case "history trend":
		return formatCandidates(render.Trends)
	case "show":
		return formatCandidates(render.Shows)
	case "version":
		return plain(versionFormats)
	}
	return nil
}

func formatCandidates[D any](table render.Table[D]) (all []candidate) {
	for _, f := range table {
		all = append(all, candidate{f.Name, f.Doc})
	}
	return all
}

func plain(words []string) (all []candidate) {
	for _, w := range words {
		all = append(all, candidate{word: w})
	}
	return all
}

// values are what a flag of the command can be, from the table that it is made of;
// none where it is a number, a text or a file.
func (p place) values(env Env, f cli.Flag) []candidate {
	if f == nil {
		return nil
	}
	name := f.Names()[0]
	switch name {
	case "format":
		if p.path == "history list" {
			return plain(listFormats)
		}
		return formatsOf(p.path)
	case "output":
		all := formatsOf(p.path)
		for i := range all {
			all[i].word += "="
		}
		return all
	case "color":
		return plain(colorModes)
	case "explain":
		return p.tests(env)
	case "gate":
		return plain(gate.Paths())
	case "for":
		if p.path == "next" {
			return plain(next.Aims)
		}
		return plain(config.Starters)
	case "runner":
		return plain(ci.RunnerNames())
	case "preset":
		return plain(append(preset.Names(), settings.NoPreset))
	case "from":
		return p.inputFormats()
	}
	if p.path == "compare" {
		if words := wordsOfCompare[name]; words != nil {
			return plain(words)
		}
	}
	if words := p.ofKeys(name); words != nil {
		return words
	}
	return plain(ofOptions(name))
}

// wordsOfCompare are the words of the flags that compare alone has.
var wordsOfCompare = map[string][]string{"adjust": compare.Adjustments(), "pairing": compare.Pairings, "sequential-test": compare.SequentialTests, "fail-on": compare.FailOns}

func (p place) inputFormats() (all []candidate) {
	if p.path == "run" {
		all = append(all, candidate{settings.FromExit, "the exit code of the command is the verdict"})
	}
	for _, f := range read.Formats {
		all = append(all, candidate{f.Name, f.Doc})
	}
	return all
}

// ofKeys are the words of a policy key, or of a setting of a run.
func (p place) ofKeys(name string) []candidate {
	for i := range policy.Keys {
		k := &policy.Keys[i]
		switch {
		case k.FlagName() != name:
		case k.OfRules:
			return rules()
		default:
			return plain(k.Words)
		}
	}
	if p.path == "run" || p.path == "next" {
		for i := range settings.Table {
			if settings.Table[i].Name == name {
				return plain(settings.Table[i].Choices)
			}
		}
	}
	return nil
}

func rules() (all []candidate) {
	for _, r := range rule.Table {
		all = append(all, candidate{r.Name, r.Doc})
	}
	return all
}

// ofOptions are the words of an option of a format, in whichever table it is.
func ofOptions(name string) []string {
	all := map[string][]string{}
	addOptions(all, render.Formats)
	addOptions(all, render.Comparisons)
	addOptions(all, render.Plans)
	addOptions(all, render.Nexts)
	addOptions(all, render.Rankings)
	addOptions(all, render.Trends)
	return all[name]
}

func addOptions[D any](to map[string][]string, table render.Table[D]) {
	for _, f := range table {
		for _, o := range f.Options {
			if !o.Number && !o.Switch && o.Text == nil {
				to[o.Name] = o.Values
			}
		}
	}
}

// arguments are what can stand behind a command that takes words.
func (p place) arguments() (all []candidate) {
	switch p.path {
	case "schema":
		return plain(schema.Names)
	case "ci":
		for _, s := range ci.Systems {
			all = append(all, candidate{s.Name, s.Doc})
		}
	case "completion":
		return plain(shellNames())
	}
	return all
}

// mostToComplete is how many bytes of inputs are read to find the names of their
// tests while somebody waits for them.
const mostToComplete = 64 << 20

// tests are the tests of the inputs that the words name, as report finds them.
func (p place) tests(env Env) []candidate {
	flags, inputs := part(p.words[:len(p.words)-1], valued(p.all))
	files, err := input.Files(inputs)
	if err != nil || len(inputs) == 0 || slices.Contains(inputs, input.Standard) || input.TotalSize(files) > mostToComplete {
		return nil
	}
	var report bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &report, io.Discard
	Main(slices.Concat([]string{"tribunal", "report", "-f", "json"}, readingFlags(flags), []string{"--"}, inputs), env)
	found, err := wire.Decode(&report)
	if err != nil {
		return nil
	}
	names := map[string]string{} // with the status, which tells tests apart
	for i := range found.Envelope.Tests {
		t := &found.Envelope.Tests[i]
		names[t.Key.String()] = string(t.Status)
	}
	var all []candidate
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, candidate{name, names[name]})
	}
	return all
}

// readingFlags are those of the flags that say how inputs are read.
func readingFlags(words []string) (kept []string) {
	reading := inputFlags()
	takesValue := valued(reading)
	for i := 0; i < len(words); i++ {
		name, _, assigned := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		value, known := takesValue[name]
		if !known {
			continue
		}
		kept = append(kept, words[i])
		if value && !assigned && i+1 < len(words) {
			i++
			kept = append(kept, words[i])
		}
	}
	return kept
}
