package contract_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict"
)

// aspect is something that a run may have, in parts that are lost one by one: of each
// test or trial its own.
type aspect struct {
	name  string
	parts func(e *envelope.Envelope) map[string]string // by what it belongs to
}

var aspects = []aspect{
	{"tests", perTest(func(_ *envelope.Envelope, t *envelope.Test) string { return t.Key.String() })},
	{"verdicts", perTest(func(_ *envelope.Envelope, t *envelope.Test) string { return string(t.Status) })},
	{"trials", perTest(func(_ *envelope.Envelope, t *envelope.Test) string { return string(t.Rows.Outcome) })},
	{"retries", perTest(func(_ *envelope.Envelope, t *envelope.Test) string {
		said := ""
		for row := range t.Rows.Len() {
			if t.Rows.Retry().At(row) {
				said += fmt.Sprint(row, " ")
			}
		}
		return said
	})},
	{"starts", perTrial(func(t *envelope.Test, row int) string {
		ns, ok := t.Rows.StartedAt().At(row)
		return known(float64(ns/1e6), ok)
	})},
	{"durations", perTrial(column(func(r *envelope.Rows) envelope.Column[float64] { return r.DurationMS() }, 0))},
	{"scores", perTrial(column(func(r *envelope.Rows) envelope.Column[float64] { return r.Score() }, 6))},
	{"costs", perTrial(column(func(r *envelope.Rows) envelope.Column[float64] { return r.CostUSD() }, 6))},
	{"tokens", perTrial(func(t *envelope.Test, row int) string {
		v, ok := t.Rows.Tokens().At(row)
		return known(float64(v), ok)
	})},
	{"truth", perTrial(func(t *envelope.Test, row int) string { return string(t.Rows.Truth().At(row)) })},
	{"messages", perDetail(func(d *envelope.Detail) string { return d.Message })},
	{"outputs", perDetail(func(d *envelope.Detail) string { return d.Output })},
	{"files", perTest(func(_ *envelope.Envelope, t *envelope.Test) string { return t.File })},
	{"labels", perTest(func(_ *envelope.Envelope, t *envelope.Test) string {
		said := ""
		for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
			said += name + "=" + t.Labels[name] + "\n"
		}
		return said
	})},
	{"checks", perTest(func(_ *envelope.Envelope, t *envelope.Test) string {
		said := ""
		for i := range t.Rows.Checks() {
			c := &t.Rows.Checks()[i]
			said += c.Name + " "
			for row := range t.Rows.Len() {
				said += string(c.At(row))
			}
			said += "\n"
		}
		return said
	})},
	{"conversations", perTest(func(e *envelope.Envelope, t *envelope.Test) string {
		said := ""
		for i := range t.Transcripts {
			for _, turn := range t.Transcripts[i].Turns(e.Texts) {
				said += turn.Role + ": " + turn.Text + "\n"
			}
		}
		return said
	})},
}

func perTest(part func(*envelope.Envelope, *envelope.Test) string) func(*envelope.Envelope) map[string]string {
	return func(e *envelope.Envelope) map[string]string {
		out := map[string]string{}
		for i := range e.Tests {
			out[e.Tests[i].Key.String()] = part(e, &e.Tests[i])
		}
		return out
	}
}

func perTrial(part func(*envelope.Test, int) string) func(*envelope.Envelope) map[string]string {
	return func(e *envelope.Envelope) map[string]string {
		out := map[string]string{}
		for i := range e.Tests {
			for row := range e.Tests[i].Rows.Len() {
				out[fmt.Sprint(e.Tests[i].Key, row)] = part(&e.Tests[i], row)
			}
		}
		return out
	}
}

func perDetail(part func(*envelope.Detail) string) func(*envelope.Envelope) map[string]string {
	return func(e *envelope.Envelope) map[string]string {
		out := map[string]string{}
		for i := range e.Tests {
			for at := range e.Tests[i].Details {
				out[fmt.Sprint(e.Tests[i].Key, e.Tests[i].Details[at].Trial)] = part(&e.Tests[i].Details[at])
			}
		}
		return out
	}
}

func column(of func(*envelope.Rows) envelope.Column[float64], digits int) func(*envelope.Test, int) string {
	return func(t *envelope.Test, row int) string {
		v, ok := of(t.Rows).At(row)
		scale := math.Pow10(digits)
		return known(math.Round(v*scale)/scale, ok)
	}
}

func known(v float64, ok bool) string {
	if !ok {
		return ""
	}
	return fmt.Sprint(v)
}

