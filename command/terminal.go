package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/driver"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/render"
	"tribunal/verdict"
)

// stopping handles signals: it removes temporary files and folders before the program exits.
// While a runner is piped in, the first interrupt only waits: the runner receives it as well,
// and when it ends, its results so far are reported.
type stopping struct {
	mu    sync.Mutex
	undo  map[int]func()
	begun int
	piped bool // standard input is being read
	asked bool // somebody interrupted it meanwhile
	run   chan driver.Signal
	level driver.Signal // what a run was asked for last
}

var stop stopping

// meanwhile registers a clean-up for a signal that arrives before settled is called.
func (s *stopping) meanwhile(undo func()) (settled func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.begun
	s.begun++
	each.Put(&s.undo, id, undo)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.undo, id)
	}
}

func (s *stopping) setPiped(piped bool) (asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.piped = piped
	return s.asked
}

// asSignals gives a run that starts trials the signals of this program, until
// settled is called: the first interrupt lets what runs end, the second ends it, the
// third does so at once; SIGTERM, SIGHUP and SIGQUIT (Ctrl-\) are like the second.
func (s *stopping) asSignals() (signals <-chan driver.Signal, settled func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run, s.level = make(chan driver.Signal, 8), driver.Finish-1
	resume := followSuspend(s.run)
	return s.run, func() {
		resume()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.run = nil
	}
}

func (s *stopping) handOn(sig os.Signal) {
	s.level = min(s.level+1, driver.Kill)
	if sig != os.Interrupt {
		s.level = max(s.level, driver.Stop)
	}
	select {
	case s.run <- s.level:
	default: // it has been told often enough
	}
}

// receive is asked what to do at a signal: wait for the end of the input, or stop
// now, in which case everything has been undone.
func (s *stopping) receive(sig os.Signal) (wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		s.handOn(sig)
		return true
	}
	if sig == os.Interrupt && s.piped && !s.asked {
		s.asked = true
		return true
	}
	s.undoAll()
	return false
}

func (s *stopping) undoAll() {
	for _, undo := range s.undo {
		undo()
	}
}

func (s *stopping) ofRun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run != nil
}

// obey follows signals until one of them ends the program.
func (s *stopping) obey(signals <-chan os.Signal, stderr io.Writer, exit func(code int)) {
	for sig := range signals {
		if s.receive(sig) {
			if s.ofRun() {
				continue // the run reports what it does
			}
			fmt.Fprintln(stderr, "tribunal: interrupted: waiting for the runner to end, then reporting; interrupt again to stop now")
			continue
		}
		exit(exitCodeOf(sig))
		return
	}
}

// exitCodeOf is 128 and the number of the signal, as shells have it.
func exitCodeOf(sig os.Signal) int {
	if n, ok := sig.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return gate.ExitUnusable
}

// handleSignals starts following signals. It leaves signals ignored that the parent ignored, as
// nohup does. A closed pipe is an error of that output only.
func (s *stopping) handleSignals() {
	signals := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	signal.Ignore(syscall.SIGPIPE)
	go s.obey(signals, os.Stderr, os.Exit)
}

func describeTerminals(env *Env) {
	env.StdinIsTerminal = term.IsTerminal(int(os.Stdin.Fd()))
	env.StdoutWidth = terminalWidth(os.Stdout)
	if term.IsTerminal(int(os.Stderr.Fd())) {
		env.StderrSize = func() (columns, rows int) {
			_, rows, _ = term.GetSize(int(os.Stderr.Fd())) // 0 where nobody knows
			return terminalWidth(os.Stderr), rows
		}
	}
}

