package html

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
)

// sourceURL makes the address of a line of source from a template such as
// https://example.org/{commit}/{file}#L{line}. The zero value makes none.
type sourceURL struct{ template string }

// source is where a test is defined; URL is "" when no address can be made.
type source struct{ Place, URL string }

var placeholder = regex.Of(`\{[^{}]*\}`)

// placeholders are what a template may ask for.
var placeholders = []string{"{commit}", "{file}", "{line}"}

// CheckSourceURL says what is wrong with a template of Options.SourceURL.
func CheckSourceURL(template string) error {
	_, err := parseSourceURL(template)
	return err
}

const sourceExample = "give one such as https://github.com/me/project/blob/{commit}/{file}#L{line}"

// parseSourceURL accepts absolute http and https addresses whose host is
// settled: what a test says of itself may choose a page there, but not another
// server.
func parseSourceURL(template string) (sourceURL, error) {
	if template == "" {
		return sourceURL{}, nil
	}
	for _, found := range placeholder().FindAllString(template, -1) {
		if !slices.Contains(placeholders, found) {
			return sourceURL{}, fmt.Errorf("%s is not known: use %s", found, strings.Join(placeholders, ", "))
		}
	}
	bare := placeholder().ReplaceAllString(template, "x")
	u, err := url.Parse(bare)
	switch {
	case err != nil:
		return sourceURL{}, fmt.Errorf("%w; %s", errors.Unwrap(err), sourceExample)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return sourceURL{}, errors.New("it is not an http or https address; " + sourceExample)
	case u.User != nil:
		return sourceURL{}, errors.New("it has a user name, which every reader of the page would see; leave it out")
	case strings.ContainsAny(bare, "{}"):
		return sourceURL{}, errors.New("it has a brace without a partner; " + sourceExample)
	case !strings.HasPrefix(template, u.Scheme+"://"+u.Host):
		return sourceURL{}, errors.New("the server name cannot have a placeholder; " + sourceExample)
	}
	return sourceURL{template}, nil
}

// of is where a test is defined, nil when it does not say.
func (s sourceURL) of(t *envelope.Test, commit string) *source {
	if t.File == "" {
		return nil
	}
	out := &source{Place: name(t.File, "no name")}
	if t.Line > 0 {
		out.Place += ":" + count(int64(t.Line))
	}
	out.URL = s.fill(commit, t.File, t.Line)
	return out
}

// fill puts the parts in, each escaped so that it stays one. It returns "" when
// the template asks for a part that is not known, and for files that are not
// below the root of the repository: ".." would lead to other pages of the server.
func (s sourceURL) fill(commit, file string, line int) string {
	if s.template == "" {
		return ""
	}
	parts := map[string]string{"{commit}": escapePart(commit), "{file}": escapePath(file)}
	if line > 0 {
		parts["{line}"] = strconv.Itoa(line)
	}
	complete := true
	address := placeholder().ReplaceAllStringFunc(s.template, func(found string) string {
		complete = complete && parts[found] != ""
		return parts[found]
	})
	if !complete {
		return ""
	}
	return address
}

// escapePath escapes a relative path, "" for what is none.
func escapePath(file string) string {
	segments := strings.Split(strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "./"), "/")
	for i, segment := range segments {
		if segments[i] = escapePart(segment); segments[i] == "" {
			return ""
		}
	}
	return strings.Join(segments, "/")
}

// escapePart escapes everything that means something in an address. The dots
// that lead out of a folder do so however they are escaped, so they are no part.
func escapePart(part string) string {
	if part == "." || part == ".." {
		return ""
	}
	return strings.ReplaceAll(url.QueryEscape(part), "+", "%20")
}
