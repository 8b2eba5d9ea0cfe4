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
	"sync"
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

// TestAgainIsText: a text becomes the same however often it comes and whichever
// redactor saw it first, also where more texts come than are remembered.
func TestAgainIsText(t *testing.T) {
	filler := strings.Repeat("be kind to everybody. ", 20)
	texts := []string{"", filler, filler + "password=hunter2hunter2", filler + "password=[redacted:password]", "password=hunter2hunter2"}
	for i := range 5 {
		texts = append(texts, strings.Repeat(filler, 100)+strings.Repeat("!", i))
	}
	r := redactor(t, Rules{})
	want := make([]string, len(texts))
	for i, s := range texts {
		want[i] = r.Text(s)
	}
	if strings.Contains(want[2], "hunter2") {
		t.Fatalf("the secret of %q is not found", texts[2])
	}
	var workers sync.WaitGroup
	for range 3 {
		own := r.Another()
		workers.Go(func() {
			for range 2 {
				for i, s := range texts {
					if got := own.Again(s); got != want[i] {
						t.Errorf("%.500q became %.500q, want %.500q", s, got, want[i])
					}
				}
			}
		})
	}
	workers.Go(func() {
		for i := range mostKnown + 1 {
			r.known.add(textSum{uint64(i)})
		}
	})
	workers.Wait()
	if n := len(r.known.texts); n > mostKnown {
		t.Errorf("%d texts are remembered, more than %d", n, mostKnown)
	}
}

// TestRunsAreRememberedForTheirPlace: what a run of base64 was clear of in one place says
// nothing of another, where more encodings may be taken off, or where it was cut.
func TestRunsAreRememberedForTheirPlace(t *testing.T) {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	twice := encode("then " + encode("password=hunter2hunter2"))
	half := len(twice) / 2
	inColours := twice[:half] + "\x1b[1m" + twice[half:] // a third encoding, of which two are taken off
	head := encode("-- ghp_16C7e42F292c6912E7710c838347Ae178")[:40]
	for name, texts := range map[string][2]string{
		"depth": {inColours, twice},
		"cut":   {head + " ", head + ellipsis},
	} {
		r := redactor(t, Rules{})
		if got := r.Text(texts[0]); got != texts[0] {
			t.Errorf("%s: %q became %q, so that it shows nothing here", name, texts[0], got)
		}
		if got := r.Text(texts[1]); got == texts[1] {
			t.Errorf("%s: the secret of %q is not found behind %q", name, texts[1], texts[0])
		}
	}
}

// TestRememberingChangesNoText: a redactor that has seen many texts does what a new one
// does, also where so many runs of base64 are clear that some are forgotten.
func TestRememberingChangesNoText(t *testing.T) {
	used := redactor(t, Rules{})
	texts := append([]string{}, innocents...)
	for i := range 2 * mostInnocent {
		path := strings.Repeat("/home/dev/shop", 1+i%10) + "/" + strings.Repeat(string(rune('a'+i%26)), i%9)
		texts = append(texts, path, "at "+path+"/run (", base64.StdEncoding.EncodeToString([]byte(path+" password=hunter2hunter2")))
	}
	for range 2 {
		for _, s := range texts {
			if got, want := used.Text(s), redactor(t, Rules{}).Text(s); got != want {
				t.Fatalf("%q became %q, and %q before anything was remembered", s, got, want)
			}
		}
	}
}
