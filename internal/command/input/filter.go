package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/each"
	"tribunal/internal/run/journal"
	"tribunal/internal/words"
	"tribunal/read"
)

// WithoutReplaced skips the outputs that this run overwrites: they have the trials of an earlier run.
func WithoutReplaced(b *count.Builder, files []File, names Names) []File {
	replaced := func(f File) bool { return f.Replaced }
	passed := each.Of(each.Where(files, replaced), func(f File) string { return names.Of(f.Name) })
	passOver(b, envelope.SeverityInfo, passed, len(files), "replaced by this call")
	return slices.DeleteFunc(slices.Clone(files), replaced)
}

// Sift skips files found in directories: those of no known format, those that only repeat
// the trials of other files, and those that a trial wrote. It returns as ignored the files
// whose trials are mostly in other files: whether they count depends on those.
func Sift(b *count.Builder, files []File, names Names) (kept, ignored []File) {
	kinds := make([]read.Kind, len(files))
	single := map[string]bool{}           // formats of which single trials were found
	left := map[string]bool{}             // folders of what trials left behind
	wrote := map[string]map[string]bool{} // by writer, the folders of its reports
	for i, f := range files {
		if !f.Found || f.unread != nil {
			continue
		}
		k := kindOf(f.Name)
		kinds[i] = k
		if k.Format != "" && !k.Spare {
			single[k.Format] = true
			markFolders(left, f.Name, k.Format)
			if wrote[k.Writer] == nil {
				wrote[k.Writer] = map[string]bool{}
			}
			wrote[k.Writer][filepath.Dir(f.Name)] = true
		}
	}
	others := others(files, kinds)
	endings := map[string]bool{} // of what is read
	for i, f := range files {
		if k := kinds[i]; !f.Found || k.Format != "" && !(k.Spare && single[k.Format]) && !isBelow(left, f.Name) {
			endings[ending(f.Name)] = true
		}
	}
	var tables, unknown, dead, repeated, again, behind, outside []string
	for i, f := range files {
		k, why := kinds[i], ""
		if f.Found && f.unread == nil && k.Format == "" && !f.beside && !isBelow(left, f.Name) && (endings[ending(f.Name)] || len(endings) == 0) {
			why = deadBy(f.Name)
		}
		switch {
		case f.outside:
			outside = append(outside, names.Of(f.Name))
		case f.unread != nil:
			kept = append(kept, f)
		case why != "":
			dead = append(dead, names.Of(f.Name)+" ("+why+")")
		case f.Found && k.Table && !f.beside:
			tables = append(tables, names.Of(f.Name))
		case f.Found && k.Format == "" && !f.beside:
			unknown = append(unknown, names.Of(f.Name))
		case f.Found && k.Spare && single[k.Format]:
			repeated = append(repeated, names.Of(f.Name))
		case f.again, f.Found && k.Again != "" && wrote[k.Again][filepath.Join(filepath.Dir(f.Name), k.Folder)]:
			again = append(again, names.Of(f.Name))
		case f.beside, f.Found && isBelow(left, f.Name):
			behind = append(behind, names.Of(f.Name))
		case f.Found && slices.ContainsFunc(k.Beside, func(other string) bool { return slices.Contains(others, other) }):
			ignored = append(ignored, f)
		default:
			kept = append(kept, f)
		}
	}
	passOver(b, envelope.SeverityWarning, outside, len(files), "links out of the folder")
	tellDead(b, dead, len(files), len(endings) > 0)
	passOver(b, envelope.SeverityInfo, unknown, len(files), "no known format; an attachment that a report names is read with it")
	passOver(b, envelope.SeverityInfo, tables, len(files), "records of no runner; to read one, name the file")
	passOver(b, envelope.SeverityInfo, repeated, len(files), "only trials that other files have")
	passOver(b, envelope.SeverityInfo, again, len(files), "the same trials again, as TestNG, Ant or Allure write them; to read one, name it")
	passOver(b, envelope.SeverityInfo, behind, len(files), "next to a journal, or written by trials; to read one, name it alone")
	return kept, ignored
}

