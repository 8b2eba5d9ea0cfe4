package markdown_test

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/internal/rendertest"
	"tribunal/render/markdown"
)

func write(t *testing.T, e *envelope.Envelope, o markdown.Options) string {
	t.Helper()
	return string(rendertest.Document(t, e, rendertest.With(markdown.Write, o)))
}

func envelopes() map[string]*envelope.Envelope {
	out := rendertest.Envelopes()
	out["rich"] = rich()
	return out
}

// rich has what a plain run lacks: rates, gates, metrics, clusters, spending.
func rich() *envelope.Envelope {
	some := envelope.Some[float64]
	e := hostile.Plain()
	e.Tests[4].CostLimited = true
	s := &e.Summary
	s.Trials.Excluded = map[string]int{"infrastructure": 3, "skip": 1}
	s.Trials.Planned = envelope.Some(int64(30))
	s.Rate.PerProtocol = &envelope.Rate{Value: 0.7, Lo: 0.481, Hi: 0.855, Method: "wilson", Confidence: 0.95}
	s.Rate.IntentToTreat = &envelope.Rate{Value: 0.609, Lo: 0.408, Hi: 0.778, Method: "wilson", Confidence: 0.95}
	s.Rate.Bracket = &envelope.Bracket{Lo: 0.609, Hi: 0.739}
	s.Clusters = &envelope.Clusters{By: "test", Rate: &envelope.Rate{Value: 0.7, Lo: 0.0004, Hi: 0.9999, Method: "cluster-robust", Confidence: 0.999}}
	s.DurationMS, s.CostUSD, s.Tokens = some(3_725_200), some(12.78125), envelope.Some(int64(1_234_567))
	e.Metrics = []envelope.Metric{
		{Name: "pass_at_k", Params: map[string]any{"k": 4}, Value: some(0.9167), Lo: some(0.8), Hi: some(0.97), TestsUsed: 6, TestsTotal: 7, Variant: "small"},
		{Name: "maj_at_k", Params: map[string]any{"k": 16, "tau": 0.5}, TestsTotal: 7, Note: "no test has 16 trials"},
	}
	e.Gate.Gates = []envelope.GateResult{{Name: "reliable", Expr: "reliability.passhat_k >= 80", Status: envelope.Fail, Saw: "31"}, {Name: "clean", Expr: "summary.error == 0", Status: envelope.Pass, Saw: "0"}}
	e.Problems = append(e.Problems, envelope.Problem{Severity: envelope.SeverityError, Message: "unexpected end", Input: "a.ndjson", Line: 12, Column: 5, Count: 3})
	return e
}

func TestGoldens(t *testing.T) {
	for name, o := range map[string]markdown.Options{"plain": {}, "rich": {}, "broken": {}, "empty": {}, "plain.1000": {Limit: 1000}} {
		from, _, _ := strings.Cut(name, ".")
		got := write(t, envelopes()[from], o)
		rendertest.Golden(t, name+".md", got)
	}
}

func TestContract(t *testing.T) {
	for name, e := range envelopes() {
		for _, o := range []markdown.Options{{}, {Limit: 3000}, {Limit: 20_000, Bytes: true}, {Limit: 1 << 30}} {
			t.Run(fmt.Sprint(name, o.Limit), func(t *testing.T) {
				got := string(rendertest.Written(t, e, rendertest.With(markdown.Write, o)))
				p := read(t, got)
				addUp(t, p, e)
			})
		}
	}
}

// kind is what the test of a row is counted as.
func kind(verdict string) string {
	mark, _, _ := strings.Cut(verdict, ",")
	switch {
	case mark == "SKIP":
		return "skipped test"
	case mark == "PASS" && strings.Contains(verdict, "flaky"):
		return "flaky test"
	case mark == "PASS":
		return "passed test"
	case strings.Contains(verdict, "quarantined"):
		return "quarantined test"
	}
	return map[string]string{"FAIL": "failed test", "UNDECIDED": "undecided test", "ERROR": "errored test"}[mark]
}

