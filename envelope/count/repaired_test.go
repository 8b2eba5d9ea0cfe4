package count_test

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// TestRepairedNames: tests whose names differ in broken bytes alone become one,
// and a problem says so; names that are text are none.
func TestRepairedNames(t *testing.T) {
	for names, want := range map[[2]string]string{
		{"a\xff", "a\xfe"}: `(1 in all, first "a�/t")`, {"b\ufffd", "c\xc0"}: `(2 in all, first "b�/t")`, {"ä", "日本"}: "",
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("trials", "native")
		for _, suite := range names {
			in.Trial(&envelope.Trial{Key: envelope.Key{Suite: suite, Test: "t"}, Status: envelope.Pass})
		}
		in.Close()
		var said []string
		for _, p := range b.Run(envelope.ConflictExtend, 5).Problems {
			if p.Code == envelope.CodeRepaired {
				said = append(said, p.Message)
			}
		}
		if got := strings.Join(said, "\n"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: %q, want %q in it", names, got, want)
		}
	}
}
