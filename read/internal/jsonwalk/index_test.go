package jsonwalk

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestWhatWasFoundIsFoundAgain: a member of an object is the last of its name, whether the
// object was looked into before or not, in records with more objects than are remembered,
// of more members, and in the next record, whose objects lie in the same places.
func TestWhatWasFoundIsFoundAgain(t *testing.T) {
	record := func(first int) string {
		var objects []string
		for i := range 2 * mostIndexed {
			var members []string
			for j := range fewMembers - mostIndexed + i {
				members = append(members, fmt.Sprintf(`"m%d":%d`, j, first+100*i+j))
			}
			again := fmt.Sprintf(`"\u006d0":%d`, first+100*i+99)
			objects = append(objects, fmt.Sprintf(`"o%d":{%s,%s}`, i, strings.Join(members, ","), again))
		}
		return "{" + strings.Join(objects, ",") + "}\n"
	}
	records := 0
	look := func(v Value) {
		first := 10000 + 10000*records
		records++
		for range 2 {
			for i := range 2 * mostIndexed {
				o := v.Get(fmt.Sprintf("o%d", i))
				last := fewMembers - mostIndexed + i - 1
				want := [3]int64{int64(first + 100*i + 99), int64(first + 100*i + last), 0}
				got := [3]int64{o.Get("m0").Count().V, o.Get(fmt.Sprintf("m%d", last)).Count().V, o.Get("none").Count().V}
				if got != want {
					t.Fatalf("record %d: o%d has %v, want %v", records, i, got, want)
				}
			}
		}
	}
	s := &readtest.Sink{}
	if err := Lines(strings.NewReader(record(10000)+record(20000)), s, look); err != nil || records != 2 || len(s.Problems) > 0 {
		t.Errorf("%d records, %v, told %v", records, err, s.Problems)
	}
}

// TestTheNextRecordIsLookedIntoAnew: records lie where others lay.
func TestTheNextRecordIsLookedIntoAnew(t *testing.T) {
	var k memory
	memory := make([]byte, 0, 64)
	for _, text := range []string{`{"o":{"n":1}}`, `{"o":{"other":2,"n":1}}`} {
		v := (&record{index: k.fresh()}).of(append(memory, text...), nil)
		if got := v.Get("o", "n").Count(); got.V != 1 {
			t.Errorf("%s: got %v", text, got)
		}
	}
}