var leftOut = regexp.MustCompile(`(\d+) ([a-z ]+)`)

// missing is what the last line says is left out.
func missing(p page) map[string]int {
	out := map[string]int{}
	for _, line := range p.lines {
		if words, ok := strings.CutPrefix(line, "Left out to save space: "); ok {
			for _, m := range leftOut.FindAllStringSubmatch(words, -1) {
				n, _ := strconv.Atoi(m[1])
				out[strings.TrimSuffix(m[2], "s")] = n
			}
		}
	}
	return out
}

// addUp holds rows and left-out numbers against the counts of the envelope.
func addUp(t *testing.T, p page, e *envelope.Envelope) {
	t.Helper()
	seen := missing(p)
	delete(seen, "detail")
	for _, row := range p.named("Verdict") {
		seen[kind(row[0])]++
	}
	got := map[string]int{}
	for what, n := range seen {
		if strings.HasSuffix(what, " test") {
			got[what] = n
		}
	}
	want := map[string]int{}
	for i := range e.Tests {
		x := &e.Tests[i]
		what := map[envelope.Status]string{envelope.Pass: "passed test", envelope.Fail: "failed test", envelope.Error: "errored test",
			envelope.Inconclusive: "undecided test", envelope.Skip: "skipped test"}[x.Status]
		if x.Flaky && x.Status == envelope.Pass {
			what = "flaky test"
		}
		want[what]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tests (-envelope +page):\n%s", diff)
	}
	listed := 0
	for _, line := range p.list {
		if strings.HasPrefix(line, "- error: ") || strings.HasPrefix(line, "- warning: ") || strings.HasPrefix(line, "- note: ") {
			listed++
		}
	}
	if listed+seen["problem"] != len(e.Problems) {
		t.Errorf("%d problems listed, %d left out, want %d", listed, seen["problem"], len(e.Problems))
	}
}

// TestLimits tries every limit up to a whole page, in both units, and of a long
// page every few.
func TestLimits(t *testing.T) {
	for name, e := range map[string]*envelope.Envelope{"plain": hostile.Plain(), "broken": hostile.Broken(), "random": hostile.Random(3, 12)} {
		for _, inBytes := range []bool{false, true} {
			size := utf8.RuneCountInString
			if inBytes {
				size = func(s string) int { return len(s) }
			}
			whole := write(t, e, markdown.Options{Limit: 1 << 30, Bytes: inBytes})
			most, step := 0, 1+size(whole)/5000*25
			for limit := 1; limit < size(whole)+5; limit += step {
				got := write(t, e, markdown.Options{Limit: limit, Bytes: inBytes})
				if size(got) > limit {
					t.Fatalf("%s: %d for a limit of %d", name, size(got), limit)
				}
				if (got == whole) != (limit >= size(whole)) {
					t.Fatalf("%s: limit %d of %d: whole %t", name, limit, size(whole), got == whole)
				}
				p := read(t, got)
				rows := len(p.named("Verdict"))
				if rows < most {
					t.Errorf("%s: a limit of %d has fewer rows than a smaller one: %d of %d", name, limit, rows, most)
				}
				if most = max(most, rows); rows > 0 {
					addUp(t, p, e)
				}
			}
			if write(t, e, markdown.Options{Limit: size(whole), Bytes: inBytes}) != whole {
				t.Errorf("%s: the page does not fit its own size", name)
			}
		}
	}
}

