package envelope

import "bytes"

// JSON is printed in the logs of jobs, too, and build servers obey ##[name] and
// ##word[ wherever in a line they stand. On the wire the first # of these is an
// escape, which reads back as the same character.

// beginsCommand reports that a text starts like such a command.
func beginsCommand[T string | []byte](text T) bool {
	if len(text) < 3 || text[0] != '#' || text[1] != '#' {
		return false
	}
	letter := text[2] | 0x20
	return text[2] == '[' || 'a' <= letter && letter <= 'z'
}

// DisarmJSON takes the commands for build servers out of JSON text: # stands in
// strings only.
func DisarmJSON(text []byte) []byte {
	at := bytes.Index(text, []byte("##"))
	if at < 0 {
		return text
	}
	out := append([]byte(nil), text[:at]...)
	for i := at; i < len(text); i++ {
		if beginsCommand(text[i:]) {
			out = appendEscaped(out, "#")
			continue
		}
		out = append(out, text[i])
	}
	return out
}
