package preset

import (
	"strings"
	"testing"
)

// TestCompiledAsGiven: a package is compiled where all that the command says holds for its
// binary as well, and else go test starts it.
func TestCompiledAsGiven(t *testing.T) {
	for _, c := range []struct{ argv, env, want string }{
		{"go test ./...", "", "-test.run={tests:regex}"},
		{"go test -race -tags=x -short -timeout 5m -v -run A ./... -args -word it", "", "-test.run={tests:regex} -test.short -test.timeout=5m -word it"},
		{"go test ./...", "-mod=mod -count=3", "-test.run={tests:regex}"},
		{"go test ./...", "-mod=mod -short", ""},
		{"go test -coverprofile=c.out ./...", "", ""},
		{"go test -exec=sudo ./...", "", ""},
		{"go test -own ./...", "", ""},
		{"go test a_test.go", "", ""},
		{"env A=B go test ./...", "", ""},
	} {
		t.Setenv("GOFLAGS", c.env)
		p, _ := For(strings.Fields(c.argv))
		r := must(p.Recipe(strings.Fields(c.argv)))(t)
		got := ""
		if r.Compile != nil {
			start := strings.Join(r.Compile("example.test/a", "/tmp").Start, " ")
			got = start[strings.Index(start, "-test.run="):]
		}
		if got != c.want {
			t.Errorf("%s, GOFLAGS=%s: %q, want %q", c.argv, c.env, got, c.want)
		}
	}
}
