package driver

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
	"tribunal/read"
)

// messageLimit is how much of an output becomes the message of a trial.
const messageLimit = 4 << 10

func (d *execution) read(s *start, v Values, folder string, end process.End, into *report) {
	stderr := ""
	if end.StderrSize > 0 {
		stderr = d.excerptOf(filepath.Join(folder, stderrName))
	}
	exit := d.exitOf(folder, end, stderr)
	into.permanent = d.run.markInfrastructure(&exit, stderr)
	into.exit = &exit
	lone := len(s.Trials) == 1 && d.run.Plan.Form != runner.Sweep
	missing, unreached := d.unreported(exit, end, stderr, lone)
	into.missing, into.unreached = &missing, unreached
	if d.run.Judge != nil {
		d.judge(s, folder, end, into)
		return
	}
	into.failed = failedBy(exit, end, stderr)
	if d.run.As == nil && !d.run.Auto {
		if d.run.untold {
			d.sniffOnce.Do(func() { into.unread = d.formatOf(filepath.Join(folder, stdoutName), v.Out) })
		}
		return
	}
	o := d.run.Reading
	o.As = d.run.As
	if o.As == nil && d.formatOf(filepath.Join(folder, stdoutName), v.Out) == "" {
		if d.run.Plan.Form == runner.Batch || d.run.Command.Uses(nameOut) { // of several tests, or beside a report, an exit code says nothing
			into.exit = nil
			missing.Message += "\nits output is of no known format" + d.whatWasPrinted(folder, end)
		}
		if len(s.Trials) == 0 && into.exit != nil { // the first of a sweep
			into.printed = printedIn(folder)
		}
		return
	}
	into.exit = nil
	if d.run.Recipe.Learn != nil && len(s.Trials) == 0 {
		if report, err := os.ReadFile(v.Out); err == nil { // else there is none to learn from
			d.run.Recipe.Learn(report)
		}
	}
	files := outputs(folder, v.Out)
	reported := files[0] == v.Out && into.failed == nil && len(s.Trials) > 0 // a failed command, or one without tests, is reported separately
	if d.run.Recipe.Printed != nil && files[0] != v.Out {
		into.trials = d.printed(s, folder)
	} else {
		d.readTrials(files, o, reported, into)
	}
	ofTest := slices.IndexFunc(into.trials, func(t envelope.Trial) bool { return !strings.HasPrefix(t.Test, "[") })
	if len(into.trials) == 0 && unreached { // else it says why
		missing.Message += d.whatWasPrinted(folder, end)
	} else if ofTest >= 0 && lone && d.run.Recipe.Preset == "" {
		missing.Message += "\nit printed a trial of " + into.trials[ofTest].Key.String() + ": print the name that {test} and $TRIBUNAL_TEST have"
	}
	into.settle(exit, end, lone)
	for i := range into.trials {
		t := &into.trials[i]
		if t.StartedAt.IsZero() {
			t.StartedAt = end.Started
		}
		if d.run.Plan.Form == runner.Each && !t.DurationMS.OK {
			t.DurationMS = exit.DurationMS
		}
		into.permanent = d.run.markInfrastructure(t, stderr) || into.permanent
	}
}

func (d *execution) exitOf(folder string, end process.End, stderr string) envelope.Trial {
	exit := d.run.byExit(end)
	exit.StartedAt = end.Started
	exit.DurationMS = envelope.Some(float64(end.Duration.Microseconds()) / 1000)
	if exit.Status != envelope.Pass {
		exit.Output = d.excerpt(folder)
		exit.Message = messageOf(d.excerptOf(filepath.Join(folder, stdoutName)), stderr, end)
		if strings.TrimSpace(exit.Output) == exit.Message {
			exit.Output = "" // it says no more
		}
	}
	return exit
}

// whatWasPrinted is how the output of a start begins in which no trial is, besides its standard
// error, and what to do.
func (d *execution) whatWasPrinted(folder string, end process.End) string {
	printed := words.If(end.StdoutSize > 0 || end.StderrSize == 0, "\n"+words.Printed(d.excerptOf(filepath.Join(folder, stdoutName))))
	return printed + words.If(d.run.Recipe.Preset == "", "\n--from junit reads a JUnit report, and --from exit the exit code; one line per "+
		`trial, such as {"test":"x","status":"pass"}, needs neither`)
}

func (d *execution) printed(s *start, folder string) []envelope.Trial {
	stdout, err := os.ReadFile(filepath.Join(folder, stdoutName))
	if err != nil {
		return nil // and so nothing is known of any test
	}
	return d.run.Recipe.Printed(stdout, d.testsOf(s.Trials))
}

