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
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"

	"tribunal/envelope"
	"tribunal/templates"
)

// Options are the choices of the page. There are none yet; the zero value is
// the page as it is.
type Options struct{}

// Write writes the envelope as one HTML document. The bytes depend on the
// envelope alone. Rows are made and written one after the other, so memory does
// not grow with the page; the first error of w ends the writing and is returned.
func Write(w io.Writer, e *envelope.Envelope, _ Options) error {
	parts, err := load()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := parts.page.ExecuteTemplate(out, "page", newDocument(e, parts)); err != nil {
		return fmt.Errorf("html: writing the page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("html: writing the page: %w", err)
	}
	return nil
}

// assets are the embedded files, read once.
type assets struct {
	page   *template.Template
	style  template.CSS
	script template.JS
	policy string
}

var load = sync.OnceValues(loadAssets)

func loadAssets() (*assets, error) {
	page, err := template.ParseFS(templates.FS, "*.html")
	if err != nil {
		return nil, err
	}
	style, err := templates.FS.ReadFile("style.css")
	if err != nil {
		return nil, err
	}
	script, err := templates.FS.ReadFile("behaviour.js")
	if err != nil {
		return nil, err
	}
	return &assets{page: page, style: template.CSS(style), script: template.JS(script), policy: securityPolicy(style, script)}, nil
}

// securityPolicy allows the page its own style and script and nothing else: no
// request leaves it, and no script that a test smuggled in would run.
func securityPolicy(style, script []byte) string {
	return "default-src 'none'; style-src " + hashSource(style) + "; script-src " + hashSource(script) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

func hashSource(b []byte) string {
	sum := sha256.Sum256(b)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
