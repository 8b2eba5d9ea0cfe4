// Package junit writes an envelope as JUnit XML: the report that GitLab,
// Jenkins and the GitHub test reporters read. There is one testcase per test,
// never one per trial, because their readers take two cases of one name for the
// same case and keep one.
//
// JUnit XML has no owner and its readers disagree; what they have in common is
// small, and this package keeps to it:
//
//   - testsuites, testsuite, testcase: three levels, no nesting, because some
//     readers lose what is deeper or shallower.
//   - Identity is (suite, classname, name), in one reader joined with "_", in
//     another without the suite. So the classname is the suite, the variant is in
//     the name, and a name that could be taken for another one ends in ~ and a
//     hash of the test's key. The hash depends on that key alone: neither
//     another test nor a rate nor a count renames a test.
//   - An inconclusive test is <skipped message="inconclusive"/>, exactly.
//   - The message of a failure is why, as the first line of its body is, and what the
//     first trial said that said something, since one half of the readers shows the
//     attribute and the other half the body.
//   - What makes a build red beside its tests is a testcase of suite (tribunal): run,
//     an error, of a run that is broken, and gate, a failure, of one that does not hold.
//   - No type attribute but namespaced ones: GitLab's reader obeys words like
//     "yaml" and "integer" there, on any element.
//   - Exactly one system-out per testcase, and no character outside of XML 1.0:
//     either would lose the whole file.
//   - Under 30 MB and 500,000 testcases, by leaving out the least telling parts
//     first and saying so.
//
// Testcases of a profile with properties carry in them what is needed to read
// the test back: tribunal.key (suite, test and variant as they were),
// tribunal.verdict, tribunal.trials (a letter a trial) and tribunal.rows (the
// columns of the envelope but digests, which its readers make of the texts), and where a run started its trials tribunal.planned and
// tribunal.ended, with tribunal.endings where there are several runs. The texts of
// trials are only in the bodies.
//
// The package leaves out reading JUnit (package read does that), attachments,
// and everything that a host, a clock or an environment would have to tell.
package junit