// readTrials reads the files that a start wrote, and notes what cannot be read. A report at
// the path of {out} is noted even if nothing in it can be read.
func (d *execution) readTrials(files []string, o read.Options, reported bool, into *report) {
	var told [][]envelope.Trial
	for _, file := range files {
		one := readFile(file, o)
		for i := range one.Trials {
			if t := &one.Trials[i]; isUnread(t) {
				t.Status = envelope.Fail
			}
		}
		told = append(told, one.Trials)
		for _, p := range one.Problems {
			into.cached = into.cached || p.Code == envelope.CodeCachedResults
			if p.Severity == envelope.SeverityError {
				words := filepath.Base(file) + ": " + p.Message
				into.missing.Message += "\n" + words
				if (len(one.Trials) > 0 || reported) && into.malformed == "" && !(p.Code == envelope.CodeTruncated && into.failed != nil) {
					into.malformed = words
				}
			}
		}
	}
	into.trials = mergeFiles(told)
}

// isUnread reports a trial of which nothing that judges it could be read.
func isUnread(t *envelope.Trial) bool {
	return t.Status == "" && !t.Score.OK && !t.Category.OK && len(t.Checks) == 0
}

// mergeFiles are the trials of files, each where one of its test stands, with the last try
// of a test behind the others: one file has them in order, and of several the names say
// nothing. A try of another file is a retry. Where some do not tell when they began, a try
// that did not pass counts, for it may have been the last.
func mergeFiles(files [][]envelope.Trial) (all []envelope.Trial) {
	if len(files) == 1 {
		return files[0]
	}
	places, tries := map[envelope.Key][]int{}, map[envelope.Key][]try{}
	for i, file := range files {
		ended := endsOf(file)
		for _, t := range file {
			places[t.Key] = append(places[t.Key], len(all))
			tries[t.Key] = append(tries[t.Key], try{t, i, ended[t.Key]})
			all = append(all, t)
		}
	}
	for key, of := range tries {
		slices.SortStableFunc(of, compareTries(of))
		for i, at := range places[key] {
			all[at] = of[i].Trial
			all[at].Retry = all[at].Retry || i > 0 && of[i].file != of[i-1].file
		}
	}
	return all
}

// try is a trial, the number of its file, and how its test ended there.
type try struct {
	envelope.Trial
	file  int
	ended envelope.Trial
}

func endsOf(file []envelope.Trial) map[envelope.Key]envelope.Trial {
	of := map[envelope.Key][]envelope.Trial{}
	for _, t := range file {
		of[t.Key] = append(of[t.Key], t)
	}
	ended := map[envelope.Key]envelope.Trial{}
	for key, trials := range of {
		ended[key] = trials[decisive(trials)]
	}
	return ended
}

// compareTries orders tries of a test by when they began, or else by how they ended.
func compareTries(of []try) func(a, b try) int {
	if slices.ContainsFunc(of, func(t try) bool { return t.StartedAt.IsZero() }) {
		return func(a, b try) int { return compareStatus(&a.ended, &b.ended) }
	}
	return func(a, b try) int { return a.StartedAt.Compare(b.StartedAt) }
}

// compareStatus orders trials by what their test would have ended with, the worst last.
func compareStatus(a, b *envelope.Trial) int {
	return cmp.Or(cmp.Compare(rank(a.Status), rank(b.Status)), cmp.Compare(judgedNumber(b), judgedNumber(a)))
}

// rank orders the statuses of a test, the worst last. Without a status, the score or category decides.
func rank(s envelope.Status) int {
	if at := slices.Index([]envelope.Status{envelope.Skip, envelope.Pass, ""}, s); at >= 0 {
		return at
	}
	return 3
}

// judgedNumber is the number that a trial is judged by beside its status: its score, its category
// or the lowest of its checks.
func judgedNumber(t *envelope.Trial) float64 {
	switch {
	case t.Score.OK:
		return t.Score.V
	case t.Category.OK:
		return float64(t.Category.V)
	}
	lowest := math.Inf(1)
	for _, c := range t.Checks {
		switch {
		case c.Status == envelope.Fail || c.Status == envelope.Error:
			return math.Inf(-1)
		case c.Status == "":
			lowest = min(lowest, c.Score.Or(lowest))
		}
	}
	return lowest
}

// formatOf is the format of an output by its content, "" if it is of none.
func (d *execution) formatOf(stdout, out string) string {
	file, err := os.Open(outputs(filepath.Dir(stdout), out)[0])
	if err != nil {
		return ""
	}
	defer file.Close()
	return read.Recognise(file.Name(), file).Format
}

// printedIn is what a runner printed for people, some to standard error, which tells no trials.
func printedIn(folder string) read.Print {
	for _, name := range []string{stdoutName, stderrName} {
		if p, is := read.PrintIn(fileHead(filepath.Join(folder, name))); is {
			return p
		}
	}
	return read.Print{}
}

