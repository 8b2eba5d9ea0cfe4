package standing

import (
	"path"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/text"
)

// frame is a place in source code as stack traces and compilers write it: file:line,
// file:line line, or File "file", line n.
var frame = regex.Of(`([^\s"'():]+\.(?:py|pyx|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|go|rs|java|kt|kts|scala|groovy|rb|php|pl|cs|fs|vb|c|cc|cpp|cxx|h|hpp|m|mm|swift|dart|ex|exs|erl|hs|lua|r|R|jl|sh|feature|robot))(?:", line |:line |:)([0-9]{1,7})\b`)

// foreign are folders of code that is not the project's own.
var foreign = regex.Of(`(^|/)(node_modules|site-packages|dist-packages|vendor|\.venv|venv|internal/process)/`)

// Origin is the file and line that a failure's stack trace names, in the file of the
// test where that is known. It is where the test stands when no trace says more.
func Origin(t *envelope.Test) (file string, line int) {
	file, line = text.Path(t.File), t.Line
	for i := range t.Details {
		if t.Details[i].Status == envelope.Pass {
			continue
		}
		if in, at := traced(t.Details[i].Message+"\n"+t.Details[i].Output, file); at > 0 {
			return in, at
		}
	}
	return file, line
}

// Owners says who owns the file of the test, "" where nobody does.
func Owners(t *envelope.Test) string {
	owners := strings.Join(t.Owners, ", ")
	switch len(t.Owners) {
	case 0:
		return ""
	case 1:
		return "owner " + owners
	}
	return "owners " + owners
}

// traced is the innermost frame of a trace that is in a file, or in the repository where
// the file is not known. Python writes that frame last, others write it first.
func traced(trace, file string) (in string, line int) {
	for _, m := range frame().FindAllStringSubmatch(trace, -1) {
		at := text.RootedPath(m[1])
		switch {
		case file == "" && (path.IsAbs(at) || !strings.Contains(at, "/") || strings.HasPrefix(m[1], "../") || foreign().MatchString(at)):
			continue
		case file == "":
		case at != file && !strings.HasSuffix(at, "/"+file) && at != path.Base(file):
			continue
		default:
			at = file
		}
		if line > 0 && path.Ext(at) != ".py" {
			break
		}
		in = at
		line, _ = strconv.Atoi(m[2]) // seven digits
	}
	return in, line
}
