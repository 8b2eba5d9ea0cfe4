package preset

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"tribunal/internal/regex"
)

// wrappers are programs that run the one named behind them and their own options.
var wrappers = []struct {
	words string
	// valued are its options whose value is an argument of its own.
	valued string
	// needs is an argument that must stand between the wrapper and the program, or
	// what is added for the program would be taken for the wrapper's.
	needs string
}{
	{words: "env", valued: "-u --unset -C --chdir"},
	{words: "npx", valued: "-p --package -w --workspace"},
	{words: "npm exec", valued: "-p --package -w --workspace", needs: "--"},
	{words: "npm x", valued: "-p --package -w --workspace", needs: "--"},
	{words: "pnpm exec", valued: "-C --dir --filter"},
	{words: "pnpm dlx", valued: "--package"},
	{words: "pnpm", valued: "-C --dir --filter"},
	{words: "pnpx"},
	{words: "yarn exec"}, {words: "yarn dlx", valued: "-p --package"}, {words: "yarn run"}, {words: "yarn", valued: "--cwd"},
	{words: "bunx"}, {words: "bun x"}, {words: "bun run", valued: "--cwd"},
	{words: "node", valued: "-r --require --import --loader --experimental-loader"},
	{words: "uv run", valued: uvValued}, {words: "uvx", valued: uvValued}, {words: "uv tool run", valued: uvValued},
	{words: "poetry run"}, {words: "pipenv run"}, {words: "pdm run", valued: "-p --project"}, {words: "rye run"}, {words: "hatch run"},
	{words: "pixi run", valued: "-e --environment"},
	{words: "coverage run", valued: "--rcfile --source --omit --include --context --concurrency --data-file"},
	{words: "PYTHON", valued: "-W -X"},
	{words: "cargo", valued: "--config -C -Z --color"}, {words: "cargo-nextest"},
}

const uvValued = "--with --with-editable --with-requirements --python -p --extra --group --only-group --no-group --package --project " +
	"--directory --env-file --index --index-url --extra-index-url --from"

// find is where the arguments of the runner begin: after its invocation and the
// wrappers around it.
func (p *Preset) find(argv []string) (at int, ok bool) {
	for range argv { // a wrapper may wrap another
		if n, ok := p.invokedAt(argv[at:]); ok {
			return at + n, true
		}
		inside, ok := p.unwrap(argv[at:])
		if !ok {
			return 0, false
		}
		at += inside
	}
	return 0, false
}

// invokedAt is how many arguments the words of the preset are with which the command begins.
func (p *Preset) invokedAt(argv []string) (n int, ok bool) {
	for _, words := range p.invocations {
		n := len(strings.Fields(words))
		if hasWords(argv, words) && (len(argv) == n || !has(p.other, argv[n])) {
			return n, true
		}
	}
	return 0, false
}

// unwrap is how many arguments stand before the program that the command wraps.
func (p *Preset) unwrap(argv []string) (n int, ok bool) {
	for _, w := range wrappers {
		if !hasWords(argv, w.words) {
			continue
		}
		n := len(strings.Fields(w.words))
		separated := false
		for n < len(argv) {
			if _, ok := p.invokedAt(argv[n:]); ok { // python -m pytest
				break
			}
			option := argv[n]
			if !strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "+") && !(w.words == "env" && strings.Contains(option, "=")) {
				break
			}
			n++
			separated = separated || option == w.needs
			if option == "--" {
				break
			}
			if has(w.valued, option) {
				n++
			}
		}
		return n, n < len(argv) && (w.needs == "" || separated)
	}
	return 0, false
}

var python = regex.Of(`^(python|pypy|py)[0-9.]*$`)

