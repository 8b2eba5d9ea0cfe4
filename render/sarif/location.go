package sarif

import (
	"net/url"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

type location struct {
	Physical physical  `json:"physicalLocation"`
	Logical  []logical `json:"logicalLocations,omitempty"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   region   `json:"region"`
}

type artifact struct {
	URI string `json:"uri"`
}

// region has all four numbers: GitHub asks for them.
type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type logical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// locate is where the test is defined, or a made-up place: GitHub refuses a
// result without one.
func locate(t *envelope.Test) location {
	file, line := standing.Origin(t)
	where := place(relative(file), line)
	if where.Physical.Artifact.URI == "" {
		where = place(madeUp(t.Suite, t.Test), 1)
	}
	where.Logical = []logical{{name(t.Key), "function"}}
	return where
}

func place(uri string, line int) location {
	line = max(1, line)
	return location{Physical: physical{artifact{uri}, region{line, 1, line, 2}}}
}

const pathLimit = 1000 // bytes, before they are encoded

// relative is the file below the root of the repository as a URI, "" when
// nothing of it is left.
func relative(file string) string {
	segments := strings.Split(text.CutLine(text.Path(file), pathLimit), "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	if strings.Contains(segments[0], ":") { // would be taken for a scheme
		segments[0] = strings.ReplaceAll(segments[0], ":", "%3A")
	}
	return strings.Join(segments, "/")
}

// madeUp is the URI of a test without a file: tribunal/<suite>/<test>. It
// depends on the names alone and leads nowhere.
func madeUp(suite, test string) string {
	p := "tribunal"
	for _, s := range []string{suite, test} {
		if s = text.CutLine(text.Line(s), nameLimit/2); s == "." || s == ".." {
			s = "_"
		}
		if s != "" {
			p += "/" + url.PathEscape(s)
		}
	}
	return p
}
