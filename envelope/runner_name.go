package envelope

import "strings"

// RunnerName is the name of the test as its runner prints and accepts it, where the key
// tells the runner for sure: tests/test_shop.py::TestCart::test_sync of pytest,
// example.com/shop.TestCart/sync of go test, and cart.spec.ts › sync of runners of
// JavaScript. It is that of String for all others.
func (k Key) RunnerName() string {
	suite, between := k.RunnerSuite()
	if name := k.String(); k.Suite != "" {
		return suite + between + name[len(k.Suite)+len("/"):]
	}
	return k.String()
}

// RunnerSuite is the suite in that name, and what stands between it and the test.
func (k Key) RunnerSuite() (suite, between string) {
	switch {
	case isPytest(k):
		return nodeOf(k.Suite), "::"
	case isGo(k):
		return k.Suite, "."
	case isScript(k.Suite):
		return k.Suite, " › "
	}
	return k.Suite, "/"
}

// Named is the key of a test of go that is named as RunnerName does, and for any other
// name a test without a suite.
func Named(name string) Key {
	for at, c := range name {
		if c != '.' {
			continue
		}
		if k := (Key{Suite: name[:at], Test: name[at+1:]}); isGo(k) {
			return k
		}
	}
	return Key{Test: name}
}

// isPytest reports a test in a module that pytest finds by its name, as a path or, in
// JUnit, with dots and its classes.
func isPytest(k Key) bool {
	path, _, _ := strings.Cut(k.Test, "[") // parameters hold anything
	test := path[strings.LastIndexByte(path, ':')+1:]
	return strings.HasPrefix(test, "test") && !strings.ContainsAny(path, " /.") && nodeOf(k.Suite) != ""
}

// nodeOf is the node id of a module of tests and its classes, "" for any other text.
func nodeOf(suite string) string {
	if strings.HasSuffix(suite, ".py") {
		return suite
	}
	parts := strings.Split(suite, ".")
	module := len(parts) - 1
	for module >= 0 && parts[module] != "" && 'A' <= parts[module][0] && parts[module][0] <= 'Z' {
		module--
	}
	if module < 0 || !strings.HasPrefix(parts[module], "test_") && !strings.HasSuffix(parts[module], "_test") || strings.ContainsAny(suite, " /\\:") {
		return ""
	}
	return strings.Join(append([]string{strings.Join(parts[:module+1], "/") + ".py"}, parts[module+1:]...), "::")
}

// isGo reports a test of a package of go, whose path begins with a host.
func isGo(k Key) bool {
	host, below, found := strings.Cut(k.Suite, "/")
	if !found || below == "" || !strings.Contains(host, ".") || strings.ContainsAny(k.Suite, " :\\") || strings.Contains(below[strings.LastIndexByte(below, '/')+1:], ".") {
		return false
	}
	for _, kind := range []string{"Test", "Example", "Fuzz", "Benchmark"} {
		if rest, is := strings.CutPrefix(k.Test, kind); is && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}

// isScript reports a file of tests as Jest, Vitest, Playwright and Cypress find them.
func isScript(suite string) bool {
	for _, kind := range []string{".spec.", ".test.", ".cy."} {
		if at := strings.LastIndex(suite, kind); at > 0 {
			switch suite[at+len(kind):] {
			case "js", "jsx", "ts", "tsx", "mjs", "mts", "cjs", "cts":
				return true
			}
		}
	}
	return false
}
