package reliability

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkMetrics evaluates every metric, point and interval, over 10,000
// tests of 100 trials at k = 20, grouping included.
func BenchmarkMetrics(b *testing.B) {
	rows, categories := benchRows(10_000, 100)
	p := DefaultParams()
	p.K = 20
	for _, m := range Metrics() {
		b.Run(m.Name, func(b *testing.B) {
			for b.Loop() {
				s, err := NewSample(rows)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := m.Point(s, p); err != nil {
					b.Fatal(err)
				}
				if _, err := m.Interval(s, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	p.W = []float64{0, 0.2, 0.5, 0.8, 1}
	for _, name := range []string{"avg", "bayes", "max_at_k"} {
		m, _ := Lookup(name)
		b.Run(name+"/5-categories", func(b *testing.B) {
			for b.Loop() {
				s, err := NewSample(rows)
				if err != nil {
					b.Fatal(err)
				}
				if s, err = s.WithCategories(categories); err != nil {
					b.Fatal(err)
				}
				if _, err := m.Point(s, p); err != nil {
					b.Fatal(err)
				}
				if _, err := m.Interval(s, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOf computes the reliability of one test of a million trials.
func BenchmarkOf(b *testing.B) {
	outcomes := make([]bool, 1_000_000)
	for i := range outcomes {
		outcomes[i] = i%250_000 != 17
	}
	for b.Loop() {
		Of(outcomes)
	}
}

func benchRows(tests, trials int) ([]Counts, []Categories) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]Counts, tests)
	categories := make([]Categories, tests)
	for i := range rows {
		rate := random.Float64()
		categories[i] = make(Categories, 5)
		for range trials {
			if random.Float64() < rate {
				rows[i].Passed++
			}
			categories[i][random.IntN(5)]++
		}
		rows[i].N = trials
	}
	return rows, categories
}
