package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"testing"

	"tribunal/envelope"
)

// TestHashesAreOfWhatEncodingJSONWrites: a run is recognised by hashes that earlier
// versions stored, which were of texts by encoding/json.
func TestHashesAreOfWhatEncodingJSONWrites(t *testing.T) {
	marked := golden(t, "one-pass")
	marked.Tests = []envelope.Test{{Key: envelope.Key{Test: "<no rows>"}}, {Key: envelope.Key{Suite: "a & b", Test: "\xff\u2028"}}, {}, {}}
	for i, rows := range []string{
		`{"outcome":"FXPS","status":["none","fail"],"run":["<.xml","2.xml","\u2028","<.xml"],"source":[0,null,1]}`,
		`{"outcome":"F","run":["b & c"]}`,
		`{"outcome":"F","error_class":["#\u2029>"]}`,
	} {
		if err := json.Unmarshal([]byte(rows), &marked.Tests[i+1].Rows); err != nil {
			t.Fatal(err)
		}
	}
	runs := map[string]*envelope.Envelope{"what a page would take for its own": marked}
	for _, name := range goldenNames(t) {
		runs[name] = golden(t, name)
	}
	for name, e := range runs {
		id, err := identity(e)
		if want := jsonHash(t, e.Run, e.Tests, func(x envelope.Test) any {
			return struct {
				Key  envelope.Key
				Rows *envelope.Rows
			}{x.Key, x.Rows}
		}); id != want || err != nil {
			t.Errorf("%s: the run is %s and %v, want %s", name, id, err, want)
		}
		trials, err := trialsOf(e)
		if want := jsonHash(t, nil, e.Tests, func(x envelope.Test) any {
			rows, known, makers := *rowsOf(&x), map[string]int{}, []int{}
			for i := range rows.Len() {
				maker := rows.Run().At(i)
				if _, there := known[maker]; !there {
					known[maker] = len(known)
				}
				makers = append(makers, known[maker])
			}
			rows = *rows.Changed(func(c *envelope.Columns) { c.Source, c.Run = nil, envelope.Words{} })
			rows.Outcome = nil
			for _, given := range rows.Given {
				rows.Outcome = append(rows.Outcome, envelope.Outcome(given))
			}
			return struct {
				Key    envelope.Key
				Rows   *envelope.Rows
				Makers []int
			}{x.Key, &rows, makers}
		}); trials != want || err != nil {
			t.Errorf("%s: its trials are %s and %v, want %s", name, trials, err, want)
		}
	}
}

// jsonHash hashes what encoding/json makes of a head, unless it is nil, and of each test.
func jsonHash(t *testing.T, head any, tests []envelope.Test, of func(envelope.Test) any) string {
	t.Helper()
	h := sha256.New()
	write := func(before string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(h, before+string(text))
	}
	if head != nil {
		write("", head)
	}
	for _, x := range tests {
		write("\n", of(x))
	}
	return hex.EncodeToString(h.Sum(nil))
}
