package browser

import (
	"bytes"
	"fmt"
	"testing"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/internal/hostile"
	"tribunal/render"
)

func init() {
	subjects = append(subjects,
		subject{"trend", "tests over runs, one in each state", trendPage(func(i int) string { return fmt.Sprint("word ", i) })},
		subject{"trend-hostile", "every text of tests and runs attacks the page", trendPage(func(i int) string { return hostile.Texts[i%len(hostile.Texts)].Text })},
	)
}

// courses are what tests did in twelve runs: the trials that passed, of five.
var courses = []string{"555555555555", "555555550000", "555555534243", "554544343323", "353535353535", "112233344455", "222222555555", "000000000000"}

// trendPage is the page of a trend whose words come from texts.
func trendPage(texts func(i int) string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		t.Helper()
		b := trend.NewBuilder(trend.DefaultConfidence)
		for r := range 12 {
			h := envelope.RunHeader{Header: envelope.Header{Name: texts(r), ID: texts(r + 1), Commit: texts(r + 2)}}
			b.Run(fmt.Sprintf("%064d", r), h, envelope.Effective{Policy: envelope.Policy{Rule: "all"}}, envelope.Summary{CostUSD: envelope.Some(float64(r + 1))})
			for i, c := range courses {
				key := envelope.Key{Suite: texts(3 * i), Test: texts(3*i+1) + "!", Variant: texts(3*i + 2)}
				b.Point(b.Test(key), trend.Point{Counted: 5, Passed: int32(c[r] - '0'), Status: trend.CodeOf(envelope.Pass), CostUSD: 0.1, DurationMS: float64(100 + r)})
			}
		}
		f, err := render.Trends.ByName("html")
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := f.Write(&page, b.Trend(), render.Settings{}); err != nil {
			t.Fatal(err)
		}
		return page.Bytes()
	}
}
