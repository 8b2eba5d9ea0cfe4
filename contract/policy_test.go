package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tribunal/command"
	"tribunal/envelope"
	"tribunal/internal/command/config"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
	"tribunal/verdict"
)

// TestWhoMakesAnEffectivePolicy: package verdict, which completes and checks it, and
// the reader of journals, which hold one. A literal anywhere else would pass what
// somebody asks for as what holds.
func TestWhoMakesAnEffectivePolicy(t *testing.T) {
	makes := map[string]int{"verdict/policy.go": 0, "read/native/header.go": 0}
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			path := strings.TrimPrefix(p.ImportPath+"/"+name, "tribunal/")
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok || len(literal.Elts) == 0 {
					return true
				}
				if made, ok := literal.Type.(*ast.SelectorExpr); !ok || made.Sel.Name != "Effective" {
					return true
				}
				if _, may := makes[path]; !may {
					t.Errorf("%s makes an effective policy: let verdict.Resolve make it", path)
				}
				makes[path]++
				return true
			})
		}
	}
	for path, n := range makes {
		if n != 1 {
			t.Errorf("%s makes %d effective policies, want 1", path, n)
		}
	}
}

// policyValues are values at and beyond the edges of every range, and of every
// type, as JSON, which is YAML as well.
var policyValues = []string{
	"-1", "0", "0.3", "0.5", "0.8", "0.999", "1", "2", "1.5", "5", "95", "99.9", "101",
	"true", "false", `""`, `"none"`, `"all"`, `"wilson"`, `"holm"`, `"suite"`, `"fail"`, `"extend"`, `"7"`, `"five"`,
	"[]", "[0]", "[1]", "[1, 2]", "[0, 1.5]", `["a"]`, `[""]`, "null", "{}",
}

// TestSchemasAreWhatIsAccepted: for every key, each schema accepts what the
// program reads and what holds for every rule, and nothing else.
func TestSchemasAreWhatIsAccepted(t *testing.T) {
	taken := 0
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if !k.Plain() {
			continue
		}
		for _, value := range policyValues {
			for _, c := range []struct {
				where     string
				read, ask error
			}{
				{"the policy of an envelope", readWire(k, value), validate("envelope", wireDocument(t, k.Name, value))},
				{"tribunal.yaml", readFile(k.Path(), value), validate("config", nested(k.Path(), value))},
			} {
				if c.read == nil {
					taken++
				}
				if (c.read == nil) != (c.ask == nil) && !uninvited(k, value) {
					t.Errorf("%s: %s in %s: the program says %v, the schema %v", k.Name, value, c.where, c.read, c.ask)
				}
			}
		}
	}
	if taken < 200 {
		t.Errorf("only %d values were accepted", taken)
	}
}

// uninvited is a value that is taken and that no schema invites to write: what
// says nothing, and a bare number or switch in YAML where a word is due.
func uninvited(k *policy.Key, value string) bool {
	_, word := k.In(new(envelope.Policy)).(*string)
	_, words := k.In(new(envelope.Policy)).(*[]string)
	bare := word && !strings.HasPrefix(value, `"`) && readWire(k, `"`+value+`"`) == nil || words && !strings.Contains(value, `"`)
	return value == `""` || value == "null" || value == "[]" || bare
}

// readWire reads the value as JSON. What a schema of the wire does not tell apart,
// a rule from another word, is not held against it.
func readWire(k *policy.Key, value string) error {
	var p envelope.Policy
	if err := json.Unmarshal(fmt.Appendf(nil, `{%q: %s}`, k.Name, value), &p); err != nil {
		return err
	}
	if k.OfRules {
		return policy.Check(p)
	}
	return verdict.CheckValues(p)
}

