package ci

import (
	"tribunal/internal/suggest"
	"tribunal/run/preset"
)

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

func runnerOf(name string) (Runner, error) {
	if name == "" {
		name = OwnRunner
	}
	for _, r := range runners {
		if r.Name == name {
			return r, nil
		}
	}
	return Runner{}, suggest.Unknown("runner", name, RunnerNames())
}
