package read

import (
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// TestRoots: the same test has the same name wherever its repository was checked
// out, and nothing else changes.
func TestRoots(t *testing.T) {
	report := func(root string) string {
		return `{"numTotalTestSuites":1,"numTotalTests":1,"success":true,"testResults":[{"name":"` + root + `/src/a.test.js","status":"passed","startTime":1,"endTime":2,"message":"",` +
			`"assertionResults":[{"ancestorTitles":["cart"],"fullName":"cart adds","title":"adds","status":"passed","duration":3,"failureMessages":[]}]}]}`
	}
	for _, c := range []struct {
		reason, checkout string
		roots            []string
		file             string
	}{
		{"below a root", "/home/ana/shop", []string{"/home/ana/shop"}, "src/a.test.js"},
		{"with a slash behind it", "/home/ana/shop", []string{"/home/ana/shop/"}, "src/a.test.js"},
		{"below the second", "/builds/shop", []string{"/home/ana/shop", "/builds/shop"}, "src/a.test.js"},
		{"below another", "/home/bob/shop", []string{"/home/ana/shop"}, "/home/bob/shop/src/a.test.js"},
		{"beside one of which it has the beginning", "/home/ana/shop-2", []string{"/home/ana/shop"}, "/home/ana/shop-2/src/a.test.js"},
		{"the root of the machine is none", "/home/ana", []string{"/", "", "."}, "/home/ana/src/a.test.js"},
	} {
		b := count.NewBuilder(5, 0.5)
		StreamAs(b, "jest.json", strings.NewReader(report(c.checkout)), Options{Roots: Roots(c.roots...)})
		run := b.Run(envelope.ConflictExtend, 5)
		if len(run.Tests) != 1 || run.Tests[0].File != c.file || !strings.HasPrefix(run.Tests[0].Suite, c.file) {
			t.Errorf("%s: %+v, want file %s", c.reason, run.Tests, c.file)
		}
	}
	windows := rooted{roots: []string{`C:\w\shop`}}
	if got := windows.within(`C:\w\shop\src\a.test.js`); got != `src\a.test.js` {
		t.Errorf("on Windows: %s", got)
	}
	if got := Roots(`C:\`); slices.Contains(got, "C:") {
		t.Errorf("a drive is a root: %q", got)
	}
}
