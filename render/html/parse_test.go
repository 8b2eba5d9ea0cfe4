package html_test

import (
	"fmt"
	stdhtml "html"
	"regexp"
	"strings"
)

// A small reader of HTML, for the tests only: strict where a browser forgives,
// so that a page which gets through is one that any parser understands.

type tag struct {
	name       string
	closing    bool
	attributes map[string]string
}

var (
	tagPattern       = regexp.MustCompile(`^</?([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*)\s*/?>`)
	attributePattern = regexp.MustCompile(`([a-zA-Z-]+)(?:="([^"]*)")?`)
)

// void are the elements without an end; those of SVG that are closed by "/>"
// are told apart by that.
var void = map[string]bool{"meta": true, "link": true, "input": true}

// scan yields the tags of a page and complains about any < that starts none.
func scan(page string, yield func(t tag, selfClosing bool), complain func(string)) {
	page = strings.TrimPrefix(page, "<!DOCTYPE html>")
	for {
		at := strings.IndexByte(page, '<')
		if at < 0 {
			return
		}
		page = page[at:]
		m := tagPattern.FindStringSubmatch(page[:min(len(page), 1<<14)])
		if m == nil {
			complain(fmt.Sprintf("no tag: %q", page[:min(len(page), 60)]))
			page = page[1:]
			continue
		}
		t := tag{name: strings.ToLower(m[1]), closing: page[1] == '/', attributes: map[string]string{}}
		for _, a := range attributePattern.FindAllStringSubmatch(m[2], -1) {
			t.attributes[a[1]] = stdhtml.UnescapeString(a[2])
		}
		yield(t, strings.HasSuffix(m[0], "/>") || void[t.name])
		page = page[len(m[0]):]
		if raw := t.name; !t.closing && (raw == "script" || raw == "style") {
			page = page[max(0, strings.Index(page, "</"+raw)):]
		}
	}
}

func parse(page string) []tag {
	var tags []tag
	scan(page, func(t tag, _ bool) {
		if !t.closing {
			tags = append(tags, t)
		}
	}, func(string) {})
	return tags
}

// unbalanced lists what is wrong with the nesting of a page.
func unbalanced(page string) []string {
	var problems, open []string
	complain := func(p string) { problems = append(problems, p) }
	scan(page, func(t tag, selfClosing bool) {
		switch {
		case selfClosing:
		case !t.closing:
			open = append(open, t.name)
		case len(open) == 0 || open[len(open)-1] != t.name:
			complain(fmt.Sprintf("</%s> closes %v", t.name, open))
		default:
			open = open[:len(open)-1]
		}
	}, complain)
	if len(open) > 0 {
		complain(fmt.Sprintf("never closed: %v", open))
	}
	return problems
}

func count(tags []tag, name string) int {
	n := 0
	for _, t := range tags {
		if t.name == name {
			n++
		}
	}
	return n
}
