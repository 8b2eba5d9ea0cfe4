package jmeter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: Pay is a transaction whose samples are not in the file, so that it is all
// there is of them.
func TestSamples(t *testing.T) {
	for name, want := range map[string][]string{
		"load.csv": {"Shoppers/home #0 pass 200", "Shoppers/home #1 fail 500", "Shoppers/add, then look #0 fail 200",
			"Shoppers/add, then look #1 error Non HTTP response code: java.net.SocketTimeoutException timeout", "Shoppers/Pay #0 pass 200"},
		"load.xml": {"Shoppers/home #0 pass 200", "Shoppers/add #0 pass 200", "Shoppers/look #0 fail 200"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) != 1 || s.Problems[0].Severity != envelope.SeverityInfo {
			t.Errorf("%s: got %q %q\nwant %q", name, got, s.Told(), want)
		}
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/load.csv")
	want := envelope.Trial{Key: envelope.Key{Suite: "Shoppers", Test: "add, then look"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail, RawStatus: "200",
		DurationMS: envelope.Some(88.0), StartedAt: time.Date(2025, 5, 14, 15, 31, 17, 300e6, time.UTC),
		Message: `Test failed: text expected to contain /"tea"/`, Output: "Test failed: text expected to contain /\"tea\"/\n\n200 OK",
		Labels: []envelope.Label{{Name: "thread", Value: "Shoppers 1-1"}}}
	if diff := cmp.Diff(want, s.Find(t, "add, then look", 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.Find(t, "home", 1).Message; got != "500 Internal Server Error" {
		t.Errorf("%q", got)
	}
	s = readtest.File(t, Read, "testdata/load.xml")
	checks := []envelope.Check{{Name: "logo", Status: envelope.Pass}, {Name: "says hello", Status: envelope.Pass}}
	if diff := cmp.Diff(checks, s.Find(t, "home", 0).Checks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	look := s.Find(t, "look", 0)
	checks = []envelope.Check{{Name: "has tea", Status: envelope.Fail, Reason: "Test failed: text expected to contain /tea/"}, {Name: "is JSON", Status: envelope.Error, Reason: "no script"}}
	if diff := cmp.Diff(checks, look.Checks); diff != "" || look.Message != "Test failed: text expected to contain /tea/" {
		t.Errorf("%q (-want +got):\n%s", look.Message, diff)
	}
}

func TestShapes(t *testing.T) {
	const head = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success\n"
	sum := func(n int) string {
		return fmt.Sprintf(`"Number of samples in transaction : %d, number of failing samples : 0"`, n)
	}
	in := func(elements string) string { return `<testResults version="1.2">` + elements + `</testResults>` }
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{head + "5,1,a,200,OK,G 1-1,true\n", []string{"G/a #0 pass 200"}, nil, "a time that is none"},
		{"timeStamp;elapsed;label;responseCode;threadName;success\n1;1;a,b;200;G 1-1;false\n", []string{"G/a,b #0 fail 200"}, nil, "semicolons"},
		{head + "5,1,a,200,OK,G 1-1,true\n" + head + "6,1,a,200,OK,G 1-1,TRUE\n", []string{"G/a #0 pass 200", "G/a #1 pass 200"}, nil, "two runs in one file"},
		{head + "5,1,a,200,OK,G 1-1,true\n5,1,a\n5,1,a,200,OK,G 1-1,\n5,1,,200,OK,G 1-1,true\n", []string{"G/a #0 pass 200"},
			[]string{"malformed-record 3:1", "malformed-record 4:1", "malformed-record 5:1"}, "cut, without success, without a label"},
		{head + "5,1,a,200,OK,G 1-1,true\n4,1,T,200," + sum(1) + ",G 1-1,false\n", []string{"G/a #0 pass 200", "G/T #0 fail 200"}, nil, "a transaction that failed by itself"},
		{head + "5,1,a,200,OK,G 1-2,true\n4,1,T,200," + sum(1) + ",G 1-1,true\n", []string{"G/a #0 pass 200", "G/T #0 pass 200"}, nil, "the sample of another thread"},
		{head + "5,1,a,200,OK,G 1-1,true\n6,1,T,200," + sum(1) + ",G 1-1,true\n", []string{"G/a #0 pass 200", "G/T #0 pass 200"}, nil, "a sample before the transaction"},
		{head + "5,1,a,200,OK,G 1-1,true\n4,1,T,200," + sum(1) + ",G 1-1,true\n3,1,U,200," + sum(1) + ",G 1-1,true\n", []string{"G/a #0 pass 200"}, []string{"transactions 3:1"}, "a transaction in another"},
		{head + "2024/01/02 10:00:00.123,1,a,200,OK,G 1-1,true\n2024/01/02 10:00:00.100,1,T,200," + sum(1) + ",G 1-1,true\n", []string{"G/a #0 pass 200"}, []string{"transactions 3:1"}, "times as people write them"},
		{head + "2024-01-02 10:00:00,1,a,200,OK,G 1-1,true\n2024-01-02 10:00:01,1,T,200," + sum(1) + ",G 1-1,true\n", []string{"G/a #0 pass 200", "G/T #0 pass 200"}, nil, "and a sample before the transaction"},
		{head + "5,1,\"a", nil, []string{"malformed-record 2:1"}, "a quote without an end"},
		{in(`<sample t="1" ts="4" s="false" lb="T" rm=` + sum(1) + `><sample t="1" ts="4" s="true" lb="a"/></sample>`), []string{"a #0 pass", "T #0 fail"}, nil, "a transaction that failed by itself, with its samples in it"},
		{in(`<sample t="1" ts="4" s="false" lb="T" rm=` + sum(1) + `><sample ts="4" s="false" lb="U" rm=` + sum(1) + `><sample s="false" lb="a"/></sample></sample>`), []string{"a #0 fail"}, []string{"transactions 1:139"}, "a transaction in another"},
		{in(`<sample t="1" ts="4" s="true" lb="T" rm=` + sum(4) + `/>`), []string{"T #0 pass"}, nil, "a transaction without its samples"},
		{in(`<httpSample s="false" lb="a" rc="Non HTTP response code" rm="Non HTTP response message"/>`), []string{"a #0 error Non HTTP response code"}, nil, "no exception, in files of JMeter 2"},
		{in(`<sample t="1" lb="a"/>`), nil, []string{"malformed-record 1:28"}, "without success"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestWriter(t *testing.T) {
	for name, want := range map[string]string{"run/kpi.jtl": taurus, "run/kpi-1.jtl": taurus, "run/error.jtl": taurusErrors, "error.xml": "", "result.jtl": ""} {
		if got := Writer(name, nil); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

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

func FuzzJMeter(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "timeStamp,elapsed,label,responseCode,success\n1,2,a,200,true\n", `<testResults><sample s="true" lb="a"/></testResults>`)
}
