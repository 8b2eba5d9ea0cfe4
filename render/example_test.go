package render_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read"
	_ "tribunal/read/formats"
	"tribunal/render"
	"tribunal/verdict"
)

func judgedRun() *envelope.Envelope {
	builder, err := verdict.NewBuilder(envelope.Policy{})
	if err != nil {
		log.Fatal(err)
	}
	read.Stream(builder, "trials.ndjson", strings.NewReader(`{"test":"refund","status":"pass"}
{"test":"refund","status":"fail","message":"402 Payment Required"}
{"test":"search","status":"pass"}
`), "")
	judged, err := verdict.Judge(builder, envelope.Policy{})
	if err != nil {
		log.Fatal(err)
	}
	return judged
}

// writeChat is a renderer of one's own. Everything it shows is in the envelope: it
// computes and decides nothing.
func writeChat(w io.Writer, e *envelope.Envelope, _ render.Settings) error {
	for i := range e.Tests {
		t := &e.Tests[i]
		if t.Status == envelope.Pass {
			continue
		}
		if _, err := fmt.Fprintf(w, "*%s* %s: %s\n", strings.ToUpper(string(t.Status)), t.Key, t.Verdict.Reason); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "build: *%s*\n", e.Gate.Status)
	return err
}

// A renderer of one's own is a row beside the others.
func Example_ownFormat() {
	mine := render.Format{Name: "chat", Doc: "lines for a chat room", Write: writeChat}
	formats := append(slices.Clone(render.Formats), mine)
	for _, name := range []string{"chat", "minimal"} {
		if err := formats.Write(os.Stdout, name, judgedRun()); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(formats.Write(os.Stdout, "chet", judgedRun()))
	// Output:
	// *FAIL* refund: 1 of 2 trials did not pass; all must
	// build: *fail*
	// 2 tests: 1 passed, 1 failed; 1 flaky; 2 of 3 trials passed; FAIL, exit 1
	// unknown output format "chet": did you mean chat?
}
