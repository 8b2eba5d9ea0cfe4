package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

const (
	mostVoices = 3 // different messages of a test
	mostTrials = 8 // trials named for one message
)

// voice is what one or more trials of a test said in the same words.
type voice struct {
	trials  []int // 1-based
	run     string
	class   string
	message string
	output  string // of the first of the trials
}

// said are the first voices of a test, and how many trials said other things.
type said struct {
	heard   []voice
	more    int
	several bool // runs
}

func voices(t *envelope.Test) said {
	all := said{several: t.SeveralRuns()}
	for i := range t.Details {
		d := &t.Details[i]
		if d.Status == envelope.Skip || d.Message == "" && d.Output == "" {
			continue
		}
		all.add(d)
	}
	return all
}

func (s *said) add(d *envelope.Detail) {
	for i := range s.heard {
		if v := &s.heard[i]; v.message == d.Message && v.class == d.ErrorClass && (v.run == d.Run || !s.several) {
			v.trials = append(v.trials, d.Trial+1)
			return
		}
	}
	if len(s.heard) == mostVoices {
		s.more++
		return
	}
	v := voice{trials: []int{d.Trial + 1}, class: d.ErrorClass, message: d.Message, output: d.Output}
	if s.several {
		v.run = d.Run
	}
	s.heard = append(s.heard, v)
}

// details are what is known of each test that did not simply pass, each behind
// a click.
func details(found [standing.Groups][]*envelope.Test) *part {
	var tests []*envelope.Test
	for _, t := range between(found, standing.Failed, standing.Flaky) {
		if len(voices(t).heard) > 0 || len(standing.Inside(t)) > 0 {
			tests = append(tests, t)
		}
	}
	return &part{rank: rankDetails, n: len(tests), open: "### Details\n\n", noun: always("detail", "details"),
		item: func(i int) string { return detail(tests[i]) }}
}

func detail(t *envelope.Test) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s %s</summary>\n\n", standing.Mark(t.Status), name(t))
	about := []string{place(t), code(t.Verdict.Reason, lineLimit)}
	for _, s := range standing.Inside(t) {
		about = append(about, code(s, lineLimit))
	}
	for _, s := range about {
		if s != "" {
			b.WriteString(s + "\n\n")
		}
	}
	all := voices(t)
	for _, v := range all.heard {
		b.WriteString(who(v) + ":\n\n" + fence(v.message, outputLimit))
		if output := fence(v.output, outputLimit); output != "" {
			b.WriteString("Output:\n\n" + output)
		}
	}
	if all.more > 0 {
		b.WriteString("And other messages of " + words.Plural(all.more, "trial", "trials") + ".\n\n")
	}
	b.WriteString("</details>\n\n")
	return b.String()
}

// place is where the test is defined.
func place(t *envelope.Test) string {
	file := text.Line(t.File)
	if file != "" && t.Line > 0 {
		file += ":" + strconv.Itoa(t.Line)
	}
	return code(file, nameLimit)
}

// who names the trials, as in `Trials 3, 5 (shard-1, timeout)`.
func who(v voice) string {
	words := make([]string, 0, mostTrials)
	for _, trial := range v.trials[:min(len(v.trials), mostTrials)] {
		words = append(words, strconv.Itoa(trial))
	}
	s := "Trial "
	if len(v.trials) > 1 {
		s = "Trials "
	}
	s += strings.Join(words, ", ")
	if more := len(v.trials) - mostTrials; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	var about []string
	for _, word := range []string{code(v.run, nameLimit), code(v.class, nameLimit)} {
		if word != "" {
			about = append(about, word)
		}
	}
	if len(about) > 0 {
		s += " (" + strings.Join(about, ", ") + ")"
	}
	return s
}