// TestPassesGoFirst takes room away and looks at what goes.
func TestPassesGoFirst(t *testing.T) {
	e := hostile.Plain()
	whole := utf8.RuneCountInString(write(t, e, markdown.Options{}))
	details, attention := 1<<30, 1<<30
	for limit := whole - 1; limit > 400; limit-- {
		p := read(t, write(t, e, markdown.Options{Limit: limit}))
		out := missing(p)
		if out["detail"] > 0 && (out["passed test"] == 0 || out["skipped test"] == 0) {
			t.Fatalf("limit %d: details are left out before passed tests: %v", limit, out)
		}
		if out["failed test"]+out["undecided test"] > 0 && (len(p.fences) > 0 || out["problem"] == 0) {
			t.Fatalf("limit %d: failures are left out before details or problems: %v", limit, out)
		}
		details, attention = min(details, out["detail"]), min(attention, out["failed test"])
	}
	if details != 0 || attention != 0 {
		t.Errorf("at the largest limits still missing: %d details, %d failed tests", details, attention)
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ reason, name, want string }{
		{"plain words", "refund is idempotent", "<code>refund is idempotent</code>"},
		{"a pipe ends a cell", "a|b", "<code>a&#124;b</code>"},
		{"a backslash before a pipe", `a\|b`, "<code>a&#92;&#124;b</code>"},
		{"backticks", "``x`", "<code>&#96;&#96;x&#96;</code>"},
		{"markup", "</code><script>&amp;", "<code>&#60;/code&#62;&#60;script&#62;&#38;amp;</code>"},
		{"a mention", "@everyone", "<code>&#64;everyone</code>"},
		{"lines", "a\n\n# b\r\n| c |", "<code>a &#35; b &#124; c &#124;</code>"},
		{"emphasis and links", "**b** [x](y)", "<code>&#42;&#42;b&#42;&#42; &#91;x&#93;(y)</code>"},
		{"addresses become links", "http://a WWW.b", "<code>http&#58;//a WWW&#46;b</code>"},
		{"no name", "", "(no name)"},
		{"a name that cannot be seen", "\x1b[31m", "(no name)"},
		{"a command", "::error::x", "<code>: :error::x</code>"},
	} {
		e := hostile.Plain()
		e.Tests = e.Tests[2:3]
		e.Tests[0].Key = envelope.Key{Test: c.name}
		if got := write(t, e, markdown.Options{}); !strings.Contains(got, "| FAIL, flaky | "+c.want+" | 1/5 | 20 % |") {
			t.Errorf("%s: %q is not in\n%s", c.reason, c.want, got)
		}
	}
}

func TestFences(t *testing.T) {
	for _, c := range []struct{ reason, output, want string }{
		{"plain", "a\nb\n", "```text\na\nb\n```\n"},
		{"a fence inside", "x\n```\ny", "````text\nx\n```\ny\n````\n"},
		{"a long run inside a line", "x `````` y", "```````text\nx `````` y\n```````\n"},
		{"a tilde fence is text", "~~~\nx", "```text\n~~~\nx\n```\n"},
		{"quick actions", "/close\n/merge", "```text\n /close\n /merge\n```\n"},
		{"the end of details is text here", "</details>", "```text\n</details>\n```\n"},
	} {
		e := hostile.Plain()
		e.Tests = e.Tests[2:3]
		e.Tests[0].Details = e.Tests[0].Details[:1]
		e.Tests[0].Details[0].Output = c.output
		if got := write(t, e, markdown.Options{}); !strings.Contains(got, "Output:\n\n"+c.want+"\n</details>\n") {
			t.Errorf("%s: %q is not in\n%s", c.reason, c.want, got)
		}
	}
}

func TestInconclusiveRow(t *testing.T) {
	if got, want := write(t, hostile.Plain(), markdown.Options{}), "\n| UNDECIDED, flaky | <code>weather/unsure</code> | 2/3 |"; !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}

func TestMatrix(t *testing.T) {
	e := hostile.Plain()
	rows := read(t, write(t, e, markdown.Options{})).named("Test")
	if diff := cmp.Diff([][]string{{"weather/passes", "PASS 5/5", "PASS 4/5"}}, rows); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
	for i := range 20 {
		one := e.Tests[4]
		one.Variant = fmt.Sprintf("v%02d", i)
		e.Tests = append(e.Tests, one)
	}
	if got := write(t, e, markdown.Options{}); !strings.Contains(got, "22 variants are too many") {
		t.Errorf("20 variants side by side:\n%s", got)
	}
}

