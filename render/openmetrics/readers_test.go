package openmetrics_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// gitlab reads a metrics report by the rules of GitLab's parser
// (ee/lib/gitlab/ci/parsers/metrics/generic.rb): of each line that is not blank,
// what stands before the first # is split into words as a shell would; the first
// word is the name, the second the value. A quote that is left open fails the
// whole report.
func gitlab(doc string) (map[string]string, error) {
	out := map[string]string{}
	for line := range strings.Lines(doc) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		before, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "#")
		words, err := shellSplit(before)
		if err != nil {
			return nil, err
		}
		if len(words) < 2 {
			continue
		}
		if _, ok := out[words[0]]; ok {
			return nil, fmt.Errorf("%s twice: the last one would win", words[0])
		}
		out[words[0]] = words[1]
	}
	return out, nil
}

// shellSplit is Ruby's Shellwords.split, as its documentation describes it: in
// double quotes a backslash escapes $, `, ", \ and a newline, outside of quotes
// anything.
func shellSplit(s string) (words []string, err error) {
	word, started, quote := "", false, rune(0)
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'':
			word += string(r)
		case r == '\\' && i+1 < len(runes) && (quote == 0 || strings.ContainsRune("$`\"\\\n", runes[i+1])):
			i++
			word, started = word+string(runes[i]), true
		case quote == '"':
			word += string(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case strings.ContainsRune(" \t\r\n\f\v", r):
			if started {
				words, word, started = append(words, word), "", false
			}
		default:
			word, started = word+string(r), true
		}
	}
	if quote != 0 {
		return nil, errors.New("unmatched quote: " + s)
	}
	if started {
		words = append(words, word)
	}
	return words, nil
}

var (
	metadata   = regexp.MustCompile(`^# (TYPE|UNIT|HELP) ([a-z_]+) (.+)$`)
	sampleLine = regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*"(?:,|\}))+)? (-?[0-9]+(?:\.[0-9]+)?)$`)
)

// strict reads an exposition by the ABNF and the rules of OpenMetrics 1.0 as far
// as gauges go: metadata before samples, families in one piece, the unit as
// suffix, no line twice, # EOF and nothing behind it.
func strict(doc string) (map[string]float64, error) {
	body, ok := strings.CutSuffix(doc, "# EOF\n")
	if !ok {
		return nil, errors.New("does not end in # EOF")
	}
	out, done, family, sampled := map[string]float64{}, map[string]bool{}, "", false
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if m := metadata.FindStringSubmatch(line); m != nil {
			if m[2] != family {
				if done[m[2]] {
					return nil, fmt.Errorf("%s: the family is not in one piece", m[2])
				}
				done[m[2]], family, sampled = true, m[2], false
			}
			if sampled || m[1] == "TYPE" && m[3] != "gauge" || m[1] == "UNIT" && !strings.HasSuffix(family, "_"+m[3]) {
				return nil, fmt.Errorf("metadata %q", line)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || m[1] != family || m[2] != "" && !strings.HasSuffix(m[2], "}") {
			return nil, fmt.Errorf("line %q below %s", line, family)
		}
		if _, ok := out[m[1]+m[2]]; ok {
			return nil, fmt.Errorf("%s twice", m[1]+m[2])
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, err
		}
		out[m[1]+m[2]], sampled = v, true
	}
	return out, nil
}
