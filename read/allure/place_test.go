package allure

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
)

// TestPlace holds where a test is defined to the expression that says it.
func TestPlace(t *testing.T) {
	defined := regexp.MustCompile(`^(?:\w+:)?([^\s:#]*[\w-]\.[A-Za-z]{1,4})(?::(\d+)(?::\d+)?$|[:#])`)
	check := func(name string) {
		file, line := "", 0
		if m := defined.FindStringSubmatch(name); m != nil {
			file = m[1]
			line, _ = strconv.Atoi(m[2])
			line = min(line, 1<<30)
		}
		if gotFile, gotLine := place(name); gotFile != file || gotLine != line {
			t.Errorf("%q: got %q, %d; want %q, %d", name, gotFile, gotLine, file, line)
		}
	}
	for _, name := range []string{"", "a.spec.ts:3:5", "test/a.js#cart adds", "chromium:a.spec.ts:3:5", "com.shop.Cart.adds", "a b.js#c", "über.js:3", "a.js:99999999999999999999", "a.js:3:5:7", "a.js:x", "a.jsonx:3", ".js:3", "::a.js:3"} {
		check(name)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		name := make([]byte, random.IntN(14))
		for i := range name {
			name[i] = "ab.::##1 -_/\n\xc3"[random.IntN(14)]
		}
		check(string(name))
	}
}
