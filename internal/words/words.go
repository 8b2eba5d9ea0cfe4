// Package words has numbers with their nouns and units, as the whole program
// says them to people.
//
// It exists so that a reason, a table, a page and an error say the same number
// the same way. It leaves out what a single format asks for: colours, escapes,
// digits for machines.
package words

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"tribunal/internal/each"
	"tribunal/internal/redact"
)

// OfFile is an error of a file with what to do about it, and without its name, which the caller says first.
func OfFile(err error) error {
	at := new(fs.PathError)
	if !errors.As(err, &at) {
		return err
	}
	switch {
	case errors.Is(at.Err, syscall.EISDIR):
		return errors.New("this is a folder; name a file in it")
	case errors.Is(at.Err, syscall.ENOTDIR):
		return errors.New("a part of the path is a file, not a folder; check the path")
	case errors.Is(at.Err, fs.ErrPermission), errors.Is(at.Err, syscall.EROFS):
		return fmt.Errorf("%w; check the permissions of it and its folder", at.Err)
	case !errors.As(at.Err, new(syscall.Errno)), errors.Is(at.Err, fs.ErrNotExist):
		return fmt.Errorf("%w; check the path", at.Err)
	}
	return at.Err
}

// AtWord is the beginning of a text of at most so many bytes, up to the end of a word where
// there is one in its last third.
func AtWord(s string, most int) string {
	s = strings.ToValidUTF8(s[:min(len(s), most)], "")
	if at := strings.LastIndexAny(s, " \n"); at > len(s)*2/3 {
		return strings.TrimRight(s[:at], " \n")
	}
	return s
}

// Shortened is a name of at most 80 characters.
func Shortened(name string) string {
	const most = 80
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}

// Head keeps the head of a text, at most so many bytes of it and no part of a secret.
// The copy does not keep the text alive.
func Head[T ~string | ~[]byte](text T, most int) string {
	s := strings.Clone(string(text[:min(len(text), most+redact.Beyond)]))
	if len(s) <= most {
		return s
	}
	end, _ := redact.Split(s, most)
	return strings.ToValidUTF8(s[:end], "") + "…"
}

// Lead is Head for a text that people read: it ends with a word, as AtWord does.
func Lead[T ~string | ~[]byte](text T, most int) string {
	head := Head(text, most)
	if len(text) <= most {
		return head
	}
	return AtWord(strings.TrimSuffix(head, "…"), most) + "…"
}

// Quote is the head of a text in quotes, as a message shows it.
func Quote[T ~string | ~[]byte](text T, most int) string { return strconv.Quote(Head(text, most)) }

// Printed says how the output of a command begins that has not what was wanted of it.
func Printed(texts ...string) string {
	lines := Present(each.Of(strings.Split(strings.Join(texts, "\n"), "\n"), strings.TrimSpace)...)
	return "it printed" + cmp.Or(Around(": ", Lead(strings.Join(lines, "; "), 300)), " nothing")
}

