package jmeter

import "testing"

func TestWriter(t *testing.T) {
	for name, want := range map[string]string{"run/kpi.jtl": taurus, "run/kpi-1.jtl": taurus, "run/error.jtl": taurusErrors, "error.xml": "", "result.jtl": ""} {
		if got := Writer(name, nil); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
