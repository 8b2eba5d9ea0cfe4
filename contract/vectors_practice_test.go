package contract_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// unbuilt are functions of the vectors that this program does not have.
var unbuilt = []string{
	"beta_binomial_eb", "bradley_terry", "davidson", // no report ranks by duels or shrinks tests towards each other
	"cluster_diff", "cmh", "cohen_kappa", "e_bh", "fisher_2xc", "gsprt", "gsprt_elo", "gsprt_normalized",
	"mde_clustered", "paired_e", "permutation_trend_runs", "power_clustered", "ppi_mean", "rank_ci", "rate_e",
	"rate_e_nights", "rogan_gladen", "variance_components_oneway", "variance_components_twoway",
}

// practice are the statistics of data that are not independent trials of one
// rate: groups, nights, judges, rankings.
var practice = map[string]func(json.RawMessage) (any, error){}

// with decodes the arguments of a case into the type that a function wants.
func with[A any](call func(A) (any, error)) func(json.RawMessage) (any, error) {
	return func(args json.RawMessage) (any, error) {
		var a A
		if err := decode(args, &a); err != nil {
			return nil, err
		}
		return call(a)
	}
}

// TestUnbuilt keeps the list from hiding a function that is there.
func TestUnbuilt(t *testing.T) {
	cases := readVectors(t, "../testdata/vectors/practice-public.json")
	for _, fn := range unbuilt {
		if _, built := practice[fn]; built {
			t.Errorf("%s is built: take it from the list", fn)
		}
		if !slices.ContainsFunc(cases, func(c vectorCase) bool { return c.Fn == fn }) {
			t.Errorf("%s stands in no vector", fn)
		}
	}
}
