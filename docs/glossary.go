// Package docs holds the page of the documentation that reports explain their words with.
package docs

import _ "embed"

// Glossary is the page of words: a table with a row for each.
//
//go:embed glossary.md
var Glossary string