// Shell is a command as a shell takes it.
func Shell(argv ...string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+={}-"
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		if quoted[i] = arg; arg == "" || strings.Trim(arg, plain) != "" {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// Commit shortens what looks like a commit's hash. Runs merged from
// several commits list them with commas between.
func Commit(s string) string {
	const short = 8
	commits := strings.Split(s, ", ")
	for i, c := range commits {
		if len(c) > short && strings.Trim(c, "0123456789abcdef") == "" {
			commits[i] = c[:short]
		}
	}
	return strings.Join(commits, ", ")
}

// List is a list in words.
func List[T any](list []T, form func(T) string) string {
	return strings.Join(each.Of(list, form), ", ")
}

// Some is a list in words without the items of which form says nothing.
func Some[T any](list []T, form func(T) string) string { return Join(", ", each.Of(list, form)...) }

// First is the beginning of a list in words, and how many more there are.
func First[T any](all []T, most int, form func(T) string) string {
	s := List(all[:min(most, len(all))], form)
	if more := len(all) - most; more > 0 {
		s += " and " + strconv.Itoa(more) + " more"
	}
	return s
}

// ByName is a map in words, in the order of its names.
func ByName[T any](all map[string]T, form func(name string, value T) string) string {
	return List(slices.Sorted(maps.Keys(all)), func(name string) string { return form(name, all[name]) })
}

// Join joins the parts that are not empty.
func Join(separator string, parts ...string) string {
	return strings.Join(Present(parts...), separator)
}

// Present are the parts that are not empty.
func Present(parts ...string) []string {
	return each.Where(parts, func(s string) bool { return s != "" })
}

// If is a text on a condition, and nothing otherwise.
func If(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// Around is a text between others, and nothing where it is empty.
func Around(before, text string, after ...string) string {
	if text == "" {
		return ""
	}
	return before + text + strings.Join(after, "")
}

// Count writes a whole number with a comma between thousands.
func Count[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Plural is the number and the noun that goes with it.
func Plural[T int | int64](n T, one, many string) string { return Count(n) + " " + Verb(n, one, many) }

// Verb is the verb that goes with a number: 1 of 6 tests fails, 2 of 6 tests fail.
func Verb[T int | int64](n T, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Of is a part of a number of things: 1,234 of 2,000 trials.
func Of[T int | int64](part, n T, one, many string) string {
	return Count(part) + " of " + Plural(n, one, many)
}

// Percent writes a fraction as a whole percentage, without the sign. Next to 0
// and 1 it is as exact as needed to be neither: 999 of 1000 is not 100 %.
func Percent(fraction float64) string {
	const exact = 1e-9
	v := 100 * fraction
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "?"
	case v <= exact && v >= -exact:
		return "0"
	case v < 0.1-exact && v > 0:
		return "<0.1"
	case v > 99.9+exact && v < 100-exact:
		return ">99.9"
	case v < 1 && v > 0, v > 99 && v < 100-exact:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
}

// Tenths writes a fraction as a percentage of one decimal at most, without the
// sign, where there is room for it. What is less than all is never 100, and what
// is more than none never 0.
func Tenths(fraction float64) string { return string(AppendTenths(make([]byte, 0, 24), fraction)) }

// AppendTenths appends what Tenths is.
func AppendTenths(b []byte, fraction float64) []byte {
	switch {
	case fraction > 0.999 && fraction < 1:
		return append(b, ">99.9"...)
	case fraction > 0 && fraction < 0.001:
		return append(b, "<0.1"...)
	}
	return bytes.TrimSuffix(strconv.AppendFloat(b, fraction*100, 'f', 1, 64), []byte(".0"))
}

// Level writes a confidence level, which is a round number of people's choosing.
func Level(fraction float64) string {
	return strconv.FormatFloat(math.Round(fraction*1e6)/1e4, 'f', -1, 64) + " %"
}

// Fraction writes a threshold with at least two decimals.
func Fraction(f float64) string {
	s := strconv.FormatFloat(math.Round(f*1e12)/1e12, 'f', -1, 64) // 0.8 - 0.1 is 0.70
	if whole, decimals, _ := strings.Cut(s, "."); len(decimals) < 2 && len(whole) < 10 {
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return s
}

// Duration writes milliseconds in the unit people would use.
func Duration(ms float64) string { return string(AppendDuration(make([]byte, 0, 24), ms)) }

// AppendDuration appends what Duration is.
func AppendDuration(b []byte, ms float64) []byte {
	seconds := int64(0)
	if math.Abs(ms) < 1e15 {
		seconds = int64(math.Round(ms / 1000))
	}
	switch {
	case math.IsNaN(ms) || math.Abs(ms) >= 1e15:
		return append(b, '?')
	case ms == 0:
		return append(b, "0 ms"...)
	case ms < 9.95:
		return append(strconv.AppendFloat(b, ms, 'g', 2, 64), " ms"...)
	case ms < 999.5:
		return append(strconv.AppendFloat(b, ms, 'f', 0, 64), " ms"...)
	case ms < 59_950:
		return append(strconv.AppendFloat(b, ms/1000, 'f', 1, 64), " s"...)
	case seconds < 3600:
		return appendUnits(b, seconds, 60, 'm', 's')
	case seconds < 48*3600:
		return appendUnits(b, seconds/60, 60, 'h', 'm')
	}
	return appendUnits(b, seconds/3600, 24, 'd', 'h')
}

// appendUnits appends a number of small units, of which so many are a large one.
func appendUnits(b []byte, n, of int64, large, small byte) []byte {
	b = append(append(b, Count(n/of)...), large)
	if n%of < 10 {
		b = append(b, '0')
	}
	return append(strconv.AppendInt(b, n%of, 10), small)
}

// Dollars writes an amount in cents, and below a dollar with as many decimals
// as two digits need.
func Dollars(v float64) string {
	switch {
	case math.IsNaN(v) || math.Abs(v) >= 1e15:
		return "?"
	case v == 0:
		return "$0"
	case v < 0:
		return "-" + Dollars(-v)
	case v < 1e-6:
		return "<$0.000001"
	case v < 0.0995:
		decimals := 1 - int(math.Floor(math.Log10(v)))
		return "$" + strings.TrimRight(strconv.FormatFloat(v, 'f', decimals, 64), "0")
	}
	whole, cents, _ := strings.Cut(strconv.FormatFloat(v, 'f', 2, 64), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return "?"
	}
	return "$" + Count(n) + "." + cents
}

// Short writes a number of any scale with the digits that matter.
func Short(v float64) string {
	switch {
	case math.IsNaN(v) || math.Abs(v) >= 1e15:
		return "?"
	case math.Abs(v) < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case math.Abs(v) < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return Count(int64(math.Round(v)))
}

// Decimal writes a value whose scale is not known.
func Decimal(v float64) string {
	if math.Abs(v) >= 1e9 || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// Probability writes a p-value with the three digits that say anything.
func Probability(p float64) string {
	if math.IsNaN(p) {
		return "?"
	}
	return strconv.FormatFloat(p, 'g', 3, 64)
}

// Number writes a number that somebody gave, in the 15 digits that every decimal
// survives: what was 0.8 - 0.1 is 0.7, not 0.7000000000000001.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', 15, 64) }

// Distinct writes a number in so many digits, as strconv formats them, and in more
// where so many do not show on which side of the others it lies.
func Distinct(v float64, format byte, digits int, others ...float64) string {
	for ; digits < 17; digits++ {
		text := strconv.FormatFloat(v, format, digits, 64)
		shown, err := strconv.ParseFloat(text, 64)
		misleads := func(other float64) bool { return cmp.Compare(shown, other) != cmp.Compare(v, other) }
		if err != nil || !slices.ContainsFunc(others, misleads) {
			return text
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// FromTo writes an interval in digits that show where the threshold lies.
func FromTo(lo, hi, threshold float64) string {
	return Distinct(lo, 'f', 3, threshold) + " to " + Distinct(hi, 'f', 3, threshold)
}

// PercentFromTo writes an interval of shares in percent, in digits that show where the
// threshold lies.
func PercentFromTo(lo, hi, threshold float64) string {
	percent := func(share float64) string {
		text := Distinct(share, 'f', 3, threshold)
		shown, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text // NaN is one
		}
		_, decimals, _ := strings.Cut(text, ".")
		return strconv.FormatFloat(shown*100, 'f', max(0, len(decimals)-2), 64)
	}
	return percent(lo) + " to " + percent(hi) + " %"
}
