// Package frame makes HTML pages of one file: it puts the embedded parts, styles
// and scripts of a kind of page together and names the contents of style and
// script in the page's own Content-Security-Policy.
//
// It exists so that every page of the program has the same head, look and safety.
// It knows nothing of runs and tests; what a page says is its renderer's business.
package frame

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"strings"
	"sync"

	"tribunal/templates"
)

// Kind is a kind of page, its files read once.
type Kind struct {
	// Parts are the parsed templates, among them head and foot of frame.html,
	// which take a Frame.
	Parts  *template.Template
	style  template.CSS
	early  template.JS
	script template.JS
	policy string
}

// Frame is what head and foot of frame.html show of one page.
type Frame struct {
	Policy, Title string
	Generator     string // names what wrote the page, where a program has to know it again
	Style         template.CSS
	Early, Script template.JS // before the page is drawn, and when all of it is there
}

// Of reads and parses the files of a kind of page when it is first asked for. The files are
// part of the program: one that is missing or does not parse is a mistake in it.
func Of(page templates.Page) func() *Kind {
	return sync.OnceValue(func() *Kind {
		style, early, script := joined(page.Styles...), joined(templates.Early), joined(page.Scripts...)
		parts := template.Must(template.New("page").Funcs(template.FuncMap{"said": said}).ParseFS(templates.FS, page.Parts...))
		return &Kind{Parts: parts, style: template.CSS(style), early: template.JS(early), script: template.JS(script),
			// no request leaves the page, and no script that a test smuggled in would run
			policy: "default-src 'none'; style-src " + hashSource(style) + "; script-src " + hashSource(early) + " " + hashSource(script) +
				"; img-src data:; base-uri 'none'; form-action 'none'"}
	})
}

// said is a text whose flags in backticks are code, which does not break at the end of a line.
func said(s string) any {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 || !strings.Contains(s, "`--") {
		return s
	}
	for i, part := range parts {
		if part = template.HTMLEscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		parts[i] = part
	}
	return template.HTML(strings.Join(parts, ""))
}

// Frame is the frame of one page of the kind.
func (k *Kind) Frame(title string) Frame {
	return Frame{Policy: k.policy, Title: title, Style: k.style, Early: k.early, Script: k.script}
}

func joined(files ...string) (all []byte) {
	for _, file := range files {
		text, err := templates.FS.ReadFile(file)
		if err != nil {
			panic(err)
		}
		all = append(all, text...)
	}
	return all
}

func hashSource(b []byte) string {
	sum := sha256.Sum256(b)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
