package junit

import "tribunal/read/internal/xmlwalk"

// Sniff reports whether head starts with an XML document whose root element is
// testsuites or testsuite. Other XML reports have other roots.
func Sniff(head []byte) bool {
	name, _ := xmlwalk.Root(head)
	return name == "testsuites" || name == "testsuite"
}
