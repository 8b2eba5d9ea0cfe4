package contract_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"tribunal/envelope"
	"tribunal/internal/audit"
	"tribunal/internal/compare"
	"tribunal/internal/compare/rank"
	"tribunal/render"
	"tribunal/verdict"
)

// lettered names runs in their order.
func lettered(i int, stream string) string { return fmt.Sprintf("%c-%s", 'a'+i, filepath.Base(stream)) }

var rankings = matrix[rank.Ranking]{
	folder: "rankings", formats: render.Rankings, schema: "ranking", rows: func(r *rank.Ranking) int { return len(r.Variants) },
	unsaid: cmpopts.IgnoreUnexported(compare.Difference{}, rank.Ranking{}),
	samples: []sample[rank.Ranking]{
		rankingOf("sides", "three variants of which two are the same", "booking-main", "booking-branch", "booking-main"),
		rankingOf("missing", "tests that one variant did not try, and one without a counted trial", "many", "many flaky", "error"),
		rankingOf("alone", "one variant", "flaky"),
		rankingOf("apart", "no test that both tried", "flaky", "all-fail"),
		rankingOf("hostile", "every text is hostile", "hostile", "hostile flaky"),
	},
}

func rankingOf(name, reason string, variants ...string) sample[rank.Ranking] {
	return sample[rank.Ranking]{name, reason, func(t *testing.T) *rank.Ranking {
		return must(rank.Variants("model", inputs(t, runs(variants...), lettered), nil, rank.Defaults()))(t)
	}}
}

func TestRankings(t *testing.T) { rankings.hold(t) }

var gateAudits = matrix[audit.Gate]{
	folder: "audits/gate", formats: render.GateAudits, schema: "gate-audit", rows: func(g *audit.Gate) int { return len(g.Tests) },
	unsaid: cmpopts.IgnoreUnexported(audit.Gate{}, audit.Option{}, audit.Item{}),
	samples: []sample[audit.Gate]{
		gateAuditOf("sides", "two runs that differ, and one again", "booking-main", "booking-branch", "booking-main"),
		gateAuditOf("retries", "retries, which counts do not predict, and a test that errors", "retries-timed", "error"),
		gateAuditOf("hostile", "every text is hostile", "hostile"),
		gateAuditOf("alone", "no runs: the plan alone"),
	},
}

func gateAuditOf(name, reason string, of ...string) sample[audit.Gate] {
	return sample[audit.Gate]{name, reason, func(t *testing.T) *audit.Gate {
		var envelopes []*envelope.Envelope
		for _, g := range runs(of...) {
			envelopes = append(envelopes, g.envelope(t))
		}
		held := must(verdict.Resolve(envelope.Policy{}))(t)
		return must(audit.OfGate(envelopes, audit.GateOptions{AtMost: audit.DefaultAtMost, Policy: held, Tests: 40, Trials: 3, Expect: 0.99}))(t)
	}}
}

func TestGateAudits(t *testing.T) { gateAudits.hold(t) }

var testsAudits = matrix[audit.Tests]{
	folder: "audits/tests", formats: render.TestsAudits, schema: "tests-audit", rows: func(a *audit.Tests) int { return len(a.Tests) },
	unsaid: cmpopts.IgnoreUnexported(audit.Option{}, audit.Item{}),
	samples: []sample[audit.Tests]{
		testsAuditOf("benchmark", "eight variants, and a defect of every kind", "../benchmark/cirrus", "../benchmark/cirrus-mini", "../benchmark/cumulus",
			"../benchmark/cumulus-mini", "../benchmark/nimbus", "../benchmark/nimbus-mini", "../benchmark/stratus", "../benchmark/stratus-mini"),
		testsAuditOf("same", "four variants of which two are the same", "booking-main", "booking-branch", "booking-main"),
		testsAuditOf("few", "two variants with checks, and tests that one did not try", "weather-agent", "weather-agent flaky"),
		testsAuditOf("apart", "no test that both tried", "flaky", "all-fail"),
		testsAuditOf("hostile", "every text is hostile", "hostile", "hostile"),
	},
}

func testsAuditOf(name, reason string, variants ...string) sample[audit.Tests] {
	return sample[audit.Tests]{name, reason, func(t *testing.T) *audit.Tests {
		return must(audit.OfTests("variant", inputs(t, runs(variants...), lettered), nil, 0.95))(t)
	}}
}

func TestTestsAudits(t *testing.T) { testsAudits.hold(t) }
