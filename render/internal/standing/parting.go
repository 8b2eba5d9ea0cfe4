package standing

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

const mostWays = 4

// Parting is where the trials of the test part, in a line: up to where they do the
// same, what each way does next, and how many of it passed; empty where they do not
// part. It is as the test has it, and not yet safe for any format.
func Parting(t *envelope.Test) string {
	p := t.Parting
	if p == nil {
		return ""
	}
	var ways []string
	shown := p.Branches
	if len(shown) > mostWays+1 {
		shown = shown[:mostWays]
	}
	for i, b := range shown {
		ways = append(ways, fmt.Sprintf("%s %s%d/%d", Way(p, &b), words.If(i == 0, "passed "), b.Passed, b.N))
	}
	if rest := p.Branches[len(shown):]; len(rest) > 0 {
		passed, n, others := 0, 0, 0
		for _, b := range rest {
			passed, n, others = passed+b.Passed, n+b.N, others+max(1, b.Others)
		}
		ways = append(ways, fmt.Sprintf("%d other ways %d/%d", others, passed, n))
	}
	return Place(t) + ": " + strings.Join(ways, ", ") + "; " + pOfParting(p) + "exploratory"
}

// StepsUsed is what calling tools goes with over the tests of a run, in a line;
// empty where no test says anything. It says so when nothing stands, because pooled
// over tests nearly every tool goes with something.
func StepsUsed(s *envelope.Summary) string {
	if len(s.StepsUsed) == 0 {
		return ""
	}
	const level = 0.05
	tools := words.Plural(len(s.StepsUsed), "tool", "tools")
	var stand []string
	for _, u := range s.StepsUsed {
		if u.Adjusted <= level && len(stand) < mostWays {
			stand = append(stand, fmt.Sprintf("%s %+.0f points in %s, p %s, %s adjusted", u.Name, 100*u.Difference,
				words.Plural(u.Tests, "test", "tests"), words.Probability(u.P), words.Probability(u.Adjusted)))
		}
	}
	if len(stand) > 0 {
		return "trials that call it pass more or less often than others of their test: " + strings.Join(stand, "; ") + " for " + tools +
			"; exploratory"
	}
	said := "no call of a tool is linked to passing within a test (" + tools
	if first := &s.StepsUsed[0]; first.P < 1 {
		said += fmt.Sprintf("; the smallest p is %s, of %s, %s adjusted", words.Probability(first.P), first.Name,
			words.Probability(first.Adjusted))
	}
	return said + ")"
}

// Place is where the trials of a test part.
func Place(t *envelope.Test) (where string) {
	p := t.Parting
	switch {
	case p.Depth == 0:
		where = "at the first step"
	case p.Level == envelope.PartNames:
		where = "after " + words.Plural(p.Depth, "step", "steps") + " with the same tools"
	default:
		where = "after " + words.Plural(p.Depth, "equal step", "equal steps")
	}
	where += words.If(p.N < t.Trials.Counted, fmt.Sprintf(" of %d of %d trials", p.N, t.Trials.Counted))
	return where
}

// Way is what a branch does next. Two calls of one tool are distinguished by what
// differs in their arguments, or by the beginning of their digest.
func Way(p *envelope.Parting, b *envelope.Branch) string {
	const digits = 6
	switch {
	case b.Others > 0:
		return words.Plural(b.Others, "other way", "other ways")
	case b.Ended:
		return "without further steps"
	case b.Unknown:
		return "further steps that are not kept"
	case b.Arguments != "":
		return b.Name + "(" + b.Arguments + ")"
	case b.Digest != "" && slices.ContainsFunc(p.Branches, func(o envelope.Branch) bool { return o.Name == b.Name && o.Digest != b.Digest }):
		return b.Name + "(#" + b.Digest[:min(len(b.Digest), digits)] + ")"
	}
	return b.Name
}

func pOfParting(p *envelope.Parting) string {
	if !p.P.OK {
		return ""
	}
	by := words.If(p.Method == envelope.PPermutations, " by permutations")
	return fmt.Sprintf("p %s%s, %s adjusted for %s, ", words.Probability(p.P.V), by, words.Probability(p.Adjusted.V),
		words.Plural(p.Nodes, "place", "places"))
}

