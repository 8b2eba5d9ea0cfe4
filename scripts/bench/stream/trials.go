package stream

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Trials writes a stream of the native format, a trial a line.
func Trials(w io.Writer, o Options) error {
	o, err := o.settle()
	if err != nil {
		return err
	}
	t := trials{Options: o, sheet: sheet{w: w}, source: newSource(o.Seed, 1)}
	t.said = t.lines()
	t.inside = newInside(o)
	t.name()
	t.turn()
	for i := range o.Trials {
		t.trial(i)
		t.text = append(t.text, '\n')
		if o.Problems > 0 && i*o.Problems/o.Trials != (i+1)*o.Problems/o.Trials {
			t.problem()
		}
		t.ended()
	}
	t.flush()
	return t.err
}

type trials struct {
	Options
	sheet
	source
	names  []string // the head of each test's lines
	chance []int    // of each test to pass, in thousandths
	said   []string // lines of output
	step   int      // from a test to the next one, so that neighbours interleave
	inside inside
}

func (t *trials) name() {
	t.names, t.chance = make([]string, t.Tests), make([]int, t.Tests)
	for i := range t.Tests {
		t.names[i] = fmt.Sprintf(`{"suite":"suite %d","test":"answers %s, question %d","variant":"model-%c","attempt":`,
			i%t.Suites, subjects[t.below(len(subjects))], i/2, 'a'+i%2)
		switch t.below(10) {
		case 0, 1, 2:
			t.chance[i] = 1000
		case 3:
			t.chance[i] = t.below(100)
		case 4, 5:
			t.chance[i] = t.below(1000)
		default:
			t.chance[i] = 900 + t.below(100)
		}
	}
}

