//go:build consumers

package contract_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/buildkite/go-pipeline"
	"github.com/goccy/go-yaml"
	"github.com/klauspost/compress/zstd"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/internal/command/ci"
)

func printed(t *testing.T, system, runner string) string {
	t.Helper()
	var b bytes.Buffer
	if err := ci.Write(&b, system, ci.Options{Runner: runner}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// repository is a folder with files, in version control.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %s", args[0], out)
		}
	}
	return dir
}

func within(t *testing.T, dir, program string, args ...string) (output string, code int) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%v: scripts/consumers installs what these tests need", err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestConsumersGitHubJobs: actionlint, which has shellcheck read the scripts, and the
// action by what it says of its inputs.
func TestConsumersGitHubJobs(t *testing.T) {
	made, err := ci.Files()
	if err != nil {
		t.Fatal(err)
	}
	const uses = "on: push\njobs:\n  evals:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - uses: ./\n        with:\n          run: ./run-evals > trials.ndjson\n          arguments: --rule wilson --threshold 0.9\n"
	files := map[string]string{"action.yml": made["action.yml"], ".github/workflows/uses.yml": uses}
	for _, runner := range ci.RunnerNames() {
		files[".github/workflows/"+runner+".yml"] = printed(t, "github", runner)
	}
	if out, code := within(t, repository(t, files), "actionlint"); code != 0 {
		t.Error(out)
	}
	files[".github/workflows/uses.yml"] = strings.Replace(uses, "arguments:", "argument:", 1)
	if out, code := within(t, repository(t, files), "actionlint"); code == 0 || !strings.Contains(out, `input "argument" is not defined in action "Tribunal"`) {
		t.Errorf("actionlint does not read action.yml: it holds nothing: %s", out)
	}
}

// TestConsumersGitLabJobs: GitLab's schema, as gitlab-ci-local has it, which also
// fills in the inputs of the component.
func TestConsumersGitLabJobs(t *testing.T) {
	list := func(files map[string]string) (string, int) {
		return within(t, repository(t, files), "gitlab-ci-local", "--list")
	}
	for _, runner := range []string{ci.OwnRunner, "pytest"} { // one that is started, and one that is not
		if out, code := list(map[string]string{".gitlab-ci.yml": printed(t, "gitlab", runner)}); code != 0 {
			t.Errorf("%s: %s", runner, out)
		}
	}
	made, err := ci.Files()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"templates/evals.yml": made["templates/evals/template.yml"],
		".gitlab-ci.yml":      "include:\n  - local: /templates/evals.yml\n    inputs: {release: 'file:///releases', job: nightly, arguments: '--rule any'}\n",
	}
	if out, code := list(files); code != 0 || !strings.Contains(out, "nightly") {
		t.Errorf("the component: exit code %d: %s", code, out)
	}
	files["templates/evals.yml"] = strings.Replace(files["templates/evals.yml"], "before_script:", "befor_script:", 1)
	if out, code := list(files); code == 0 {
		t.Errorf("a misspelt key is accepted: the schema holds nothing: %s", out)
	}
}

// checkCircleCI is the parser of CircleCI, with its schemas.
const checkCircleCI = `const { parseConfig } = require('@circleci/circleci-config-parser');
try {
  parseConfig(require('yaml').parse(require('fs').readFileSync(0, 'utf8')));
} catch (e) {
  console.error(e.message);
  process.exit(1);
}`

func TestConsumersCircleCIJobs(t *testing.T) {
	for _, runner := range []string{ci.OwnRunner, "pytest"} {
		if _, errs, code := run(t, printed(t, "circleci", runner), "node", "-e", checkCircleCI); code != 0 {
			t.Errorf("%s: %s", runner, errs)
		}
	}
	if _, _, code := run(t, strings.Replace(printed(t, "circleci", ""), "docker:", "dokcer:", 1), "node", "-e", checkCircleCI); code == 0 {
		t.Error("a job without an executor is accepted: the parser holds nothing")
	}
}

// TestConsumersBuildkiteJobs: the parser of Buildkite's agent, and what it leaves of $.
func TestConsumersBuildkiteJobs(t *testing.T) {
	for _, runner := range ci.RunnerNames() {
		p, err := pipeline.Parse(strings.NewReader(printed(t, "buildkite", runner)))
		if err == nil {
			err = p.Interpolate(nil, false)
		}
		if err != nil {
			t.Fatalf("%s: %v", runner, err)
		}
		step, is := p.Steps[0].(*pipeline.CommandStep)
		if !is || len(p.Steps) != 1 || len(step.Plugins) != 1 {
			t.Fatalf("%s: %+v is no step with a command and a plugin", runner, p.Steps)
		}
		if left := slices.Sorted(maps.Keys(step.RemainingFields)); !slices.Equal(left, []string{"artifact_paths"}) {
			t.Errorf("%s: the parser does not know %q", runner, left)
		}
		shellchecked(t, "bash", step.Command)
		if strings.Contains(step.Command, "$$") || !strings.Contains(step.Command, `"$TRIBUNAL_RELEASE/$file"`) {
			t.Errorf("%s: the shell would see\n%s", runner, step.Command)
		}
	}
}

