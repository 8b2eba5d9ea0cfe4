package verdict_test

import (
	"fmt"
	"log"
	"os"

	"tribunal/envelope"
	"tribunal/render"
	"tribunal/verdict"
)

// ask stands for the agent under test: it names the right city in most trials.
func ask(trial int) (answer string) {
	if trial%8 == 5 {
		return "Lyon"
	}
	return "Lisbon"
}

// A program counts its own trials, judges them and writes two reports.
func Example() {
	policy := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.6)}
	builder, err := verdict.NewBuilder(policy)
	if err != nil {
		log.Fatal(err)
	}
	trials := builder.Input("my program", "")
	for n := range 24 {
		trial := envelope.Trial{Key: envelope.Key{Suite: "forecast", Test: "names the right city"}, Status: envelope.Pass}
		if answer := ask(n); answer != "Lisbon" {
			trial.Status, trial.Message = envelope.Fail, "said "+answer+", asked for Lisbon"
		}
		trials.Trial(&trial)
	}
	trials.Close()
	judged, err := verdict.Judge(builder, policy)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range judged.Tests {
		fmt.Printf("%s: %s\n", t.Key, t.Verdict.Reason)
	}
	for _, format := range []string{"minimal", "tap"} {
		if err := render.Formats.Write(os.Stdout, format, judged); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("exit code", judged.Gate.ExitCode)
	// Output:
	// forecast/names the right city: 21 of 24 trials passed: the 95 % Wilson interval 0.690 to 0.957 is above the threshold 0.6
	// 1 test: 1 passed, 0 failed; 1 flaky; 21 of 24 trials passed; PASS, exit 0
	// TAP version 13
	// 1..1
	// ok 1 - forecast/names the right city
	// # trials sum 24-ab5ad2f2de208435-2
	// # 21 of 24 counted trials passed over 1 tests
	// exit code 0
}
