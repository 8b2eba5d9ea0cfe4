package browser

import (
	"bytes"
	"fmt"
	"io"
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
		subject{"history", "the index of a history, with a change of each kind", historyPage(func(i int) string { return fmt.Sprint("word ", i) }, true)},
		subject{"history-hostile", "every text of tests and runs attacks the index", historyPage(func(i int) string { return hostile.Texts[i%len(hostile.Texts)].Text }, true)},
		subject{"history-run", "the page of a run, with links to the runs beside it", historyPage(func(i int) string { return fmt.Sprint("word ", i) }, false)},
	)
}

// courses are what tests did in twelve runs: the trials that passed, of five.
var courses = []string{"555555555555", "555555550000", "555555534243", "554544343323", "353535353535", "112233344455", "222222555555", "000000000000"}

// trendPage is the page of a trend whose words come from texts.
func trendPage(texts func(i int) string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		f, err := render.Trends.ByName("html")
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := f.Write(&page, trendOf(texts), render.Settings{}); err != nil {
			t.Fatal(err)
		}
		return page.Bytes()
	}
}

// trendOf is a trend whose words come from texts.
func trendOf(texts func(i int) string) *trend.Trend {
	b := trend.NewBuilder(trend.DefaultConfidence)
	for r := range 12 {
		h := envelope.RunHeader{Header: envelope.Header{Name: texts(r), ID: texts(r + 1), Commit: texts(r + 2)}}
		b.Run(fmt.Sprintf("%02d%062d", r, 0), h, envelope.Effective{Policy: envelope.Policy{Rule: "all"}}, envelope.Summary{CostUSD: envelope.Some(float64(r + 1))})
		for i, c := range courses {
			key := envelope.Key{Suite: texts(3 * i), Test: texts(3*i+1) + "!", Variant: texts(3*i + 2)}
			b.Point(b.Test(key), trend.Point{Counted: 5, Passed: int32(c[r] - '0'), Status: trend.CodeOf(envelope.Pass), CostUSD: 0.1, DurationMS: float64(100 + r)})
		}
	}
	return b.Trend()
}

// historyPage is the index of a history, or the page of one of its runs. What its tests
// did is hostile where its texts are.
func historyPage(texts func(i int) string, index bool) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		t.Helper()
		h := &render.History{Trend: trendOf(texts), Quarantined: 2, Run: func(int) (*envelope.Envelope, error) { return hostile.Plain(), nil },
			Releases: []render.Released{{Key: envelope.Key{Suite: texts(1), Test: texts(2)}, Why: texts(3)}}}
		pages := map[string]*file{}
		err := render.WriteHistory(h, func(name string) (io.WriteCloser, error) { pages[name] = new(file); return pages[name], nil })
		if err != nil {
			t.Fatal(err)
		}
		for name, page := range pages {
			if (name == render.HistoryIndex) == index {
				return page.Bytes()
			}
		}
		t.Fatal("no such page")
		return nil
	}
}

// file is one in memory.
type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }
