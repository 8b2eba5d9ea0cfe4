package junit

import (
	"bytes"
	"strings"

	"tribunal/internal/regex"
	"tribunal/read/internal/xmlwalk"
)

// Sniff reports whether head starts with an XML document whose root element is
// testsuites or testsuite. Other XML reports have other roots.
func Sniff(head []byte) bool {
	name, text := xmlwalk.Root(head)
	tag, _, _ := strings.Cut(text, ">")
	return (name == "testsuites" || name == "testsuite") && !strings.Contains(tag, "check.sourceforge.net") // of Check for C
}

// noTest is how the launcher of the JUnit Platform begins the report of an engine that
// found no test. It writes one for each engine, such as JUnit Vintage.
var noTest = regex.Of(`^\s*(?:<\?xml[^>]*>\s*)?<testsuite name="[^"]*" tests="0" skipped="0" failures="0" errors="0" time="[^"]*" hostname="[^"]*" timestamp="[^"]*">`)

// OfNoTest reports whether head starts the report of an engine of the JUnit Platform that
// found no test, or is that of a class without any, as of page objects among the tests:
// beside one that has tests, it is no sign of a runner that died.
func OfNoTest(head []byte) bool { return noTest().Match(head) || isClassOfNoTest(head) }

// attribute is the name of one in a tag.
var attribute = regex.Of(`\s([\w.:-]+)\s*=\s*(?:"[^"]*"|'[^']*')`)

// isClassOfNoTest is strict: nothing may be counted in it or stand behind the head.
func isClassOfNoTest(head []byte) bool {
	if bytes.Contains(head, []byte("<testcase")) {
		return false
	}
	name, text := xmlwalk.Root(head)
	tag, inside, _ := strings.Cut(text, ">")
	if name != "testsuite" || !writesOneAClass(head, tag) {
		return false
	}
	for _, counts := range []string{"tests", "errors", "skipped", "failures"} {
		if !strings.Contains(tag, " "+counts+`="0"`) {
			return false
		}
	}
	return strings.HasSuffix(tag, "/") || strings.HasSuffix(strings.TrimSpace(inside), "</testsuite>")
}

// writesOneAClass reports whether a program wrote the file that writes one for each class
// when all have run, and says there what failed of a class before its tests: Surefire,
// Gradle, sbt. Others (pytest, nextest) write an empty file of a run that failed for it.
func writesOneAClass(head []byte, tag string) bool {
	if bytes.Contains(head, []byte("/surefire-test-report")) {
		return true
	}
	var names []string
	for _, m := range attribute().FindAllStringSubmatch(tag, -1) {
		names = append(names, m[1])
	}
	order := strings.Join(names, " ")
	return order == gradleAttributes || order == sbtAttributes
}
