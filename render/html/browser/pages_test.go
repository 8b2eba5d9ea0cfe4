package browser

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/command"
	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render"
)

// subject is a page that has to hold to all that is common to our pages.
type subject struct {
	name, reason string
	page         func(t *testing.T) []byte
}

var subjects = []subject{
	{"weather-agent", "the sample of README: every verdict, three variants' worth of trials", report("weather-agent.ndjson", "--rule", "wilson", "--threshold", "0.7")},
	{"two-variants", "a matrix of tests and models", report("two-variants.ndjson", "--inconclusive")},
	{"sequential", "evidence paths", report("weather-agent.ndjson", "--rule", "sprt", "--threshold", "0.8")},
	{"problems", "bad input around good trials", report("problems.ndjson")},
	{"plan", "every part of a plan with its pictures", planned("--half-width", "0.05", "--rule", "sprt", "--threshold", "0.9", "--cost-per-trial", "0.03", "--detect", "0.9:0.8", "--discordant", "0.14")},
	{"plan-hostile", "a plan for tests whose names attack the page", planned("../../../testdata/streams/hostile.ndjson", "--rule", "wilson", "--threshold", "0.9")},
	{"empty", "nothing to show", report("empty.ndjson", "--allow-empty")},
	{"many", "a suite of ordinary size", report("many.ndjson", "--inconclusive")},
	{"comparison", "two runs side by side", comparison("booking-main.ndjson", "booking-branch.ndjson")},
	{"comparison-by", "values of a label", comparison("two-variants.ndjson", "--by", "variant")},
	{"comparison-hostile", "every text attacks the page, on both sides", comparison("hostile.ndjson", "hostile.ndjson")},
	{"comparison-broken", "a side that cannot be read", comparison("booking-main.ndjson", "no-such-file.ndjson")},
	{"ranking", "variants by rank, with a picture of each part", ranking("two-variants.ndjson")},
	{"many-small", "most passing tests are drawn on demand", report("many.ndjson", "--inconclusive", "--html-static", "3")},
	{"hostile-plain", "every text attacks the page", written(hostile.Plain)},
	{"hostile-broken", "the same in a run that broke", written(hostile.Broken)},
}

// report is the page of a stream in testdata, made as a user makes it.
func report(stream string, flags ...string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		return tribunal(t, "", append([]string{"report", filepath.Join("..", "..", "..", "testdata", "streams", stream), "--no-config", "-f", "html"}, flags...)...)
	}
}

// planned is the page of a plan.
func planned(args ...string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		return tribunal(t, "", append([]string{"plan", "--no-config", "-f", "html"}, args...)...)
	}
}

// comparison is the page of a comparison of streams in testdata; what is no
// stream is a flag or its value.
func comparison(args ...string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		words := []string{"compare", "--no-config", "-f", "html"}
		for _, arg := range args {
			if strings.HasSuffix(arg, ".ndjson") {
				arg = filepath.Join("..", "..", "..", "testdata", "streams", arg)
			}
			words = append(words, arg)
		}
		return tribunal(t, "", words...)
	}
}

// ranking is the page of the variants of a stream in testdata.
func ranking(stream string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		return tribunal(t, "", "rank", "--no-config", "-f", "html", filepath.Join("..", "..", "..", "testdata", "streams", stream))
	}
}

// tribunal runs the program and returns its standard output.
func tribunal(t *testing.T, stdin string, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	code := command.Main(append([]string{"tribunal"}, args...), command.Env{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
	if out.Len() == 0 {
		t.Fatalf("tribunal %s wrote nothing, exit code %d: %s", strings.Join(args, " "), code, &errs)
	}
	return out.Bytes()
}

// written is the page of an envelope that no input can make.
func written(make func() *envelope.Envelope) func(t *testing.T) []byte {
	return func(t *testing.T) []byte { return writtenWith(t, make(), nil) }
}

// writtenWith is the page of an envelope with options of the format.
func writtenWith(t *testing.T, e *envelope.Envelope, options map[string]string) []byte {
	t.Helper()
	f, err := render.Formats.ByName("html")
	if err != nil {
		t.Fatal(err)
	}
	settings := render.Settings{Options: f.Defaults()}
	maps.Copy(settings.Options, options)
	var b bytes.Buffer
	if err := f.Write(&b, e, settings); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// stream makes trials of tests: every twentieth test fails all its trials, every
// tenth one of them, and the rest pass. Two suites, two teams.
func stream(tests, trials int) string {
	var b strings.Builder
	for test := range tests {
		for trial := range trials {
			status := "pass"
			if test%20 == 7 || test%10 == 3 && trial == 1 {
				status = "fail"
			}
			fmt.Fprintf(&b, `{"suite":"suite-%d","test":"test-%05d","attempt":%d,"status":%q,"duration_ms":%d,"cost_usd":0.00%d,"labels":{"team":"team-%d"}`,
				test%2, test, trial, status, 100+(test*7+trial*13)%900, 1+test%9, test%3)
			if status == "fail" {
				fmt.Fprintf(&b, `,"message":"wrong answer %d in test %d"`, trial, test)
			}
			b.WriteString("}\n")
		}
	}
	return b.String()
}
