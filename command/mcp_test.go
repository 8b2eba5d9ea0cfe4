package command_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tribunal/command"
	"tribunal/command/mcpserver"
)

// connected is a client of the SDK, in the process of the server, in a folder with
// the sample runs and a link that leads out of it.
func connected(t *testing.T) *mcp.ClientSession {
	t.Helper()
	streams, err := filepath.Abs("../testdata/streams")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"weather-agent", "booking-main", "booking-branch", "hostile"} {
		text, err := os.ReadFile(filepath.Join(streams, name+".ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".ndjson"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(streams, filepath.Join(folder, "out")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	asked, ask := io.Pipe()
	answers, answer := io.Pipe()
	program := command.AskedByProgram(command.Env{Dir: folder, Getenv: func(name string) string {
		return map[string]string{"TRIBUNAL_OPT_OUTPUT": "json=written.json", "GITHUB_STEP_SUMMARY": "written.md"}[name]
	}})
	go mcpserver.Serve(t.Context(), program, asked, answer)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: answers, Writer: ask}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		for _, name := range []string{"written.json", "written.md"} {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				t.Errorf("%s was written", name)
			}
		}
	})
	return session
}

// called is the text of an answer, and whether it is an error.
func called(t *testing.T, session *mcp.ClientSession, tool string, in map[string]any) (string, bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		return err.Error(), true
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// TestAgentAsks: each tool by its answer, and what is refused.
func TestAgentAsks(t *testing.T) {
	session := connected(t)
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s does not say that it only reads: %v", tool.Name, err)
		}
	}
	weather := []string{"weather-agent.ndjson"}
	for _, c := range []struct {
		reason, tool string
		in           map[string]any
		wrong        bool
		has          []string
	}{
		{"the verdict first, in the format agent", "judge", map[string]any{"inputs": weather}, false,
			[]string{"verdict: FAIL  6 of 12 tests fail: 1 never passes, 5 flaky", `FAIL "forecast/says what the weather was yesterday" 0/10`}},
		{"a rule and a threshold", "judge", map[string]any{"inputs": weather, "rule": "wilson", "threshold": 0.9}, false, []string{"exit 1", "INCONC"}},
		{"what failed and why, as JSON", "failures", map[string]any{"inputs": weather}, false,
			[]string{`"exit_code":1`, `"reason":"10 of 10 trials did not pass; all must"`, `"message":"gave today's weather for yesterday"`, `"fail":6`}},
		{"the first trial that did not pass", "trial", map[string]any{"inputs": weather, "test": "plans a picnic for the driest day"}, false,
			[]string{`"trial":1,"of":10,"outcome":"failed"`, `chose Saturday (80 % rain) instead of Sunday (10 %)`}},
		{"another trial", "trial", map[string]any{"inputs": weather, "test": "forecast/plans a picnic for the driest day", "trial": 0}, false, []string{`"trial":0,"of":10,"outcome":"passed"`}},
		{"what changed between two runs, the worst first", "compare", map[string]any{"base": "booking-main.ndjson", "candidate": "booking-branch.ndjson"}, false,
			[]string{`"regressed":1`, `"tests":[{"suite":"booking","test":"asks before it pays","state":"regressed"`}},
		{"a plan before anything is run", "plan", map[string]any{"rule": "wilson", "threshold": 0.9, "trials": 20}, false, []string{`"schema":"tribunal/plan/`}},
		{"how often a gate is red", "audit", map[string]any{"of": "gate", "inputs": []string{"booking-main.ndjson", "booking-branch.ndjson"}, "rule": "all", "budget": 20000}, false,
			[]string{`"schema":"tribunal/gate-audit/`, `"red_runs":2`}},
		{"tests of two variants", "audit", map[string]any{"of": "tests", "inputs": []string{"a=booking-main.ndjson", "b=booking-branch.ndjson"}, "budget": 20000}, false,
			[]string{`"schema":"tribunal/tests-audit/`, `"saturated":2`}},
		{"an audit of something else", "audit", map[string]any{"of": "rules", "inputs": weather}, true, []string{"say gate or tests"}},
		{"a test that is not there", "trial", map[string]any{"inputs": weather, "test": "plans a picnic"}, true, []string{`unknown test "plans a picnic"`}},
		{"a trial that is not there", "trial", map[string]any{"inputs": weather, "test": "plans a picnic for the driest day", "trial": 10}, true, []string{"has trials 0 to 9, and no 10"}},
		{"a path that leads out", "judge", map[string]any{"inputs": []string{"../x.ndjson"}}, true, []string{"is outside"}},
		{"a path from the root", "judge", map[string]any{"inputs": []string{"/etc/hostname"}}, true, []string{"is outside"}},
		{"a path from the root behind a name", "judge", map[string]any{"inputs": []string{"x=/etc/hostname"}}, true, []string{"is outside"}},
		{"a link that leads out", "judge", map[string]any{"inputs": []string{"out/empty.ndjson"}}, true, []string{"is outside"}},
		{"a folder with a link that leads out", "judge", map[string]any{"inputs": []string{"."}}, false, []string{"42 of 51 tests fail"}},
		{"standard input, which the client speaks on", "judge", map[string]any{"inputs": []string{"-"}}, true, []string{"standard input"}},
		{"a flag in the place of an input is a name", "judge", map[string]any{"inputs": []string{"--output=json=written.json"}}, false, []string{"cannot open: no such file"}},
		{"no input", "failures", map[string]any{"inputs": []string{}}, true, []string{"name at least one file"}},
		{"an unknown rule", "judge", map[string]any{"inputs": weather, "rule": "wilsn"}, true, []string{"did you mean wilson"}},
		{"a misspelt argument", "judge", map[string]any{"input": weather}, true, []string{"input"}},
	} {
		text, wrong := called(t, session, c.tool, c.in)
		if wrong != c.wrong {
			t.Errorf("%s: error %t, want %t: %s", c.reason, wrong, c.wrong, text)
		}
		for _, want := range c.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", c.reason, want, text)
			}
		}
	}
}

