package mapped

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
)

// sink notes what it is given, a line each.
type sink struct{ trials, problems []string }

func (s *sink) Trial(t *envelope.Trial) {
	s.trials = append(s.trials, fmt.Sprint(t.Key.String(), " ", t.Status, " ", t.Attempt.Or(-1), " ", t.DurationMS.Or(-1), " ", t.CostUSD.Or(-1), " ", t.RawStatus, " ", t.Labels))
}
func (s *sink) Header(envelope.Header, *envelope.Carried) {}
func (s *sink) Recorded(*envelope.Recorded)               {}
func (s *sink) Problem(p envelope.Problem) {
	s.problems = append(s.problems, fmt.Sprintf("%s %s %d: %s", p.Severity, p.Code, p.Line, p.Message))
}

const spec = "test=.meta.name, status=.result.ok, attempt=.run, cost_usd=.usage.cost, duration_ms=.latency*1000, suite='evals', labels.seed=.seed"

func TestRead(t *testing.T) {
	for _, c := range []struct {
		reason, spec, records, text string
		trials, problems            []string
	}{
		{"NDJSON, with a scale, a literal and a label", spec, "",
			`{"meta":{"name":"a"},"result":{"ok":true},"run":0,"usage":{"cost":0.5},"latency":1.25,"seed":7}` + "\n",
			[]string{"evals/a pass 0 1250 0.5  [{seed 7}]"}, nil},
		{"unknown is absent, and a path that never matches is named", "test=.t,status=.s,cost_usd=.price", "", `{"t":"a","s":"passed"}` + "\n\n" + `{"t":"a","s":"fail"}`,
			[]string{"a pass -1 -1 -1 passed []", "a fail -1 -1 -1  []"}, []string{"warning unmatched-path 1: .price (mapped to cost_usd) has no value in any record (2)"}},
		{"an array over several lines", "test=.t,status=.s", "", "[\n {\"t\":\"a\",\"s\":1},\n {\"t\":\"b\",\"s\":0}\n]", []string{"a pass -1 -1 -1  []", "b fail -1 -1 -1  []"}, nil},
		{"an object over several lines", "test=.t,status=.s", "", "{\n \"t\":\"a\",\n \"s\":1\n}\n", []string{"a pass -1 -1 -1  []"}, nil},
		{"an array of a document that nobody names", "test=.t,status='pass'", "", "{\n\"r\":[{\"t\":\"a\",\"s\":1}]}\n", nil,
			[]string{"error malformed-record 1: the record is not counted: .t", "warning unmatched-path 1: .t (mapped to test) has no value in any record (1): if the document has an array"}},
		{"records inside a document", "test=.t,score=.x", ".out.results", `{"meta":{"results":[9]},"out":{"n":2,"results":[{"t":"a","x":0.5}]}}`, []string{"a  -1 -1 -1  []"}, nil},
		{"CSV with a header, quotes and a missing cell", "test=name,status=.ok,duration_ms=ms", "", "name,ok,ms\n\"a, b\",true,12\nc,false,\n", []string{"a, b pass -1 12 -1  []", "c fail -1 -1 -1  []"}, nil},
		{"a table parted by semicolons, with one in quotes", "test=name,status=.ok,message=why", "", "name;ok;why\r\n\"a;b\";true;1,5\r\n", []string{"a;b pass -1 -1 -1  []"}, nil},
		{"a table parted by tabs keeps empty cells in their place", "test=name,status=.ok,duration_ms=ms", "", "name\tms\tok\na\t\tno\n", []string{"a fail -1 -1 -1  []"},
			[]string{"warning unmatched-path 2: ms (mapped to duration_ms) has no value in any record (1)"}},
		{"a row with more cells than the header may be shifted", "test=name,status=ok", "", "name,ok\nParis, France,true\nb,true,,\n", []string{"b pass -1 -1 -1  []"},
			[]string{"error malformed-record 2: the record is not counted: it has 3 cells and the header has 2"}},
		{"two columns of a name may disagree", "test=name,status=ok", "", "name,ok,ok\na,true,false\n", nil, []string{`error malformed-record 1: the table is not read: several columns are called "ok"`}},
		{"two columns of a name that nobody asks for", "test=name,status=ok", "", "name,ok,x,x\na,YES,1,2\n", []string{"a pass -1 -1 -1  []"}, nil},
		{"a record without its test is not counted", "test=.t,status=.s", "", `{"s":"pass"}` + "\n" + `{"t":"a","s":"pass"}` + "\n", []string{"a pass -1 -1 -1  []"},
			[]string{"error malformed-record 1: the record is not counted: .t, which is mapped to test, has no value"}},
		{"a status nobody knows", "test=.t,status=.s", "", `{"t":"a","s":"perhaps"}` + "\n", nil, []string{`error malformed-record 1: the record is not counted: status at .s: "perhaps" is not a status`}},
		{"a cost that is not a number keeps the trial", "test=.t,status=.s,cost_usd=.c", "", `{"t":"a","s":"pass","c":"much"}` + "\n", []string{"a pass -1 -1 -1  []"}, []string{`error ignored-field 1: the record is read without cost_usd: at .c, "much" is not a number`}},
		{"a key twice", "test=.t,status=.s", "", `{"t":"a","s":"fail","s":"pass"}` + "\n" + `{"t":"b","s":"pass"}` + "\n", []string{"b pass -1 -1 -1  []"}, []string{`error malformed-record 1: the record is not counted: "s"`}},
		{"a broken line does not end the run", "test=.t,status=.s", "", `{"t":"a","s":"pass"` + "\n" + `{"t":"b","s":"pass"}` + "\n", []string{"b pass -1 -1 -1  []"}, []string{"error malformed-record 1: the line is not JSON"}},
		{"a last line cut short", "test=.t,status=.s", "", `{"t":"b","s":"pass"}` + "\n" + `{"t":"a","s`, []string{"b pass -1 -1 -1  []"}, []string{"error truncated-line 2"}},
		{"no such records", "test=.t,status=.s", ".results", `{"other":[]}`, nil, []string{`error malformed-record 1: no record is read: this object has no key "results", which is in the path of the records; if it is a record, leave out --records`}},
		{"a document cut short keeps what came before", "test=.t,status=.s", "", `[{"t":"a","s":"pass"},{"t":"b"`, []string{"a pass -1 -1 -1  []"}, []string{"error unreadable-input 1: reading stopped here: the file ends in the middle"}},
		{"broken CSV", "test=name,status=ok", "", "name,ok\na,true\n\"b,false\n", []string{"a pass -1 -1 -1  []"}, []string{"error malformed-record"}},
		{"records in records, which have what is around them", "suite=.^.^.name,test=.^.id,status=.ok,attempt=.n,labels.model=.^.^.config.model", ".tasks[].runs[]",
			`{"name":"e","config":{"model":"m"},"tasks":[{"id":"a","runs":[{"n":1,"ok":true},{"n":2,"ok":false}]},{"id":"b","runs":[]},{"id":"c","runs":[{"n":1,"ok":false}]}]}`,
			[]string{"e/a pass 1 -1 -1  [{model m}]", "e/a fail 2 -1 -1  [{model m}]", "e/c fail 1 -1 -1  [{model m}]"}, nil},
		{"records that are values", "test=.^.id,status=.", ".tasks[].metrics.successes", `{"tasks":[{"id":4,"metrics":{"successes":[true,false]}}]}`, []string{"4 pass -1 -1 -1  []", "4 fail -1 -1 -1  []"}, nil},
		{"a line a document", "test=.^.id,status=.", ".tasks[].ok[]", `{"tasks":[{"id":"a","ok":[true]}]}` + "\n" + `{"tasks":[{"id":"a","ok":[false]}]}` + "\n", []string{"a pass -1 -1 -1  []", "a fail -1 -1 -1  []"}, nil},
		{"an array of documents", "test=.^.id,status=.", ".[].ok[]", `[{"id":"a","ok":[true]},{"id":"b","ok":[false]}]`, []string{"a pass -1 -1 -1  []", "b fail -1 -1 -1  []"}, nil},
		{"what is wrong has its place, and the rest counts", "test=.^.id,status=.ok", ".tasks[].runs[]", "{\"tasks\":[\n{\"id\":\"a\",\n\"runs\":[{\"ok\":\"odd\"},\n{\"ok\":1}]},\n{\"id\":\"b\"},\n7]}", []string{"a pass -1 -1 -1  []"},
			[]string{`error malformed-record 3: the record is not counted: status at .ok: "odd" is not a status: use pass, fail, error, skip, or true and false`, "error malformed-record 5: records are missing here: there is no array at .runs", "error malformed-record 6: records are missing here"}},
		{"more is asked for than is around", "test=.^.^.^.id,status=.", ".tasks[].ok[]", `{"id":"x","tasks":[{"ok":[true]}]}`, nil, []string{"error malformed-record 1: the record is not counted: .^.^.^.id, which is mapped to test, has no value",
			"warning unmatched-path 1: .^.^.^.id (mapped to test) has no value in any record (1)"}},
		{"records in records of a document that is cut short", "test=.^.id,status=.", ".tasks[].ok[]", `{"tasks":[{"id":"a","ok":[true]}`, nil, []string{"error truncated-line 1"}},
		{"nothing at all", "test=.t,status=.s", "", " \n", nil, nil},
	} {
		m, err := Parse(c.spec, c.records)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		var got sink
		if err := m.Read(iotest.OneByteReader(strings.NewReader(c.text)), &got); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if !slices.Equal(got.trials, c.trials) {
			t.Errorf("%s: trials %q, want %q", c.reason, got.trials, c.trials)
		}
		if len(got.problems) != len(c.problems) {
			t.Errorf("%s: problems %q, want %q", c.reason, got.problems, c.problems)
			continue
		}
		if !slices.EqualFunc(got.problems, c.problems, strings.HasPrefix) {
			t.Errorf("%s: problems %q, want %q", c.reason, got.problems, c.problems)
		}
	}
}

