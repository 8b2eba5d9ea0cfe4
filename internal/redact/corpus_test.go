package redact

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// specimen is a line of a corpus, filled in: a text, and what in it is secret.
type specimen struct {
	line    int
	kind    string
	text    string
	secrets []string
}

// alphabets are those of the places to be filled in. A password is of letters
// and digits and has both.
var alphabets = map[string]string{
	"alnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "alpha": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	"lower": "abcdefghijklmnopqrstuvwxyz0123456789", "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "digit": "0123456789",
	"hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "base32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"b64":  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"b64u": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
	"pw":   "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#", "-": "-",
}

var place = regexp.MustCompile(`\{(~?)(uuid|basic|=[^}]*|(\d+) (\w+|-))\}`)

// filled gives the places of a line their values, the same ones every time and
// whatever stands on other lines.
func (s *specimen) fill(t *testing.T, template string) {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(template))
	random := rand.New(rand.NewPCG(h.Sum64(), 15))
	letters := func(n int, alphabet string) string {
		set, ok := alphabets[alphabet]
		if !ok {
			t.Fatalf("line %d: no alphabet %q", s.line, alphabet)
		}
		b := make([]byte, n)
		for i := range b {
			b[i] = set[random.IntN(len(set))]
		}
		if alphabet == "pw" {
			b[1], b[n-2] = 'k', '7'
		}
		return string(b)
	}
	s.text = place.ReplaceAllStringFunc(template, func(p string) string {
		m := place.FindStringSubmatch(p)
		var value string
		switch {
		case m[2] == "uuid":
			value = fmt.Sprintf("%s-%s-4%s-a%s-%s", letters(8, "hex"), letters(4, "hex"), letters(3, "hex"), letters(3, "hex"), letters(12, "hex"))
		case m[2] == "basic":
			value = base64.StdEncoding.EncodeToString([]byte("bob:" + letters(14, "pw")))
		case m[2][0] == '=':
			value = m[2][1:]
		default:
			n, _ := strconv.Atoi(m[3])
			value = letters(n, m[4])
		}
		if m[1] == "" {
			s.secrets = append(s.secrets, value)
		}
		return value
	})
	s.text = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(s.text)
}

func corpus(t *testing.T, path string, kinds bool) (specimens []specimen) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		s, template := specimen{line: i + 1}, line
		if kinds {
			var ok bool
			if s.kind, template, ok = strings.Cut(line, " | "); !ok {
				t.Fatalf("%s:%d: no kind", path, s.line)
			}
		}
		s.fill(t, template)
		specimens = append(specimens, s)
	}
	return specimens
}

// found reports that nothing of the secrets is left: neither all of a short one
// nor twelve bytes of a long one.
func (s *specimen) found(text string) bool {
	for _, secret := range s.secrets {
		if survives(secret, text) {
			return false
		}
	}
	return true
}

// TestTheCorpus holds the table against secrets of many kinds and against lines
// that only look like them. The bounds are those that docs/redaction.md states.
func TestTheCorpus(t *testing.T) {
	r := redactor(t, Rules{})
	secrets, harmless := corpus(t, "testdata/secrets.txt", true), corpus(t, "testdata/harmless.txt", false)
	kinds, missed, wrong := map[string]bool{}, 0, 0
	for _, s := range secrets {
		kinds[s.kind] = true
		if got := r.Text(s.text); !s.found(got) {
			missed++
			t.Logf("secrets.txt:%d: %s: %q became %q", s.line, s.kind, s.text, got)
		}
	}
	for _, s := range harmless {
		if got := r.Text(s.text); got != s.text {
			wrong++
			t.Logf("harmless.txt:%d: %q became %q", s.line, s.text, got)
		}
	}
	recall, falsePositives := 1-float64(missed)/float64(len(secrets)), float64(wrong)/float64(len(harmless))
	t.Logf("%d secrets of %d kinds, recall %.3f; %d harmless lines, false positives %.3f", len(secrets), len(kinds), recall, len(harmless), falsePositives)
	if len(secrets) < 300 || len(kinds) < 150 || len(harmless) < 300 {
		t.Error("the corpus is too small")
	}
	if recall < 0.97 {
		t.Error("the recall is below 0.97")
	}
	if falsePositives > 0.01 {
		t.Error("the false positives are above 0.01")
	}
}
