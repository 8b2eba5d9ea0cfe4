// Package policy holds the table of policy keys.
//
// It exists so that a key is described once: flags and their help, the keys of
// tribunal.yaml, the JSON Schemas, range errors, what `compare` holds two sides
// to, the details of a page and docs/policy.md are made from its row. The type of
// a key is that of its field in envelope.Policy, the wire form of a policy.
//
// Rules, gates and patterns are languages of their own; whoever owns one checks
// its values.
package policy
