package wire_test

import (
	"fmt"
	"log"
	"strings"

	"tribunal/envelope/wire"
)

// A report that was written as JSON is data for another program.
func ExampleDecode() {
	report := `{"schema":"tribunal/envelope/v1","run":{"name":"nightly","sources":[]},
 "tests":[{"test":"refund","status":"fail","verdict":{"rule":"all","n":2,"passed":1,"reason":"1 of 2 trials did not pass"},"rows":{"outcome":"PF"}}]}`
	recorded, err := wire.Decode(strings.NewReader(report))
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range recorded.Envelope.Tests {
		fmt.Printf("%s: %s, %s\n", t.Key, t.Status, t.Verdict.Reason)
	}
	// Output:
	// refund: fail, 1 of 2 trials did not pass
}
