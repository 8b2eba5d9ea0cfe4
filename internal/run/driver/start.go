package driver

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
	"tribunal/read"
)

type start struct {
	runner.Start
	id      string
	keys    []envelope.Key // of its trials
	labels  map[string]string
	timeout time.Duration
	at      time.Time
	narrow  []string // arguments that leave tests out

	mu      sync.Mutex
	running *process.Process
	killed  bool // it was asked to end
}

type outcome struct {
	*start
	err    error // of ours: the run cannot go on
	cut    bool
	output report // what it said, where it was not cut off
	failed *envelope.Trial
	said   []string // for people
	// left are processes that outlived it, survived those of them that could not be ended.
	left, survived int
	sum            outputSum
}

type report struct {
	trials    []envelope.Trial // of any key, in the order of the output
	exit      *envelope.Trial  // what its end says, where an exit code tells
	missing   *envelope.Trial  // for a trial that was asked for and not reported
	unreached bool             // such a trial was not reached: it is started again
	failed    *envelope.Trial  // what its end says, where its output is read and it failed
	permanent bool
	ended     startEnd
	setup     time.Duration
	unread    string     // the format of an output that nobody asked to read
	printed   read.Print // what is written for people, where a format was looked for
	cached    bool       // some of it comes from a cache of the runner
	malformed string     // why some of an output is not read of which the rest is
}

// kill asks for the end of a start, now or before it goes on.
func (s *start) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = true
	if s.running != nil {
		s.running.Stop()
	}
}

// begin starts a command, unless the end of the start was asked for.
func (s *start) begin(g *process.Group, c process.Command) (*process.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed {
		return nil, errKilled
	}
	p, err := g.Start(c)
	s.running = p
	return p, err
}

var errKilled = errors.New("it was asked to end")

func (d *execution) values(s *start) Values {
	v := Values{ID: s.id, Run: d.run.Header.ID, Attempt: s.Number, Suite: s.Group.Suite, Variant: s.Group.Variant, Labels: s.labels}
	name := ""
	if d.run.Plan.Form == runner.Each || s.Check {
		v.Test, v.Suite, v.Variant = s.keys[0].Test, s.keys[0].Suite, s.keys[0].Variant
		name = v.Test
		if !s.Check {
			v.Attempt = s.Trials[0].Attempt
		}
	}
	v.Tests = each.Of(s.keys, func(k envelope.Key) string { return k.Test })
	v.spell(d.run.Recipe.Spell, d.testsOf(s.Trials))
	v.Seed = SeedOf(d.run.Seed, v.Suite, name, v.Attempt)
	return v
}

// try runs a start to its end. It is called in a goroutine of its own.
func (d *execution) try(s *start) outcome {
	out := outcome{start: s}
	if out.err = d.journal.Sync(); out.err != nil { // its line, and all before it
		return out
	}
	v := d.values(s)
	folder, err := d.folders(s, &v)
	if err != nil {
		out.err = err
		return out
	}
	defer removeStartFolder(folder)
	passed := false
	if s.Check {
		d.check(s, v, folder, &out)
		passed = out.failed == nil
	} else {
		d.trial(s, v, folder, &out, &passed)
	}
	d.removeFolder(v.Dir, passed)
	return out
}

// folders makes what a start writes into: a folder for its outputs, which is returned
// and holds that of {out}, and that of {dir}. The values get both.
func (d *execution) folders(s *start, v *Values) (string, error) {
	name := s.id[strings.LastIndexByte(s.id, '.')+1:]
	folder := filepath.Join(d.raw, name)
	out := filepath.Join(folder, "out")
	v.Dir, v.Out = filepath.Join(d.dirs, name), filepath.Join(out, outName(d.run.Recipe.OutName))
	for _, dir := range []string{folder, out, v.Dir} { // a trial may have removed what is above them
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return folder, fmt.Errorf("cannot make the folders of a start: %w", err)
		}
	}
	return folder, nil
}

// removeStartFolder removes the folder of a start: what it nearly always holds by name, and the
// rest where there is any.
func removeStartFolder(folder string) {
	for _, name := range []string{stdoutName, stderrName, "out"} {
		_ = os.Remove(filepath.Join(folder, name)) // the folder is not empty then
	}
	if os.Remove(folder) != nil {
		_ = os.RemoveAll(folder) // what cannot be removed goes with the folder of all of them
	}
}

// outName is the name of a file that ends in an ending, or has a name.
func outName(name string) string {
	if strings.HasPrefix(name, ".") {
		return "out" + name
	}
	return cmp.Or(name, "out")
}

// removeFolder removes the folder of a start, or keeps what a trial left in it that did not pass.
func (d *execution) removeFolder(dir string, passed bool) {
	if os.Remove(dir) != nil && passed { // it is not empty
		_ = os.RemoveAll(dir) // what cannot be removed stays
	}
}

