package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
)

// TestBounded: where a text may not go on, by what stands before it. Lists of
// numbers may be longer, for every trial has one.
func TestBounded(t *testing.T) {
	const over = longestText + 1<<20
	for _, c := range []struct {
		reason, before, unit string
		fine                 bool
	}{
		{"a text without an end", `{"run":{"name":"`, "x", false},
		{"of escaped quotes", `{"run":{"name":"`, `\"`, false},
		{"of escaped backslashes and escaped quotes", `{"run":{"name":"`, `\\\"`, false},
		{"texts that end, each behind a backslash", `{"a":[`, `"\\",`, true},
		{"numbers", `{"duration_ms":[`, `10.25,`, true},
	} {
		unit := strings.Repeat(c.unit, 1<<16/len(c.unit))
		in := io.MultiReader(strings.NewReader(c.before), &repeated{unit: unit, left: over / len(unit)})
		n, err := io.Copy(io.Discard, struct{ io.Reader }{&bounded{r: in}})
		if (err == nil) != c.fine || err != nil && !strings.Contains(err.Error(), "a text is longer than 64 MiB") {
			t.Errorf("%s: %v after %d bytes", c.reason, err, n)
		}
	}
}

// TestBoundedSeesQuotesAcrossReads: whatever the parts are that a text comes in, the
// bytes behind its last quote are the same.
func TestBoundedSeesQuotesAcrossReads(t *testing.T) {
	for text, want := range map[string]int64{`"a`: 1, `"a"`: 0, `"\"b`: 3, `"\\"b`: 1, `"\\\"b`: 5, `x\\\\"`: 0, ``: 0, `abc`: 3} {
		whole := &bounded{r: strings.NewReader(text)}
		single := &bounded{r: iotest.OneByteReader(strings.NewReader(text))}
		for _, b := range []*bounded{whole, single} {
			if _, err := io.Copy(io.Discard, struct{ io.Reader }{b}); err != nil || b.since != want {
				t.Errorf("%q: %d bytes behind the last quote, want %d (%v)", text, b.since, want, err)
			}
		}
	}
}

// TestDecodeEndsALongText: an envelope with such a text is an error and no memory
// for all of it.
func TestDecodeEndsALongText(t *testing.T) {
	unit := strings.Repeat("x", 1<<16)
	endless := &repeated{unit: unit, left: 1 << 40 / len(unit)}
	_, err := Decode(io.MultiReader(strings.NewReader(`{"schema":"`+envelope.Schema+`","run":{"name":"`), endless))
	var at *DecodeError
	if !errors.As(err, &at) || !strings.Contains(err.Error(), "a text is longer than 64 MiB") {
		t.Error(err)
	}
}

// repeated is a text many times.
type repeated struct {
	unit string
	left int
	rest string
}

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.left--
		r.rest = r.unit
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
