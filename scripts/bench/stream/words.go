package stream

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

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

// lines makes up lines of output. They are many, so that nothing that learns
// from repetition, such as a processor's branch predictor, has it easier than in
// life.
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

var subjects = []string{"the right city", "a refund", "umlauts like ä ö ü", `a \"quoted\" title`, "日本語の質問", "two tools at once", "an empty cart", "a leap day"}

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
