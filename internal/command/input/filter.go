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
	"tribunal/read"
)

// WithoutReplaced leaves out the outputs that this run replaces: they hold the trials of an
// earlier one.
func WithoutReplaced(b *count.Builder, files []File, names Names) []File {
	var kept []File
	var replaced []string
	for _, f := range files {
		if f.Replaced {
			replaced = append(replaced, names.Of(f.Name))
		} else {
			kept = append(kept, f)
		}
	}
	passOver(b, envelope.SeverityInfo, replaced, len(files), "are written again by this run, and skipped")
	return kept
}

// Sift leaves out of the files that were found in directories those of no known
// format, those that have no trials but those of others which were found as well, for these
// would count twice, and those that a trial left behind. Aside are those whose trials are
// mostly in others: what these hold decides.
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
	var unknown, dead, repeated, again, behind, outside []string
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
	passOver(b, envelope.SeverityWarning, outside, len(files), "are links out of the folder and skipped")
	tellDead(b, dead, len(files), len(endings) > 0)
	passOver(b, envelope.SeverityInfo, unknown, len(files), "are of no known format and skipped")
	passOver(b, envelope.SeverityInfo, repeated, len(files), "have only trials that are read from other files, and are skipped")
	passOver(b, envelope.SeverityInfo, again, len(files), "repeat the trials of others, as TestNG, Ant, Serenity and Allure do, and "+
		"are skipped (name one to read it)")
	passOver(b, envelope.SeverityInfo, behind, len(files), "were written by trials of the other files, and are skipped")
	return kept, ignored
}

// ofRunsWithOthers begins the note on ignored files.
const ofRunsWithOthers = "are of Karate, Nightwatch, Serenity or pytest-html"

// PassAside reports files that are not read because the trials of their runs are mostly in
// others, of so many files in all.
func PassAside(b *count.Builder, files []File, names Names, all int) {
	passOver(b, envelope.SeverityInfo, called(files, names), all,
		ofRunsWithOthers+", and are skipped, because another file may be the report of their run (name one to read it)")
}

// CountAside reports those of them that are read all the same, as tests failed in them and
// in none of the others.
func CountAside(b *count.Builder, files []File, names Names, all int) {
	if len(files) == 0 {
		return
	}
	b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Count: len(files),
		Message: fmt.Sprintf("%d of %d files %s and count, because tests failed only in them; to leave them out, name the files to read: %s",
			len(files), all, ofRunsWithOthers, listed(called(files, names)))})
}

func called(files []File, names Names) []string {
	return each.Of(files, func(f File) string { return names.Of(f.Name) })
}

// markFolders marks the folders of what the trials of a file left behind.
func markFolders(left map[string]bool, name, format string) {
	f, _ := read.ByName(format) // of a file that cannot be opened there is none
	for _, folder := range f.Folders {
		left[filepath.Join(filepath.Dir(name), folder)] = true
	}
}

// isBelow reports whether a file is in one of the folders, at any depth.
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

// ask asks package read what a file is. One that cannot be opened is kept, and may
// be anything: reading it says what is wrong.
func ask(name string, what func(io.Reader) (format string, yes bool)) (format string, yes bool) {
	file, err := os.Open(name)
	if err != nil {
		return "unreadable", false
	}
	defer file.Close()
	return what(file)
}

const namedFiles = 5

