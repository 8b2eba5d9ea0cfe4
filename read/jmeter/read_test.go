package jmeter

import (
	"strings"
	"testing"
)

func TestWriter(t *testing.T) {
	for name, want := range map[string]string{"run/kpi.jtl": taurus, "run/kpi-1.jtl": taurus, "run/error.jtl": taurusErrors, "error.xml": "", "result.jtl": ""} {
		if got := Writer(name, nil); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{"timeStamp,elapsed,label,responseCode,success\n", true, "few columns"},
		{"\uFEFFtimeStamp\telapsed\tlabel\tresponseCode\tsuccess\r\n1", true, "tabs, and a mark before them"},
		{"label,elapsed,success\nx,1,true\n", false, "a table of anybody"},
		{"timeStamp,elapsed,label,respo", false, "cut in the header"},
		{`<?xml version="1.0"?><testResults version="1.2"><httpSa`, true, "XML"},
		{`<testResults/>`, true, "no sample"},
		{`<testsuite/>`, false, "JUnit"},
		{strings.Repeat("a", 9000), false, "no header"},
		{``, false, "nothing"},
	} {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}
