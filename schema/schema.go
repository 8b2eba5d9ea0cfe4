// Package schema holds the JSON Schemas of what Tribunal reads and writes:
// a line of the trial stream, the envelope, a comparison, a plan, a trend,
// and tribunal.yaml.
//
// It exists so that `tribunal schema` prints exactly the files that the tests
// validate every golden against.
package schema

import (
	"embed"
	"slices"

	"tribunal/internal/suggest"
)

//go:embed trial.json envelope.json comparison.json config.json plan.json trend.json
var files embed.FS

// Names lists the schemas.
var Names = []string{"trial", "envelope", "comparison", "config", "plan", "trend"}

// Text returns a schema (JSON Schema 2020-12). The error lists near names.
func Text(name string) ([]byte, error) {
	if !slices.Contains(Names, name) {
		return nil, suggest.Unknown("schema", name, Names)
	}
	return files.ReadFile(name + ".json")
}
