package command

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/render"
)

// TestExisting: the report that is written is told how much is in the file of
// its second part, before that one is added.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, make([]byte, 12), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int64{full: 12, filepath.Join(dir, "new"): 0, "": -1} {
		told := int64(7)
		format := render.Format{
			Write: func(_ io.Writer, _ *envelope.Envelope, s render.Settings) error {
				told = s.Existing
				return nil
			},
			Append: &render.Append[*envelope.Envelope]{Env: "SUMMARY"},
		}
		o := output[*envelope.Envelope]{path: input.Standard, format: format}
		if err := o.write(Env{Stdout: io.Discard, Getenv: func(string) string { return path }}, nil); err != nil || told != want {
			t.Errorf("%q: told %d (%v), want %d", filepath.Base(path), told, err, want)
		}
	}
}

// TestLarge: a report that its readers have trouble with is announced, one that
// they have not, or a format without a limit, is not.
func TestLarge(t *testing.T) {
	for large, want := range map[int64]string{3: "html to report.html has 0 MB, and readers", 4: "", 0: ""} {
		format := render.Format{Name: "html", Large: large, Write: func(w io.Writer, _ *envelope.Envelope, _ render.Settings) error {
			_, err := io.WriteString(w, "four")
			return err
		}}
		for path, place := range map[string]string{"report.html": "report.html", input.Standard: "standard output"} {
			t.Chdir(t.TempDir())
			var said strings.Builder
			o := output[*envelope.Envelope]{path: path, format: format}
			if err := o.write(Env{Stdout: io.Discard, Stderr: &said}, nil); err != nil {
				t.Fatal(err)
			}
			if got, want := said.String(), strings.Replace(want, "report.html", place, 1); !strings.Contains(got, want) || (got == "") != (want == "") {
				t.Errorf("limit %d, to %s: %q, want %q in it", large, path, got, want)
			}
		}
	}
}

// TestOwnReportsAreReplaced: every report may lie among the files of a directory
// that it is made from, in whichever form, and is written anew the next time.
func TestOwnReportsAreReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("results", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("results/trials.ndjson", []byte(`{"test":"a","status":"pass"}`+"\n"+`{"test":"b","status":"fail"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var forms [][]string
	for _, f := range render.Formats {
		forms = append(forms, []string{f.Name})
		for _, o := range f.Options {
			for _, value := range o.Values[min(1, len(o.Values)):] {
				forms = append(forms, []string{f.Name, "--" + o.Name + "=" + value})
			}
		}
	}
	for _, form := range forms {
		for _, packing := range []string{"", ".gz", ".zst"} {
			path := "results/report" + packing
			args := append([]string{"tribunal", "report", "results", "--no-config", "-f", "minimal", "-o", form[0] + "=" + path}, form[1:]...)
			for _, time := range []string{"first", "second"} {
				var out, errs strings.Builder
				code := Main(args, Env{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
				if code != 1 || !strings.Contains(out.String(), "2 tests: 1 passed, 1 failed") {
					t.Errorf("%s, the %s time: exit code %d\n%s%s", strings.Join(args, " "), time, code, &out, &errs)
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