// turn chooses the step: a number without a common divisor with the number of
// tests visits each of them once a round.
func (t *trials) turn() {
	t.step = t.Tests*5/8 | 1
	for gcd(t.step, t.Tests) != 1 {
		t.step++
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (t *trials) trial(i int) {
	test := i % t.Tests * t.step % t.Tests
	b := append(t.text, t.names[test]...)
	b = strconv.AppendInt(b, int64(i/t.Tests), 10)
	b = append(b, `,"status":"`...)
	passed := t.below(1000) < t.chance[test] && !t.Failing
	if passed {
		b = append(b, `pass"`...)
	} else {
		b = t.unpassed(b)
	}
	b = t.numbers(b, passed)
	b = t.labels(b, i)
	if t.Output > 0 {
		b = append(t.appendText(append(b, `,"output":"`...), t.said, t.Output), '"')
	}
	b = t.inside.appendTo(b, test, passed)
	t.text = append(b, '}')
}

// unpassed appends the status of a trial that did not pass, and why.
func (t *trials) unpassed(b []byte) []byte {
	switch t.below(40) {
	case 0:
		return append(b, `skip"`...)
	case 1:
		b = append(b, `error","error_class":"infrastructure"`...)
	case 2:
		b = append(b, `error","error_class":"pre-validation"`...)
	case 3, 4:
		b = append(b, `error","error_class":"timeout"`...)
	case 5:
		b = append(b, `error","error_class":"tool schema"`...)
	default:
		b = append(b, `fail"`...)
	}
	b = append(b, `,"message":"`...)
	b = append(b, reasons[t.below(len(reasons))]...)
	return append(b, '"')
}

// numbers appends score, duration, cost, tokens and tool calls.
func (t *trials) numbers(b []byte, passed bool) []byte {
	score := t.below(500)
	if passed {
		score += 500
	}
	b = strconv.AppendFloat(append(b, `,"score":`...), float64(score)/1000, 'f', -1, 64)
	b = strconv.AppendFloat(append(b, `,"duration_ms":`...), float64(500+t.below(90000))/10, 'f', -1, 64)
	b = strconv.AppendFloat(append(b, `,"cost_usd":`...), float64(1+t.below(40000))/1e6, 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"tokens":`...), int64(200+t.below(6000)), 10)
	return strconv.AppendInt(append(b, `,"tool_calls":`...), int64(t.below(9)), 10)
}

// labels appends the labels: the first one different for every trial, the others of few values.
func (t *trials) labels(b []byte, i int) []byte {
	if t.Labels == 0 {
		return b
	}
	b = strconv.AppendInt(append(b, `,"labels":{"session":"s`...), int64(i), 10)
	for l := 1; l < t.Labels; l++ {
		b = strconv.AppendInt(append(b, `","label `...), int64(l), 10)
		b = strconv.AppendInt(append(b, `":"value `...), int64(t.below(5)), 10)
	}
	return append(b, `"}`...)
}

// problem appends a line that was cut.
func (t *trials) problem() {
	t.text = append(t.text, `{"suite":"suite 0","test":"cut","status":"pa`+"\n"...)
}

// inside makes up what is inside a trial: its checks, and a conversation in the form and of the
// size of those of tau-bench: a system prompt that all trials share, a user and an agent who take
// turns, calls of tools with arguments of the task, and their answers, which are JSON. Trials of a
// test go the same way until one makes another call, and those that fail do so more often.
//
// It has a source of its own, so that a stream with it is that without it, and more.
type inside struct {
	Options
	source
	prompt string
	ways   [][]call // of each test
	said   []string // lines of output, for the user and the agent
}

// call is a call of a tool and what it answers, as they stand in JSON.
type call struct{ name, arguments, answer string }

func newInside(o Options) inside {
	in := inside{Options: o, source: newSource(o.Seed, 3)}
	if o.Calls == 0 {
		return in
	}
	in.said = in.lines()
	var b strings.Builder
	for b.Len() < 6000 {
		b.WriteString(`- Before you `)
		in.phrase(&b)
		b.WriteString(`, list the details and obtain \"yes\" from the user.\n\n`)
	}
	in.prompt = b.String()
	in.ways = make([][]call, o.Tests)
	for i := range in.ways {
		in.ways[i] = make([]call, o.Calls/2+in.below(o.Calls+1))
		for c := range in.ways[i] {
			in.ways[i][c] = in.call()
		}
	}
	return in
}

// tools are those of an airline's agent, the frequent ones more than once.
var tools = strings.Fields(`get_reservation_details get_reservation_details get_reservation_details get_user_details search_direct_flight
	search_direct_flight search_onestop_flight update_reservation_flights calculate think cancel_reservation book_reservation send_certificate
	transfer_to_human_agents`)

// call makes up a call: two arguments, and an answer of some 600 bytes.
func (in *inside) call() call {
	c := call{name: tools[in.below(len(tools))]}
	c.arguments = fmt.Sprintf(`{\"reservation_id\":\"%s\",\"days\":%d}`, in.id(), in.below(30))
	var b strings.Builder
	fmt.Fprintf(&b, `{\"reservation_id\": \"%s\", \"status\": \"available\", \"flights\": [`, in.id())
	for range 2 + in.below(8) {
		fmt.Fprintf(&b, `{\"flight_number\": \"HAT%03d\", \"date\": \"2024-05-%02d\", \"price\": %d, \"note\": \"`, in.below(300),
			1+in.below(28), 50+in.below(400))
		in.phrase(&b)
		b.WriteString(`\"}, `)
	}
	b.WriteString(`null]}`)
	c.answer = b.String()
	return c
}

// id is a name as reservations have.
func (in *inside) id() string {
	return strings.ToUpper(strconv.FormatInt(int64(36*36*36*36*36+in.below(35*36*36*36*36*36)), 36))
}

// appendTo appends the fields of a trial of a test.
func (in *inside) appendTo(b []byte, test int, passed bool) []byte {
	if in.Checks > 0 {
		b = append(in.checks(append(b, `,"checks":[`...), passed), ']')
	}
	if in.Calls == 0 {
		return b
	}
	name := map[bool]string{true: "unlooked", false: "messages"}[in.Unread]
	b = append(append(append(b, `,"`...), name...), `":[`...)
	return append(in.messages(b, in.ways[test], passed), ']')
}

// criteria are names of checks.
var criteria = []string{"reward", "cites a source", "no other booking changed", "asked before it acted", "answers in the user's language",
	"polite", "within budget"}

// checks appends the checks of a trial: of one that failed half fail, and say why.
func (in *inside) checks(b []byte, passed bool) []byte {
	for i := range in.Checks {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":"`...), criteria[i%len(criteria)]...)
		if n := i / len(criteria); n > 0 {
			b = strconv.AppendInt(append(b, ' '), int64(n+1), 10)
		}
		if passed || in.below(2) == 0 {
			b = append(b, `","status":"pass"}`...)
			continue
		}
		b = append(append(append(b, `","status":"fail","reason":"`...), reasons[in.below(len(reasons))]...), `"}`...)
	}
	return b
}

func (in *inside) messages(b []byte, way []call, passed bool) []byte {
	b = append(append(append(b, `{"role":"system","content":"`...), in.prompt...), `"}`...)
	b = in.words(b, "user", 90)
	astray := 10 // calls in a hundred that are others
	if !passed {
		astray = 30
	}
	for _, c := range way {
		if in.below(100) < astray {
			c = in.call()
		}
		b = in.words(b, "assistant", 150)
		b = in.words(b, "user", 90)
		id := strconv.Itoa(100_000_000 + in.below(900_000_000))
		b = append(append(append(b, `,{"role":"assistant","content":null,"tool_calls":[{"function":{"arguments":"`...), c.arguments...),
			`","name":"`...)
		b = append(append(append(append(b, c.name...), `"},"id":"call_`...), id...), `","type":"function"}]}`...)
		b = append(append(append(b, `,{"role":"tool","tool_call_id":"call_`...), id...), `","name":"`...)
		b = append(append(append(append(b, c.name...), `","content":"`...), c.answer...), `"}`...)
	}
	return in.words(b, "assistant", 150)
}

// words appends a message of a user or an agent.
func (in *inside) words(b []byte, role string, mean int) []byte {
	b = append(append(append(b, `,{"role":"`...), role...), `","content":"`...)
	return append(in.appendText(b, in.said, mean), `"}`...)
}

// Options say what a stream is like. The zero value of a field takes the
// default that its comment names.
type Options struct {
	Seed     uint64 // streams of different seeds differ in everything but size
	Trials   int    // lines of trials; default 1000
	Tests    int    // distinct tests; default a trial each, at most Trials
	Suites   int    // suites, packages of go test; default a hundredth of the tests
	Output   int    // mean bytes of output a trial, before escaping; 0: trials have none
	Labels   int    // labels of each trial, all from a few values but the first
	Problems int    // lines cut in the middle, spread evenly, that are no trials
	Checks   int    // checks of each trial
	Calls    int    // mean tool calls of the conversation of a trial; 0: trials have none
	Failing  bool   // no trial passes
	Unread   bool   // conversations stand in a field that no reader knows: the same bytes, to be passed over
}

// settle fills in the defaults.
func (o Options) settle() (Options, error) {
	for _, n := range []int{o.Trials, o.Tests, o.Suites, o.Output, o.Labels, o.Problems, o.Checks, o.Calls} {
		if n < 0 {
			return o, errors.New("a number of a stream is negative")
		}
	}
	o.Trials = cmp.Or(o.Trials, 1000)
	if o.Tests == 0 || o.Tests > o.Trials {
		o.Tests = o.Trials
	}
	o.Suites = min(cmp.Or(o.Suites, (o.Tests+99)/100), o.Tests)
	return o, nil
}

// chunk is how many bytes are collected before they are written.
const chunk = 1 << 20

// sheet collects lines and writes them in large pieces. The first error stays.
type sheet struct {
	w    io.Writer
	text []byte
	err  error
}

// ended is called behind each line.
func (s *sheet) ended() {
	if len(s.text) >= chunk {
		s.flush()
	}
}

func (s *sheet) flush() {
	if s.err == nil {
		_, s.err = s.w.Write(s.text)
	}
	s.text = s.text[:0]
}
