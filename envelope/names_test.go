package envelope

import (
	"reflect"
	"slices"
	"testing"
)

// People count: 2 comes before 10 wherever a number stands in a name.
func TestCompareNames(t *testing.T) {
	for _, c := range []struct {
		inOrder []string
		reason  string
	}{
		{[]string{"", "1", "2", "10", "30", "100"}, "numbers alone"},
		{[]string{"pipeline-9", "pipeline-10", "pipeline-10-a", "pipeline-10-b"}, "numbers behind words"},
		{[]string{"case 2/step 10", "case 10/step 2"}, "the first number decides"},
		{[]string{"a1b2", "a1b10", "a2b1"}, "several numbers"},
		{[]string{"007", "07", "7", "008", "8"}, "zeros before a number change nothing until all else is equal"},
		{[]string{"a01b", "a1", "a1b", "a1c"}[1:], "what follows a number"},
		{[]string{"v1.9.0", "v1.10.0"}, "versions, as numbers with dots between"},
		{[]string{"1", "a", "ä"}, "digits before letters, letters by their bytes"},
		{[]string{"x18446744073709551615", "x18446744073709551616", "x118446744073709551615"}, "numbers beyond 64 bits"},
	} {
		for i, a := range c.inOrder {
			for j, b := range c.inOrder {
				want := sign(i - j)
				if got := sign(CompareNames(a, b)); got != want {
					t.Errorf("%s: %q against %q is %d, want %d", c.reason, a, b, got, want)
				}
			}
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

// Tests are sorted in parts and merged, so the order must be one: never equal for
// different names, and the same whichever two are looked at first.
func TestCompareNamesIsATotalOrder(t *testing.T) {
	var names []string
	letters := []string{"", "0", "1", "9", "a", "-"}
	for _, a := range letters {
		for _, b := range letters {
			for _, c := range letters {
				names = append(names, a+b+c)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, a := range names {
		for _, b := range names {
			ab := sign(CompareNames(a, b))
			if ab != -sign(CompareNames(b, a)) || (ab == 0) != (a == b) {
				t.Fatalf("%q against %q is %d, the other way round %d", a, b, ab, CompareNames(b, a))
			}
			for _, c := range names {
				if ab < 0 && CompareNames(b, c) < 0 && CompareNames(a, c) >= 0 {
					t.Fatalf("%q < %q < %q, but not the first before the last", a, b, c)
				}
			}
		}
	}
}

// TestRunnerName has names as runners print them: pytest --collect-only, whose JUnit has
// the path with dots for a class; go test -json, by package and test; the list reporter
// of Playwright; and names that say no runner for sure, which stay.
func TestRunnerName(t *testing.T) {
	for _, c := range []struct {
		key  Key
		want string
	}{
		{Key{Suite: "tests.test_shop.TestCart", Test: "test_sync[a-1]"}, "tests/test_shop.py::TestCart::test_sync[a-1]"},
		{Key{Suite: "test_shop", Test: "test_sync"}, "test_shop.py::test_sync"},
		{Key{Suite: "tests/test_shop.py", Test: "TestCart::test_sync[a/b c.d]"}, "tests/test_shop.py::TestCart::test_sync[a/b c.d]"},
		{Key{Suite: "shop_test.TestCart.TestInner", Test: "test_sync", Variant: "gpu"}, "shop_test.py::TestCart::TestInner::test_sync [gpu]"},
		{Key{Suite: "example.com/shop/cart", Test: "TestSync/fast"}, "example.com/shop/cart.TestSync/fast"},
		{Key{Suite: "cart.spec.ts", Test: "cart › sync"}, "cart.spec.ts › cart › sync"},
		{Key{Suite: "src/cart.test.js", Test: "sync", Variant: "chromium"}, "src/cart.test.js › sync [chromium]"},

		{Key{Suite: "com.shop.CartTest", Test: "testSync"}, "com.shop.CartTest/testSync"},
		{Key{Suite: "forecast", Test: "says what the weather was"}, "forecast/says what the weather was"},
		{Key{Suite: "evals/forecast.py", Test: "plans a day"}, "evals/forecast.py/plans a day"},
		{Key{Suite: "example.com/shop", Test: "[package]"}, "example.com/shop/[package]"},
		{Key{Suite: "example.com/shop", Test: "Testing it"}, "example.com/shop/Testing it"},
		{Key{Suite: "a.b/page.html", Test: "TestA"}, "a.b/page.html/TestA"},
		{Key{Test: "test_sync"}, "test_sync"},
		{Key{Suite: "..", Test: "test"}, "../test"},
	} {
		if got := c.key.RunnerName(); got != c.want {
			t.Errorf("%#v is %s, want %s", c.key, got, c.want)
		}
	}
}

// TestNamed: the names of go test say the package, and are keys; no other name does.
func TestNamed(t *testing.T) {
	for name, want := range map[string]Key{
		"example.com/shop/cart.TestSync/a.TestB": {Suite: "example.com/shop/cart", Test: "TestSync/a.TestB"},
		"gopkg.in/yaml.v3.TestDecode":            {Test: "gopkg.in/yaml.v3.TestDecode"},
		"example.com/shop.Testing":               {Test: "example.com/shop.Testing"},
		"shop.TestSync":                          {Test: "shop.TestSync"},
		"tests/test_shop.py::TestCart::test_a":   {Test: "tests/test_shop.py::TestCart::test_a"},
		"TestSync":                               {Test: "TestSync"},
		"":                                       {},
	} {
		if got := Named(name); got != want {
			t.Errorf("%q is %#v, want %#v", name, got, want)
		}
	}
}

// TestLabelsAsCategories: 0 and 1 are fail and pass, 2 to 9 stay what they are, also on the wire.
func TestLabelsAsCategories(t *testing.T) {
	var column Truths
	for i, word := range []string{"0", "1", "2", "9", "pass", "fail"} {
		label, ok := ParseTruth(word)
		if !ok {
			t.Fatalf("%q is a label", word)
		}
		column.Set(i, label)
	}
	for i, want := range []int{0, 1, 2, 9, 1, 0} {
		if got, labelled := column.Category(i); got != want || !labelled {
			t.Errorf("label %d is of category %d, want %d", i, got, want)
		}
	}
	var again Truths
	if err := again.restore("FP29PF"); err != nil || again.At(2) != "2" || !again.Categories() {
		t.Errorf("%q, %v", again, err)
	}
	for _, word := range []string{"10", "-1", "2.5", "partial", "skip", ""} {
		if label, ok := ParseTruth(word); ok {
			t.Errorf("%q is the label %q", word, label)
		}
	}
}

// TestExtendBesideAppend: rows that come in chunks are those that come one by one, also
// where a column begins in a later chunk, ends before the last one, or is cut in the
// middle: a label on the wrong row would correct the judge by another trial.
func TestExtendBesideAppend(t *testing.T) {
	plain := Row{Given: Given(Passed)}
	full := Row{
		Given: Given(Failed), Attempt: Some[int32](3), Run: "r", Source: 2, Retry: true, Truth: Given(Passed), RawStatus: "broken",
		ErrorClass: "timeout", Score: Some(0.5), Category: Some[int32](1), DurationMS: Some(1.5), SetupMS: Some(2.5), CostUSD: Some(0.25),
		SetupCost: Some(0.125), Tokens: Some[int64](9), ToolCalls: Some[int32](4), StartedAt: Some[int64](7), Digest: Some[int64](8), Reason: Some[int32](6),
	}
	for field := range reflect.TypeFor[Row]().NumField() {
		if reflect.ValueOf(full).Field(field).IsZero() {
			t.Fatalf("%s has no value in this test", reflect.TypeFor[Row]().Field(field).Name)
		}
	}
	for reason, chunks := range map[string][][]Row{
		"a column that begins in the second chunk":   {{plain, plain, plain}, {plain, full}},
		"one that ends before the last":              {{full}, {plain, plain}, {plain}},
		"one with a chunk without it between":        {{plain, full}, {plain, plain}, {full, plain}},
		"one that begins with its first row":         {{full, full}},
		"one that is in the part that is left alone": {{plain, plain}, {full, plain, plain, full}},
	} {
		var want, got Columns
		words := NewDictionary()
		var of []Row
		for i, chunk := range chunks {
			var rows Columns
			for _, r := range chunk {
				rows.Append(&r, words)
			}
			lo, hi := 0, len(chunk)
			if len(chunk) == 4 {
				lo, hi = 1, 3
			}
			got.Extend(&rows, lo, hi, i)
			of = append(of, chunk[lo:hi]...)
		}
		for _, r := range of {
			want.Append(&r, words)
		}
		for i := range of {
			if w, g := want.Row(i), got.Row(i); w != of[i] || g != w {
				t.Errorf("%s: row %d is %+v, want %+v", reason, i, g, of[i])
			}
			if label := got.Truth.At(i); label != of[i].Truth.Status() && of[i].Truth != 0 || of[i].Truth == 0 && label != "" {
				t.Errorf("%s: row %d is labelled %q", reason, i, label)
			}
		}
	}
}