// Times is how often a problem was found; 0 for once, and where its message has the number.
func Times(p *envelope.Problem) int {
	noDigit := func(r rune) bool { return (r < '0' || r > '9') && r != ',' }
	if p.Count < 2 || slices.ContainsFunc(strings.FieldsFunc(p.Message, noDigit), func(number string) bool {
		return strings.Trim(number, ",") == words.Count(p.Count) || number == strconv.Itoa(p.Count)
	}) {
		return 0
	}
	return p.Count
}

// Grave are the errors and warnings of the input, errors first, and how many more there are.
func Grave(problems []envelope.Problem) (shown []envelope.Problem, more int) {
	for _, severity := range []envelope.Severity{envelope.SeverityError, envelope.SeverityWarning} {
		for _, p := range problems {
			const mostGrave = 100
			switch {
			case p.Severity != severity:
			case len(shown) < mostGrave:
				shown = append(shown, p)
			default:
				more++
			}
		}
	}
	return shown, more
}

// GateRemarks are what a reader of the tests should know of the gate: its notices, why a run
// is broken, and gates that do not hold, each behind a word.
func GateRemarks(g *envelope.Gate, one string) (lines []string) {
	said := envelope.Gate{Notices: g.Notices}
	if g.Status == envelope.Error {
		said = *g
	}
	lines = each.Of(said.Words(), func(says string) string { return "gate: " + says })
	for _, r := range g.Gates {
		if r.Status != envelope.Pass {
			lines = append(lines, words.Join(": ", one+r.Name, r.Expr, string(r.Status), r.Saw))
		}
	}
	return lines
}

// GateWords follows the status of the gate on its line: its notices, and the file that sets a part of the policy. It has
// no text of a test, and no character that needs escaping in any format.
func GateWords(e *envelope.Envelope) string {
	return words.Join(", ", e.Gate.Headline(), PolicyFile(e))
}

// PolicyFile names the file that sets a part of the policy; it is empty if none does.
func PolicyFile(e *envelope.Envelope) string { return words.Around("policy of ", PolicyPath(e)) }

// PolicyPath is the path of that file alone.
func PolicyPath(e *envelope.Envelope) string { return strings.Map(plain, e.Policy.Config) }

// plain keeps what paths are made of.
func plain(c rune) rune {
	if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("./-_, ", c) {
		return c
	}
	return '_'
}

// Unescaped is a text with letters where JSON escapes them, if it is JSON: Python writes
// all that is not ASCII as \u and four digits, which nobody reads. What cannot be seen
// stays escaped.
func Unescaped(text string) string {
	if !strings.Contains(text, `\u`) || !json.Valid([]byte(text)) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		r, n := escape(text[i:])
		if r >= utf8.RuneSelf && unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(text[i : i+n])
		}
		text = text[i+n:]
	}
}

// escape is the letter that an escape of valid JSON stands for, 0 for that of a single letter such as \n, and its length.
func escape(s string) (r rune, n int) {
	const one, pair = len(`\uffff`), len(`\ud800\udc00`)
	if s[1] != 'u' {
		return 0, 2
	}
	r = digits(s)
	if utf16.IsSurrogate(r) && strings.HasPrefix(s[one:], `\u`) {
		if both := utf16.DecodeRune(r, digits(s[one:])); both != utf8.RuneError {
			return both, pair
		}
	}
	return r, one
}

func digits(s string) rune {
	n, _ := strconv.ParseUint(s[len(`\u`):len(`\uffff`)], 16, 16) // valid JSON has them
	return rune(n)
}

// EqualRuns yields where each run of equal neighbours begins and where it ends.
func EqualRuns[T comparable](all []T) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from, to := 0, 0; from < len(all); from = to {
			for to < len(all) && all[to] == all[from] {
				to++
			}
			if !yield(from, to) {
				return
			}
		}
	}
}

// ByName are the tests of each suite and name, which are neighbours in an envelope.
func ByName(tests []envelope.Test) [][]envelope.Test {
	var rows [][]envelope.Test
	for len(tests) > 0 {
		n := slices.IndexFunc(tests, func(t envelope.Test) bool { return t.Suite != tests[0].Suite || t.Test != tests[0].Test })
		if n < 0 {
			n = len(tests)
		}
		rows, tests = append(rows, tests[:n]), tests[n:]
	}
	return rows
}

// Variants are those of tests by name, in order.
func Variants(rows [][]envelope.Test) []string {
	set := map[string]bool{}
	for _, row := range rows {
		for i := range row {
			set[row[i].Variant] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), envelope.CompareNames)
}