// judgedInput is an input under the policy that convert has, and the name of its
// format; nil where there is no trial in it.
func judgedInput(text []byte) (*envelope.Envelope, string, error) {
	policy, err := verdict.Resolve(envelope.Policy{})
	if err != nil {
		return nil, "", err
	}
	b := count.NewBuilder(5, policy.ScoreThreshold.V)
	format := read.Stream(b, "input", bytes.NewReader(text), "")
	if b.Trials() == 0 {
		return nil, format, nil
	}
	e, err := verdict.Seal(b.Run(policy.OnConflict, 5), policy)
	return e, format, err
}

func inputSamples() ([]*envelope.Envelope, error) {
	const small = 40_000
	paths, err := filepath.Glob("../read/*/testdata/*.*")
	flat, _ := filepath.Glob("../read/flat/testdata/*/*.*")
	streams, err2 := filepath.Glob("../testdata/streams/*.ndjson")
	if err != nil || err2 != nil {
		return nil, fmt.Errorf("%w %w", err, err2)
	}
	var out []*envelope.Envelope
	for _, path := range slices.Concat(paths, flat, streams) {
		text, err := os.ReadFile(path)
		if err != nil || len(text) > small || strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".txtar") {
			continue
		}
		e, _, err := judgedInput(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if e != nil {
			out = append(out, e)
		}
	}
	return out, nil
}

// kept counts parts that are there, and those that are there when the report is read
// again.
type kept struct{ there, again int }

func (k kept) String() string {
	switch {
	case k.again == 0:
		return "–"
	case k.again == k.there:
		return "all"
	case 10*k.again >= 9*k.there:
		return "nearly all"
	case 2*k.again >= k.there:
		return "most"
	}
	return "some"
}

// readAgain is the name under which a format of a report is an input.
func readAgain(output string) string {
	if output == "json" || output == "ndjson" {
		return read.Envelope
	}
	return output
}

// lossTable is what of all input samples is there when they are written in a format and
// read again. A format that nothing reads again is a view, and is not in it.
var lossTable = sync.OnceValues(func() (string, error) {
	samples, err := inputSamples()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString("| format | keeps a part of | loses |\n| --- | --- | --- |\n")
	for _, f := range render.Formats {
		if _, err := read.ByName(readAgain(f.Name)); err != nil {
			continue
		}
		row, err := losses(f, samples)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.Name, err)
		}
		if !slices.ContainsFunc(row, func(k kept) bool { return k.again > 0 }) { // ours is refused
			continue
		}
		of := map[string][]string{} // the names of aspects, by how much of them is kept
		for i, k := range row {
			of[k.String()] = append(of[k.String()], aspects[i].name)
		}
		var parts []string
		for _, much := range []string{"nearly all", "most", "some"} {
			if len(of[much]) > 0 {
				parts = append(parts, much+": "+strings.Join(of[much], ", "))
			}
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", f.Name, strings.Join(parts, "; "), strings.Join(of["–"], ", "))
	}
	return out.String(), nil
})

func losses(f render.Format, samples []*envelope.Envelope) ([]kept, error) {
	row := make([]kept, len(aspects))
	for _, e := range samples {
		var text bytes.Buffer
		if err := f.Write(&text, e, render.Settings{Options: f.Defaults(), Existing: -1}); err != nil {
			return nil, err
		}
		again, format, err := judgedInput(text.Bytes())
		if err != nil {
			return nil, err
		}
		if again == nil {
			again = &envelope.Envelope{}
		} else if format != readAgain(f.Name) {
			return nil, fmt.Errorf("it is read again as %s", format)
		}
		for i, a := range aspects {
			have := a.parts(again)
			for of, part := range a.parts(e) {
				if part == "" {
					continue
				}
				row[i].there++
				if have[of] == part {
					row[i].again++
				}
			}
		}
	}
	return row, nil
}

// TestLosses: the page is held to what is measured by Documents; here is what no report
// may lose, whatever is measured: who converts must not get another verdict for it.
func TestLosses(t *testing.T) {
	table, err := lossTable()
	if err != nil {
		t.Fatal(err)
	}
	every := []string{": ", ","} // which stand only in the row of a format that loses something
	for _, a := range aspects {
		every = append(every, a.name)
	}
	for format, promised := range map[string][]string{
		"json": every, "ndjson": every, "ctrf": every,
		"junit":  {"tests", "verdicts", "retries", "durations", "scores", "costs", "tokens", "files", "labels", "truth"},
		"allure": {"tests", "retries", "scores"},
		"otlp":   {"trials", "retries", "starts", "durations", "scores", "costs", "tokens", "checks", "truth"},
		"tap":    {"tests", "verdicts"},
	} {
		_, row, _ := strings.Cut(table, "\n| `"+format+"` |")
		row, _, is := strings.Cut(row, "\n")
		for _, name := range promised {
			if !is || strings.Contains(row, name) {
				t.Errorf("%s loses %s:\n%s", format, name, table)
			}
		}
	}
}
