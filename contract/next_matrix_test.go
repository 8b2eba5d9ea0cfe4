package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tribunal/envelope"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/next"
	"tribunal/internal/run/runner"
	"tribunal/render"
)

// nextGoldens are questions: the trials so far as questionOf reads them, and what else
// is asked.
var nextGoldens = []struct {
	name, reason string
	policy       envelope.Policy
	strips       map[string]string
	ask          func(*next.Question)
}{
	{"open", "three open tests, of which one has no trial and comes second", anytime, map[string]string{"A": "PPPPPPPPP", "B": "PPFPFPP"}, func(q *next.Question) {
		q.Tests, q.Batch = []runner.Test{{Key: envelope.Key{Suite: "shop", Test: "C", Variant: "small"}, Labels: map[string]string{"tier": "slow"}}}, 6
	}},
	{"fail", "the first fail is wanted", anytime, map[string]string{"A": "PPPPPPPPP", "B": "PPFPFPP"}, func(q *next.Question) { q.For, q.Batch = next.ForFail, 4 }},
	{"states", "a test in every state but one", anytime, map[string]string{"decided": "FF", "check": "PV", "infrastructure": "XPXXX", "full": "PPFPPPPPPPPPPP", "open": "PXP"}, func(q *next.Question) { q.Trials, q.AllowStarved = 14, true }},
	{"fixed", "a fixed number is filled up", envelope.Policy{Rule: "all"}, map[string]string{"a": "PP", "b": "PPP"}, func(q *next.Question) { q.Trials, q.Batch = 3, 10 }},
	{"money", "money for one trial more", anytime, map[string]string{"a": "PPPP", "b": "PPPP"}, func(q *next.Question) {
		q.Batch, q.Limits = 20, runner.Limits{MaxCostUSD: envelope.Some(9.)}
	}},
	{"nothing", "every test has its verdict", anytime, map[string]string{"a": "FF"}, func(*next.Question) {}},
	{"empty", "no test", anytime, nil, func(*next.Question) {}},
	{"hostile", "a name made to break its readers", anytime, map[string]string{"a\x1b[31m \"'|<b>\u202e\n`$(rm)": "PP", "::set-output name=x::": "P"}, func(q *next.Question) { q.Batch = 3 }},
}

var nexts = matrix[next.Plan]{folder: "next", formats: render.Nexts, schema: "next", unsaid: cmp.Options{}, samples: samplesOfNext(),
	parsers: map[string]func([]byte, *next.Plan) error{
		"ndjson": func(out []byte, p *next.Plan) error {
			var got []next.Trial
			for lines := json.NewDecoder(bytes.NewReader(out)); lines.More(); {
				got = append(got, next.Trial{})
				if err := lines.Decode(&got[len(got)-1]); err != nil {
					return err
				}
			}
			return sameTrials(p.Trials, got)
		},
		"matrix": func(out []byte, p *next.Plan) error {
			if bytes.Count(out, []byte("\n")) != 1 {
				return errors.New("an output of a step is one line")
			}
			var doc struct{ Include []next.Trial }
			if err := json.Unmarshal(out, &doc); err != nil {
				return err
			}
			return sameTrials(p.Trials, doc.Include)
		},
		"args": func(out []byte, p *next.Plan) error {
			var want strings.Builder
			for _, trial := range p.Trials {
				want.WriteString(strings.Join(trial.Argv, "\x00") + "\x00")
			}
			if string(out) != want.String() {
				return fmt.Errorf("%q, want %q", out, want.String())
			}
			return nil
		},
	}}

func sameTrials(want, got []next.Trial) error {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("other trials (-want +got):\n%s", diff)
	}
	return nil
}

func samplesOfNext() (all []sample[next.Plan]) {
	for _, g := range nextGoldens {
		all = append(all, sample[next.Plan]{g.name, g.reason, func(t *testing.T) *next.Plan {
			q := questionOf(t, g.policy, g.strips)
			q.RunSeed = 7
			q.Seed = func(of next.Trial) int64 { return driver.SeedOf(q.RunSeed, of.Suite, of.Test, of.Attempt) }
			q.Argv = func(of next.Trial, _ int, labels map[string]string) ([]string, error) {
				return append([]string{"./try", of.Suite, of.Test, of.Variant, of.Run}, slices.Sorted(maps.Values(labels))...), nil
			}
			g.ask(&q)
			return nextOf(t, q)
		}})
	}
	return all
}

func TestNexts(t *testing.T) { nexts.hold(t) }

// FuzzNext: whatever the trials so far and whatever is asked, a batch is no larger than
// was asked for, no test has more in it than its verdict can need, none has any that may
// not be run, and every format says the same of it twice.
func FuzzNext(f *testing.F) {
	f.Add("PPPPPPPPP", "PPFPFPP", uint8(0), uint8(6), uint8(0), uint8(0))
	f.Add("XPXXX", "PV", uint8(1), uint8(0), uint8(14), uint8(0))
	f.Add("PPF", "", uint8(2), uint8(3), uint8(5), uint8(9))
	f.Add("SSSS", "E", uint8(3), uint8(200), uint8(1), uint8(1))
	policies := []envelope.Policy{
		anytime, {Rule: "sprt", Threshold: envelope.Some(0.8)}, {Rule: "all"}, {Rule: "mean", Threshold: envelope.Some(0.5)}, {Rule: "wilson", Threshold: envelope.Some(0.9)}, {Rule: "any"},
	}
	f.Fuzz(func(t *testing.T, a, b string, policy, batch, trials, dollars uint8) {
		const most = 200 // trials so far of a test: a question of more is not another question
		strip := func(s string) string {
			s = strings.Map(func(letter rune) rune { return []rune("PFXV")[letter&3] }, s)
			return s[:min(len(s), most)]
		}
		q := questionOf(t, policies[int(policy)%len(policies)], map[string]string{"a": strip(a), "b": strip(b)})
		q.Batch, q.Trials, q.AllowStarved = int(batch), int(trials), true
		q.Tests = []runner.Test{{Key: envelope.Key{Test: "c"}}}
		q.Argv = func(of next.Trial, _ int, _ map[string]string) ([]string, error) {
			return []string{"./try", of.Test}, nil
		}
		if dollars > 0 {
			q.Limits.MaxCostUSD = envelope.Some(float64(dollars))
		}
		p, err := next.New(q)
		if err != nil {
			return // what cannot be is said
		}
		if q.Batch > 0 && len(p.Trials) > q.Batch {
			t.Errorf("%d trials, and %d are asked for", len(p.Trials), q.Batch)
		}
		named := map[envelope.Key]int{}
		for _, trial := range p.Trials {
			named[trial.Key]++
		}
		sequential := p.Rule == "anytime" || p.Rule == "sprt"
		for _, test := range p.Tests {
			if n := named[test.Key]; n != test.Batch || n > 0 && test.State != next.StateOpen || sequential && n > test.Near {
				t.Errorf("%d trials of %+v", n, test)
			}
		}
		nexts.holdAll(t, p, p)
	})
}
