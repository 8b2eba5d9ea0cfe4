// Package read reads inputs: it detects the format of an input and decompresses it. The
// table of all formats is package read/formats. Files, globs and progress are in package
// command; package envelope defines what a trial is.
package read

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/read/internal/noise"
	"tribunal/read/mapped"
	"tribunal/read/native"
)

// Format is one input format.
type Format struct {
	Name string // for --from
	Doc  string // one line
	// Family is the kind of program that writes the format, one of [Families].
	Family string
	Kept   string // what of the format's data becomes part of a trial
	Lost   string // what does not, or what to know
	// Sniff recognises the format by the first bytes of an input, cut anywhere.
	Sniff func(head []byte) bool
	// Read sends trials and problems to the sink. It only returns errors of r.
	Read func(r io.Reader, to envelope.Sink) error
	// NamesRuns is set if inputs name their runs. Otherwise an input is one run, named
	// after the input.
	NamesRuns bool
	// Spare recognises inputs without trials of their own: an index of other files, or
	// nothing. It is nil for formats without such files.
	Spare func(head []byte) bool
	// Writer recognises the program that wrote an input, "" if unknown. It is nil for
	// formats of one program, which is the name of the format.
	Writer func(name string, head []byte) string
	// Again is for programs that write a run twice. It returns the writer whose reports
	// repeat the trials of this writer, and the path to their folder, or "".
	Again func(writer string) (by, folder string)
	// Stamp is for reports that have a time although their trials have none. It returns how
	// many digits of a second that time has.
	Stamp func(head []byte) int
	// Beside are formats in which the runner usually writes the same trials under other
	// names. If a directory has one of them, this format is skipped, except for our reports.
	Beside []string
	// Own recognises a report of ours by its first and last bytes. It is nil for formats
	// that we do not write.
	Own func(head, tail []byte) bool
	// Repeats recognises inputs whose trials may also have files of their own, so that
	// duplicates need no warning. It is nil for formats without such files.
	Repeats func(head []byte) bool
	// Copies means that the runner writes a run to several files that do not name it, so
	// an input with the same trials as another gets a warning.
	Copies bool
	// Folders are the folders beside an input with files that its trials wrote, none of
	// which is a report.
	Folders []string
	// Hidden is the folder of a run in which the runner keeps results although its name
	// starts with a dot, or "".
	Hidden string
	// Parts is the folder beside an input with a file for each of its trials, or "". They
	// are read before the input, which asks [Neighbours] whether they had trials.
	Parts string
	// PartOf returns the path from such a file to its input, which is of the same run. It
	// returns "" for other files.
	PartOf func(head []byte) string
	// TryOf is for runners that write each try of a run to its own file in the folder
	// Parts. From the name it returns the number of the try, 0-based, and the path to the
	// file of the last try.
	TryOf func(name string) (try int32, last string, is bool)
	// HasPositions means that errors of Read are *position.Error, so that the caller need
	// not count lines.
	HasPositions bool
	// ReadWith is Read with options. It is nil for formats without options.
	ReadWith func(r io.Reader, to envelope.Sink, o Options) error
}

// The families of formats, for lists that people read.
const (
	Own      = "of Tribunal"
	Exchange = "of many tools"
	Runners  = "test runners"
	Evals    = "evals and agents"
)

// Families are the families in the order in which they are listed.
var Families = []string{Own, Exchange, Runners, Evals}

// Envelope is the format of our own reports. Naming such an input twice is harmless,
// because merging an envelope with itself changes nothing.
const Envelope = "envelope"

// Native is also the format of an empty input.
var Native = Format{Name: "native", Family: Own, Doc: "trial stream, one JSON object a line: " + envelope.TrialSchema,
	Sniff: native.Sniff, Read: native.Read, NamesRuns: true, HasPositions: true,
	ReadWith: func(r io.Reader, to envelope.Sink, o Options) error { return native.ReadIn(r, to, o.Below) }}

// Formats are the input formats in the order in which they are sniffed: trial streams
// alone, unless the program imports package read/formats.
var Formats = []Format{Native}

