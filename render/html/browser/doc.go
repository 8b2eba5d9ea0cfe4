// Package browser holds the tests that open our pages in a real browser, as a
// reviewer does: with and without scripts, in light and dark, narrow and wide,
// on a keyboard, on paper. It exists because a page that is right as text can
// still be wrong to look at or to use. It has tests alone, in a module of its
// own, so that go test of the program needs no browser; scripts/browser installs
// what they need and runs them.
//
// The structure of the pages is held by the tests of render/html, their words by
// the goldens.
package browser
