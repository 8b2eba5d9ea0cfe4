package text

import (
	"path"
	"strings"

	"tribunal/internal/regex"
)

var drive = regex.Of(`^[A-Za-z]:`)

// Path is a file as reports name it: one safe line, below the root of the
// repository, with forward slashes, without "." and ".."; "" when nothing of it
// is left.
func Path(file string) string {
	if relative(file) {
		return file
	}
	file = drive().ReplaceAllString(slashed(file), "")
	return strings.TrimPrefix(path.Clean("/"+file), "/") // as the root, .. goes nowhere
}

// RootedPath is Path for a reader that knows where the repository lies: a root
// or a drive stays.
func RootedPath(file string) string {
	slashes := slashed(file)
	root := drive().FindString(slashes)
	if rest := slashes[len(root):]; root != "" || path.IsAbs(rest) {
		return root + path.Clean("/"+rest)
	}
	return Path(file)
}

// relative reports what nearly all files are: plain, and a path already.
func relative(file string) bool {
	const odd = "\\:#\t\n " // separators of others, drives, commands, and what ends a line
	return plain(file) && !strings.ContainsAny(file, odd) && file != "" && file == path.Clean(file) &&
		file[0] != '/' && file != "." && file != ".." && !strings.HasPrefix(file, "../")
}

func slashed(file string) string { return strings.ReplaceAll(Line(file), `\`, "/") }
