package ansi_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tribunal/internal/hostile"
	"tribunal/internal/text"
	"tribunal/render/html/ansi"
)

// show writes spans as class{text}, plain ones as their text.
func show(spans []ansi.Span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Class == "" {
			b.WriteString(s.Text)
			continue
		}
		b.WriteString(s.Class + "{" + s.Text + "}")
	}
	return b.String()
}

func TestSpans(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"nothing", "", ""},
		{"plain text", "a\nb", "a\nb"},
		{"the eight colours of ECMA-48, 30 to 37", "\x1b[31mred\x1b[37mwhite\x1b[0mx", "a1{red}a7{white}x"},
		{"the bright ones, 90 to 97", "\x1b[90mgrey\x1b[97mwhite", "a8{grey}a15{white}"},
		{"grounds, 40 to 47 and 100 to 107: the page chooses the text on them", "\x1b[37;41mred\x1b[102mgreen", "g1{red}g10{green}"},
		{"an empty parameter is 0", "\x1b[31mred\x1b[mx", "a1{red}x"},
		{"an empty one among others too", "\x1b[31;;1mbold", "bold{bold}"},
		{"39 and 49 are the page's own colours", "\x1b[31;42mx\x1b[49my\x1b[39mz", "g2{x}a1{y}z"},
		{"bold and its end", "\x1b[1mx\x1b[22my", "bold{x}y"},
		{"all that is no colour", "\x1b[2;3;4;9mx\x1b[22;23;24;29my", "dim italic under strike{x}y"},
		{"double underline", "\x1b[21mx", "under{x}"},
		{"a curly underline, and the underline none", "\x1b[4:3mx\x1b[4:0my", "under{x}y"},
		{"inverse exchanges text and ground", "\x1b[31;7mx\x1b[27my", "g1{x}a1{y}"},
		{"inverse without colours", "\x1b[7mx", "g7{x}"},
		{"concealed and blinking text is text", "\x1b[8;5;6mx", "x"},
		{"256 colours: the first sixteen by number", "\x1b[38;5;9mx\x1b[48;5;4my", "a9{x}g4{y}"},
		{"256 colours: 196 is ff0000 in xterm's cube, 22 is 005f00", "\x1b[38;5;196mx\x1b[38;5;22my", "a9{x}a2{y}"},
		{"256 colours: 232 is 080808, 255 is eeeeee", "\x1b[38;5;232mx\x1b[38;5;255my", "a0{x}a15{y}"},
		{"24 bits: orange is yellow, the nearest hue", "\x1b[38;2;255;165;0mx", "a11{x}"},
		{"24 bits: a dark blue", "\x1b[38;2;10;20;120mx", "a4{x}"},
		{"24 bits with colons and a colour space", "\x1b[38:2::0:200:200mx", "a14{x}"},
		{"24 bits with colons and without", "\x1b[38:2:200:0:200mx", "a13{x}"},
		{"what follows a colour still counts", "\x1b[38;5;1;1mx\x1b[38;2;0;0;250;4my", "a1 bold{x}a12 bold under{y}"},
		{"a colour cut short changes nothing", "\x1b[38mx\x1b[38;5my\x1b[38;2;1mz", "xyz"},
		{"numbers out of range change nothing", "\x1b[38;5;256;99999999999999999999;38;2;1;2;256mx", "x"},
		{"the 8-bit introducer", "\u009b31mx", "a1{x}"},
		{"other sequences go, and nothing with them", "\x1b[31ma\x1b[2Kb\x1b]0;title\x07c", "a1{abc}"},
		{"a sequence that does not end is shown", "\x1b[31", "␛[31"},
		{"a title that does not end does not swallow a colour", "\x1b]0;a\x1b[31mb", "␛]0;aa1{b}"},
		{"what is left when a colour goes is no sequence", "\x1b\x1b[m[31mx", "␛[31mx"},
		{"halves of a character around a colour", "\xc2\x1b[m\x9b31mx", "\uFFFD\uFFFD31mx"},
		{"a colour over many lines", "\x1b[32ma\r\nb\x1b[0m\n", "a2{a\nb}\n"},
		{"a command is taken apart behind a colour", "\x1b[31m::error::x", "a1{: :error::x}"},
		{"and behind blanks and a colour", "x\n  \x1b[31m::error::x", "x\n  a1{: :error::x}"},
		{"two colons in the middle of a line are none", "std\x1b[1m::vector", "stdbold{::vector}"},
		{"a bidi control is shown", "\x1b[31m\u202ex", "a1{[U+202E]x}"},
	} {
		if got := show(ansi.Spans(c.in)); got != c.want {
			t.Errorf("%s: Spans(%q) = %q, want %q", c.reason, c.in, got, c.want)
		}
	}
}

// joined is what a reader sees.
func joined(spans []ansi.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

func TestSpansAreBlock(t *testing.T) {
	ins := []string{"\x1b[31mred\x1b[0m plain \x1b[1mbold", "a\x1b[2Jb\x1b[31mc"}
	for _, h := range hostile.Texts {
		ins = append(ins, h.Text)
	}
	for _, in := range ins {
		if got, want := joined(ansi.Spans(in)), text.Block(in); got != want {
			t.Errorf("Spans(%.60q) shows %.80q, Block %.80q", in, got, want)
		}
	}
}

func TestSpansAreBounded(t *testing.T) {
	spans := ansi.Spans(strings.Repeat("\x1b[31mr\x1b[32mg", 100_000))
	if len(spans) > ansi.MaxSpans+1 {
		t.Errorf("%d spans", len(spans))
	}
	if got := joined(spans); got != strings.Repeat("rg", 100_000) {
		t.Errorf("%d letters are left", len(got))
	}
	if spans[len(spans)-1].Class != "" {
		t.Error("what is beyond the bound has a colour")
	}
}

func FuzzSpans(f *testing.F) {
	for _, s := range hostile.Texts {
		f.Add(s.Text)
	}
	f.Add("\x1b[38;2;1;2;3;48;5;6;7mx\u009b1my")
	f.Fuzz(func(t *testing.T, in string) {
		spans := ansi.Spans(in)
		if len(spans) > ansi.MaxSpans+1 {
			t.Fatalf("%d spans", len(spans))
		}
		for i, s := range spans {
			if !utf8.ValidString(s.Text) || strings.ContainsAny(s.Text, "\x1b\u009b\r") || strings.Trim(s.Class, "abcdefghijklmnopqrstuvwxyz0123456789 ") != "" {
				t.Fatalf("span %d of %q is %+v", i, in, s)
			}
		}
	})
}
