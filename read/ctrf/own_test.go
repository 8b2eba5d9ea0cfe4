package ctrf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/read/ctrf"
	renderctrf "tribunal/render/ctrf"
	"tribunal/verdict"
)

func judge(t *testing.T, b *count.Builder) string {
	t.Helper()
	policies := b.Policies()
	if len(policies) != 1 {
		t.Fatalf("%d policies", len(policies))
	}
	run := b.Run(envelope.ConflictExtend, 5)
	policy, err := verdict.Resolve(verdict.Asked(policies[0]))
	if err != nil {
		t.Fatal(err)
	}
	e, err := verdict.Seal(run, policy)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := wire.EncodeJSON(&text, e); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestOwnReports: an envelope written as CTRF and read back is the same one, byte
// for byte, for every golden of the program.
func TestOwnReports(t *testing.T) {
	files, err := filepath.Glob("../../testdata/golden/*/json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := wire.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		direct := count.NewBuilder(5, 0.5)
		direct.Input("report.json", "envelope").Recorded(recorded)
		want := judge(t, direct)
		var report strings.Builder
		if err := renderctrf.Write(&report, recorded.Envelope); err != nil {
			t.Fatal(err)
		}
		if !ctrf.Sniff([]byte(report.String())) {
			t.Errorf("%s: the report is not known as CTRF", file)
		}
		b := count.NewBuilder(5, 0.5)
		input := b.Input("report.json", "ctrf")
		if err := ctrf.Read(strings.NewReader(report.String()), input); err != nil {
			t.Fatal(err)
		}
		input.Close()
		if diff := cmp.Diff(want, judge(t, b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// TestOwnCut: of half an envelope nothing is taken.
func TestOwnCut(t *testing.T) {
	text, err := os.ReadFile("../../render/ctrf/testdata/plain.json")
	if err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(text, []byte(`"environment"`))
	for n := from; n < len(text)-3; n += 97 {
		b := count.NewBuilder(5, 0.5)
		if err := ctrf.Read(bytes.NewReader(text[:n]), b.Input("x", "ctrf")); err != nil {
			t.Fatal(err)
		}
		if b.Trials() > 0 {
			t.Errorf("cut to %d bytes: %d trials", n, b.Trials())
		}
	}
}
