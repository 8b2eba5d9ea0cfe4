// Package html writes a page for reviewers: one file, which works offline, from file:// and
// as an artifact of a CI job.
//
// The page reads without styles and scripts, which Jenkins blocks. They are inline, and the
// page's Content-Security-Policy has their hashes. Texts of tests go through html/template.
//
// All numbers come from the envelope. HTML, CSS and JavaScript are in package templates.
package html

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"sync"

	"tribunal/envelope"
	"tribunal/render/internal/frame"
	"tribunal/templates"
)

// Options of the page. The zero value has the defaults.
type Options struct {
	// Static is how many tests can be read without scripts; 0 is DefaultStatic. Tests that
	// did not pass always can.
	Static int
	// SourceURL links to the source of a test: an http or https address with {commit},
	// {file} and {line}. If it is "", there is no link.
	SourceURL string
	// Transcripts is the most bytes of compressed conversations; 0 is DefaultTranscripts.
	Transcripts int
	// Embed puts attached images into the page: those in the envelope, and those that Files
	// opens by path.
	Embed bool
	Files func(path string) (io.ReadCloser, error)

	beside *beside // links to the other pages of a history
}

func (o Options) static() int { return cmp.Or(o.Static, DefaultStatic) }

// Write writes the envelope as an HTML document. Its bytes depend only on envelope, options
// and embedded files. It writes row by row, so memory does not grow with the page. It
// returns the first error of w.
func Write(w io.Writer, e *envelope.Envelope, options Options) error {
	kind, err := load()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	open, err := newOpener(e, options)
	if err != nil {
		return fmt.Errorf("html: source URL %q: %w", options.SourceURL, err)
	}
	list, room := newListing(e.Tests, options.static(), open), cmp.Or(options.Transcripts, DefaultTranscripts)
	if options.Embed {
		open.images = newImages(list, options.Files, room/2)
	}
	d := newDocument(e, kind, list, room)
	if d.Top.Beside = options.beside; d.Top.Beside != nil {
		d.Frame.Generator = historyGenerator
	}
	return writePage(w, kind, "page", d)
}

// writePage writes a page with the template of its outermost part.
func writePage(w io.Writer, kind *frame.Kind, part string, page any) error {
	out := bufio.NewWriterSize(w, 1<<16)
	err := kind.Parts.ExecuteTemplate(out, part, page)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("html: writing the page: %w", err)
	}
	return nil
}

var load = sync.OnceValues(func() (*frame.Kind, error) { return frame.Load(templates.Review) })