func (d *execution) check(s *start, v Values, folder string, out *outcome) {
	end, err := d.execute(s, d.run.Check, v, filepath.Join(folder, "check"), false)
	switch {
	case errors.Is(err, errKilled) || err == nil && end.Why == process.Stopped:
		out.cut = true
	case err != nil:
		out.failed = &envelope.Trial{Message: "check: " + err.Error()}
	case end.Code != 0:
		out.failed = &envelope.Trial{Message: "check: " + inWords(end) + afterColon(d.excerpt(filepath.Join(folder, "check"))),
			RawStatus: fmt.Sprintf("exit %d", end.Code)}
	}
	out.count(end)
}

func afterColon(text string) string { return words.Around("\n", strings.TrimSpace(text)) }

// count adds what a command left behind. A command that was ended, for its time or
// with the run, left nothing behind: its processes were on their way out with it.
func (out *outcome) count(end process.End) {
	if end.Why == process.Exited || end.Why == process.OutputLimit {
		out.left += end.LeftBehind
	}
	out.survived += end.Survived
}

func (d *execution) trial(s *start, v Values, folder string, out *outcome, passed *bool) {
	begun := time.Now()
	if d.run.After != nil {
		defer d.cleanUp(s, v, folder, out)
	}
	if d.run.Before != nil {
		end, err := d.execute(s, d.run.Before, v, filepath.Join(folder, "before"), true)
		switch {
		case errors.Is(err, errKilled) || err == nil && end.Why == process.Stopped:
			out.cut = true
			return
		case err != nil || end.Code != 0:
			words := "before: " + inWords(end) + afterColon(d.excerpt(filepath.Join(folder, "before")))
			if err != nil {
				words = "before: " + err.Error()
			}
			out.output.missing = &envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassInfrastructure, Message: words, StartedAt: s.at}
			return
		}
	}
	out.output.setup = time.Since(begun)
	if d.run.Before == nil {
		out.output.setup = 0
	}
	command, tests := d.run.Command, d.compiledFor(s, v, folder)
	if tests != nil {
		command = tests.start
	}
	if s.narrow != nil {
		command = &Template{args: slices.Concat(command.args, literal(s.narrow).args), text: command.text}
	}
	end, err := d.execute(s, command, v, folder, false)
	if err == nil && tests != nil {
		err = tests.convert(folder, v, &end)
	}
	switch {
	case errors.Is(err, errKilled) || err == nil && end.Why == process.Stopped:
		out.cut = true
		out.count(end)
		return
	case err != nil:
		class := envelope.ClassPreValidation
		if process.Temporary(err) {
			class = envelope.ClassInfrastructure
		}
		out.output.missing = &envelope.Trial{Status: envelope.Error, ErrorClass: class, Message: err.Error(), StartedAt: s.at}
		return
	}
	out.count(end)
	d.read(s, v, folder, end, &out.output)
	if format := out.output.unread; format != "" {
		out.said = append(out.said, "the output of the command is "+format+", but only its exit code is read; give --from "+format+
			" to read the output, or --from exit to hide this note")
	}
	*passed = out.output.allPassed()
	if out.sum, err = d.keep(s, folder, end); err != nil {
		out.said = append(out.said, err.Error())
	}
	if tests != nil {
		out.sum = outputSum{} // without the times that the runner adds, the same says nothing
	}
}

// cleanUp ends what a trial prepared. It runs also when the trial was cut off.
func (d *execution) cleanUp(s *start, v Values, folder string, out *outcome) {
	s.mu.Lock()
	s.killed, s.running = false, nil
	s.mu.Unlock()
	end, err := d.execute(s, d.run.After, v, filepath.Join(folder, "after"), false)
	switch {
	case err != nil:
		out.said = append(out.said, "after: "+err.Error())
	case end.Why == process.Exited && end.Code != 0:
		out.said = append(out.said, "after: "+inWords(end)+behindColon(firstLine(d.excerpt(filepath.Join(folder, "after")))))
	}
	out.count(end)
}

// Names of the files of a command's output, in a folder of its own.
const stdoutName, stderrName = "stdout", "stderr"

func (d *execution) execute(s *start, t *Template, v Values, folder string, keep bool) (process.End, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return process.End{}, err
	}
	c := process.Command{
		ID: s.id, Argv: t.Argv(v), Env: d.run.Environment.of(d.passed, d.run.Header.ID, s.Slot, v), Dir: t.dir,
		Stdout: filepath.Join(folder, stdoutName), Stderr: filepath.Join(folder, stderrName),
		Timeout: s.timeout, Grace: d.run.Grace, Keep: keep,
	}
	if t.dir != "" {
		c.Stderr, c.Env = c.Stdout, append(c.Env, "PWD="+t.dir)
	}
	p, err := s.begin(d.group, c)
	if err != nil {
		return process.End{}, err
	}
	end := p.Wait()
	if d.endedAsWeAre(end) {
		end.Why = process.Stopped
	}
	return end, nil
}

