package gotest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// events makes a stream of package p: "run T", "fail T", "output T text".
func events(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		action, rest, _ := strings.Cut(line, " ")
		test, output, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&b, `{"Action":%q,"Package":"p"`, action)
		if test != "" {
			fmt.Fprintf(&b, `,"Test":%q`, test)
		}
		if output != "" {
			text, _ := json.Marshal(output + "\n")
			fmt.Fprintf(&b, `,"Output":%s`, text)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func TestHostileOutputIsBounded(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	text := events("run A", "output A "+long, "output A "+long, "output A \x1b[31m]]></script>\u202e`|::error", "fail A", "fail")
	got := readtest.Text(t, Read, text).Trials[0]
	if len(got.Output) > 4*kept || !strings.Contains(got.Output, "bytes left out") || !strings.HasSuffix(got.Output, "::error\n") || len(got.Message) > 1000 {
		t.Errorf("%d bytes of output, %d of message", len(got.Output), len(got.Message))
	}
}