// ofRunsWithOthers begins the note on ignored files.
const ofRunsWithOthers = "of Karate, Nightwatch, Serenity or pytest-html"

// PassAside reports files that are skipped because other files have most trials of their runs.
func PassAside(b *count.Builder, files []File, names Names, all int) {
	passOver(b, envelope.SeverityInfo, called(files, names), all,
		ofRunsWithOthers+"; another file may report their run; to read a skipped file, name it")
}

// CountAside reports those of them that count, because tests failed only in them.
func CountAside(b *count.Builder, files []File, names Names, all int) {
	if len(files) == 0 {
		return
	}
	b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Count: len(files),
		Message: fmt.Sprintf("%d of %d files (%s) count too, because some tests failed only there: %s; to leave these out, name only the others",
			len(files), all, ofRunsWithOthers, listed(called(files, names)))})
}

func called(files []File, names Names) []string {
	return each.Of(files, func(f File) string { return names.Of(f.Name) })
}

// markFolders marks the folders in which the trials of a file leave their own files.
func markFolders(left map[string]bool, name, format string) {
	f, _ := read.ByName(format) // a file that cannot be opened has no format
	for _, folder := range f.Folders {
		left[filepath.Join(filepath.Dir(name), folder)] = true
	}
}

func isBelow(folders map[string]bool, name string) bool {
	for dir := filepath.Dir(name); dir != name; name, dir = dir, filepath.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

func kindOf(name string) (k read.Kind) {
	k.Format, _ = ask(name, func(r io.Reader) (string, bool) {
		k = read.Recognise(name, r)
		return k.Format, false
	})
	return k
}

// ask asks package read what a file is. A file that cannot be opened is kept: reading it reports the error.
func ask(name string, what func(io.Reader) (format string, yes bool)) (format string, yes bool) {
	file, err := os.Open(name)
	if err != nil {
		return "unreadable", false
	}
	defer file.Close()
	return what(file)
}

const namedFiles = 5

// others lists the formats and writers of the files found, if one of them does not count
// beside others. Tribunal's own reports are left out: they may be of another run.
func others(files []File, kinds []read.Kind) (told []string) {
	if !slices.ContainsFunc(kinds, func(k read.Kind) bool { return len(k.Beside) > 0 }) {
		return nil // saves opening the files
	}
	for i, k := range kinds {
		if k.Format == "" || k.Spare || slices.Contains(told, k.Format) && slices.Contains(told, k.Writer) {
			continue
		}
		if _, own := files[i].Own(); !own {
			told = append(told, k.Format, k.Writer)
		}
	}
	return told
}

// passOver reports skipped files of directories, as an error if nothing else is there.
func passOver(b *count.Builder, severity envelope.Severity, unknown []string, all int, why string) {
	if len(unknown) == 0 {
		return
	}
	if len(unknown) == all {
		severity = envelope.SeverityError
	}
	message := fmt.Sprintf("%s skipped (%s): %s", words.Plural(len(unknown), "file", "files"), why, listed(unknown))
	b.Problem(envelope.Problem{Severity: severity, Code: "passed-over", Count: len(unknown), Message: message})
}

// RecogniseOwn returns the format of a file and whether it is one of Tribunal's own reports.
func RecogniseOwn(name string) (format string, own bool) {
	return ask(name, func(r io.Reader) (string, bool) {
		report, own := read.RecogniseOwn(r)
		return report.Format, own
	})
}

// within lists the files of a directory and below it, in order. It leaves out node_modules
// and hidden files, except folders in which a runner keeps results. A file is itself.
func within(name, fence string) []File {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []File{{Name: name}}
	}
	t := tree{root: name, seen: map[string]bool{}}
	if fence != "" {
		t.fence, _ = whereIs(fence) // it exists: this program runs in it
	}
	err := t.look()
	if ofRuns(t.real) {
		t.files = slices.DeleteFunc(t.files, func(f File) bool { return f.unread == nil && filepath.Base(f.Name) != journal.FileName })
	}
	if err != nil || len(t.files) == 0 {
		return []File{{Name: name}} // opening it reports the error
	}
	slices.SortFunc(t.files, func(a, b File) int { return envelope.CompareNames(a.Name, b.Name) })
	return t.files
}

