package policy_test

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/policy"
)

// Every key has a row, of which flags, help, schemas and errors are made.
func ExampleByName() {
	key := policy.ByName("confidence")
	fmt.Printf("--%s: %s; otherwise %s\n", key.FlagName(), key.Doc, key.Otherwise())
	fmt.Println(policy.Check(envelope.Policy{Confidence: envelope.Some(0.5)}))
	// Output:
	// --confidence: confidence level, 95, 95% or 0.95; otherwise 0.95
	// confidence 0.5 is out of range: give 80 to 99.9 percent
}
