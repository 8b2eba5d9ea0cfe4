package preset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// nodeID is the label with the name by which pytest runs a test, seen from where it
// starts. Its report has dots in the place of slashes and colons.
const nodeID = "nodeid"

// listPytest reads pytest --collect-only at verbosity -1: a node id a line, up to a
// line without anything, and behind it what could not be collected.
func listPytest(c *command) (func([]byte) ([]Test, error), error) {
	rootdir, _ := c.value("--rootdir")
	operands := c.operands
	return func(stdout []byte) ([]Test, error) {
		ids, err := nodeIDs(stdout)
		if err != nil {
			return nil, err
		}
		place, err := folderOf(ids, rootdir, operands)
		if err != nil {
			return nil, err
		}
		return each.Of(ids, func(id string) Test { return Test{Key: keyOf(id), Labels: map[string]string{nodeID: place + id}} }), nil
	}, nil
}

func nodeIDs(stdout []byte) (ids []string, err error) {
	var broken, other []string
	ended := false
	for line := range strings.Lines(strings.ToValidUTF8(string(stdout), "\uFFFD")) {
		line = strings.TrimRight(line, "\r\n")
		ended = ended || line == "" && len(ids) > 0 || strings.HasPrefix(line, "===")
		what, error := strings.CutPrefix(line, "ERROR ")
		switch {
		case error:
			broken = append(broken, what)
		case !ended && isNodeID(line):
			ids = append(ids, line)
		default:
			other = append(other, line)
		}
	}
	if len(broken) > 0 {
		return nil, fmt.Errorf("pytest cannot collect %s: %s", strings.Join(broken, ", "), reasons(other))
	}
	if len(ids) == 0 {
		return nil, errors.New("no test was collected; " + words.Printed(other...))
	}
	return ids, nil
}

func isNodeID(line string) bool {
	file, _, parted := strings.Cut(line, "::")
	return parted && file != "" && !strings.HasPrefix(file, " ") && keyOf(line).Test != ""
}

// reasons are the lines with which pytest says what went wrong.
func reasons(lines []string) string {
	var whys []string
	for _, line := range lines {
		if why, is := strings.CutPrefix(line, "E  "); is {
			whys = append(whys, strings.TrimSpace(why))
		}
	}
	if len(whys) == 0 {
		whys = lines
	}
	return words.Head(strings.Join(whys, "\n"), excerpt)
}

// keyOf is the test as the report of pytest names it: the class is the path with dots and without
// .py, and the classes in the file. Brackets begin the parameters, in which anything may stand.
func keyOf(id string) envelope.Key {
	path, parameters, bracket := strings.Cut(id, "[")
	names := strings.Split(path, "::")
	names[0] = strings.TrimSuffix(strings.ReplaceAll(names[0], "/", "."), ".py")
	last := len(names) - 1
	names[last] += words.If(bracket, "["+parameters)
	return envelope.Key{Suite: strings.Join(names[:last], "."), Test: names[last]}
}

// folderOf is the path to put before node ids, which begin at the root of pytest. That is another
// folder than ours if a configuration or the arguments say so, and pytest does not print it. It
// is the folder that has all files.
func folderOf(ids []string, rootdir string, operands []string) (string, error) {
	var files []string
	for _, id := range ids {
		file, _, _ := strings.Cut(id, "::")
		if bracket := strings.IndexByte(file, '['); bracket >= 0 && !exists(file) {
			file = file[:bracket]
		}
		files = append(files, file)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	for _, folder := range roots(rootdir, operands) {
		if !slices.ContainsFunc(files, func(file string) bool { return !exists(filepath.Join(folder, file)) }) {
			if folder == "." {
				return "", nil
			}
			return filepath.ToSlash(folder) + "/", nil
		}
	}
	return "", fmt.Errorf("no folder has all files that pytest lists, such as %s: start tribunal in pytest's rootdir", files[0])
}

// roots are the folders that may be the root: the one that is named, this one and
// those around it, those of the arguments and around them.
func roots(rootdir string, operands []string) (folders []string) {
	if rootdir != "" {
		folders = append(folders, rootdir)
	}
	folders = append(folders, ".")
	const most = 64
	around := func(from string) {
		abs, err := filepath.Abs(from)
		for range most {
			if err != nil || abs == filepath.Dir(abs) {
				return
			}
			abs = filepath.Dir(abs)
			folders = append(folders, abs)
		}
	}
	around(".")
	for _, o := range operands {
		file, _, _ := strings.Cut(o, "::")
		folders = append(folders, file)
		around(file)
	}
	return folders
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// spellPytest is the node id of a test. A test that was not listed is named by it.
func spellPytest(t Test) string {
	if id, listed := t.Labels[nodeID]; listed {
		return id
	}
	return t.Test
}

// outcomes are the words that pytest prints behind a node id at verbosity 1.
var outcomes = map[string]envelope.Status{
	"PASSED": envelope.Pass, "FAILED": envelope.Fail, "ERROR": envelope.Error, "SKIPPED": envelope.Skip, "XFAIL": envelope.Skip,
	"XPASS": envelope.Pass,
}

// printedByPytest reads the lines of pytest, each a node id that is printed when its test
// begins and a word when it has been called. The test of the last one was running: if it
// has its word, in its teardown. Behind all tests are lines with equals signs.
func printedByPytest(stdout []byte, asked []Test) (trials []envelope.Trial) {
	keys := map[string]envelope.Key{}
	for _, t := range asked {
		keys[spellPytest(t)] = t.Key
	}
	at, over := map[envelope.Key]int{}, false
	last := -1
	for line := range strings.Lines(string(stdout)) {
		key, said, known := cutOutcome(strings.TrimRight(line, " \r\n"), keys)
		if over = strings.HasPrefix(line, "=") || over && !known; !known {
			continue
		}
		if _, again := at[key]; !again {
			at[key] = len(trials)
			trials = append(trials, envelope.Trial{Key: key})
		}
		last = at[key]
		if t := &trials[last]; said != "" && (t.Status == "" || said == "ERROR") { // an error of its teardown comes second
			t.Status, t.RawStatus, t.Message = outcomes[said], said, "pytest printed "+said+", and wrote no report"
		}
	}
	if last >= 0 && !over {
		trials[last].Unended = envelope.Running
	}
	return slices.DeleteFunc(trials, func(t envelope.Trial) bool { return t.Status == "" && t.Unended == 0 })
}

// cutOutcome is the test of a line that begins with its node id, and the word of its outcome
// behind it; there is none where the test has not been called, or prints itself.
func cutOutcome(line string, keys map[string]envelope.Key) (key envelope.Key, word string, known bool) {
	if key, known = keys[line]; known {
		return key, "", true
	}
	for at := range line {
		if line[at] != ' ' {
			continue
		}
		if key, known = keys[line[:at]]; known {
			if word, _, _ = strings.Cut(line[at+1:], " "); outcomes[word] == "" {
				word = ""
			}
			return key, word, true
		}
	}
	return envelope.Key{}, "", false
}
