package command

import (
	"io"
	"os"
	"strings"
	"testing"

	"tribunal/render"
)

// TestNoReportConfirmsAGuess: of two runs that differ in a secret alone every report is
// the same, so that no digest, sum or order in it confirms a guess. A report has digests
// only where its format says that it shows rows. Deliveries of one trial that differ in a
// secret count once.
func TestNoReportConfirmsAGuess(t *testing.T) {
	t.Chdir(t.TempDir())
	report := func(format, trials, secret string) string {
		if err := os.WriteFile("trials.ndjson", []byte(strings.ReplaceAll(trials, "SECRET", "token="+secret)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		Main([]string{"tribunal", "report", "--no-config", "-q", "trials.ndjson", "-o", format + "=report.out"},
			Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }})
		text, err := os.ReadFile("report.out")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const secret, again = "q7Lw2ZpX9vRt4NbK8sMd", "Zm3Kc8Yt5HsW2QxJ7rPv"
	for name, trials := range map[string]string{
		"alone": `{"test":"a","status":"fail","message":"no","output":"GET /?SECRET failed"}`,
		"of one place": `{"test":"a","attempt":1,"status":"fail","output":"SECRET"}
{"test":"a","attempt":1,"status":"fail","output":"another"}
{"test":"a","attempt":1,"status":"pass"}`,
		"with a conversation": `{"test":"a","status":"fail","message":"SECRET","checks":[{"name":"c","status":"fail","reason":"SECRET"}],"transcript":[{"role":"user","text":"SECRET"}]}`,
	} {
		for _, f := range render.Formats {
			first := report(f.Name, trials, secret)
			for _, guess := range []string{again, "pD4gT9nVb6Xa1LzRk0Cu"} {
				if got := report(f.Name, trials, guess); got != first {
					t.Errorf("%s, %s: two secrets make two reports:\n%s\n%s", name, f.Name, first, got)
				}
			}
			if digests := strings.Contains(first, `digest"`) || strings.Contains(first, "digest&#34;"); name == "alone" && digests != f.Rows {
				t.Errorf("%s: digests %v, want %v", f.Name, digests, f.Rows)
			}
		}
	}
	const twice = `{"test":"a","attempt":1,"status":"fail","output":"SECRET"}
{"test":"a","attempt":1,"status":"fail","output":"token=` + again + `"}`
	if got := report("minimal", twice, secret); !strings.Contains(got, "0 of 1 trial passed") {
		t.Errorf("two deliveries of one trial: %s", got)
	}
}

// TestSumsOfTheFirstVersion: a report whose sum has digests, as earlier programs wrote it,
// is known beside what it was made from, and only there.
func TestSumsOfTheFirstVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	const trials = `{"test":"a","status":"pass"}
{"test":"a","status":"fail","message":"no"}
`
	for text, want := range map[string]string{trials: "1 of 2 trials", strings.Replace(trials, "no", "never", 1): "2 of 4 trials"} {
		for name, text := range map[string]string{"trials.ndjson": text, "report.tap": earlierTAP} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		Main([]string{"tribunal", "report", "--no-config", ".", "-f", "minimal"}, Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Getenv: func(string) string { return "" }})
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s, want %s", text, out.String(), want)
		}
	}
}

// earlierTAP is what the last program wrote that made sums of the first version.
const earlierTAP = `TAP version 13
1..1
not ok 1 - a
  ---
  verdict: "fail"
  passed: 1
  counted: 2
  trials: "PF"
  message: "no"
  ...
# trials sum 2-55202f47888446ac
# 1 of 2 counted trials passed over 1 tests
`
