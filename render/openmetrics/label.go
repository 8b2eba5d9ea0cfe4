package openmetrics

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"tribunal/internal/regex"
	"tribunal/internal/text"
)

const (
	labelLimit = 120 // bytes
	noSuite    = "(no suite)"
)

// tripped are the characters that end something for one of the parsers: the
// comment of GitLab's, the value itself, and the labels in GitLab's names, from
// which it takes the quotes away.
var tripped = strings.NewReplacer("#", "_", `"`, "_", `\`, "_")

var marked = regex.Of(`~[0-9a-f]{12}$`)

// suiteLabel is the name of a suite as a label value. Two suites never share
// one: a name that cannot be written as it is, or that looks like one made here,
// ends in its hash. An empty value would mean that there is no label.
func suiteLabel(suite string) string {
	if suite == "" {
		return noSuite
	}
	shown := text.CutLine(tripped.Replace(text.Line(suite)), labelLimit)
	if shown == suite && suite != noSuite && !marked().MatchString(suite) {
		return shown
	}
	sum := sha256.Sum256([]byte(suite))
	return strings.TrimLeft(shown+" ~"+hex.EncodeToString(sum[:6]), " ")
}
