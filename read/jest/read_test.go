package jest

import (
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

func report(tests ...string) string {
	return `{"numTotalTests":1,"numTotalTestSuites":1,"testResults":[{"name":"a.js","status":"passed","assertionResults":[` + strings.Join(tests, ",") + `]}]}`
}

func TestHostileTriesAreBounded(t *testing.T) {
	if s := readtest.Text(t, Read, report(`{"title":"t","status":"passed","invocations":2000000000}`)); len(s.Trials) != maxTries+1 {
		t.Errorf("%d trials", len(s.Trials))
	}
}
