// Package html writes the report a reviewer opens: one page in one file, which
// works from file:// and from a CI artifact, offline, in any browser.
//
// It exists because the other reports answer a machine or a terminal, and a
// person who reviews repeated trials wants to see all of them at once: what
// failed, what is undecided and why, how sure the run is and what it cost.
//
// Everything is in the page as semantic HTML and in words, for the readers of
// servers that block styles and scripts (Jenkins does). Style and script are
// inline, named by their hashes in the page's own Content-Security-Policy, and
// only add to it. What tests wrote goes through html/template as plain text.
//
// The package decides nothing: order, words and drawings are made from what the
// envelope says. It leaves out the texts of passing trials, which no envelope
// has, and anything that would need a server. The page itself, its look and its
// behaviour are files of package templates.
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

// Options are the choices of the page; the zero value is the page as it is made
// when nobody chooses.
type Options struct {
	// Static is how many tests are written as HTML that reads without scripts.
	// Tests that need looking at always are; 0 is DefaultStatic.
	Static int
	// SourceURL makes the place of a test a link: an http or https address with
	// {commit}, {file} and {line} in it. Without it, places are words.
	SourceURL string
	// Transcripts is how many bytes of compressed conversations the page holds; 0
	// is DefaultTranscripts.
	Transcripts int
	// Embed puts images that trials attached into the page: those that travel in the
	// envelope, and those that Files opens by their paths.
	Embed bool
	Files func(path string) (io.ReadCloser, error)

	beside *beside // of a page of a history
}

func (o Options) static() int { return cmp.Or(o.Static, DefaultStatic) }

// Write writes the envelope as one HTML document. The bytes depend on the
// envelope and the options alone, and with Embed on the files. Rows are made and written one after the other,
// islands a few ahead, so memory does not grow with the page; the first error of
// w ends the writing and is returned.
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

// writePage writes a page of a kind from its outermost part.
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
