package mapped

import (
	"strings"
	"testing"
)

// TestGuess: fields are told by their names where there is no doubt, and where there is,
// nothing is read and the doubt has a name.
func TestGuess(t *testing.T) {
	for _, c := range []struct {
		reason, text, spec string
		certain            bool
		says               string
	}{
		{"a truth value", `{"test":"a","passed":true}`, "test=.test,status=.passed", true, ""},
		{"common names", `{"name":"a","result":"passed"}`, "test=.name,status=.result", true, ""},
		{"names as programs write them", `{"testName":"a","is_correct":0,"durationMs":5}`, "test=.testName,status=.is_correct,duration_ms=.durationMs", true, ""},
		{"an array of trials as they should be", `[{"test":"a","status":"pass","labels":{"seed":"7"}}]`, "test=.test,status=.status,labels.seed=.labels.seed", true, ""},
		{"a label of a person beside the status", "test,status,truth\na,pass,\na,pass,fail\n", "test=.test,status=.status,truth=.truth", true, ""},
		{"a table", "test,status\na,pass\n", "test=.test,status=.status", true, ""},
		{"a table with a unit", "Test Name,OK,Latency S\na,1,2.5", "test=.Test Name,status=.OK,duration_ms=.Latency S*1000", true, ""},
		{"a better name wins over a worse one", `{"test":"a","name":"b","id":3,"status":"pass","ok":true}`, "test=.test,status=.status", true, ""},
		{"a score alone decides", `{"task_id":3,"reward":0.5}`, "test=.task_id,score=.reward", true, ""},
		{"a duration without a unit is left out, with its near name", `{"test":"a","ok":true,"duration":3}`, "test=.test,status=.ok", true, "not read: duration (duration: did you mean duration_ms?)"},
		{"a field that a later record has", `{"test":"a","ok":true}` + "\n" + `{"test":"b","ok":false,"error":"no"}`, "test=.test,status=.ok,message=.error", true, ""},
		{"a last line that is cut says nothing", `{"test":"a","ok":true}` + "\n" + `{"test":"b","o`, "test=.test,status=.ok", true, ""},
		{"a slip", `{"test":"a","stauts":"pass"}`, "test=.test,status=.stauts", false, "stauts: did you mean status?"},
		{"a score in words, as the experiments that Ragas begins a project with have it", "question,grading_notes,response,score\nhow?,- so,so,pass\nwhy?,- thus,no,fail\n", "test=.question,status=.score,output=.response", true, ""},
		{"a status decides before a score in words", `{"name":"a","status":"failed","score":"pass"}`, "test=.name,status=.status", true, ""},
		{"two tests", `{"name":"a","task":"x","ok":true}`, "test=.name,status=.ok", false, "name and task may both be the test"},
		{"a question and the id of its task, as scored answers to GAIA have them", `{"task_id":"a","question":"how?","predicted_answer":"4","is_correct":false}` + "\n" + `{"task_id":"b","question":"why?","is_correct":true}` + "\n" + `{"task_id":"a","question":"how?","is_correct":true}`, "test=.task_id,status=.is_correct", true, "not read: predicted_answer, question"},
		{"a question that is asked by two tasks", `{"task_id":"a","question":"how?","correct":false}` + "\n" + `{"task_id":"b","question":"how?","correct":true}`, "test=.task_id,status=.correct", false, "task_id and question may both be the test"},
		{"a benchmark as the task, and its questions", `{"task":"gaia","question_id":"gaia_2","success":true}`, "test=.task,status=.success", false, "task and question_id may both be the test"},
		{"a task that asks two questions", `{"question":"how?","task_id":"a","correct":false}` + "\n" + `{"question":"why?","task_id":"a","correct":true}`, "test=.question,status=.correct", false, "question and task_id may both be the test"},
		{"what a spreadsheet saves where the comma is a decimal point", "Test;Status;Note\r\nlogin;FAILED;a,b\r\n", "test=.Test,status=.Status", true, "not read: Note"},
		{"what it puts on the clipboard", "test\tstatus\na\tpass\n", "test=.test,status=.status", true, ""},
		{"blanks behind commas, and columns without a name", "test, status,,\na, pass,,\n", "test=.test,status=.status", true, ""},
		{"a question answered by yes", `{"test":"a","passed":"Yes"}`, "test=.test,status=.passed", true, ""},
		{"a number as name, and a text as number", `{"test":17,"status":"OK","duration_ms":"5"}`, "test=.test,status=.status,duration_ms=.duration_ms", true, ""},
		{"objects one behind the other, as jq prints them", "{\n \"test\": \"a\",\n \"ok\": true\n}\n{\n \"test\": \"b\",\n \"ok\": false\n}\n", "test=.test,status=.ok", true, ""},
		{"records deep in a document", `{"results":{"tests":[{"name":"a","ok":true}]}}`, "test=.name,status=.ok", false, "--records .results.tests"},
		{"a document about tests is no trial", `{"name":"all","status":"failed","tests":[{"x":1}],"hooks":[{"y":2}]}`, "test=.name,status=.status", false, ""},
		{"a share in percent is no score that is known", "test,score\na,95%\n", "test=.test,status=.?", false, `score holds "95%", which is not a number`},
		{"0 may be an exit code", `{"test":"a","status":0}`, "test=.test,status=.?", false, "status holds 0, which may be a count or an exit code"},
		{"counts of a suite", `[{"name":"a","passed":1,"failed":3}]`, "test=.name,status=.?", false, "passed holds 1, which may be a count"},
		{"a status that is an object", `{"test":"a","result":{"ok":true}}`, "test=.test,status=.?", false, `result holds {"ok":true}`},
		{"a status that one record says in words of its own", `{"test":"a","status":"pass"}` + "\n" + `{"test":"a","status":"200 OK"}`, "test=.test,status=.status", false, `holds "200 OK", which is neither`},
		{"one such status among scores", "test,status,score\na,Passed,0.9\nb,1,0.2\n", "test=.test,status=.status,score=.score", false, `status holds "1"`},
		{"retries and runs, which decide what counts", "test,status,run,retry,started_at\na,fail,7,false,2026-01-02 10:00:00\na,pass,7,true,\n", "test=.test,status=.status,retry=.retry,run=.run,started_at=.started_at", true, ""},
		{"a time that is none we read", "test,status,started_at\na,pass,12/01/2026\n", "test=.test,status=.status", true, "not read: started_at"},
		{"our own table of trials", "suite,test,variant,id,trial,attempt,run,outcome,status,raw_status,retry\n,a,,t1,1,0,r,excluded,error,,false\n", "test=.test,status=.status,attempt=.attempt,retry=.retry,run=.run", true, ""},
		{"records in a document, which may hold more", `{"results":[{"name":"a","ok":true}]}`, "test=.name,status=.ok", false, "--records .results"},
	} {
		g, are := GuessBy([]byte(c.text), true)
		says := g.String()
		if !g.Certain {
			says = g.Ask()
		}
		if !are || g.Spec != c.spec || g.Certain != c.certain || !strings.Contains(says, c.says) {
			t.Errorf("%s: %t %t\n got %s\nwant %s\n%s, want %q", c.reason, are, g.Certain, g.Spec, c.spec, says, c.says)
		}
		if _, err := Parse(g.Spec, g.Records); err != nil {
			t.Errorf("%s: the mapping that is proposed cannot be used: %v", c.reason, err)
		}
	}
	for _, text := range []string{"", "hello", "hello\nworld\n", "{", "[1,2]", `["a"]`, "<a/>", "a,b", "{}x", `{"foo":1}`, "a,b\n1,2\n"} {
		if g, are := GuessBy([]byte(text), true); are {
			t.Errorf("%q are no records: %+v", text, g)
		}
	}
}

// FuzzGuess: whatever stands in an input, a guess ends, and its mapping can be used.
func FuzzGuess(f *testing.F) {
	for _, s := range []string{`{"test":"a","passed":true}`, "test,status\na,pass\n", `[{"id":1,"ok":true}]`, `{"r":[{"name":"a"}]}`, `{"a.b":1,"labels":{"x":"y"}}`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, whole bool) {
		if g, are := GuessBy(text, whole); are {
			if _, err := Parse(g.Spec, g.Records); err != nil && g.Certain {
				t.Errorf("%q: %v", g.Spec, err)
			}
		}
	})
}
