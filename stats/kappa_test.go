package stats

import "testing"

// The example of J. L. Fleiss, B. Levin, M. C. Paik, Statistical Methods for Rates and
// Proportions, 3rd ed. (2003), table 18.1: psychotic, neurotic and organic patients, 100 of
// them, by two raters. The book gives kappa .676, its standard error .087 and .076 of none.
func TestKappaOfCategories(t *testing.T) {
	k := CohenKappaOf([][]int{{75, 1, 4}, {5, 4, 1}, {0, 0, 10}}, 0.95)
	near(t, "kappa", k.Kappa, 0.23/0.34, 1e-12, "(.89-.66)/(1-.66)")
	near(t, "SE", k.SE, 0.0877, 0.0001, "by hand from the formula, .087 in the book")
	near(t, "SE of 0", k.SE0, 0.0762, 0.0001, "by hand from the formula, .076 in the book")
	near(t, "lo", k.Lo, 0.5046, 0.0001, "kappa - 1.96 SE")
	near(t, "hi", k.Hi, 0.8484, 0.0001, "kappa + 1.96 SE")
}
