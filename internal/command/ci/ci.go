// Package ci prints the job that judges trials in a CI system.
//
// It exists so that there is one copy of what such a job must not get wrong: how
// the program is installed, that a runner that dies is not taken for one whose
// trials failed, that reports are kept of a red job, and which of the JUnit profiles
// the system reads. The jobs of `tribunal ci`, the GitHub action and the GitLab
// component are made of the same parts. It knows nothing of trials; what a runner is
// called comes from package preset.
package ci

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/template"

	"tribunal/internal/each"
	"tribunal/internal/run/preset"
	"tribunal/internal/suggest"
)

// System is a CI system that a job can be printed for.
type System struct {
	Name   string
	Doc    string   // what of the run it shows
	File   string   // where the job stands in a repository
	Flags  string   // the reports that it reads, as report and run take them
	Keep   []string // files that are kept, also of a red job
	Dollar string   // a $ that is left to the shell
	Shared string   // file of this repository that other repositories include
}

// Systems is the table. A system is a row and a template of its name in jobs.
var Systems = []System{
	{Name: "github", File: ".github/workflows/evals.yml", Doc: "a comment, a summary of the run, annotations, the page as an " +
		"artifact", Dollar: "$",
		Shared: "action.yml",
		Flags:  "-o github -o junit=junit.xml -o html=report.html -o json=run.json", Keep: []string{"report.html", "junit.xml", "run.json"}},
	{Name: "gitlab", File: ".gitlab-ci.yml", Doc: "a comment, tests in the pipeline and the merge request, Code Quality entries, " +
		"metrics, the page as an artifact", Dollar: "$", Shared: "templates/evals/template.yml",
		Flags: "-o junit=junit.xml --junit-profile gitlab -o gitlab=gl-code-quality.json -o openmetrics=metrics.txt -o html=report.html " +
			"-o json=run.json", Keep: []string{"report.html", "run.json"}},
	{Name: "jenkins", File: "Jenkinsfile", Doc: "the trend of the tests, the page as an artifact", Dollar: "$",
		Flags: "-o junit=junit.xml --junit-profile jenkins -o html=report.html", Keep: []string{"report.html"}},
	{Name: "azure", File: "azure-pipelines.yml", Doc: "the Tests tab, the page as an artifact", Dollar: "$",
		Flags: "-o junit=junit.xml -o html=report.html", Keep: []string{"report.html"}},
	{Name: "circleci", File: ".circleci/config.yml", Doc: "the Tests tab, the page as an artifact", Dollar: "$",
		Flags: "-o junit=results/evals/junit.xml -o html=page/report.html", Keep: []string{"page"}},
	{Name: "buildkite", File: ".buildkite/pipeline.yml", Doc: "Test Engine, the page as an artifact", Dollar: "$$",
		Flags: "-o junit=junit.xml -o html=report.html", Keep: []string{"report.html", "junit.xml"}},
}

func (s System) name() string { return s.Name }

// Names lists the systems.
func Names() []string { return each.Of(Systems, System.name) }

// placeholder stands for where the archives of a release are, until somebody says it.
const placeholder = "https://releases.example/tribunal/v1.0.0"

// Options say what the job is for.
type Options struct {
	Runner  string // one of Runners; "" is OwnRunner
	Release string // URL of the folder with archives and checksums.txt; "" is placeholder
}

//go:embed jobs
var jobs embed.FS

// templates are parsed when a job is printed, and not at every start of the program.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"indent": indent, "list": list}).ParseFS(jobs, "jobs/*"))
})

// Write prints the job of a system.
func Write(w io.Writer, name string, o Options) error {
	s, err := suggest.Find("CI system", name, Systems, System.name)
	if err != nil {
		return err
	}
	r, err := suggest.Find("runner", cmp.Or(o.Runner, OwnRunner), runners, func(r Runner) string { return r.Name })
	if err != nil {
		return err
	}
	release := strings.TrimRight(cmp.Or(o.Release, placeholder), "/")
	if !strings.Contains(release, "://") && !strings.ContainsAny(release, "$<") { // a variable or a parameter may hold the URL
		return fmt.Errorf("--release %q: it is not a URL; give one such as %s", o.Release, placeholder)
	}
	return write(w, s.Name+".tmpl", job{System: s, Runner: r, Release: release})
}

// Files are the files of this repository that are made of the same parts, by path.
func Files() (map[string]string, error) {
	made := map[string]string{}
	for i := range Systems {
		s := &Systems[i]
		if s.Shared == "" {
			continue
		}
		var b strings.Builder
		if err := write(&b, s.Name+"-shared.tmpl", job{System: *s, Runner: runners[0], Release: placeholder}); err != nil {
			return nil, err
		}
		made[s.Shared] = b.String()
	}
	return made, nil
}

func write(w io.Writer, name string, j job) error {
	if err := templates().ExecuteTemplate(w, name, j); err != nil {
		return fmt.Errorf("cannot write the job: %w", err)
	}
	return nil
}

type job struct {
	System
	Runner
	Release string
}

// Part is a part of every job: a script for a POSIX shell that runs with set -e.
func (j job) Part(name string) (string, error) {
	var b bytes.Buffer
	err := templates().ExecuteTemplate(&b, name, j)
	return strings.ReplaceAll(strings.TrimRight(b.String(), "\n"), "$", j.Dollar), err
}

// Judging is the part that gets trials from a line of shell, and judges them, for the
// values that a user gives to a component or an action.
func (j job) Judging(start, trials, arguments string) (string, error) {
	j.Runner = Runner{Start: start, Trials: trials}
	j.Flags = arguments + " " + j.Flags
	return j.Part("judge")
}

// indent moves all lines but the first, which stands where the template puts it.
func indent(columns int, text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines[1:] {
		if lines[i+1] != "" {
			lines[i+1] = strings.Repeat(" ", columns) + lines[i+1]
		}
	}
	return strings.Join(lines, "\n")
}

func list(words []string) string { return strings.Join(words, ", ") }

// OwnRunner is a program that writes its trials to a file.
const OwnRunner = "own"

// Runner is a runner that a job can be printed for.
type Runner struct {
	Name    string
	Start   string // the line that runs the tests
	Started bool   // by `tribunal run`, several times; otherwise it writes Trials itself
	Trials  string // what it writes
	Prepare string // the line that installs it
	Image   string // a container image that has it, and curl
}

var runners = []Runner{
	{Name: OwnRunner, Start: "./run-evals > trials.ndjson", Trials: "trials.ndjson", Image: "buildpack-deps:bookworm-curl"},
	{Name: "go-test", Start: "go test ./...", Started: true, Image: "golang:1.26"},
	{Name: "pytest", Start: "pytest", Started: true, Prepare: "pip install -r requirements.txt", Image: "python:3.13"},
	{Name: "playwright", Start: "npx playwright test", Started: true, Prepare: "npm ci", Image: "mcr.microsoft.com/playwright:v1.56.0"},
	{Name: "jest", Start: "npx jest", Started: true, Prepare: "npm ci", Image: "node:22"},
	{Name: "vitest", Start: "npx vitest run", Started: true, Prepare: "npm ci", Image: "node:22"},
	{Name: "nextest", Start: "cargo nextest run", Started: true, Prepare: "cargo install --locked cargo-nextest", Image: "rust:1"},
	{Name: "promptfoo", Start: "npx promptfoo eval", Started: true, Prepare: "npm ci", Image: "node:22"},
}

// RunnerNames lists the runners: own, and those that have a preset.
func RunnerNames() []string { return append([]string{OwnRunner}, preset.Names()...) }
