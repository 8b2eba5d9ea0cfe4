package junit

import (
	"fmt"
	"strings"
)

// The profiles, each made for a reader.
const (
	ProfileDefault  = "default"  // file, line and properties; every reader named in the package documentation
	ProfileGitLab   = "gitlab"   // the reason of an inconclusive test as a body, which GitLab shows; no properties, which it ignores
	ProfileJenkins  = "jenkins"  // properties, for keepProperties; no file and line, which Jenkins ignores. Its xUnit plugin refuses it
	ProfileStrict   = "strict"   // valid under junit-10.xsd of the Jenkins xUnit plugin
	ProfileSurefire = "surefire" // valid under surefire-test-report.xsd: one testsuite as the root
)

// profile is what a reader accepts or wants.
type profile struct {
	name       string
	single     bool // the root is the only testsuite
	place      bool // file and line of a testcase
	properties bool // properties of a testcase
	reasonBody bool // an inconclusive test has its reason in the body of skipped
	suiteTexts bool // a testsuite may have a system-err
	counts     bool // testsuites may count the skipped
	time       bool // every testcase must have a time
}

var profiles = []profile{
	{name: ProfileDefault, place: true, properties: true, suiteTexts: true, counts: true},
	{name: ProfileGitLab, place: true, reasonBody: true, suiteTexts: true, counts: true},
	{name: ProfileJenkins, properties: true, suiteTexts: true, counts: true},
	{name: ProfileStrict, suiteTexts: true},
	{name: ProfileSurefire, single: true, time: true},
}

func profileOf(name string) (profile, error) {
	var known []string
	for _, p := range profiles {
		if p.name == name || name == "" && p.name == ProfileDefault {
			return p, nil
		}
		known = append(known, p.name)
	}
	return profile{}, fmt.Errorf("junit profile %q: known are %s", name, strings.Join(known, ", "))
}
