package text_test

import (
	"strings"
	"testing"

	"tribunal/internal/text"
)

func TestPath(t *testing.T) {
	for _, c := range []struct{ reason, file, want string }{
		{"relative", "tests/a_test.py", "tests/a_test.py"},
		{"absolute", "/abs/path/x.py", "abs/path/x.py"},
		{"Windows", `C:\repo\..\a.py`, "a.py"},
		{"Windows, out of the repository", `..\a\b.py`, "a/b.py"},
		{"out of the repository", "../../etc/passwd", "etc/passwd"},
		{"through the middle", "a/../../b/./c.py", "b/c.py"},
		{"doubled and trailing slashes", "a//b/", "a/b"},
		{"nothing left", "../..", ""},
		{"no file", "", ""},
		{"here", ".", ""},
		{"a line end", "a\nb.py", "a b.py"},
		{"a command", "a/##[error]x.py", "a/## [error]x.py"},
		{"blanks", "my tests/a.py", "my tests/a.py"},
	} {
		got := text.Path(c.file)
		if rooted := text.RootedPath(c.file); strings.TrimLeft(strings.TrimPrefix(rooted, "C:"), "/") != c.want {
			t.Errorf("%s: %q where roots stay, and %q without them", c.reason, rooted, c.want)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
		if again := text.Path(got); again != got {
			t.Errorf("%s: %q becomes %q", c.reason, got, again)
		}
	}
}

func TestRootedPath(t *testing.T) {
	for file, want := range map[string]string{"/abs/../x.py": "/x.py", `C:\repo\..\a.py`: "C:/a.py", "../../etc/passwd": "etc/passwd", "a/b.py": "a/b.py", "/..": "/"} {
		if got := text.RootedPath(file); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}
