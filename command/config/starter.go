package config

import (
	"embed"

	"tribunal/internal/suggest"
)

//go:embed starters/*.yaml
var starters embed.FS

// Starters are what a first configuration can be for.
var Starters = []string{"agent", "flaky", "eval"}

// Starter is a first configuration, with comments that explain it.
func Starter(purpose string) ([]byte, error) {
	text, err := starters.ReadFile("starters/" + purpose + ".yaml")
	if err != nil {
		return nil, suggest.Unknown("purpose", purpose, Starters)
	}
	return text, nil
}
