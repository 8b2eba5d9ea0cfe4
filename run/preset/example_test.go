package preset_test

import (
	"fmt"
	"strings"

	"tribunal/run/preset"
)

// A command that is known is completed: how its tests are listed, and how some of
// them are started.
func ExampleFor() {
	argv := strings.Fields("go test -race ./...")
	p, known := preset.For(argv)
	if !known {
		return
	}
	recipe, err := p.Recipe(argv)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(recipe.List, " "))
	fmt.Println(strings.Join(recipe.Command, " "))
	fmt.Println("read as", recipe.From)
	// Output:
	// go test -race -json -list=. ./...
	// go test -race -json -count=1 -run={tests:regex} {suite}
	// read as go-test
}
