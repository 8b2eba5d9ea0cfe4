// Package stream makes up streams of trials as real runners write them: tests that interleave,
// outputs from a line to many pages, UTF-8, escapes, colours, error classes, costs.
//
// It exists so that speed and growth are measured on the same bytes everywhere: the same options
// give the same stream on every machine. What the trials say means nothing. It leaves out hostile
// input, which belongs to the fuzz tests, but for broken lines in the number asked for.
package stream

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// shapes say how a report looks. A line "-- NAME --" begins a section, «NAME» stands for
// a field, and «» at the end of a line joins it to the next.
//
//	head, tail    the frame of the report
//	suite         of each suite; what stands up to the next one is done for all its tests
//	test, end     before and after the tries of a test
//	trial         a try
//	earlier       a try before the last one
//
// A section may be of one outcome, as "trial fail": earlier ones are by what came last.
//
//go:embed shapes
var looks embed.FS

type shape struct {
	head, tail template
	stages     []stage
}

// stage is what is done for all tests of a suite.
type stage map[string]template

// of is a section for an outcome.
func (s stage) of(name string, outcome byte) template {
	if t, ok := s[name+" "+outcomes[outcome]]; ok {
		return t
	}
	return s[name]
}

var outcomes = map[byte]string{'P': "pass", 'F': "fail", 'S': "skip"}

// template is text and fields in turns.
type template []piece

type piece struct {
	text  string
	field field
}

