package envelope

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope/internal/arguments"
)

// Edit replaces every text of a turn, in place, and reports whether one changed.
// What text makes of a text stands in its place, and in those of arguments, which
// have names, what label makes of it.
func (t *Turn) Edit(text func(string) string, label func(name, value string) string) (changed bool) {
	put := func(to *string, s string) {
		if s != *to {
			*to, changed = s, true
		}
	}
	for _, s := range []*string{&t.Role, &t.Text, &t.Reasoning, &t.ToolCallID, &t.Name, &t.Agent} {
		put(s, text(*s))
	}
	for i := range t.ToolCalls {
		c := &t.ToolCalls[i]
		put(&c.ID, text(c.ID))
		put(&c.Name, text(c.Name))
		put(&c.Arguments, arguments.Edit(c.Arguments, text, label))
	}
	for i := range t.Attachments {
		changed = t.Attachments[i].Edit(text) || changed
	}
	return changed
}

// Edit replaces every text of an attachment as that of a turn does.
func (a *Attachment) Edit(text func(string) string) (changed bool) {
	for _, s := range []*string{&a.Name, &a.Path, &a.URL, &a.MediaType} {
		if said := text(*s); said != *s {
			*s, changed = said, true
		}
	}
	return changed
}

// valid is the text with U+FFFD in place of what is no UTF-8.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// validTurns are the turns themselves where all their texts are UTF-8.
func validTurns(turns []Turn) []Turn {
	whole := true
	for i := range turns {
		turns[i].texts(func(text *string) { whole = whole && utf8.ValidString(*text) })
	}
	if whole {
		return turns
	}
	out := CloneTurns(turns)
	for i := range out {
		out[i].Edit(valid, func(_, value string) string { return valid(value) })
	}
	return out
}

// CloneTurns are the turns in memory of their own, and their texts as well.
func CloneTurns(turns []Turn) []Turn {
	if turns == nil {
		return nil
	}
	out := make([]Turn, len(turns))
	for i, t := range turns {
		t.ToolCalls, t.Attachments = slices.Clone(t.ToolCalls), slices.Clone(t.Attachments)
		t.texts(func(text *string) { *text = strings.Clone(*text) })
		out[i] = t
	}
	return out
}

// texts calls each with the texts of the turn, arguments as they are written.
func (t *Turn) texts(each func(*string)) {
	for _, text := range [...]*string{&t.Role, &t.Text, &t.Reasoning, &t.ToolCallID, &t.Name, &t.Agent} {
		each(text)
	}
	for i := range t.ToolCalls {
		c := &t.ToolCalls[i]
		each(&c.ID)
		each(&c.Name)
		each(&c.Arguments)
	}
	for i := range t.Attachments {
		a := &t.Attachments[i]
		for _, text := range [...]*string{&a.Name, &a.Path, &a.URL, &a.MediaType} {
			each(text)
		}
	}
}
