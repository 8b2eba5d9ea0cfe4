package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/internal/packing"
	"tribunal/internal/suggest"
)

// Default is the format of standard output when none is asked for: every table
// has it.
const Default = "pretty"

// Table is the formats that documents of one kind are written in. The envelope
// has the longest; others, such as a comparison of two runs, have their own.
type Table[D any] []Of[D]

// Of is one row of a table: a format of documents of type D.
type Of[D any] struct {
	Name string
	Doc  string // one line
	// Inconclusive is how an inconclusive test looks, where the document has
	// tests; Lost is what the format has no place for.
	Inconclusive, Lost string
	Lossless           bool // can be read back as it was
	Rows               bool // shows the rows of the trials, with digests of their texts
	// Endings are those of paths that are written in this format where none is named;
	// of two that fit, the longer one counts. A format without any is always named.
	Endings []string
	Options []Option
	Write   func(w io.Writer, document D, s Settings) error
	// FileOf, of a format that is a folder, names the file that a line of what Write
	// writes becomes there.
	FileOf func(line []byte) string
	// Marks are how the files of such a folder begin that are not read again, so that an
	// earlier report of ours is known.
	Marks []string
	// Large is the size in bytes from which readers of the format have trouble
	// with a report; 0 where there is none.
	Large int64
	// Append is a second part that a CI system wants added to a file of its own.
	Append *Append[D]
}

// Append is what a format adds to a file that the CI system names.
type Append[D any] struct {
	Env   string // the variable that names the file
	Write func(w io.Writer, document D, existing int64) error
}

// Option is a choice that belongs to one format and becomes a flag.
type Option struct {
	Name   string // of the flag
	Doc    string
	Values []string // the first is the default
	Number bool     // any positive whole number will do
	Switch bool     // a flag without a value, false or true
	Text   *Text    // any text will do that it does not refuse
}

// Text is an option that is free text, "" by default.
type Text struct {
	Word   string // what the text is, for the help
	Refuse func(string) error
}

// Choices are the words for what can be given.
func (o Option) Choices() []string {
	if o.Text != nil {
		return []string{o.Text.Word}
	}
	return o.Values
}

// Settings is what a writer is told beside the document.
type Settings struct {
	Terminal Terminal
	Options  map[string]string // by name, each one of its Values
	// Files opens a file that a trial names by its path, as an attachment, nil where
	// nobody knows where trials lie.
	Files func(path string) (io.ReadCloser, error)
	// Existing is how many bytes are already in the file that the second part of
	// the format is added to; less than 0 when no file is named.
	Existing int64
	Folder   bool // lines become files of a folder
}

// Terminal describes where standard output goes, for formats made for people.
type Terminal struct {
	Color bool
	Width int // columns; 0 where lines are as long as they are
	ASCII bool
	// Kept is what is kept and searched, as a file or a pipe is: no name is cut.
	Kept bool
	// Detailed is for readers who want statistics, policies and transcripts as well.
	Detailed bool
	// Report and Show are the words behind tribunal report and tribunal show that give
	// the same run again, for commands that a report suggests; empty where there are none.
	Report, Show string
}

// number is an option that is a number; it was checked.
func (s Settings) number(name string) int {
	n, _ := strconv.Atoi(s.Options[name])
	return n
}

// Defaults are the values of the format's options when none is given.
func (f Of[D]) Defaults() map[string]string {
	values := map[string]string{}
	for _, o := range f.Options {
		values[o.Name] = o.Values[0]
	}
	return values
}

// Write writes a document in the format of a name, with the defaults of its options.
// Who wants others takes the format by its name and calls its own Write.
func (t Table[D]) Write(w io.Writer, name string, document D) error {
	f, err := t.ByName(name)
	if err != nil {
		return err
	}
	return f.Write(w, document, Settings{Options: f.Defaults(), Existing: -1})
}

// ByName finds a format. The error lists near names, or all.
func (t Table[D]) ByName(name string) (Of[D], error) {
	for _, f := range t {
		if f.Name == name {
			return f, nil
		}
	}
	return Of[D]{}, suggest.Unknown("output format", name, t.Names())
}

// ByPath finds the format that the ending of a path means, whatever its case, under
// what packs it.
func (t Table[D]) ByPath(path string) (found Of[D], ok bool) {
	path = packing.Cut(strings.ToLower(path))
	longest := 0
	for _, f := range t {
		for _, ending := range f.Endings {
			if strings.HasSuffix(path, ending) && len(ending) > longest {
				found, longest = f, len(ending)
			}
		}
	}
	return found, longest > 0
}

// Endings lists the endings that mean a format, in the order of the table.
func (t Table[D]) Endings() []string {
	var all []string
	for _, f := range t {
		all = append(all, f.Endings...)
	}
	return all
}

// Names lists the names of the formats in the order of the table.
func (t Table[D]) Names() []string {
	var names []string
	for _, f := range t {
		names = append(names, f.Name)
	}
	return names
}

// Check accepts one of the option's values, or a number where it is one.
func (o Option) Check(value string) error {
	if o.Number {
		if n, err := strconv.Atoi(value); err != nil || n < 1 {
			return fmt.Errorf("%s %q: give a whole number of 1 or more", o.Name, value)
		}
		return nil
	}
	if o.Text != nil {
		if err := o.Text.Refuse(value); err != nil {
			return fmt.Errorf("%s %q: %w", o.Name, value, err)
		}
		return nil
	}
	if slices.Contains(o.Values, value) {
		return nil
	}
	return fmt.Errorf("%s %q: known are %s", o.Name, value, strings.Join(o.Values, ", "))
}