// shaped reads a shape. That it is sound is held by the tests.
func shaped(name string) shape {
	text, err := looks.ReadFile("shapes/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	var s shape
	for _, section := range strings.Split("\n"+strings.TrimSuffix(string(text), "\n"), "\n-- ")[1:] {
		name, body, _ := strings.Cut(section+"\n", " --\n")
		t := compile(body)
		switch {
		case name == "head":
			s.head = t
		case name == "tail":
			s.tail = t
		default:
			if name == "suite" || s.stages == nil {
				s.stages = append(s.stages, stage{})
			}
			s.stages[len(s.stages)-1][name] = t
		}
	}
	return s
}

func compile(text string) template {
	var t template
	text = strings.ReplaceAll(text, "«»\n", "")
	for {
		before, rest, found := strings.Cut(text, "«")
		if !found {
			return append(t, piece{text: text})
		}
		name, after, _ := strings.Cut(rest, "»")
		if fields[name] == nil {
			panic(fmt.Sprintf("no field %q", name))
		}
		t, text = append(t, piece{before, fields[name]}), after
	}
}

// put writes a section.
func (p *report) put(t template) {
	for _, each := range t {
		p.sheet.text = append(p.sheet.text, each.text...)
		if each.field != nil {
			p.sheet.text = each.field(p, p.sheet.text)
		}
	}
}

// field appends what a name in a shape stands for.
type field func(p *report, b []byte) []byte

func number(of func(p *report) int) field {
	return func(p *report, b []byte) []byte { return strconv.AppendInt(b, int64(of(p)), 10) }
}

func text(of func(p *report) string) field {
	return func(p *report, b []byte) []byte { return append(b, of(p)...) }
}

// comma stands before all but the first of something, and nowhere where each has a file.
func comma(first func(p *report) bool) field {
	return text(func(p *report) string {
		if first(p) || p.zipped {
			return ""
		}
		return ","
	})
}

// fields are what shapes may name.
var fields = map[string]field{
	"test":     (*report).name,
	"output":   (*report).output,
	"trace":    (*report).trace,
	"messages": (*report).messages,
	"suite":    text(func(p *report) string { return "checkout-" + strconv.Itoa(p.now.first/inSuite) }),
	"snippet":  text(func(*report) string { return snippet }),
	"samples key": text(func(p *report) string {
		if p.zipped {
			return "\n}"
		}
		return ",\n  \"samples\": ["
	}),
	"tests":         number(func(p *report) int { return len(p.all) }),
	"suites":        number(func(p *report) int { return (len(p.all) + inSuite - 1) / inSuite }),
	"here":          number(func(p *report) int { return p.now.last - p.now.first }),
	"suites so far": number(func(p *report) int { return p.now.first/inSuite + 1 }),
	"place":         number(func(p *report) int { return p.now.inSuite + 1 }),
	"ran":           number(func(p *report) int { return len(strings.Join(p.all[p.now.first:p.now.last], "")) }),
	"line":          number(func(p *report) int { return 3 + 8*(p.now.test-p.now.first) }),
	"ms":            number(func(p *report) int { return p.now.ms }),
	"start":         number(func(p *report) int { return int(began.UnixMilli()) + p.now.trial*50 }),
	"stop":          number(func(p *report) int { return int(began.UnixMilli()) + p.now.trial*50 + p.now.ms }),
	"number":        number(func(p *report) int { return p.now.trial }),
	"test number":   number(func(p *report) int { return p.now.test }),
	"attempt":       number(func(p *report) int { return p.now.try }),
	"try":           number(func(p *report) int { return p.now.try + 1 }),
	"tries":         number(func(p *report) int { return len(p.now.tries) }),
	"before":        number(func(p *report) int { return len(p.now.tries) - 1 }),
	"message":       text(func(p *report) string { return p.now.message }),
	"reason":        text(func(p *report) string { return p.either("All assertions passed", p.now.message, "") }),
	"seconds":       text(func(p *report) string { return fmt.Sprintf("%d.%03d", p.now.ms/1000, p.now.ms%1000) }),
	"iso": text(func(p *report) string {
		return began.Add(time.Duration(p.now.trial) * 50 * time.Millisecond).Format("2006-01-02T15:04:05.000Z")
	}),
	"id":   text(func(p *report) string { return hex16(p.now.test) }),
	"span": text(func(p *report) string { return hex16(p.now.trial + 1<<40) }),
	"uuid": text(func(p *report) string {
		h := hex16(p.now.trial + 1<<41)
		return h[:8] + "-" + h[8:12] + "-4a4d-a967-" + h[4:]
	}),
	"RS":             text(func(*report) string { return "\x1e" }),
	"passed":         text(func(p *report) string { return p.either("passed", "failed", "skipped") }),
	"PASSED":         text(func(p *report) string { return p.either("PASSED", "FAILED", "SKIPPED") }),
	"pass":           text(func(p *report) string { return p.either("pass", "fail", "skipped") }),
	"ok":             text(func(p *report) string { return p.either("true", "false", "true") }),
	"one":            text(func(p *report) string { return p.either("1", "0", "0") }),
	"zero if passed": text(func(p *report) string { return p.either("0", "1", "0") }),
	"C":              text(func(p *report) string { return p.either("C", "I", "I") }),
	"expected": text(func(p *report) string {
		return p.either(map[bool]string{true: "expected", false: "flaky"}[len(p.now.tries) == 1], "unexpected", "skipped")
	}),
	"expected status": text(func(p *report) string { return p.either("passed", "passed", "skipped") }),
	"flaky":           text(func(p *report) string { return strconv.FormatBool(len(p.now.tries) > 1 && p.outcome() == 'P') }),
	"again":           text(func(p *report) string { return strconv.FormatBool(p.now.try < len(p.now.tries)-1) }),
	"rerun": text(func(p *report) string {
		return map[bool]string{true: "rerun", false: "failed"}[p.now.try < len(p.now.tries)-1]
	}),
	",suite":          comma(func(p *report) bool { return p.now.first == 0 }),
	",test":           comma(func(p *report) bool { return p.now.test == p.now.first }),
	",file":           comma(func(p *report) bool { return p.now.test == 0 }),
	",trial":          comma(func(p *report) bool { return p.now.try == 0 }),
	",trial in suite": comma(func(p *report) bool { return p.now.inSuite == 0 }),
	",trial in file":  comma(func(p *report) bool { return p.now.trial == 0 }),
}

// began is when all runs were started.
var began = time.Date(2026, 11, 21, 10, 28, 55, 0, time.UTC)

func (p *report) outcome() byte { return p.now.tries[p.now.try] }

func (p *report) either(pass, fail, skip string) string {
	switch p.outcome() {
	case 'P':
		return pass
	case 'F':
		return fail
	}
	return skip
}

func hex16(n int) string { return fmt.Sprintf("%016x", uint64(n+1)*0x9E3779B97F4A7C15) }

func (p *report) name(b []byte) []byte {
	b = append(append(b, "answers "...), p.about[p.now.test%len(p.about)]...)
	return strconv.AppendInt(append(b, ", question "...), int64(p.now.test), 10)
}

// output appends lines of output.
func (p *report) output(b []byte) []byte {
	for end, i := len(b)+p.now.output, p.now.line; len(b) < end; i++ {
		b = append(b, p.said[i%len(p.said)]...)
	}
	return b
}

// messages appends a conversation.
func (p *report) messages(b []byte) []byte {
	return p.inside.messages(b, p.inside.ways[p.now.test%len(p.inside.ways)], p.outcome() == 'P')
}

// trace appends a message and the frames below it.
func (p *report) trace(b []byte) []byte {
	b = append(append(append(b, "Error: "...), p.now.message...), p.newline...)
	for i := range 8 + p.now.frame%8 {
		b = append(b, p.frames[(p.now.frame+i)%len(p.frames)]...)
	}
	return b
}

// snippet is how Playwright shows the source of a failure.
const snippet = ` \u001b[90m 13 |\u001b[39m   test\u001b[33m.\u001b[39mfixme(\u001b[32m'fixme'\u001b[39m\u001b[33m,\u001b[39m \u001b[36masync\u001b[39m () \u001b[33m=>\u001b[39m {})\u001b[33m;\u001b[39m\n \u001b[90m 14 |\u001b[39m })\u001b[33m;\u001b[39m\n\u001b[31m\u001b[1m>\u001b[22m\u001b[39m\u001b[90m 15 |\u001b[39m test(\u001b[32m'throws in the middle @agent'\u001b[39m\u001b[33m,\u001b[39m \u001b[36masync\u001b[39m () \u001b[33m=>\u001b[39m { \u001b[36mthrow\u001b[39m \u001b[36mnew\u001b[39m \u001b[33mError\u001b[39m(\u001b[32m'ECONNREFUSED 127.0.0.1:9'\u001b[39m)\u001b[33m;\u001b[39m })\u001b[33m;\u001b[39m\n \u001b[90m    |\u001b[39m                                                         \u001b[31m\u001b[1m^\u001b[22m\u001b[39m\n \u001b[90m 16 |\u001b[39m`

// plain is text of JSON without its escapes and without what XML and YAML cannot hold.
func plain(text string) string {
	var s string
	if err := json.Unmarshal([]byte(`"`+text+`"`), &s); err != nil {
		panic(err) // the texts are ours
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func inXML(text string) string { return xmlEscapes.Replace(plain(text)) }

// inBlock is text of JSON as lines of a YAML block below a point of TAP.
func inBlock(text string) string { return strings.ReplaceAll(plain(text), "\n", "\n        ") }

// source draws numbers. It has only what PCG itself gives, for the methods of
// rand.Rand may change between releases of Go and the streams must not. There
// are no floating-point sums either, which processors may round differently.
type source struct{ pcg *rand.PCG }

func newSource(seed, purpose uint64) source { return source{rand.NewPCG(seed, purpose)} }

// below is a number in [0, n). The bias of the remainder does not matter here.
func (s source) below(n int) int { return int(s.pcg.Uint64() >> 1 % uint64(n)) }

// shapes are lines of output as they stand in a JSON string; a # becomes a
// number, a $ becomes words.
var shapes = []string{
	`step #: asked the tool and waited # ms for its answer\n`,
	`assistant: The weather in Lisbon is # °C, partly cloudy, with $.\n`,
	`tool_call {\"name\":\"get_forecast\",\"arguments\":{\"city\":\"Zürich\",\"days\":#}}\n`,
	`tool_result {\"ok\":true,\"temperature\":[18.5,#.25,#],\"source\":\"https:\/\/weather.example\/v2\/daily?units=metric\"}\n`,
	`user: 今日の東京の天気を教えてください。\n`,
	`\u001b[32mPASS\u001b[0m compared # fields\n`,
	`\tat answer (agent/loop.go:#)\n`,
	`retrying after # ms: rate limited (429)\n`,
	`Überprüfe die Antwort auf Vollständigkeit … fertig ✓ 👍 $\n`,
	`C:\\agents\\cache\\session-#.json was not found, starting anew\n`,
	`$, $, and $, because $\n`,
	`expected \u003cp\u003e$\u003c\/p\u003e, got \u003cp\u003e$\u003c\/p\u003e\n`,
}

// words fill the shapes.
var words = strings.Fields(`the plan has four steps and third of them needs result second before it can begin so
	waits for a tool that answers slowly größer naïve façade 東京 weather order refund customer asked again session token
	limit model reply empty city flight hotel invoice №7 price €12 checked against schema field missing retry done`)

// lines makes up lines of output. They are many, so that nothing that learns from repetition, such
// as a processor's branch predictor, has it easier than in life.
func (s source) lines() []string {
	all := make([]string, 1000)
	for i := range all {
		var b strings.Builder
		for _, c := range shapes[i%len(shapes)] {
			switch c {
			case '#':
				b.WriteString(strconv.Itoa(s.below(2000)))
			case '$':
				s.phrase(&b)
			default:
				b.WriteRune(c)
			}
		}
		all[i] = b.String()
	}
	return all
}

// phrase writes one to sixteen words.
func (s source) phrase(b *strings.Builder) {
	b.WriteString(words[s.below(len(words))])
	for range s.below(16) {
		b.WriteByte(' ')
		b.WriteString(words[s.below(len(words))])
	}
}

// reasons are messages of trials that did not pass.
var reasons = []string{
	`said Lyon, asked for Lisbon`,
	`expected \"ready\" but got \"pending\"`,
	`assertion failed: score 0.31 is below 0.5`,
	`no answer within 30 s`,
	`connection reset by peer (read tcp 10.0.0.7:41822)`,
	`die Antwort nennt keine Quelle – größer als erlaubt`,
}

var subjects = []string{"the right city", "a refund", "umlauts like ä ö ü", `a \"quoted\" title`, "日本語の質問", "two tools at once",
	"an empty cart", "a leap day"}

// appendText appends about n bytes of output. Most outputs are short, a few are
// very long: the mean over many calls with the same n is about n.
func (s source) appendText(b []byte, lines []string, mean int) []byte {
	end := len(b) + mean*spread[s.below(len(spread))]/100
	for len(b) < end {
		b = append(b, lines[s.below(len(lines))]...)
	}
	return b
}

// spread is lengths of outputs in per cent of the mean; their own mean, with the
// half piece by which texts run over, is 100 for a mean of 700 bytes.
var spread = [20]int{5, 10, 15, 20, 25, 30, 30, 35, 40, 50, 50, 60, 70, 80, 90, 110, 150, 200, 300, 500}
