package envelope

import "testing"

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
