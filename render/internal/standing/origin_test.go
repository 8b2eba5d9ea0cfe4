package standing

import (
	"testing"

	"tribunal/envelope"
)

// TestOrigin: traces as pytest, Python, Jest, Node, Go, Rust, .NET and Ruby write them.
func TestOrigin(t *testing.T) {
	const python = "Traceback (most recent call last):\n  File \"/builds/me/app/tests/test_a.py\", line 7, in test_a\n    pay()\n  File \"/builds/me/app/tests/test_a.py\", line 3, in pay\n    assert 0\n"
	const jest = "Error: no\n    at Object.<anonymous> (src/pay.test.js:12:9)\n    at run (src/helper.js:40:2)\n    at new Promise (node_modules/jest/x.js:1:1)"
	for _, c := range []struct {
		reason, file, trace, want string
		line, wantLine            int
	}{
		{"pytest names the place last", "", "def test_a():\n>   assert 0\ntests/test_a.py:4: in test_a\n    pay()\nsrc/pay.py:9: AssertionError", "src/pay.py", 0, 9},
		{"the file of the test is known", "tests/test_a.py", "tests/test_a.py:4: in test_a\n    pay()\nsrc/pay.py:9: AssertionError", "tests/test_a.py", 1, 4},
		{"an absolute path of the test's file, the innermost frame of Python", "tests/test_a.py", python, "tests/test_a.py", 1, 3},
		{"an absolute path that nobody knows the root of", "", python, "", 0, 0},
		{"the innermost frame of Jest is the first", "", jest, "src/pay.test.js", 0, 12},
		{"only code of others", "", "at x (node_modules/jest/x.js:1:1)", "", 0, 0},
		{"Go names a file of the package", "pkg/a_test.go", "    a_test.go:31: got 1, want 2", "pkg/a_test.go", 20, 31},
		{"a file without a folder is somewhere", "", "    a_test.go:31: got 1, want 2", "", 0, 0},
		{".NET", "src/T.cs", "at T.Pays() in /home/runner/src/T.cs:line 12", "src/T.cs", 1, 12},
		{"Ruby", "", "# ./spec/a_spec.rb:12:in 'block'", "spec/a_spec.rb", 0, 12},
		{"Rust", "", "thread 't' panicked at crates/a/src/lib.rs:10:5:\nno", "crates/a/src/lib.rs", 0, 10},
		{"above the repository", "", "../other/a.py:3: E", "", 0, 0},
		{"an address is no place", "a.py", "GET http://example.com:80/x failed", "a.py", 5, 5},
	} {
		of := envelope.Test{File: c.file, Line: c.line, Details: []envelope.Detail{
			{Status: envelope.Pass, Output: "src/never.py:1: passed"}, {Status: envelope.Fail, Message: "no", Output: c.trace}}}
		if file, line := Origin(&of); file != c.want || line != c.wantLine {
			t.Errorf("%s: %s:%d, want %s:%d", c.reason, file, line, c.want, c.wantLine)
		}
	}
}
