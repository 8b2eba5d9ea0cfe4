package markdown

import (
	"strings"

	"tribunal/internal/words"
)

// signs in words, as < and > open and quote in Markdown.
var signs = strings.NewReplacer("<", "below ", ">", "over ")

// percent writes a fraction as a percentage. Only 0 and 1 are 0 % and 100 %.
func percent(fraction float64) string {
	return signs.Replace(words.Percent(fraction))
}

// interval writes two fractions as percentages.
func interval(lo, hi float64) string { return percent(lo) + " to " + percent(hi) + " %" }
