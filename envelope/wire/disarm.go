package wire

import "tribunal/envelope/internal/codec"

// DisarmJSON escapes in JSON text what build servers, terminals and editors obey,
// as EncodeJSON does: for documents other than an envelope that end up in the same
// places.
func DisarmJSON(text []byte) []byte { return codec.DisarmJSON(text) }