// others are the formats and the writers of the files that were found, if one of them does
// not count beside others. Reports of ours are none: they may be of another run.
func others(files []File, kinds []read.Kind) (told []string) {
	if !slices.ContainsFunc(kinds, func(k read.Kind) bool { return len(k.Beside) > 0 }) {
		return nil // before files are opened to see whose they are
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

// passOver reports the files of directories that are not read. That is a mistake where
// there is nothing else.
func passOver(b *count.Builder, severity envelope.Severity, unknown []string, all int, why string) {
	if len(unknown) == 0 {
		return
	}
	if len(unknown) == all {
		severity = envelope.SeverityError
	}
	message := fmt.Sprintf("%d of %d files %s: %s", len(unknown), all, why, listed(unknown))
	b.Problem(envelope.Problem{Severity: severity, Code: "passed-over", Count: len(unknown), Message: message})
}

// RecogniseOwn is the format of a file that was found, and whether it is a report
// of ours.
func RecogniseOwn(name string) (format string, own bool) {
	return ask(name, func(r io.Reader) (string, bool) {
		report, own := read.RecogniseOwn(r)
		return report.Format, own
	})
}

// within is the files of a directory and those below it, in order; hidden ones
// are left out, but for folders in which a runner keeps its results, and so is what npm
// installed. Anything else is itself.
func within(name, fence string) []File {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []File{{Name: name}}
	}
	t := tree{root: name, seen: map[string]bool{}}
	if fence != "" {
		t.fence, _ = whereIs(fence) // which is there, as it is where this runs
	}
	err := t.look()
	if ofRuns(t.real) {
		t.files = slices.DeleteFunc(t.files, func(f File) bool { return f.unread == nil && filepath.Base(f.Name) != journal.FileName })
	}
	if err != nil || len(t.files) == 0 {
		return []File{{Name: name}} // opening it says what is wrong
	}
	slices.SortFunc(t.files, func(a, b File) int { return envelope.CompareNames(a.Name, b.Name) })
	return t.files
}

// installed is the folder in which npm keeps the packages of others. Some of them have
// reports of their own tests, and Playwright an empty page for those that it makes.
const installed = "node_modules"

// tree is what is found in a directory. Links are followed once everything that
// needs none has been found: what they lead to counts once, whichever lead there.
// A folder that cannot be listed stands among the files, so that reading
// says what is missing and the others count.
type tree struct {
	root, real string // the directory as it was named, and where it is
	fence      string // no link leads out of it; "" is none
	files      []File
	links      []string
	seen       map[string]bool // where the files and folders are that were found
}

// look finds what is in the directory, and where the links in it lead.
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

// whereIs is where a file or folder is: the same for all ways that lead there.
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
		t.files = append(t.files, File{Name: link, Found: true}) // reading it says that it leads nowhere
		return
	}
	real, err := whereIs(link)
	switch {
	case err != nil:
		t.miss(link, err)
	case t.fence != "" && !liesIn(real, t.fence):
		t.files = append(t.files, File{Name: link, Found: true, outside: true,
			unread: errors.New("a link leads out of the folder: it is not read")})
	case info.IsDir() && !liesIn(t.real, real):
		t.enter(link, real)
	case info.Mode().IsRegular():
		t.add(link, real)
	}
}

// miss notes what cannot be looked into.
func (t *tree) miss(path string, err error) {
	var reason *os.PathError
	if errors.As(err, &reason) {
		err = reason.Err // whoever reports it says the name first
	}
	t.files = append(t.files, File{Name: path, Found: true,
		unread: fmt.Errorf("cannot look into this folder: %w; what is in it is not counted; make it readable and run again", err)})
}

// liesIn reports whether a directory is, or lies in, a folder: a link from there
// to the folder leads back, to no further files.
func liesIn(dir, folder string) bool {
	rest, err := filepath.Rel(folder, dir)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// enter finds what is in a directory and below it, and puts links aside.
func (t *tree) enter(dir, real string) {
	if t.seen[real] {
		return
	}
	t.seen[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.miss(dir, err) // and what could be listed counts
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

// ofRuns reports the folder of all runs, or one below it, in which only journals are read.
func ofRuns(path string) bool {
	return slices.Contains(strings.Split(path, string(filepath.Separator)), filepath.Dir(journal.Runs))
}

// withoutKept leaves out what a run keeps beside its journal: the outputs in it tell the
// trials of the journal again. A named input that is skipped is reported.
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
		case f.Found:
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