func terminalWidth(f *os.File) int {
	if !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

var colorModes = []string{"auto", "always", "never"}

// colored decides whether standard output gets colour. Order: the flag,
// NO_COLOR, FORCE_COLOR or CLICOLOR_FORCE, CLICOLOR=0 or TERM=dumb, and last
// whether it is a terminal or the log of a CI known to show colours.
func colored(env Env, mode string) (bool, error) {
	set := func(name string) bool { v := env.Getenv(name); return v != "" && v != "0" }
	switch {
	case !slices.Contains(colorModes, mode):
		return false, fmt.Errorf("--color %q: use one of %s", mode, strings.Join(colorModes, ", "))
	case mode != "auto":
		return mode == "always", nil
	case env.Getenv("NO_COLOR") != "":
		return false, nil
	case set("FORCE_COLOR"), set("CLICOLOR_FORCE"):
		return true, nil
	case env.Getenv("CLICOLOR") == "0", env.Getenv("TERM") == "dumb":
		return false, nil
	}
	return env.StdoutWidth > 0 || set("GITHUB_ACTIONS") || set("GITLAB_CI"), nil
}

func terminal(env Env, mode string, ascii bool) (render.Terminal, error) {
	color, err := colored(env, mode)
	return render.Terminal{Color: color, Width: stdoutWidth(env), ASCII: ascii || !unicodeLocale(env), Kept: env.StdoutWidth == 0 &&
		columns(env) == 0}, err
}

// widthOfFiles is the width of reports outside a terminal: what CI logs show on one line.
const widthOfFiles = 120

// stdoutWidth is the width of standard output: what COLUMNS says, also where there is no
// terminal, or that of the terminal.
func stdoutWidth(env Env) int { return cmp.Or(columns(env), env.StdoutWidth, widthOfFiles) }

func columns(env Env) int {
	columns, err := strconv.Atoi(env.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return max(0, columns)
}

// unicodeLocale reports whether the locale takes more than ASCII. Where nothing
// says so, as on Windows and in most CI jobs, UTF-8 is assumed.
func unicodeLocale(env Env) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(env.Getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}

// standardOutput is standard output with its first error. If its reader has closed the pipe,
// as head does, the rest is dropped, and the other outputs are written in full.
type standardOutput struct {
	to   io.Writer
	err  error
	gone bool
}

func (w *standardOutput) Write(p []byte) (int, error) {
	if w.gone {
		return len(p), nil
	}
	n, err := w.to.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		w.gone = true
		return len(p), nil
	}
	if err != nil {
		w.err = fmt.Errorf("cannot write to standard output: %w", words.OfFile(err))
	}
	return n, w.err
}

// Stat is of the file that standard output is, if it is one.
func (w *standardOutput) Stat() (os.FileInfo, error) { return streamInfo(w.to) }

// redactingWriter is standard error without secrets: messages may quote an argument, a path
// or an input, and CI logs keep them. --no-redact does not apply here.
type redactingWriter struct {
	mu     sync.Mutex
	to     io.Writer
	policy envelope.Policy
}

// use hides what a policy asks for beside the known credentials from here on.
func (h *redactingWriter) use(p envelope.Policy) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.policy = envelope.Policy{RedactPatterns: p.RedactPatterns, RedactFields: p.RedactFields}
}

// Write is given one message at a time.
func (h *redactingWriter) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	shown, err := verdict.Hide(string(p), h.policy)
	if err != nil { // the error names what of the policy cannot be used
		shown, err = verdict.Hide(string(p), envelope.Policy{})
	}
	if err != nil {
		return 0, err
	}
	if _, err := io.WriteString(h.to, shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// redactStderr adds what a policy wants hidden.
func redactStderr(env Env, p envelope.Policy) {
	if h, ok := env.Stderr.(*redactingWriter); ok {
		h.use(p)
	}
}

// mostQuoted is how many bytes of an argument an error quotes: enough to know it by.
const mostQuoted = 200

// longestError is the limit for a line of an error that quotes something else, such as a
// variable of the environment.
const longestError = 2000

// brief shortens long arguments in the text of an error, quoted or not.
func brief(text string, args []string) string {
	for _, arg := range args {
		for _, part := range partsOf(arg) {
			text = cutOut(text, part)
			quoted := strconv.Quote(part)
			text = cutOut(text, quoted[1:len(quoted)-1])
		}
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if len(line) > longestError {
			end := line[len(strings.TrimRight(line, "\n")):]
			lines[i] = words.Head(line, longestError) + end
		}
	}
	return strings.Join(lines, "")
}

// partsOf splits a long argument into the pieces that an error may quote: whole, without
// dashes, after each "=" of --output=json=PATH, and its words.
func partsOf(arg string) []string {
	if len(arg) <= mostQuoted {
		return nil
	}
	_, value, _ := strings.Cut(arg, "=")
	_, path, _ := strings.Cut(value, "=")
	words := strings.FieldsFunc(arg, func(c rune) bool { return strings.ContainsRune(`=/\:, "`, c) })
	return append([]string{arg, strings.TrimLeft(arg, "-"), value, path}, words...)
}

func cutOut(text, part string) string {
	if len(part) <= mostQuoted {
		return text
	}
	return strings.ReplaceAll(text, part, words.Head(part, mostQuoted))
}