// TestAnswersFit: whatever is asked, an answer is within its budget, and JSON is
// whole.
func TestAnswersFit(t *testing.T) {
	session := connected(t)
	for _, c := range []struct {
		tool string
		in   map[string]any
	}{
		{"judge", map[string]any{"inputs": []string{"weather-agent.ndjson"}}},
		{"failures", map[string]any{"inputs": []string{"weather-agent.ndjson"}}},
		{"failures", map[string]any{"inputs": []string{"hostile.ndjson"}}},
		{"trial", map[string]any{"inputs": []string{"weather-agent.ndjson"}, "test": "plans a picnic for the driest day"}},
		{"compare", map[string]any{"base": "booking-main.ndjson", "candidate": "booking-branch.ndjson"}},
		{"plan", map[string]any{"rule": "wilson", "threshold": 0.9, "trials": 20}},
		{"audit", map[string]any{"of": "tests", "inputs": []string{"a=booking-main.ndjson", "b=booking-branch.ndjson"}}},
	} {
		for _, budget := range []int{1024, 4096} {
			c.in["budget"] = budget
			text, wrong := called(t, session, c.tool, c.in)
			if wrong || len(text) > budget {
				t.Errorf("%s has %d bytes of %d: %.300s", c.tool, len(text), budget, text)
			}
			if c.tool != "judge" && !json.Valid([]byte(text)) {
				t.Errorf("%s is cut within its JSON: %s", c.tool, text)
			}
		}
	}
}

// TestCallsEnd: a call that takes too long is answered, and its command stops.
func TestCallsEnd(t *testing.T) {
	stopped := make(chan struct{})
	server := mcpserver.New(mcpserver.Program{Longest: 1, Inside: func([]string) error { return nil }, Run: func(ctx context.Context, _ []string) ([]byte, string, int) {
		<-ctx.Done()
		close(stopped)
		return nil, "", 2
	}})
	here, there := mcp.NewInMemoryTransports()
	go server.Run(t.Context(), here)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, wrong := called(t, session, "judge", map[string]any{"inputs": []string{"x"}}); !wrong || !strings.Contains(text, "judge was not answered within 1ns") {
		t.Error(text)
	}
	<-stopped
	ctx, stop := context.WithCancel(t.Context())
	stop()
	program := command.AskedByProgram(command.Env{Dir: "../testdata/streams", Getenv: func(string) string { return "" }})
	if out, errs, code := program.Run(ctx, []string{"tribunal", "report", "../testdata/streams/weather-agent.ndjson"}); code != 2 || len(out) > 0 || !strings.Contains(errs, "canceled") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}
