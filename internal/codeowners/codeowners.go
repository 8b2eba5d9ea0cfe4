// Package codeowners reads the CODEOWNERS files of GitHub and GitLab and finds the owners
// of a path.
//
// GitHub: the last line that matches decides, and a line without owners takes them away.
// GitLab: each section decides alone, and a path has the owners of all sections.
package codeowners

import (
	"io"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"tribunal/internal/each"
)

// Places are the paths of the file in a repository, the one that counts first.
var Places = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}

// File is a CODEOWNERS file that was read.
type File struct{ sections []*section }

type section struct {
	name   string
	owners []string // of lines that name none
	lines  []line
}

type line struct {
	globs    []string
	excludes bool
	owners   []string
}

// Parse reads a file. One with sections is GitLab's, whatever gitLab says.
func Parse(r io.Reader, gitLab bool) (*File, error) {
	var texts []string
	all, err := io.ReadAll(r)
	for text := range strings.Lines(string(all)) {
		text = strings.TrimSpace(text)
		texts = append(texts, text)
		gitLab = gitLab || isSection(text)
	}
	now := &section{}
	f := &File{sections: []*section{now}}
	for _, text := range texts {
		if isSection(text) {
			now = f.begin(text)
			continue
		}
		words := fields(text)
		if len(words) == 0 {
			continue
		}
		l := line{owners: ownersIn(words[1:])}
		if pattern, not := strings.CutPrefix(words[0], "!"); not && gitLab {
			l.excludes, words[0] = true, pattern
		}
		if len(l.owners) == 0 {
			l.owners = now.owners
		}
		l.globs = globs(words[0], gitLab)
		now.lines = append(now.lines, l)
	}
	return f, err
}

// isSection reports a heading such as [Docs], ^[Docs] or [Docs][2] @owner.
func isSection(text string) bool {
	text = strings.TrimPrefix(text, "^")
	return strings.HasPrefix(text, "[") && strings.Contains(text, "]")
}

// begin starts a section, or continues an earlier one of that name.
func (f *File) begin(heading string) *section {
	name, rest, _ := strings.Cut(strings.TrimPrefix(heading, "^")[1:], "]")
	if strings.HasPrefix(rest, "[") { // how many approvals it takes
		_, rest, _ = strings.Cut(rest, "]")
	}
	s := &section{name: name, owners: ownersIn(fields(rest))}
	if i := slices.IndexFunc(f.sections, func(o *section) bool { return o.name != "" && strings.EqualFold(o.name, name) }); i >= 0 {
		if len(s.owners) > 0 {
			f.sections[i].owners = s.owners
		}
		return f.sections[i]
	}
	f.sections = append(f.sections, s)
	return s
}

// fields are the words of a line up to a comment. A backslash takes the meaning off the
// character behind it, which may be a blank.
func fields(text string) (words []string) {
	start, escaped := -1, false
	for i, c := range text {
		blank := (c == ' ' || c == '\t') && !escaped
		if c == '#' && !escaped && start < 0 {
			return words
		}
		if blank && start >= 0 {
			words, start = append(words, text[start:i]), -1
		} else if !blank && start < 0 {
			start = i
		}
		escaped = c == '\\' && !escaped
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words
}

// ownersIn are the users, groups, roles and addresses among words.
func ownersIn(words []string) []string {
	return each.Where(words, func(w string) bool { return strings.Contains(w, "@") })
}

// globs are patterns for doublestar that say what one of the file does. GitHub goes by the
// rules of gitignore: a slash before the end fixes a pattern to the root, and a folder
// stands for what is in it. GitLab fixes only those that begin with a slash, and a folder
// ends with one.
func globs(pattern string, gitLab bool) []string {
	inner := strings.TrimSuffix(pattern, "/")
	fixed := strings.HasPrefix(pattern, "/") || strings.Contains(inner, "/") && !gitLab
	path := strings.NewReplacer("[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(inner, "/"))
	if path == "" {
		return nil
	}
	if !fixed {
		path = "**/" + path
	}
	switch {
	case inner != pattern:
		return []string{path + "/**/*"}
	case strings.HasSuffix(path, "/**"):
		return []string{path + "/*"}
	case gitLab, path == "*", strings.HasSuffix(path, "/*"):
		return []string{path}
	}
	return []string{path, path + "/**/*"}
}

// Owners are the owners of a path below the root of the repository.
func (f *File) Owners(path string) (owners []string) {
	for _, s := range f.sections {
		for _, o := range s.of(path) {
			if !slices.Contains(owners, o) {
				owners = append(owners, o)
			}
		}
	}
	return owners
}

func (s *section) of(path string) (owners []string) {
	for _, l := range slices.Backward(s.lines) {
		matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
		if owners != nil && !l.excludes || !slices.ContainsFunc(l.globs, matches) {
			continue
		}
		if l.excludes {
			return nil
		}
		if owners = l.owners; owners == nil {
			owners = []string{}
		}
	}
	return owners
}
