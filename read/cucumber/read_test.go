package cucumber

import ()

const (
	head = `{"gherkinDocument":{"feature":{"children":[{"rule":{"children":[{"scenario":{"id":"s","location":{"line":4},"examples":[{"tableBody":[{"id":"r1","location":{"line":7}},{"id":"r2","location":{"line":8}}]}]}}]}}]}}}
{"pickle":{"id":"p1","uri":"a.feature","name":"n","astNodeIds":["s","r1"],"steps":[{"id":"t","text":"a step"}]}}
{"pickle":{"id":"p2","uri":"a.feature","name":"n","astNodeIds":["s","r2"]}}
{"testRunStarted":{"timestamp":{"seconds":"5","nanos":0}}}
{"testCase":{"id":"c1","pickleId":"p1","testSteps":[{"id":"u","pickleStepId":"t"}]}}
{"testCase":{"id":"c2","pickleId":"p2"}}
`
	begin  = `{"testCaseStarted":{"id":"x","testCaseId":"c1","attempt":0}}` + "\n"
	finish = `{"testCaseFinished":{"testCaseStartedId":"x"}}` + "\n"
)

func step(status string) string {
	return `{"testStepFinished":{"testCaseStartedId":"x","testStepId":"u","testStepResult":{"status":"` + status + `"}}}` + "\n"
}
