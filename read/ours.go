package read

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/peek"
)

// ofTribunal says what an input is that names a schema of ours which no format
// reads, and what to do; "" when it names none.
func ofTribunal(head []byte) string {
	keys, _ := peek.Object(head)
	schema, ok := strings.CutPrefix(keys["schema"], "tribunal/")
	if !ok {
		return ""
	}
	switch kind, version, _ := strings.Cut(schema, "/"); kind {
	case "envelope":
		return fmt.Sprintf("this is an envelope of version %.20q, and this program reads %s: update tribunal, or write the report again with this version", version, envelope.Schema)
	default:
		return fmt.Sprintf("this is a %.20q document of tribunal, which holds no trials: give the runs that it was made from", kind)
	}
}
