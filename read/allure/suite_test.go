package allure

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const ofTestNG = "testdata/allure1/testng-testsuite.xml"

// TestSuite: nine test-cases, counted by hand. A try that TestNG tried again failed, runs of
// a test are one test, and a set-up that failed is an error beside the tests it canceled.
func TestSuite(t *testing.T) {
	const class = "Shop/Chrome/org.shop.CartTest/"
	want := map[string]string{
		class + "adds [cake=plum]": "P", class + "flaky": "Fp", class + "pays": "F", class + "often": "PF",
		"Shop : Chrome/setUp": "E", "Shop/Chrome/org.shop.ShipTest/ships": "S", "Shop : Chrome/later": "S",
	}
	s := readtest.File(t, ReadSuite, ofTestNG)
	if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %v %q\nwant %v", got, s.Problems, want)
	}
	for test, want := range map[string]envelope.Trial{
		"adds [cake=plum]": {Key: envelope.Key{Suite: "Shop/Chrome/org.shop.CartTest", Test: "adds [cake=plum]"}, Status: envelope.Pass, StartedAt: time.UnixMilli(1500000000010).UTC(), DurationMS: envelope.Some(250.0),
			Labels: []envelope.Label{{Name: "title", Value: "A cake goes into the cart"}, {Name: "feature", Value: "Cart"}, {Name: "severity", Value: "critical"}}},
		"pays": {Key: envelope.Key{Suite: "Shop/Chrome/org.shop.CartTest", Test: "pays"}, Status: envelope.Fail, StartedAt: time.UnixMilli(1500000002000).UTC(), DurationMS: envelope.Some(500.0),
			Message: "AssertionError: expected [3] but found [2]", Output: "java.lang.AssertionError: expected [3] but found [2]\n\tat org.shop.CartTest.pays(CartTest.java:12)\n\nattachment: log (0b-attachment.txt)"},
		"later": {Key: envelope.Key{Suite: "Shop : Chrome", Test: "later"}, Status: envelope.Skip, RawStatus: "pending", StartedAt: time.UnixMilli(1500000004000).UTC(), DurationMS: envelope.Some(0.0),
			Labels: []envelope.Label{{Name: "severity", Value: "minor"}}},
	} {
		want.Attempt = envelope.Some[int32](0)
		if diff := cmp.Diff(want, s.Find(t, test, 0)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

const suiteTag = `<ns2:test-suite xmlns:ns2="urn:model.allure.qatools.yandex.ru" start="1" stop="9">`

func suiteOf(name, framework, cases string) string {
	return suiteTag + `<name>` + name + `</name><test-cases>` + cases + `</test-cases><labels><label name="framework" value="` + framework + `"/></labels></ns2:test-suite>`
}

// TestSuites: Allure1Plugin.java of Allure 2 says which label is an identity and which
// parameters count, and its empty-status-testsuite.xml has no status and one of no meaning.
func TestSuites(t *testing.T) {
	const (
		canceled = `<test-case status="canceled" start="1" stop="2"><name>a</name></test-case>`
		skipped  = `<test-case status="canceled" start="1" stop="2"><name>a</name><failure><message>no</message><stack-trace>org.testng.SkipException: no</stack-trace></failure></test-case>`
		failed   = `<test-case status="failed" start="3" stop="4"><name>a</name></test-case>`
		passed   = `<test-case status="passed" start="5" stop="6"><name>a</name></test-case>`
		identity = `<labels><label name="historyId" value="h"/></labels></test-case>`
	)
	for _, c := range []struct {
		text, reason string
		want, told   []string
	}{
		{suiteOf("s", "JUnit", failed+passed), "nobody says that one is tried again: both count", []string{"s/a #0 fail", "s/a #1 pass"}, nil},
		{suiteOf("s", "pytest", failed[:len(failed)-12]+identity+passed[:len(passed)-12]+identity), "one identity, and no other test has fewer", []string{"s/a #0 fail", "s/a #1 pass"}, nil},
		{suiteOf("s", "pytest", failed[:len(failed)-12]+identity+passed[:len(passed)-12]+identity+`<test-case status="passed"><name>b</name><labels><label name="historyId" value="i"/></labels></test-case>`), "one identity", []string{"s/a #0 fail", "s/a #1 pass retry", "s/b #0 pass"}, nil},
		{suiteOf("s", "JUnit", canceled+passed), "JUnit cancels what is assumed in vain", []string{"s/a #0 skip canceled", "s/a #1 pass"}, nil},
		{suiteOf("s", "TestNG", canceled+failed), "TestNG tries it again in vain", []string{"s/a #0 fail canceled", "s/a #1 fail retry"}, nil},
		{suiteOf("s", "TestNG", canceled+canceled), "none ended", []string{"s/a #0 skip canceled", "s/a #1 skip canceled"}, nil},
		{suiteOf("s", "TestNG", skipped+passed), "it skips itself", []string{"s/a #0 skip canceled", "s/a #1 pass"}, nil},
		{suiteOf("s", "TestNG", `<test-case status="canceled"><name>a:1/2 50%</name></test-case><test-case status="passed"><name>a:2/2 50%</name></test-case>`), "a run that may fail", []string{"s/a #0 skip canceled", "s/a #1 pass"}, nil},
		{suiteOf("s", "TestNG", `<test-case status="passed"><name>:1/2</name></test-case>`), "a number of a run without a test is a name", []string{"s/:1/2 #0 pass"}, nil},
		{suiteOf("s", "JUnit", `<test-case><name>a</name></test-case><test-case status="invalid_value"><name>b</name></test-case>`), "no status, and none that Allure knows", []string{"s/a #0 error infrastructure", "s/b #0 error invalid_value"}, nil},
		{suiteOf("s", "JUnit", `<test-case status="passed"><name>a</name><parameters><parameter name="n" value="1"/><parameter name="os" value="x" kind="system-property"/></parameters></test-case>`), "a parameter without a kind", []string{"s/a [n=1] #0 pass"}, nil},
		{suiteOf("s", "JUnit", `<test-case status="passed"><title>a title</title></test-case><test-case status="passed"/>`), "a title alone, and no name", []string{"s/a title #0 pass"}, []string{"malformed-record 1:170"}},
		{suiteOf("s", "JUnit", "") + suiteOf("t", "JUnit", passed), "two suites, one empty", []string{"t/a #0 pass"}, nil},
		{suiteOf("s", "tribunal", failed[:len(failed)-12]+identity+passed[:len(passed)-12]+identity), "none is of ours", []string{"s/a #0 fail", "s/a #1 pass"}, nil},
		{suiteTag + `<name>s</name><test-cases>` + passed + `<test-case status="failed"><name>b</na`, "a file that is cut", []string{"s/a #0 pass"}, []string{"unreadable-input 1:219"}},
		{`<test-suite name="s"/>`, "any other suite", nil, nil},
		{`<a/>`, "any other document", nil, []string{"unreadable-input 1:1"}},
	} {
		s := readtest.Text(t, ReadSuite, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestSniffSuite(t *testing.T) {
	for text, want := range map[string]bool{
		"<?xml version='1.0'?>\n" + suiteTag:                                                         true,
		`<test-suite xmlns="urn:model.allure.qatools.yandex.ru">`:                                    true,
		`<test-suite type="Assembly" result="Passed"><a href="urn:model.allure.qatools.yandex.ru"/>`: false, // NUnit's, as Unity writes it
		`<testsuite name="urn:model.allure.qatools.yandex.ru"/>`:                                     false,
	} {
		if SniffSuite([]byte(text)) != want {
			t.Errorf("%s: want %v", text, want)
		}
	}
}

func FuzzSuite(f *testing.F) {
	readtest.Fuzz(f, SniffSuite, ReadSuite, string(readtest.Bytes(f, ofTestNG)), suiteTag+"<test-cases><test-case/>")
}
