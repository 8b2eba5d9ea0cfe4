// Package inspect reads the logs of Inspect (UKGovernmentBEIS/inspect_ai, MIT):
// the .json document and the .eval archive.
//
// It exists because Inspect repeats with epochs and reduces them before anybody
// sees the spread; the samples still have every epoch. Cancelled and crashed
// runs are read as far as they came, and said to be such. Scores are letters,
// words, numbers, objects or NaN, and no log says from where on one passes: C,
// yes, true and 1 or more do. Reductions, metrics and events are left out: they
// are no trials.
package inspect

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// Options are the choices a log leaves open.
type Options struct {
	// Scorer is the name of the scorer that decides, or name.key when its value is
	// an object. Empty is the first scorer of each sample.
	Scorer string
	// At is the log itself, where it can be read anywhere: an archive is not held in memory
	// then. It may be nil, or what the log is packed in.
	At io.ReaderAt
}

// Sniff reports whether head starts a log, of either kind.
func Sniff(head []byte) bool {
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		return isEntry(firstEntry(head))
	}
	keys, inArray := jsonwalk.Keys(head)
	found := keys.Count("version", "status", "eval", "plan", "results", "stats")
	const enough = 3
	return !inArray && keys.Has("eval", "version") && found >= enough
}

const zipMagic = "PK\x03\x04"

// firstEntry is the name in the first local file header (APPNOTE 4.3.7).
func firstEntry(head []byte) string {
	const fixed, lengthAt = 30, 26
	if len(head) < fixed {
		return ""
	}
	end := fixed + int(binary.LittleEndian.Uint16(head[lengthAt:]))
	return string(head[fixed:max(fixed, min(end, len(head)))])
}

func isEntry(name string) bool {
	return name == headerEntry || name == summariesEntry || name == "reductions.json" || strings.HasPrefix(name, "_journal/") || isSample(name)
}

// Read is ReadWith without options.
func Read(r io.Reader, to envelope.Sink) error { return ReadWith(r, to, Options{}) }

// ReadWith reads one log. A document is read sample by sample; an archive of up to 256
// MiB is read where it lies or buffered, and its entries are read one at a time. The
// error is that of r.
func ReadWith(r io.Reader, to envelope.Sink, o Options) error {
	head, whole := jsonwalk.Head(r)
	log := &log{to: to, options: o}
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		return log.archive(whole)
	}
	err := jsonwalk.Document(whole, to, log.document)
	log.finish()
	return err
}
