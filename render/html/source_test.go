package html

import (
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestSourceURL(t *testing.T) {
	const github = "https://github.com/me/project/blob/{commit}/{file}#L{line}"
	for _, c := range []struct {
		reason, template, commit, file string
		line                           int
		want                           string
	}{
		{"all parts", github, "9fceb02", "evals/a test.py", 42, "https://github.com/me/project/blob/9fceb02/evals/a%20test.py#L42"},
		{"a part may be asked for twice, or not at all", "http://x/{file}?f={file}", "", "a", 0, "http://x/a?f=a"},
		{"no commit, and it is asked for", github, "", "a", 1, ""},
		{"no line, and it is asked for", github, "c", "a", 0, ""},
		{"no template", "", "c", "a", 1, ""},
		{"what means something in an address is escaped", "https://x/{file}?at={commit}", `"&a=b#`, "a?b#c%2f&d=+é<>\"", 1, "https://x/a%3Fb%23c%252f%26d%3D%2B%C3%A9%3C%3E%22?at=%22%26a%3Db%23"},
		{"two dots lead to other pages of the server", github, "c", "../../../evil", 1, ""},
		{"in the commit too", github, "..", "a", 1, ""},
		{"and behind backslashes", github, "c", `a\..\b`, 1, ""},
		{"a path of Windows", github, "c", `tests\a.py`, 1, "https://github.com/me/project/blob/c/tests/a.py#L1"},
		{"a path of the machine is none of the repository", github, "c", "/home/ci/a.py", 1, ""},
		{"a leading dot is the root", github, "c", "./a.py", 1, "https://github.com/me/project/blob/c/a.py#L1"},
		{"a script is escaped like any name", "https://x/{file}", "", "javascript:alert(1)", 1, "https://x/javascript%3Aalert%281%29"},
		{"a placeholder in a name is a name", "https://x/{file}/{line}", "", "{line}", 7, "https://x/%7Bline%7D/7"},
	} {
		s, err := parseSourceURL(c.template)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		test := envelope.Test{File: c.file, Line: c.line}
		if got := s.of(&test, c.commit).URL; got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	if (sourceURL{}).of(&envelope.Test{}, "c") != nil {
		t.Error("a test that does not say where it is has a place")
	}
}

func TestSourceURLsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ reason, template, want string }{
		{"a script", "javascript:alert({line})", "not an http or https address"},
		{"a file", "file:///etc/{file}", "not an http or https address"},
		{"a path", "/blob/{file}", "not an http or https address"},
		{"no server", "https:///{file}", "not an http or https address"},
		{"a server that tests choose", "https://{file}/x", "cannot have a placeholder"},
		{"a port that tests choose", "https://host:{line}/x", ""},
		{"an unknown part", "https://x/{path}", "{path} is not known: use {commit}, {file}, {line}"},
		{"half a brace", "https://x/{file", "brace without a partner"},
		{"a password", "https://me:secret@x/{file}", "leave it out"},
		{"a control character", "https://x/\x00{file}", "control character"},
	} {
		err := CheckSourceURL(c.template)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q gives %v, want an error with %q", c.reason, c.template, err, c.want)
		}
	}
}