// TestReadValues: a guess reads objects that stand one behind the other.
func TestReadValues(t *testing.T) {
	for _, c := range []struct {
		reason, text     string
		trials, problems []string
	}{
		{"as jq prints them", "{\n \"test\": \"a\",\n \"ok\": true\n}\n{\n \"test\": \"b\",\n \"ok\": false\n}\n", []string{"a pass -1 -1 -1  []", "b fail -1 -1 -1  []"}, nil},
		{"on one line", `{"test":"a","ok":true}{"test":"b","ok":false}`, []string{"a pass -1 -1 -1  []", "b fail -1 -1 -1  []"}, nil},
		{"cut off", "{\n \"test\": \"a\",\n \"ok\": true\n}\n{\n \"test\":", []string{"a pass -1 -1 -1  []"},
			[]string{"error truncated-line 6: reading stopped here: the file ends in the middle"}},
	} {
		g, are := GuessBy([]byte(c.text), true)
		m, err := g.Mapping()
		if !are || !g.Certain || err != nil {
			t.Errorf("%s: %+v %v", c.reason, g, err)
			continue
		}
		var got sink
		if err := m.Read(iotest.OneByteReader(strings.NewReader(c.text)), &got); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if !slices.Equal(got.trials, c.trials) || len(got.problems) != len(c.problems) {
			t.Errorf("%s: %q %q", c.reason, got.trials, got.problems)
			continue
		}
		if !slices.EqualFunc(got.problems, c.problems, strings.HasPrefix) {
			t.Errorf("%s: problems %q, want %q", c.reason, got.problems, c.problems)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ reason, spec, says string }{
		{"no test", "status=.ok", "names no test"},
		{"nothing that decides", "test=.t", "no status, score"},
		{"an unknown field names the near one", "test=.t,status=.s,cost=.c,duration=.d", "unknown field"},
		{"a field twice", "test=.t,status=.a,status=.b", "mapped twice"},
		{"no path", "test=.t,status", "does not map a field"},
	} {
		if _, err := Parse(c.spec, ""); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}

func TestReadErrorIsReturned(t *testing.T) {
	m, err := Parse("test=.t,status=.s", "")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is gone")
	for _, head := range []string{"", `{"t":"a","s":"pass"}` + "\n", "[", "t,s\n"} {
		if err := m.Read(&failing{head: head, err: broken}, &sink{}); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", head, err)
		}
	}
}

type failing struct {
	head string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	n := copy(p, f.head)
	if f.head = f.head[n:]; n > 0 {
		return n, nil
	}
	return 0, f.err
}

func FuzzMapped(f *testing.F) {
	for _, s := range []string{`{"t":"a","s":"pass"}`, `[{"t":"a","s":1}]`, "t,s\na,true\n", `{"r":{"t":[{"t":1}]}}`, "\"a\n", "{", "[1,2", `{"t":null}`, `<a><b t="x"><s>1</s></b></a>`, `{"t":"a","c":[{"name":"x","score":1},{"key":"y","passed":"no"}],"s":{"z":{"w":true}}}`} {
		f.Add(s, "")
		f.Add(s, ".r.t")
	}
	f.Fuzz(func(t *testing.T, text, records string) {
		for _, spec := range []string{"test=t,status=.s,score=.x*10,attempt=.a", "@weave", "@langfuse", "where=t==1 || a==~null,test=.t ?? .t.t,checks=.c ?? .s,tokens=.a+.x,ended_at=.e,error=.r"} {
			m, err := Parse(spec, records)
			if err != nil {
				continue
			}
			var got sink
			if err := m.Read(strings.NewReader(text), &got); err != nil {
				t.Errorf("an error that is not the reader's: %v", err)
			}
		}
	})
}
