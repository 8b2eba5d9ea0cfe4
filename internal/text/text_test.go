package text_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tribunal/internal/hostile"
	"tribunal/internal/text"
)

func TestBlock(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"plain text stays as it is", "a  b\tc\n  d\n", "a  b\tc\n  d\n"},
		{"every end of a line is a newline", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"},
		{"controls are shown as pictures", "a\x00\x07\x7fb", "a␀␇␡b"},
		{"C1 controls have no picture", "a\u0080b", "a\uFFFDb"},
		{"what takes no room shows its number", "a\u00adb\u034fc\u115fd\u3164e\uffa0f", "a[U+00AD]b[U+034F]c[U+115F]d[U+3164]e[U+FFA0]f"},
		{"bidi controls show their number", "a\u202eb\u2066c\u200fd\u061ce", "a[U+202E]b[U+2066]c[U+200F]d[U+061C]e"},
		{"tags hide text", "x\U000e0041", "x[U+E0041]"},
		{"joiners make emoji", "👩‍👧", "👩‍👧"},
		{"noncharacters end XML parsers", "a\ufffeb\U0010ffffc\ufdd0d", "a\uFFFDb\uFFFDc\uFFFDd"},
		{"a run of bytes that are no UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		{"a surrogate in UTF-8", "\xed\xa0\x80", "\uFFFD"},
		{"a command at the start of a line", "::error::x\n \t::warning::y\na::b", ": :error::x\n \t: :warning::y\na::b"},
		{"three colons", ":::x", ": ::x"},
		{"a command after a carriage return", "progress\r::error::x", "progress\n: :error::x"},
		{"a command behind a colour", "\x1b[31m::error::x", ": :error::x"},
		{"the old form anywhere", "x ##[error]y ###[z", "x ## [error]y ### [z"},
		{"Azure, in any case", "##vso[task] ##VSO[task]", "## vso[task] ## VSO[task]"},
		{"TeamCity", "##teamcity[x]", "## teamcity[x]"},
		{"GitLab's sections", "\x1b[0Ksection_start:1:a\r\x1b[0Kb", "section_start :1:a\nb"},
		{"a heading is no command", "## Heading", "## Heading"},
	} {
		if got := text.Block(c.in); got != c.want {
			t.Errorf("%s: Block(%q) = %q, want %q", c.reason, c.in, got, c.want)
		}
	}
}

// TestEveryByteIsSeen: no byte hides among others that need no look.
func TestEveryByteIsSeen(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			in := []byte("abcdefghijklmnopqrst")
			in[at] = byte(c)
			want := text.Block(string(in[:at])) + text.Block(string(in[at:at+1])) + text.Block(string(in[at+1:]))
			if c == 0x1b && at+1 < len(in) { // a sequence of two characters
				want = string(in[:at]) + string(in[at+2:])
			}
			if got := text.Block(string(in)); got != want {
				t.Errorf("byte %#x at %d: %q, want %q", c, at, got, want)
			}
		}
	}
}

