package envelope_test

import (
	"fmt"

	"tribunal/envelope"
)

// Runners have many words for four statuses.
func ExampleParseStatus() {
	for _, word := range []string{"passed", "errored", "pending", "perhaps"} {
		status, ok := envelope.ParseStatus(word)
		fmt.Println(word, status, ok)
	}
	// Output:
	// passed pass true
	// errored error true
	// pending skip true
	// perhaps  false
}