// azureSchema is the schema by which Azure's extension of VS Code checks a pipeline.
func azureSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	packed, err := os.Open("../testdata/schemas/azure-pipelines.json.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := zstd.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	doc, err := jsonschema.UnmarshalJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("azure-pipelines.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("azure-pipelines.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestConsumersAzureJobs: Azure's own schema takes the jobs, with their tasks and the
// inputs of these, and not one whose step is misspelt.
func TestConsumersAzureJobs(t *testing.T) {
	schema := azureSchema(t)
	for _, runner := range ci.RunnerNames() {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(printed(t, "azure", runner)), &doc); err != nil {
			t.Fatalf("%s: %v", runner, err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", runner, err)
		}
		scripts := 0
		for _, step := range doc["steps"].([]any) {
			if script, is := step.(map[string]any)["bash"].(string); is {
				scripts++
				shellchecked(t, "bash", script)
			}
		}
		if scripts < 2 {
			t.Errorf("%s: %d scripts", runner, scripts)
		}
		step := doc["steps"].([]any)[0].(map[string]any)
		step["displyName"] = step["displayName"]
		if schema.Validate(doc) == nil {
			t.Errorf("%s: a misspelt key is taken: the schema holds nothing", runner)
		}
	}
}

// TestConsumersJenkinsJobs: Jenkins reads its files with its own controller alone, so
// that braces and the scripts are all that is held here.
func TestConsumersJenkinsJobs(t *testing.T) {
	for _, runner := range ci.RunnerNames() {
		parts := strings.Split(printed(t, "jenkins", runner), "'''")
		if len(parts) != 5 {
			t.Fatalf("%s: %d scripts", runner, len(parts)/2)
		}
		groovy := parts[0] + parts[2] + parts[4]
		if strings.Count(groovy, "{") != strings.Count(groovy, "}") || strings.Count(groovy, "'")%2 != 0 {
			t.Errorf("%s: braces or quotes do not match:\n%s", runner, groovy)
		}
		if !strings.Contains(groovy, "skipMarkingBuildUnstable: true") {
			t.Errorf("%s: tests that failed decide on the colour of a build, and not the exit code:\n%s", runner, groovy)
		}
		for _, script := range []string{parts[1], parts[3]} {
			if strings.Contains(script, `\`) {
				t.Errorf("%s: Groovy takes the backslash for its own:\n%s", runner, script)
			}
			shellchecked(t, "sh", script)
		}
	}
}

// shellchecked has a script read by shellcheck.
func shellchecked(t *testing.T, shell, script string) {
	t.Helper()
	if out, _, code := run(t, "set -e\n"+script, "shellcheck", "-s", shell, "-"); code != 0 {
		t.Error(out)
	}
}

// TestConsumersDockerfile: the linter of npm, as no daemon builds here.
func TestConsumersDockerfile(t *testing.T) {
	if out, code := within(t, "..", "dockerfilelint", "scripts/release/Dockerfile"); code != 0 || !strings.Contains(out, "Issues: None found") {
		t.Errorf("exit code %d: %s", code, out)
	}
	bad := repository(t, map[string]string{"Dockerfile": "FROM scratch:latest\nENTRPOINT [\"x\"]\n"})
	if out, code := within(t, bad, "dockerfilelint", "Dockerfile"); code == 0 {
		t.Errorf("a misspelt instruction is accepted: the linter holds nothing: %s", out)
	}
}

// TestConsumersJobsOfShards: the jobs of docs/scale/ci.md, each read by what reads those of
// package ci. For Kubernetes the names are those of its reference (Job v1 of batch).
func TestConsumersJobsOfShards(t *testing.T) {
	jobs := shardJobs(t)
	if out, code := within(t, repository(t, map[string]string{".github/workflows/shards.yml": jobs["GitHub"]}), "actionlint"); code != 0 {
		t.Error(out)
	}
	if out, code := within(t, repository(t, map[string]string{".gitlab-ci.yml": jobs["GitLab"]}), "gitlab-ci-local", "--list"); code != 0 {
		t.Error(out)
	}
	var job struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			Completions, Parallelism int
			CompletionMode           string `yaml:"completionMode"`
			Template                 struct {
				Spec struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Containers    []struct {
						Name, Image   string
						Command, Args []string
						VolumeMounts  []struct {
							Name      string
							MountPath string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
					Volumes []struct {
						Name                  string
						PersistentVolumeClaim struct {
							ClaimName string `yaml:"claimName"`
						} `yaml:"persistentVolumeClaim"`
					}
				}
			}
		}
	}
	text := strings.Replace(jobs["Kubernetes"], "apiVersion", "apiversion", 1) // the library's name of the field
	if err := yaml.UnmarshalWithOptions([]byte(text), &job, yaml.DisallowUnknownField()); err != nil {
		t.Fatal(err)
	}
	if job.Kind != "Job" || job.Spec.CompletionMode != "Indexed" || job.Spec.Completions != 4 {
		t.Errorf("%+v is no indexed Job of 4", job)
	}
	shellchecked(t, "sh", job.Spec.Template.Spec.Containers[0].Args[0])
}
