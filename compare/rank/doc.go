// Package rank says which of several variants is the best, and how sure that is: a
// pure function of one judged run per variant, which makes one document, the
// [Ranking].
//
// It exists because the highest of several rates is the best variant's only by
// chance, the more so the more there are. Variants are compared over the tests that
// all of them tried, every test once; two of them differ as `compare --cluster-by`
// says they do (package compare computes it), and by Holm's method over all pairs
// every variant gets the places that it can have: one set for each, which hold all
// true places at once with the confidence asked for. Those whose first place is not
// ruled out may be the best.
//
// It leaves out reading, judging and drawing, and tests that some variant did not
// try: these are listed, with who did not.
package rank