func TestStrip(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"private mode", "\x1b[?25lx", "x"},
		{"title ended by BEL", "\x1b]0;title\x07x", "x"},
		{"link ended by ST", "\x1b]8;;http://a\x1b\\x\x1b]8;;\x1b\\", "x"},
		{"device control string", "\x1bPq#0\x1b\\x", "x"},
		{"8-bit forms", "\u009b31mred\u009d0;t\u009cx", "redx"},
		{"character set", "\x1b(Bx", "x"},
		{"reset", "\x1bcx", "x"},
		{"unfinished at the end", "x\x1b[31", "x␛[31"},
		{"a lone ESC", "x\x1b", "x␛"},
		{"a title that does not end must not swallow a line", "\x1b]0;a\nb", "␛]0;a\nb"},
		{"a title that does not end must not swallow a later one", "\x1b]0;a\x1b]0;b\x07c", "␛]0;ac"},
		{"what is left when a sequence goes is no sequence", "\x1b\x1b[m[31mx", "␛[31mx"},
		{"halves of a character around a sequence", "\xc2\x1b[m\x9b31mx", "\uFFFD\uFFFD31mx"},
	} {
		if got := text.Strip(c.in); got != c.want {
			t.Errorf("%s: Strip(%q) = %q, want %q", c.reason, c.in, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"breaks and the blanks around them are one blank", " a \r\n\t b\nc ", "a b c"},
		{"blanks inside a name are part of it", "a  b", "a  b"},
		{"nothing but blanks", " \n\t ", ""},
		{"a command that was not at the start of its line", "x\n::error::y", "x ::error::y"},
		{"a command that comes to the start", "\n ::error::y", ": :error::y"},
	} {
		if got := text.Line(c.in); got != c.want {
			t.Errorf("%s: Line(%q) = %q, want %q", c.reason, c.in, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		reason, in string
		limit      int
		want       string
	}{
		{"what fits stays", "abc", 3, "abc"},
		{"head and tail around the mark", strings.Repeat("a", 50) + strings.Repeat("b", 50), 40, "aaaaaaa\n[... 86 bytes cut ...] bbbbbbb"},
		{"no rune is parted", strings.Repeat("é", 50), 40, "ééé" + "\n[... 88 bytes cut ...] " + "ééé"},
		{"no room for a mark", strings.Repeat("é", 50), 5, "éé"},
		{"no room at all", "abc", -1, ""},
	} {
		if got := text.Cut(c.in, c.limit); got != c.want {
			t.Errorf("%s: Cut(…, %d) = %q, want %q", c.reason, c.limit, got, c.want)
		}
	}
}

// held checks what is true of every safe text.
func held(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%q: not UTF-8: %q", in, out)
	}
	for _, r := range out {
		if r != '\t' && r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r&0xfffe == 0xfffe {
			t.Errorf("%q: %U is left", in, r)
		}
	}
	for line := range strings.Lines(out) {
		lower := strings.ToLower(line)
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(lower, "##[") || strings.Contains(lower, "##vso[") ||
			strings.Contains(lower, "##teamcity[") || strings.Contains(line, "section_start:") || strings.Contains(line, "section_end:") {
			t.Errorf("%q: a command is left: %q", in, line)
		}
	}
}

func check(t *testing.T, s string, limit int) {
	t.Helper()
	block, line := text.Block(s), text.Line(s)
	held(t, s, block)
	held(t, s, line)
	if strings.ContainsAny(line, "\n\t") || strings.TrimSpace(line) != line && strings.Trim(line, " ") != line {
		t.Errorf("Line(%q) = %q is not one line", s, line)
	}
	if again := text.Block(block); again != block {
		t.Errorf("Block(%q) = %q, and again %q", s, block, again)
	}
	if again := text.Line(line); again != line {
		t.Errorf("Line(%q) = %q, and again %q", s, line, again)
	}
	for _, cut := range []string{text.Cut(block, limit), text.CutLine(line, limit)} {
		held(t, s, cut)
		if len(cut) > limit {
			t.Errorf("%q cut to %d bytes has %d", s, limit, len(cut))
		}
	}
}

func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		check(t, hostile.Pick(r)+hostile.Pick(r), r.IntN(200))
	}
	pieces := []string{"\x1b", "[", "]", "31m", "\x07", "\\", ":", "::", "#", "##", "vso[", "\n", "\r", " ", "\u009b", "\u009c", "\xc2", "\x9b", "section_", "start:", "é", "\u202e", "x"}
	for range 20000 {
		s := ""
		for range r.IntN(12) {
			s += pieces[r.IntN(len(pieces))]
		}
		check(t, s, r.IntN(60))
	}
}

// TestLinear would not end in time if an unfinished sequence were looked for
// again from every introducer.
func TestLinear(t *testing.T) {
	for _, piece := range []string{"\x1b]", "\x1b[1", "\u009d", "::", "##", "\x1bPa", "\r"} {
		s := strings.Repeat(piece, 4<<20/len(piece))
		held(t, piece, text.Cut(text.Block(s), 1000))
	}
}

func FuzzSafe(f *testing.F) {
	for _, x := range hostile.Texts {
		f.Add(x.Text, 100)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) { check(t, s, max(0, limit%1000)) })
}

func TestPath(t *testing.T) {
	for _, c := range []struct{ reason, file, want string }{
		{"relative", "tests/a_test.py", "tests/a_test.py"},
		{"absolute", "/abs/path/x.py", "abs/path/x.py"},
		{"Windows", `C:\repo\..\a.py`, "a.py"},
		{"Windows, out of the repository", `..\a\b.py`, "a/b.py"},
		{"out of the repository", "../../etc/passwd", "etc/passwd"},
		{"through the middle", "a/../../b/./c.py", "b/c.py"},
		{"doubled and trailing slashes", "a//b/", "a/b"},
		{"nothing left", "../..", ""},
		{"no file", "", ""},
		{"here", ".", ""},
		{"a line end", "a\nb.py", "a b.py"},
		{"a command", "a/##[error]x.py", "a/## [error]x.py"},
		{"blanks", "my tests/a.py", "my tests/a.py"},
	} {
		got := text.Path(c.file)
		if rooted := text.RootedPath(c.file); strings.TrimLeft(strings.TrimPrefix(rooted, "C:"), "/") != c.want {
			t.Errorf("%s: %q where roots stay, and %q without them", c.reason, rooted, c.want)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
		if again := text.Path(got); again != got {
			t.Errorf("%s: %q becomes %q", c.reason, got, again)
		}
	}
}

func TestRootedPath(t *testing.T) {
	for file, want := range map[string]string{"/abs/../x.py": "/x.py", `C:\repo\..\a.py`: "C:/a.py", "../../etc/passwd": "etc/passwd", "a/b.py": "a/b.py", "/..": "/"} {
		if got := text.RootedPath(file); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}
