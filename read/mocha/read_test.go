package mocha

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestShapes(t *testing.T) {
	const stats = `{"stats":{"suites":1,"tests":1,"passes":1,"pending":0,"failures":0},`
	for _, c := range []struct {
		text           string
		want, reported []string
		reason         string
	}{
		{stats + `"passes":[{"fullTitle":"a b","file":"x.js","duration":1}],"failures":[{"fullTitle":"c","err":{"message":"m"}}],"pending":[{"title":"d"}]}`,
			[]string{"x.js/a b #0 pass", "c #0 fail", "d #0 skip"}, nil, "a report without the list of all tests"},
		{stats + `"tests":[{"fullTitle":"a","duration":1,"err":{}},{"fullTitle":"a","duration":1,"err":{"message":"m"}}],"failures":[{"fullTitle":"a","err":{"message":"m"}}],"passes":[{"fullTitle":"a"}],"pending":[]}`,
			[]string{"a #0 pass", "a #1 fail"}, nil, "a title twice: attempts, and nothing counts twice"},
		{stats + `"tests":[{"fullTitle":"a","currentRetry":-3,"duration":1,"err":{}}]}`,
			[]string{"a #0 pass"}, nil, "a number of tries that is none"},
		{stats + `"results":[{"fullFile":"x.js","tests":[{"fullTitle":"a","state":"failed","fail":true,"timedOut":true,"err":{"message":"Error: m"}},{"fullTitle":"b","skipped":true}],"beforeHooks":[{"fullTitle":"h","isHook":true,"pass":true}]}]}`,
			[]string{"x.js/a #0 fail timeout", "x.js/b #0 skip"}, nil, "mochawesome; a hook that passes is no test"},
		{stats + `"suites":{"title":"","fullFile":"","tests":[],"root":true,"suites":[{"title":"s","fullFile":"/w/x.js","tests":[{"fullTitle":"s a","duration":4,"state":"passed","pass":true,"err":{}},{"fullTitle":"s b","duration":5,"state":"failed","fail":true,"err":{"message":"m"}}]}]},"copyrightYear":2018}`,
			[]string{"/w/x.js/s a #0 pass", "/w/x.js/s b #0 fail"}, nil, "mochawesome 1 to 3: one suite at the root, as public repositories have it"},
		{"connected\n" + stats + `"tests":[{"fullTitle":"a","duration":1,"err":{}}]}` + "\nbye\n", []string{"a #0 pass"}, []string{"noise 1:1"}, "prints around the report"},
		{stats + `"tests":[{"duration":1,"err":{}}]}`, nil, []string{"malformed-record 1:78"}, "no title"},
		{stats + `"tests":[{"fullTitle":"a","duration":1,"err":{}},{"full`, []string{"a #0 pass"}, []string{"unreadable-input 1:118"}, "cut"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Reported(), c.want, c.reported)
		}
	}
	s := readtest.Text(t, Read, stats+`"tests":[{"fullTitle":"a","duration":1,"currentRetry":1000000000,"err":{}}]}`)
	if len(s.Trials) != 1000+1 {
		t.Errorf("%d trials of a number nobody believes", len(s.Trials))
	}
}
