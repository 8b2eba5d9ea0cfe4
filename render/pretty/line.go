package pretty

import (
	"cmp"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

func (r *canvas) line(s string) { r.out.WriteString(strings.TrimRight(s, " ") + "\n") }

// text writes a text, wrapped to at most `most` lines. The first line begins with first, the others with rest.
func (r *canvas) text(first, rest, s string, most int) {
	room := max(r.limit-max(width(first), width(rest)), minWidth/2)
	apart := strings.Contains(s, "::")
	if apart {
		room-- // for the space that takes a command apart
	}
	for i, line := range carryInk(wrap(s, room, most, r.sign.ellipsis)) {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		if apart && strings.TrimLeft(prefix, " ") == "" {
			line = apartAtStart(line)
		}
		r.line(prefix + line)
	}
}

// apartAtStart makes a line that wrapping began safe again: a :: inside a text
// is harmless until it comes to stand first, if only behind an ink.
func apartAtStart(line string) string {
	start := 0
	for start < len(line) && line[start] == escape {
		start += strings.IndexByte(line[start:], 'm') + 1
	}
	ink, line := line[:start], line[start:]
	end := strings.IndexByte(line, escape)
	if end < 0 {
		end = len(line)
	}
	return ink + text.Block(line[:end]) + line[end:]
}

// escape begins a style; only inks write it, text.Line and text.Block leave none.
const escape = 0x1b

const inkOff = "\x1b[0m"

func carryInk(lines []string) []string {
	open := ""
	for i, line := range lines {
		line = open + line
		open = ""
		if at := strings.LastIndexByte(line, escape); at >= 0 && !strings.HasPrefix(line[at:], inkOff) {
			open = line[at : at+strings.IndexByte(line[at:], 'm')+1]
			line += inkOff
		}
		lines[i] = line
	}
	return lines
}

// more says how many of what is listed are left out, and nothing where none is.
func (r *canvas) more(indent string, n int, what string, faint bool) {
	if n <= 0 {
		return
	}
	said := r.sign.ellipsis + " and " + words.Plural(n, what, what+"s")
	if faint {
		said = r.ink.faint.Render(said)
	}
	r.text(indent, indent, said, 2)
}

func (r *canvas) heading(s string) {
	r.line("")
	r.line(r.ink.strong.Render(s))
}

func spaces(s string) string { return strings.Repeat(" ", width(s)) }

// name is a test's name in its parts: suite/test [variant]. A part that all tests share is empty.
type name struct{ suite, test, variant string }

func (r *report) name(t *envelope.Test) name {
	n := keyName(&r.canvas, t.Key)
	if t.Suite == r.suite {
		n.suite = ""
	}
	if t.Variant == r.variant {
		n.variant = ""
	}
	return n
}

func keyName(s *canvas, k envelope.Key) name {
	n := name{test: cmp.Or(s.field(k.Test), "(no name)")}
	suite, between := k.RunnerSuite()
	if suite = s.field(suite); suite != "" {
		n.suite = suite + between
	}
	if variant := s.field(k.Variant); variant != "" {
		n.variant = " [" + variant + "]"
	}
	return n
}

// fit shortens the name to room columns: the variant, and one cut in suite and test.
func (n name) fit(room int, ellipsis string) name {
	if width(n.suite)+width(n.test)+width(n.variant) <= room {
		return n
	}
	if n.variant != "" {
		inside := cut(n.variant[len(" ["):len(n.variant)-len("]")], max(room/3-3, 1), ellipsis)
		n.variant = " [" + inside + "]"
	}
	room -= width(n.variant)
	switch half := room / 2; {
	case width(n.test) <= room-min(width(n.suite), room/5):
		n.suite = cutLeft(n.suite, room-width(n.test), ellipsis)
	case width(n.suite) <= half:
		n.test = cutMiddle(n.test, room-width(n.suite), ellipsis)
	default:
		n.suite = cut(n.suite, half, ellipsis)
		n.test = cutLeft(n.test, room-width(n.suite), "")
	}
	return n
}

// fit shortens a name where it is seen and not kept.
func (r *canvas) fit(n name, room int) name {
	if r.kept {
		return n
	}
	return n.fit(room, r.sign.ellipsis)
}

func (n name) String() string { return n.suite + n.test + n.variant }

// paint sets the suite and the variant back behind the test's own name.
func (n name) paint(r *canvas) string {
	s := n.test
	if n.suite != "" {
		s = r.ink.faint.Render(n.suite) + s
	}
	if n.variant != "" {
		s += r.ink.faint.Render(n.variant)
	}
	return s
}

// field makes a short text safe, on one line. A very long one keeps its end: names differ there.
func (r *canvas) field(s string) string {
	const most = 8 << 10
	if !r.kept && len(s) > most {
		s = strings.ToValidUTF8(s[:most/2], "") + r.sign.ellipsis + strings.ToValidUTF8(s[len(s)-most/2:], "")
	}
	return text.Line(s)
}

// reason is why the test has its verdict, in one line: what its first failing
// or skipped trial said, otherwise what the rule said. A test without a decision is
// explained by the rule alone: that single trials failed did not decide it.
func (r *report) reason(t *envelope.Test) string {
	if d := firstFailing(t); d != nil && t.Status != envelope.Inconclusive {
		if first := firstLines(d.Message, 1); len(first) > 0 {
			return strings.TrimLeft(first[0], " ")
		}
	}
	return r.field(t.Verdict.Reason)
}

func firstFailing(t *envelope.Test) *envelope.Detail {
	var other *envelope.Detail
	for i := range t.Details {
		d := &t.Details[i]
		switch o := outcome(t, d); {
		case o == envelope.Failed || o == envelope.Errored:
			return d
		case other == nil && (o == envelope.Excluded && (t.Trials.Counted == 0 || t.Status == envelope.Error) || t.Status == envelope.Skip):
			other = d
		}
	}
	return other
}

func outcome(t *envelope.Test, d *envelope.Detail) envelope.Outcome {
	if d.Trial >= 0 && d.Trial < len(t.Rows.Outcome) {
		return t.Rows.Outcome[d.Trial]
	}
	return envelope.Failed
}

// longestText is how many bytes of a message, from its beginning, and of an output, from its end, are looked at.
const longestText = 16 << 10

func lines(s string) []string {
	const tab = "    " // what a tab becomes: a terminal's own stops would break the columns
	all := strings.Split(strings.ReplaceAll(text.Block(s), "\t", tab), "\n")
	for i, line := range all {
		all[i] = strings.TrimRight(line, " ")
	}
	return all
}

func firstLines(s string, n int) []string {
	s = strings.TrimLeft(s, "\r\n")
	var first []string
	for _, line := range lines(s[:min(len(s), longestText)]) {
		if line == "" {
			continue
		}
		if first = append(first, line); len(first) == n {
			break
		}
	}
	return first
}

func lastLines(s string, n int) (last []string, more bool) {
	s = strings.TrimSpace(s)
	surplus := max(0, len(s)-longestText)
	all := lines(s[surplus:])
	for i := len(all) - 1; i >= 0; i-- {
		switch {
		case all[i] == "":
			continue
		case len(last) == n:
			return last, true
		}
		last = append([]string{all[i]}, last...)
	}
	return last, surplus > 0
}

func interval(lo, hi float64) string { return "[" + words.Percent(lo) + ", " + words.Percent(hi) + "]" }

// rateAndInterval writes a rate and its interval with as many decimals as the width of the
// interval is worth, so that a million trials do not read as 90 % [90, 90].
func rateAndInterval(value, lo, hi float64) (rate, between string) {
	decimals := 0
	switch width := hi - lo; {
	case width < 0.0005:
		decimals = 3
	case width < 0.005:
		decimals = 2
	case width < 0.03:
		decimals = 1
	}
	if decimals == 0 || value <= 0 || value >= 1 {
		return words.Percent(value), interval(lo, hi)
	}
	write := func(f float64) string { return strconv.FormatFloat(100*f, 'f', decimals, 64) }
	return write(value), "[" + write(lo) + ", " + write(hi) + "]"
}
