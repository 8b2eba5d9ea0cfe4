package pretty

import (
	"cmp"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
)

// name is a test's name in its parts: suite/test [variant]. A part that all
// tests share is empty.
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

// keyName is the name of a test with all its parts.
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

// fit shortens the name to room columns: the suite most and from the left, then
// the variant, and of the test's own name the middle.
func (n name) fit(room int, ellipsis string) name {
	if width(n.suite)+width(n.test)+width(n.variant) <= room {
		return n
	}
	if n.variant != "" {
		inside := cut(n.variant[len(" ["):len(n.variant)-len("]")], max(room/3-3, 1), ellipsis)
		n.variant = " [" + inside + "]"
	}
	room -= width(n.variant)
	n.test = cutMiddle(n.test, room-min(width(n.suite), room/5), ellipsis)
	n.suite = cutLeft(n.suite, room-width(n.test), ellipsis)
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

func testCell(r *report, t *envelope.Test, room int) string {
	return r.fit(r.name(t), room).String()
}

// testPaint makes the parts of the cell again, to style them one by one.
func testPaint(r *report, t *envelope.Test, cell string) string {
	return r.fit(r.name(t), width(cell)).paint(&r.canvas)
}

// field is a short text of a test, safe and on one line. No more of it is looked at
// than a terminal could ever show; its end is kept, because names differ there.
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
	if t.Status != envelope.Inconclusive {
		if d := firstFailing(t); d != nil {
			if first := firstLines(d.Message, 1); len(first) > 0 {
				return strings.TrimLeft(first[0], " ")
			}
		}
	}
	return r.field(t.Verdict.Reason)
}

// firstFailing is the first kept trial that counts as not passed, otherwise the
// first that was excluded, or was skipped as all others were.
func firstFailing(t *envelope.Test) *envelope.Detail {
	var other *envelope.Detail
	for i := range t.Details {
		d := &t.Details[i]
		switch o := outcome(t, d); {
		case o == envelope.Failed || o == envelope.Errored:
			return d
		case other == nil && (o == envelope.Excluded || t.Status == envelope.Skip):
			other = d
		}
	}
	return other
}

// outcome is what the trial of a detail counts as.
func outcome(t *envelope.Test, d *envelope.Detail) envelope.Outcome {
	if d.Trial >= 0 && d.Trial < len(t.Rows.Outcome) {
		return t.Rows.Outcome[d.Trial]
	}
	return envelope.Failed
}