// installed is the folder of npm packages. Some contain reports of their own tests, and
// Playwright an empty page for its reports.
const installed = "node_modules"

// tree collects the files of a directory. Links are followed last, so that each file counts
// once. A folder that cannot be listed is one of the files: reading it reports the error.
type tree struct {
	root, real string // the directory as it was named, and where it is
	fence      string // no link leads out of it; "" is none
	files      []File
	links      []string
	seen       map[string]bool // where the files and folders are that were found
}

// look finds the files of the directory, also behind links.
func (t *tree) look() (err error) {
	if t.real, err = whereIs(t.root); err != nil {
		return err
	}
	t.enter(t.root, t.real)
	for len(t.links) > 0 {
		link := t.links[0]
		t.links = t.links[1:]
		t.follow(link)
	}
	return nil
}

// whereIs returns the absolute path of a file or folder, with links resolved.
func whereIs(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func (t *tree) follow(link string) {
	info, err := os.Stat(link)
	if err != nil {
		t.files = append(t.files, File{Name: link, Found: true}) // reading it reports that the link is broken
		return
	}
	real, err := whereIs(link)
	switch {
	case err != nil:
		t.miss(link, err)
	case t.fence != "" && !Within(real, t.fence):
		t.files = append(t.files, File{Name: link, Found: true, outside: true,
			unread: errors.New("a link leads out of the folder: it is not read")})
	case info.IsDir() && !Within(t.real, real):
		t.enter(link, real)
	case info.Mode().IsRegular():
		t.add(link, real)
	}
}

func (t *tree) miss(path string, err error) {
	t.files = append(t.files, File{Name: path, Found: true,
		unread: fmt.Errorf("cannot look into this folder: %w; what is in it is not counted", words.OfFile(err))})
}

// Within reports that a path is a folder's or below it.
func Within(path, folder string) bool {
	below, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(below)
}

// enter adds the files of a directory and below it, and keeps links for later.
func (t *tree) enter(dir, real string) {
	if t.seen[real] {
		return
	}
	t.seen[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.miss(dir, err) // what could be listed counts
	}
	for _, entry := range entries {
		path, real := filepath.Join(dir, entry.Name()), filepath.Join(real, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), ".") && !(entry.IsDir() && hides(entry.Name())):
		case entry.Name() == installed:
		case entry.Type()&os.ModeSymlink != 0:
			t.links = append(t.links, path)
		case entry.IsDir():
			t.enter(path, real)
		case entry.Type().IsRegular():
			t.add(path, real)
		}
	}
}

func (t *tree) add(file, real string) {
	if !t.seen[real] {
		t.seen[real] = true
		t.files = append(t.files, File{Name: file, Found: true})
	}
}

// ofRuns reports whether a path is the folder of runs or below it, where only journals are read.
func ofRuns(path string) bool {
	return slices.Contains(strings.Split(path, string(filepath.Separator)), filepath.Dir(journal.Runs))
}

// withoutKept skips the files that a run keeps beside its journal: they repeat its trials. A
// named input that is skipped is reported, and so is a file that no run puts there.
func withoutKept(files []File) (kept []File) {
	runs := map[string]bool{}
	for _, f := range files {
		if dir, name := filepath.Split(f.absolute()); name == journal.FileName && journal.IsRun(dir) {
			runs[filepath.Clean(dir)] = true
		}
	}
	for _, f := range files {
		switch path := f.absolute(); {
		case f.Name == Standard || !isBelow(runs, path):
		case filepath.Base(path) == journal.FileName && !isBelow(runs, filepath.Dir(path)):
		case f.Found && (filepath.Ext(path) == "" || filepath.Base(path) == journal.InvocationName || !runs[filepath.Dir(path)]):
			continue
		default:
			f.beside = true
		}
		kept = append(kept, f)
	}
	return kept
}

func (f File) absolute() string {
	path, err := filepath.Abs(f.Name)
	if err != nil { // there is no working directory
		return f.Name
	}
	return path
}
