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
	"fmt"
	"io"
	"sync"

	"tribunal/envelope"
	"tribunal/render/frame"
	"tribunal/templates"
)

// Options are the choices of the page; the zero value is the page as it is.
type Options struct {
	// SourceURL makes the place of a test a link: an http or https address with
	// {commit}, {file} and {line} in it. Without it, places are words.
	SourceURL string
}

// Write writes the envelope as one HTML document. The bytes depend on the
// envelope alone. Rows are made and written one after the other, so memory does
// not grow with the page; the first error of w ends the writing and is returned.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	kind, err := load()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	open, err := newOpener(e, o)
	if err != nil {
		return fmt.Errorf("html: source URL %q: %w", o.SourceURL, err)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := kind.Parts.ExecuteTemplate(out, "page", newDocument(e, kind, open)); err != nil {
		return fmt.Errorf("html: writing the page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("html: writing the page: %w", err)
	}
	return nil
}

var load = sync.OnceValues(func() (*frame.Kind, error) { return frame.Load(templates.Review) })