func TestLargeTexts(t *testing.T) {
	for _, piece := range []string{"|", "`", "/\n"} {
		big := strings.Repeat(piece, 10<<20/len(piece))
		e := hostile.Plain()
		e.Tests[2].Details[0].Message, e.Tests[2].Details[0].Output, e.Tests[2].Test = big, big, big
		got := write(t, e, markdown.Options{})
		if n := utf8.RuneCountInString(got); n > markdown.DefaultLimit {
			t.Errorf("%d characters", n)
		}
		addUp(t, read(t, got), e)
	}
}

func TestNegativeLimit(t *testing.T) {
	if err := markdown.Write(&strings.Builder{}, hostile.Plain(), markdown.Options{Limit: -1}); err == nil {
		t.Error("no error")
	}
}

// commented is the comment on a run of which every test is news, with a link that would
// run a script.
func commented(e *envelope.Envelope) rendertest.Writer {
	c := markdown.Comment{Mark: "<!-- tribunal comment: x -->", Since: "main @all", Links: []markdown.Link{
		{Name: "Job", URL: `https://ci.example/1?a="><b>&c`}, {Name: "Bad", URL: "javascript:alert(1)"}}}
	for _, title := range []string{"Newly broken", "Newly flaky", "Fixed"} {
		n := markdown.News{Title: title}
		for i := range e.Tests {
			n.Tests = append(n.Tests, &e.Tests[i])
		}
		c.News = append(c.News, n)
	}
	return func(w io.Writer, e *envelope.Envelope) error { return markdown.WriteComment(w, e, c) }
}

// TestComment: whatever the run holds, at most 20 lines are open, the comment fits GitHub,
// all that is folded is closed again, and nothing of a test acts.
func TestComment(t *testing.T) {
	owned := hostile.Plain()
	for i := range owned.Tests {
		owned.Tests[i].Owners = []string{"@acme/web", "@everybody </code> @here"}
	}
	all := envelopes()
	all["owned"] = owned
	for name, e := range all {
		got := string(rendertest.Written(t, e, commented(e)))
		if !strings.HasPrefix(got, "<!-- tribunal comment: x -->\n## ") {
			t.Errorf("%s begins with %.80q", name, got)
		}
		if n := utf8.RuneCountInString(got); n > markdown.DefaultLimit {
			t.Errorf("%s has %d characters", name, n)
		}
		open, depth, fence := 0, 0, ""
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if fence != "" {
				if line == fence {
					fence = ""
				}
				continue
			}
			if m := fenceLine.FindStringSubmatch(line); m != nil {
				fence = m[1]
				continue
			}
			depth += strings.Count(line, "<details>")
			if depth == 0 {
				open++
			}
			depth -= strings.Count(line, "</details>")
			if rest := codeText.ReplaceAllString(line, ""); strings.Contains(line, "@") || strings.Contains(rest, "javascript") || strings.Contains(rest, `"><b>`) {
				t.Errorf("%s: this line acts: %s", name, line)
			}
		}
		if open > 21 || depth != 0 || fence != "" { // the first line is hidden
			t.Errorf("%s: %d lines are open, %d folds and the fence %q", name, open, depth, fence)
		}
	}
	got := string(rendertest.Written(t, owned, commented(owned)))
	for _, want := range []string{
		"New against <code>main &#64;all</code>:<br>\n**Newly broken (7)**: <code>", " and 2 more<br>\n**Newly flaky (7)**",
		"(<code>owners &#64;acme/web, &#64;everybody &#60;/code&#62; &#64;here</code>)", `<a href="https://ci.example/1?a=`, "<details><summary>Tests and details</summary>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%.3000s", want, got)
		}
	}
	quiet := string(rendertest.Written(t, owned, func(w io.Writer, e *envelope.Envelope) error {
		return markdown.WriteComment(w, e, markdown.Comment{Mark: "<!-- x -->", Since: "main"})
	}))
	if !strings.Contains(quiet, "Nothing new against <code>main</code>\n") {
		t.Errorf("%.500s", quiet)
	}
}