// hasWords reports whether a command begins with these words, the first of which is
// a program in whatever folder, and of whatever version npx is to get.
func hasWords(argv []string, words string) bool {
	want := strings.Fields(words)
	if len(argv) < len(want) {
		return false
	}
	program := path.Base(strings.ReplaceAll(argv[0], `\`, "/"))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		program = strings.TrimSuffix(program, ending)
	}
	if name, _, versioned := strings.Cut(program, "@"); versioned && name != "" {
		program = name
	}
	return (program == want[0] || want[0] == "PYTHON" && python().MatchString(program)) && slices.Equal(argv[1:len(want)], want[1:])
}

type command struct {
	head     []string // up to the words of the runner
	options  []option
	operands []string // files, packages, filters
	rest     []string // what the runner hands on, with the mark before it
}

// option is an argument with a dash, and its value. Where arguments stay together,
// one without a dash is an option without a name.
type option struct {
	name, value string
	args        []string
}

func (c *command) value(name string) (value string, given bool) {
	for _, o := range c.options {
		if o.name == name {
			value, given = o.value, true
		}
	}
	return value, given
}

// without is the arguments of all options but those of these names.
func (c *command) without(names string) (args []string) {
	for _, o := range c.options {
		if o.name == "" || !has(names, o.name) {
			args = append(args, o.args...)
		}
	}
	return args
}

// has reports whether words, which blanks part, have one.
func has(words, word string) bool { return slices.Contains(strings.Fields(words), word) }

// fill puts the parts of a command into a line of the table.
func (p *Preset) fill(line string, c *command) (argv []string) {
	listing := line == p.list
	for _, word := range strings.Fields(line) {
		switch word {
		case "COMMAND":
			argv = append(argv, c.head...)
			if listing && p.listing != "" {
				argv[len(argv)-1] = p.listing
			}
		case "OPTIONS":
			names := p.selects
			if listing {
				names = p.running
			}
			argv = append(argv, c.without(names)...)
		case "OPERANDS":
			argv = append(argv, c.operands...)
		case "REST":
			argv = append(argv, c.rest...)
		case "PACKAGE":
			argv = append(argv, packageOf(c)...)
		default:
			argv = append(argv, strings.ReplaceAll(word, "RUN", runOf(c)))
		}
	}
	return argv
}

// keepArguments leaves the arguments as they stand: nothing has to be told apart but
// what is refused.
func (p *Preset) keepArguments(c *command, args []string) error {
	for len(args) > 0 {
		if args[0] == "--" {
			c.rest = args
			return nil
		}
		o, used := option{args: args[:1]}, 1
		if strings.HasPrefix(args[0], "-") {
			o, used, _ = p.longOption(args)
		}
		c.options, args = append(c.options, o), args[used:]
	}
	return nil
}

func (p *Preset) splitOptions(c *command, args []string) error {
	for len(args) > 0 {
		switch {
		case args[0] == "--" && has(p.hands, "--"):
			c.rest = args
			return nil
		case args[0] == "--":
			c.operands = append(c.operands, args[1:]...)
			return nil
		case !strings.HasPrefix(args[0], "-") || args[0] == "-":
			c.operands, args = append(c.operands, args[0]), args[1:]
		default:
			o, used, known := p.longOption(args)
			if !known && !strings.Contains(args[0], "=") && used < len(args) && !strings.HasPrefix(args[used], "-") {
				return fmt.Errorf("preset %s: is %s the value of %s, or does it say which tests to run? Write %s=%s, or put %s before all options",
					p.Name, args[used], args[0], args[0], args[used], args[used])
			}
			c.options, args = append(c.options, o), args[used:]
		}
	}
	return nil
}

// longOption takes an option, with the arguments behind it that are its values. An option
// that is not known has none there.
func (p *Preset) longOption(args []string) (o option, used int, known bool) {
	arg := args[0]
	name, value, joined := strings.Cut(arg, "=")
	o, used = option{name: name, value: value}, 1
	if !strings.HasPrefix(arg, "--") {
		o.name, o.value, known = p.short(arg)
		joined = o.value != ""
	}
	known = known || has(p.valued, o.name) || has(p.variadic, o.name) || has(p.switches, o.name)
	most := 0
	switch {
	case joined:
	case has(p.valued, o.name):
		most = 1
	case has(p.variadic, o.name):
		most = len(args)
	}
	for ; most > 0 && used < len(args) && !strings.HasPrefix(args[used], "-"); most-- {
		o.value = args[used]
		used++
	}
	o.args = args[:used]
	return o, used, known
}

// short reads an argument with one dash, in which letters may stand together, the
// last of them with its value: -xvs, -n4. The name is the last one's.
func (p *Preset) short(arg string) (name, value string, known bool) {
	if name, value, joined := strings.Cut(arg, "="); joined && (has(p.valued, name) || has(p.switches, name)) {
		return name, value, true
	}
	letters := arg[1:]
	for i := range len(letters) {
		name = "-" + letters[i:i+1]
		switch behind := letters[i+1:]; {
		case has(p.valued, name) || has(p.variadic, name):
			return name, behind, true
		case !has(p.switches, name):
			return arg, "", false
		}
	}
	return name, "", true
}