// Options are choices for the formats that have any.
type Options struct {
	As     *Format // the format to read as; nil detects it
	Others *Format // the format of all inputs except our envelopes; nil detects it
	Scorer string  // which of several scores decides
	// Roots are the paths of the repository on the machines that ran the tests, see
	// [Roots]. Names in our own formats do not change.
	Roots []string
	// Neighbours are the files around an input, nil when it has none.
	Neighbours Neighbours
	// Below opens a file that a trial names, decompressed. The path is relative to the
	// folder of the input and cannot leave it. It is nil if there is no folder.
	Below func(path string) (io.ReadCloser, error)
	// Above is Below for an input in a hidden folder ([Format.Hidden]), with paths from
	// the folder of the run. It is nil for all others.
	Above func(path string) (io.ReadCloser, error)
	// Labels are given to all trials of the input, see [count.Input.Label].
	Labels []envelope.Label
	// Name is the name of the input, set by StreamAs.
	Name string
	// At is the input, not decompressed, if it is a file that allows random access. It
	// may be nil.
	At io.ReaderAt
}

// Neighbours are the files around an input. Paths are relative to its folder, with
// slashes.
type Neighbours interface {
	// Name returns the name of a neighbour for reports.
	Name(path string) string
	// Open opens a neighbour, decompressed.
	Open(path string) (io.ReadCloser, error)
	// Counted reports whether a neighbour was read before and had a trial.
	Counted(path string) bool
	// CountedIn reports the same for any file of a folder.
	CountedIn(folder string) bool
	// Parts reports whether files of this folder are read as [Format.Parts].
	Parts(folder string) bool
}

// Mapped is the format of records that a mapping of the user reads (see package
// read/mapped). The mapping is fields with paths, or @NAME of one from the configuration
// or for a platform. It is not in Formats, because no content identifies it.
func Mapped(spec, records string, own map[string]mapped.Named) (Format, error) {
	m, err := mapped.ParseWith(spec, records, own)
	return Format{Name: "mapped", Doc: "records read by a mapping", ReadWith: func(r io.Reader, to envelope.Sink, o Options) error {
		m.Scorer = o.Scorer
		return m.Read(r, to)
	}}, err
}

// byName is the format of records whose field names leave no doubt what they are. Known
// formats are detected before.
func byName(head []byte, whole bool) (Format, bool) {
	g, are := mapped.GuessBy(head, whole)
	if !are || !g.Certain || ofTribunal(head) != "" {
		return Format{}, false
	}
	m, err := g.Mapping()
	severity, says := envelope.SeverityInfo, g.String()
	if g.Lone {
		severity, says = envelope.SeverityWarning, "one object alone, "+says+"; if it is no trial, leave it out"
	}
	return Format{Name: "mapped", Doc: "records read by the names of their fields", Read: func(r io.Reader, to envelope.Sink) error {
		to.Problem(envelope.Problem{Severity: severity, Code: envelope.CodeByName, Line: 1, Message: says})
		return m.Read(r, to)
	}}, err == nil
}

func init() {
	noise.Detect = func(head []byte) (string, bool) {
		f, is := Detect(head)
		return f.Name, is && len(bytes.TrimSpace(head)) > 0
	}
}

const byteOrderMark = "\uFEFF"

// Detect finds the format of an input by its first bytes. An empty or blank input is a
// trial stream without trials.
func Detect(head []byte) (Format, bool) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if len(bytes.TrimSpace(head)) == 0 {
		return Native, true
	}
	if isTar(head) {
		return Format{}, false
	}
	for _, f := range Formats {
		if f.Sniff(head) {
			return f, true
		}
	}
	return Format{}, false
}

// ByName finds a format by its name. The error suggests similar names, lists all, or says what the runner of that name writes.
func ByName(name string) (Format, error) {
	f, err := suggest.Find("input format", words.Head(name, 60), Formats, func(f Format) string { return f.Name })
	common := strings.Fields("env json npx of run runner test the") // which name no runner
	of := func(p Print) bool {
		return slices.ContainsFunc(strings.Fields(p.Runner+" "+p.Command), func(word string) bool { return strings.EqualFold(word, name) })
	}
	if at := slices.IndexFunc(prints, of); err != nil && at >= 0 && !slices.Contains(common, strings.ToLower(name)) {
		err = fmt.Errorf("unknown input format %q: it is a runner; leave out --from, and read its report: %s", name, prints[at].instead)
	}
	return f, err
}
