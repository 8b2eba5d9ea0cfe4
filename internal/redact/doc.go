// Package redact takes secrets out of text.
//
// It exists so that what counts as a secret is written down once, as a table of
// detectors, and applied once, when an envelope is sealed: a report in any
// format then has nothing to hide. A secret is found as it is, percent-encoded,
// in base64 of either alphabet, alone or inside a longer encoded text, in escapes
// of JSON or character references of HTML, and with terminal sequences, control
// or invisible characters between its letters, or broken over lines; each becomes
// [redacted:kind], which says nothing of the secret itself.
//
// Detectors look for shapes that only credentials have, for values assigned to
// names such as password, and for places such as the header Cookie. Randomness
// alone is no reason: hashes, UUIDs and encoded images stay. testdata holds a
// corpus of secrets and of harmless lines that the table is held against. The package knows nothing of trials or envelopes, asks
// nobody whether a credential is live, and imports the standard library alone.
package redact