// wireDocument is an envelope whose policy says one thing.
func wireDocument(t *testing.T, key, value string) []byte {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "golden", "one-pass", "json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	doc["policy"] = fmt.Appendf(nil, `{%q: %s}`, key, value)
	text, err = json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func nested(path, value string) []byte {
	names := strings.Split(path, ".")
	for i := len(names) - 1; i >= 0; i-- {
		value = fmt.Sprintf(`{%q: %s}`, names[i], value)
	}
	return []byte(value)
}

// readFile reads the value from tribunal.yaml. An error must say where the value
// stands.
func readFile(path, value string) error {
	_, err := config.Parse("tribunal.yaml", nested(path, value), nil)
	var where *config.Error
	if err != nil && (!errors.As(err, &where) || where.Key != path || where.Line != 1) {
		panic(fmt.Sprintf("%s: %s: the error is not positioned: %v", path, value, err))
	}
	return err
}

// TestEveryKeyHasItsFlag: a key that has a flag can be given by it, and what is
// out of range is refused under the name of the flag.
func TestEveryKeyHasItsFlag(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.ndjson")
	if err := os.WriteFile(input, []byte(`{"test":"a","status":"pass"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range policy.Keys {
		k := &policy.Keys[i]
		bad := badFlagValue(k)
		if k.FlagName() == "" || bad == "" {
			continue
		}
		var stdout, stderr strings.Builder
		env := command.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, Dir: t.TempDir()}
		code := command.Main([]string{"tribunal", "report", input, "--no-config", "--" + k.FlagName() + "=" + bad}, env)
		if code != gate.ExitUnusable || !strings.Contains(stderr.String(), "-"+k.FlagName()) {
			t.Errorf("--%s=%s: exit code %d, %s", k.FlagName(), bad, code, stderr.String())
		}
	}
}

// badFlagValue is a value that the key refuses; empty when it refuses none.
func badFlagValue(k *policy.Key) string {
	switch k.In(new(envelope.Policy)).(type) {
	case *string:
		if len(k.Choices(rule.Names())) > 0 || k.Name == "keep_details" {
			return "nobody"
		}
	case *envelope.Opt[float64], *envelope.Opt[int], *envelope.Opt[int64]:
		if k.Range.Words() != (policy.Range{}).Words() {
			return "-1"
		}
	case *[]int, *[]envelope.GateExpr:
		return "-1 +"
	}
	return ""
}

// shardJobs are the jobs that docs/scale/ci.md shows, by what stands above each.
func shardJobs(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../docs/scale/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string]string{}
	parts := strings.Split(string(page), "```yaml\n")
	for i, part := range parts[1:] {
		text, _, closed := strings.Cut(part, "```\n")
		if !closed {
			t.Fatal("docs/scale/ci.md has a block without an end")
		}
		above := strings.TrimSuffix(strings.TrimSpace(parts[i]), ":")
		name, _, _ := strings.Cut(above[strings.LastIndex(above, "\n")+1:], ",")
		jobs[name] = text
	}
	return jobs
}

// TestJobsOfShards: each shows a run of part I of N, where N is how many there are, and
// one seed; those that have a job behind the parts report their journals.
func TestJobsOfShards(t *testing.T) {
	jobs := shardJobs(t)
	for name, want := range map[string]struct {
		parts, shard string
		reports      bool
	}{
		"GitHub":     {"shard: [1, 2, 3, 4]", "--shard ${{ matrix.shard }}/4 --journal shards/${{ matrix.shard }} ", true},
		"GitLab":     {"parallel: 4", "--shard auto --journal shards/$CI_NODE_INDEX ", true},
		"Kubernetes": {"completions: 4\n  parallelism: 4\n  completionMode: Indexed", `--journal "$dir" --shard auto/4 `, false},
	} {
		job := jobs[name]
		delete(jobs, name)
		if !strings.Contains(job, want.parts) || !strings.Contains(job, want.shard+"--seed 7 ") {
			t.Errorf("%s: no %q with %q in\n%s", name, want.shard, want.parts, job)
		}
		if strings.Contains(job, "tribunal report 'shards/**/journal.ndjson'") != want.reports {
			t.Errorf("%s: its parts are reported, want %v", name, want.reports)
		}
	}
	if len(jobs) > 0 {
		t.Errorf("nobody looks at %v", jobs)
	}
}

// TestLoopOfNextEnds runs the loop of docs/next.md with engines that do what they should,
// die halfway each time, and die without a word: it ends, and is green for none of those
// that gave no trial.
func TestLoopOfNextEnds(t *testing.T) {
	text, err := os.ReadFile("../docs/next.md")
	if err != nil {
		t.Fatal(err)
	}
	loop := regexp.MustCompile("(?s)```bash\n(.*?until.*?)```").FindSubmatch(text)
	if loop == nil {
		t.Fatal("docs/next.md has no loop")
	}
	const result = `sed 's/,"seed.*/,"status":"pass"}/'`
	for _, c := range []struct {
		engine string
		code   int
		says   string
		reason string
	}{
		{result, 0, "2 tests pass", "an engine that runs what it is asked for"},
		{"head -n 3 | " + result + "; exit 1", 0, "2 tests pass", "one that dies behind three trials each time"},
		{"exit 137", 2, "no trial of the last plan came back", "one that dies at once"},
		{"true", 2, "no trial of the last plan came back", "one that says nothing and that it is well"},
		{"echo '{\"test\":\"a\",'", 2, "trials may be missing", "one that dies in a line"},
	} {
		dir := folderOfDocument(t)
		for name, text := range map[string]string{"cases/a": "", "cases/b": "", "engine": "#!/bin/sh\n" + c.engine + "\n"} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a loop that does not end
		cmd := exec.CommandContext(ctx, "sh", "-c", string(loop[1]))
		cmd.Env = append(os.Environ(), "CI=true", "NO_COLOR=1")
		inFolder(cmd, dir)
		out, err := cmd.CombinedOutput()
		cancel()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v, want exit code %d and %q:\n%s", c.reason, err, c.code, c.says, out)
		}
	}
}
