package csv

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

const cellLimit = 32000 // bytes; spreadsheets take 32,767 characters

// formula holds the first characters of what a spreadsheet runs.
const formula = "=+-@\t\r＝＋－＠"

// words is a cell of text.
func words(s string) string {
	s = text.CutLine(text.Line(s), cellLimit)
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formula, first) {
		return "'" + s
	}
	return s
}

// number is a cell of a number, empty for what is none.
func number(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func optional(v envelope.Opt[float64]) string {
	if !v.OK {
		return ""
	}
	return number(v.V)
}

// integer is a cell of an integer, empty when it is unknown.
func integer[T ~int | ~int32 | ~int64](v T, ok bool) string {
	if !ok {
		return ""
	}
	return strconv.FormatInt(int64(v), 10)
}

// object is a cell of words by name, as JSON, names in order.
func object(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	b, err := json.Marshal(m)
	if err != nil { // strings always marshal
		return ""
	}
	return words(string(b))
}

// id is a word made of the key. The letter in front keeps spreadsheets from taking it
// for a number.
func id(k envelope.Key) string {
	sum := standing.Digest(k.Suite, k.Test, k.Variant)
	return "t" + hex.EncodeToString(sum[:8])
}