// fileHead are the first bytes of a file, none of one that cannot be read.
func fileHead(path string) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	const enough = 4 << 10
	head, _ := io.ReadAll(io.LimitReader(file, enough))
	return head
}

// outputs are the files to read: that of {out}, else all in its folder, else standard output.
func outputs(folder, out string) []string {
	if info, err := os.Stat(out); err == nil && info.Mode().IsRegular() {
		return []string{out}
	}
	var files []string
	_ = filepath.WalkDir(filepath.Dir(out), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, path)
		}
		return nil // what cannot be looked into has no trial, and that is said
	})
	if len(files) > 0 {
		return files
	}
	return []string{filepath.Join(folder, stdoutName)}
}

func readFile(path string, o read.Options) read.Output {
	file, err := os.Open(path)
	if err != nil {
		return read.Output{Problems: []envelope.Problem{{Severity: envelope.SeverityError, Message: err.Error()}}}
	}
	defer file.Close()
	o.Name, o.Below = path, read.Below(filepath.Dir(path))
	return read.Trials(io.Reader(file), o)
}

func (t *report) allPassed() bool {
	if t.exit != nil {
		return t.exit.Status == envelope.Pass
	}
	failed := func(t envelope.Trial) bool { return t.Status != envelope.Pass }
	return len(t.trials) > 0 && t.failed == nil && !slices.ContainsFunc(t.trials, failed)
}

// recordSwept are the trials of a start of all tests. The first output of a sweep tells which tests
// there are; one that is not recognised by its content is the one test of the command.
func (d *execution) recordSwept(s *start, t *report) ([]runner.Reported, error) {
	byKey, keys := map[envelope.Key][]envelope.Trial{}, []envelope.Key(nil)
	for _, trial := range t.trials {
		key := trial.Key
		if s.Group.Variant != "" {
			key.Variant = s.Group.Variant
		}
		if d.run.Only != nil && !d.run.Only(key) {
			continue
		}
		key = d.asNamed(key)
		if byKey[key] == nil {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], trial)
	}
	alone := envelope.Key{Test: filepath.Base(d.run.Command.Text()[0]), Variant: s.Group.Variant}
	if _, known := d.scheduler.Find(alone); t.exit != nil && (known || len(s.Trials) == 0) {
		keys, byKey = []envelope.Key{alone}, map[envelope.Key][]envelope.Trial{alone: {*t.exit}}
	}
	if len(s.Trials) == 0 {
		d.cutShort = slices.ContainsFunc(t.trials, func(t envelope.Trial) bool {
			return t.ErrorClass == envelope.ClassCrash || t.ErrorClass == envelope.ClassTimeout
		})
		d.sayPrinted(alone, t)
		if err := d.listFrom(s, keys, t); err != nil {
			return nil, err
		}
	}
	var all []runner.Reported
	for _, key := range keys {
		if id, known := d.scheduler.Find(key); known {
			all = d.take(all, id, byKey[key], t)
		} else if err := d.notListed(key, countedOf(byKey[key], *t.missing)); err != nil {
			return nil, err
		}
	}
	for i, place := range s.Trials {
		if byKey[s.keys[i]] == nil {
			all = d.take(all, place.Test, nil, t)
		}
	}
	return all, nil
}

// sayPrinted notes how to get a result per test, if the first output of a sweep is only for people.
func (d *execution) sayPrinted(command envelope.Key, t *report) {
	if t.printed.Runner == "" {
		return
	}
	instead := words.Around(", as in tribunal run -n 20 -- ", t.printed.Command)
	d.watch.Advise(fmt.Sprintf("%s: the output of %s is for people, so all its tests count as one; for a verdict on each, let it write a "+
		"report for programs%s", command, t.printed.Runner, instead))
}

// listFrom fixes the tests of a sweep as its first output has them.
func (d *execution) listFrom(s *start, keys []envelope.Key, t *report) error {
	if len(keys) == 0 && len(t.trials) > 0 {
		return cmp.Or(d.journal.Append(d.noteHiddenFailure(t, nil)...),
			error(noTestsReason(d.redact(cmp.Or(d.run.Unmatched(), "--only and --new together match none of the tests")))))
	}
	if len(keys) == 0 {
		ended, wrote, _ := strings.Cut(strings.TrimPrefix(t.missing.Message, unreported), "\n")
		return noTestsReason("the command printed no trial: " + words.Join("; ", ended, strings.ReplaceAll(tail(wrote, noteLimit), "\n", "; ")))
	}
	tests := each.Of(keys, func(key envelope.Key) runner.Test { return runner.Test{Key: key} })
	from := len(d.tests)
	if err := d.list(s.Group.Variant, tests); err != nil {
		return err
	}
	lines := each.Of(each.Index(len(tests)), func(i int) journal.Test { return listed(d.scheduler, from+i, d.tests[from+i]) })
	return d.journal.Append(journal.Tests(lines))
}
