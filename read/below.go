package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
)

// Below opens the files that trials name by their paths, for [Options]: below one of
// the folders and nowhere else, whatever links there are, unpacked. It is nil where
// there is no folder.
func Below(folders ...string) func(path string) (io.ReadCloser, error) {
	if len(folders) == 0 {
		return nil
	}
	return func(path string) (io.ReadCloser, error) {
		var missing error
		for _, folder := range folders {
			file, err := openBelow(folder, filepath.FromSlash(path))
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return file, err
			}
			missing = err
		}
		return nil, missing
	}
}

func openBelow(folder, path string) (io.ReadCloser, error) {
	if !filepath.IsLocal(path) {
		return nil, errors.New("the path leads out of the folder of the input; write a path inside that folder")
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot open: %w", words.OfFile(err))
	}
	defer root.Close()
	info, err := root.Stat(path) // before it is opened: opening a pipe waits
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot open: %w", words.OfFile(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("this is not a file")
	}
	file, err := root.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open: %w", words.OfFile(err))
	}
	return UnpackFile(file)
}

// UnpackFile returns a reader of what a file holds unpacked, which closes the file, too.
func UnpackFile(file io.ReadCloser) (io.ReadCloser, error) {
	text, err := Unpack(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return unpackedFile{text, file}, nil
}

// unpackedFile closes a file with what unpacks it.
type unpackedFile struct {
	io.ReadCloser
	file io.Closer
}

func (u unpackedFile) Close() error {
	u.ReadCloser.Close()
	return u.file.Close()
}

// rooted names the files of trials as their repository does. Runners such as Jest name them
// from the root of the machine.
type rooted struct {
	envelope.Sink
	roots []string
}

func (s rooted) Trial(t *envelope.Trial) {
	file, suite, test := Within(t.File, s.roots), Within(t.Suite, s.roots), Within(t.Test, s.roots)
	if file != t.File || suite != t.Suite || test != t.Test {
		here := *t
		here.File, here.Suite, here.Test = file, suite, test
		t = &here
	}
	s.Sink.Trial(t)
}

func (s rooted) Endings(k envelope.Key, labels []envelope.Label, all []envelope.Ending) {
	if to, takes := s.Sink.(envelope.Report); takes {
		k.Suite, k.Test = Within(k.Suite, s.roots), Within(k.Test, s.roots)
		to.Endings(k, labels, all)
	}
}

// Within is a path below one of the roots from there on, and any other text as it
// is.
func Within(name string, roots []string) string {
	for _, root := range roots {
		rest, below := strings.CutPrefix(name, root)
		if below && len(rest) > 1 && (rest[0] == '/' || rest[0] == '\\') {
			return rest[1:]
		}
	}
	return name
}

// Roots are the folders before the paths in them, without the root of the machine.
func Roots(folders ...string) []string {
	var roots []string
	for _, folder := range folders {
		root := strings.TrimRight(filepath.Clean(folder), `/\`)
		if folder != "" && root != "" && root != "." && !strings.HasSuffix(root, ":") {
			roots = append(roots, root)
		}
	}
	return roots
}

// ofTribunal says what to do with an input of a schema of ours that no format reads.
func ofTribunal(head []byte) string {
	keys, _ := jsonwalk.Keys(head)
	schema, ok := strings.CutPrefix(keys["schema"], "tribunal/")
	if !ok {
		return ""
	}
	switch kind, _, _ := strings.Cut(schema, "/"); kind {
	case "envelope":
		return fmt.Sprintf("this is a report with schema %s, but this program reads only %s; update tribunal, or make the report again with "+
			"this program", words.Head(keys["schema"], 40), envelope.Schema)
	default:
		return fmt.Sprintf("this is a document of tribunal (%s), which holds no trials: give files with trials", words.Quote(kind, 20))
	}
}

// Report says of an input that it is a report of ours.
type Report struct {
	Format string
	// Sum is that of the trials it was made from (see [envelope.TrialsSum]), as reports
	// carry it that keep less than their trials; "" of others and of older ones.
	Sum string
}

// RecogniseOwn finds the format of an input as Recognise does, and whether the
// input is a report of ours.
func RecogniseOwn(r io.Reader) (report Report, own bool) {
	report.Format, own = recognise(r, func(f Format, head []byte, whole io.Reader) bool {
		if f.Own == nil {
			return false
		}
		head = bytes.Clone(head) // which reading on writes over
		tail, err := lastBytes(whole)
		if err != nil || !f.Own(head, tail) {
			return false
		}
		report.Sum = sumIn(head, tail)
		return true
	})
	return report, own
}

// sum is how reports carry the sum of their trials.
var sum = regex.Of(`(?:\btrials[. ]sum[^0-9]{1,30}|runUser="tribunal )(\d+-[0-9a-f]{16}(?:-2)?)\b`)

// sumIn is the sum of trials that a report of ours carries. Where another stands there
// as well, a text of a test may have put it there, and none is sure.
func sumIn(head, tail []byte) (only string) {
	for _, part := range [][]byte{head, tail} {
		for _, found := range sum().FindAllSubmatch(part, -1) {
			if one := string(found[1]); only == "" {
				only = one
			} else if one != only {
				return ""
			}
		}
	}
	return only
}

func lastBytes(r io.Reader) ([]byte, error) {
	var tail []byte
	part := make([]byte, headSize)
	for {
		n, err := r.Read(part)
		tail = append(tail, part[:n]...)
		const tailSize = 1 << 10 // how many of the last bytes of an input are looked at
		tail = append(tail[:0], tail[max(0, len(tail)-tailSize):]...)
		if err == io.EOF {
			return tail, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