// endedAsWeAre reports a command that was ended from outside as this program was: by
// Slurm, which signals every process of a job in no order. It is no trial then.
func (d *execution) endedAsWeAre(end process.End) bool {
	const shell = 128 // what a shell makes of a signal
	outside := slices.Contains([]string{"TERM", "INT", "HUP", "KILL"}, end.Signal) ||
		slices.Contains([]int{shell + 1, shell + 2, shell + 9, shell + 15}, end.Code)
	if end.Why != process.Exited || !outside {
		return false
	}
	const endsAll = time.Second // how long the signals are apart, at most, by which a batch system ends all processes of a job
	select {
	case <-d.shutdown:
		return true
	case <-time.After(endsAll):
		return false
	}
}

// excerpt is what is kept of what a command wrote, without secrets: standard error
// behind standard output.
func (d *execution) excerpt(folder string) string {
	var texts []string
	for _, name := range []string{stdoutName, stderrName} {
		if text := d.excerptOf(filepath.Join(folder, name)); strings.TrimSpace(text) != "" {
			texts = append(texts, strings.TrimRight(text, "\n"))
		}
	}
	return strings.Join(texts, "\n")
}

func (d *execution) excerptOf(file string) string {
	kept, err := process.ReadExcerpt(file, process.KeptOutput)
	if err != nil {
		return ""
	}
	return d.redact(strings.ToValidUTF8(string(kept), "\uFFFD"))
}

// keep writes what is kept of the output of a trial beside the journal, and returns its sum.
func (d *execution) keep(s *start, folder string, end process.End) (outputSum, error) {
	var all []byte
	for _, of := range []struct {
		name string
		size int64
	}{{stdoutName, end.StdoutSize}, {stderrName, end.StderrSize}} {
		if of.size == 0 {
			continue
		}
		text := d.excerptOf(filepath.Join(folder, of.name))
		if text == "" {
			continue
		}
		all = append(append(all, of.name...), text...)
		path := filepath.Join(d.kept, s.id[strings.LastIndexByte(s.id, '.')+1:]+"."+of.name)
		if err := errors.Join(os.MkdirAll(d.kept, 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return outputSum{}, fmt.Errorf("cannot save the output of a trial: %w", err)
		}
	}
	if all == nil {
		return outputSum{}, nil
	}
	return sha256.Sum256(all), nil
}

// Startable reports a command that cannot be started at all, before anything is.
func (t *Template) Startable() error {
	if t == nil || len(t.Text()) == 0 {
		return nil
	}
	// Who writes a command in quotes means a line of a shell.
	if line := t.text[0]; len(t.text) == 1 && len(strings.Fields(line)) > 1 {
		if _, err := exec.LookPath(line); err != nil {
			how := words.If(strings.ContainsAny(line, "|&;<>$`"), "start a shell: -- "+words.Shell("sh", "-c", line))
			return fmt.Errorf("the command %q is one word with spaces; %s", line, cmp.Or(how, "leave out the quotes: -- "+line))
		}
	}
	for _, p := range t.args[0] {
		if p.name != "" {
			return nil // nobody knows yet
		}
	}
	if variable().MatchString(t.text[0]) {
		return fmt.Errorf("%s is a variable, not a command; let env set it, as in -- env %s", t.text[0], words.Shell(t.text...))
	}
	return Startable(t.Argv(Values{})[0])
}

// variable is how people set one before a command, which a shell understands.
var variable = regex.Of(`^[A-Za-z_][A-Za-z0-9_]*=`)

// ofShells are commands that are no programs.
var ofShells = []string{"cd", "export", "source", ".", "set", "eval", "exec", "alias", "unset", "if", "for", "while"}

// Startable reports a program of this name that cannot be started at all.
func Startable(name string) error {
	_, err := exec.LookPath(name)
	switch {
	case name == "":
		return errors.New("the command is empty: name a program")
	case errors.Is(err, exec.ErrDot):
		return nil
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("the command %s is a folder: name the program that is in it", name)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		if here := "." + string(filepath.Separator) + name; filepath.Base(name) == name && isFile(here) {
			return fmt.Errorf("the command %s is not in PATH; write %s", name, here)
		}
		if slices.Contains(ofShells, name) {
			return fmt.Errorf("the command %s is built into the shell; start a shell with the whole line in quotes, as in -- sh -c \"cd folder "+
				"&& ./test\"", name)
		}
		return fmt.Errorf("the command %s was not found; check its name, PATH and permissions", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the command %s is not executable; chmod +x it, or name the program that runs it", name)
	}
	return err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
