package compress

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// What was packed is appended as it was, also behind other text and to memory that has
// room for it.
func TestAppendTo(t *testing.T) {
	for _, text := range []string{"", "a", "Où est le vol?", strings.Repeat("change the flight of Sofia to noon. ", 10_000)} {
		packed := (*Encoder)(nil).Encode([]byte(text))
		for _, to := range [][]byte{nil, []byte("before"), append(make([]byte, 0, 1<<20), "before"...)} {
			if got, want := packed.AppendTo(to), string(to)+text; string(got) != want {
				t.Errorf("%.50q behind %q is %.50q", text, to, got)
			}
		}
	}
}

func TestEncodeTakesLessRoom(t *testing.T) {
	text := strings.Repeat("change the flight of Sofia to noon. ", 10_000)
	if n := len((*Encoder)(nil).Encode([]byte(text)).bytes); n > len(text)/10 {
		t.Errorf("%d bytes of %d", n, len(text))
	}
}

// texts are n texts in which words come again, and of all lengths: none, shorter than what
// is packed at all, and longer than a dictionary.
func texts(n int) (all []string) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		var b strings.Builder
		for range rnd.IntN(300) {
			fmt.Fprintf(&b, `{"reservation":"%X","passenger":"€%d"},`, rnd.IntN(40), rnd.IntN(40))
		}
		if i%500 == 0 {
			b.WriteString(strings.Repeat(b.String(), 40))
		}
		all = append(all, b.String()[:max(0, b.Len()-i%90)])
	}
	return append(all, "", "a", "0123456789abcdef")
}

// Every text is what it was, whether it became a part of the dictionary, was cut by its
// end or is packed by it, and whichever of two goroutines packed it.
func TestPackerKeepsWhatItPacks(t *testing.T) {
	var p Encoder
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for i, text := range texts(2000) {
				packed := p.Encode([]byte(text))
				if got := packed.AppendTo([]byte("before")); string(got) != "before"+text {
					t.Errorf("text %d, %.50q, is %.50q", i, text, got)
				}
			}
		})
	}
	both.Wait()
}

// Behind the first 64 KiB, texts that are alike take less room than alone.
func TestPackerTakesLessRoom(t *testing.T) {
	var p Encoder
	alone, beside := 0, 0
	for i := range 1000 {
		text := fmt.Appendf(nil, `{"role":"assistant","text":"I changed the flight of passenger %d to noon, as you asked, and sent a certificate of $%d."}`, i, i*i)
		alone, beside = alone+len((*Encoder)(nil).Encode(text).bytes), beside+len(p.Encode(text).bytes)
	}
	// The first 550 are the dictionary; of each one behind it at most a quarter is new.
	if beside > alone*2/3 {
		t.Errorf("%d bytes, alone they are %d", beside, alone)
	}
}
