package main

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"tribunal/scripts/bench/stream"
)

// Versions of the peers. Newer ones may be faster: raise them together with
// RESULTS.md.
const (
	duckdbVersion        = "1.5.6-r.1"
	goJUnitReportVersion = "v2.1.0"
	gotestsumVersion     = "v1.13.0"
	junit2jsonVersion    = "4.0.0"
	tapParserVersion     = "18.3.4"
)

//go:embed duckdb.mjs
var duckdbScript []byte

// workshop is the cache folder with everything that is measured and measured on.
type workshop struct {
	dir string
}

func (w workshop) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

func (w workshop) tribunal() string { return w.path("bin", "tribunal") }

// build builds the program as it is released: without cgo and symbols.
func (w workshop) build() error {
	say("building tribunal")
	return run(nil, "", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", w.tribunal(), "tribunal")
}

// install gets the peers that are not there yet.
func (w workshop) install() error {
	for _, tool := range []struct{ name, module string }{
		{"go-junit-report", "github.com/jstemmer/go-junit-report/v2@" + goJUnitReportVersion},
		{"gotestsum", "gotest.tools/gotestsum@" + gotestsumVersion},
	} {
		if exists(w.path("bin", tool.name)) {
			continue
		}
		say("installing %s", tool.module)
		if err := run([]string{"GOBIN=" + w.path("bin")}, "", "go", "install", tool.module); err != nil {
			return err
		}
	}
	if err := w.npm("npm", "junit2json@"+junit2jsonVersion, "tap-parser@"+tapParserVersion); err != nil {
		return err
	}
	home := w.path("duckdb-" + duckdbVersion)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(w.duckdb(), duckdbScript, 0o644); err != nil {
		return err
	}
	return w.npm("duckdb-"+duckdbVersion, "@duckdb/node-api@"+duckdbVersion)
}

// npm installs packages into a folder unless something is there.
func (w workshop) npm(folder string, packages ...string) error {
	home := w.path(folder)
	if exists(filepath.Join(home, "node_modules")) {
		return nil
	}
	say("installing %s", strings.Join(packages, ", "))
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	flags := []string{"install", "--prefix", home, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}
	return run(nil, home, "npm", append(flags, packages...)...)
}

func (w workshop) duckdb() string { return w.path("duckdb-"+duckdbVersion, "duckdb.mjs") }

// data is one stream and the file that holds it.
type data struct {
	name   string
	ending string // of its file, json without one
	write  func(io.Writer, stream.Options) error
	stream.Options
}

// file is named after all that makes the stream: its options, and a small stream
// of the same kind that changes whenever the generator does.
func (w workshop) file(d data) string {
	sample, sum := d.Options, sha256.New()
	sample.Trials, sample.Problems = min(sample.Trials, 100), min(sample.Problems, 1)
	if err := d.write(sum, sample); err != nil {
		panic(err) // the options are ours, and a sum takes everything
	}
	fmt.Fprintf(sum, "%+v", d.Options)
	return w.path("data", fmt.Sprintf("%s-%x.%s", d.name, sum.Sum(nil)[:6], cmp.Or(d.ending, "json")))
}

// generate writes the stream. The file appears whole.
func generate(path string, d data) error {
	say("generating %s", path)
	part, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	if err := d.write(part, d.Options); err != nil {
		part.Close()
		return fmt.Errorf("generating %s: %w", path, err)
	}
	if err := part.Close(); err != nil {
		return fmt.Errorf("generating %s: %w", path, err)
	}
	return os.Rename(path+".part", path)
}

// prepare makes the folders, the program, the peers and the data. It reports whether
// there was data to make.
func (w workshop) prepare(peers bool, all []data) (made bool, err error) {
	for _, dir := range []string{"bin", "data", "out"} {
		if err := os.MkdirAll(w.path(dir), 0o755); err != nil {
			return false, err
		}
	}
	if err := w.build(); err != nil {
		return false, err
	}
	if peers {
		if err := w.install(); err != nil {
			return false, fmt.Errorf("%w\n-ours measures without the peers", err)
		}
	}
	for _, d := range all {
		path := w.file(d)
		if exists(path) {
			continue
		}
		if err := generate(path, d); err != nil {
			return made, err
		}
		made = true
	}
	return made, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// run runs a command of the preparation; what it prints goes to standard error.
func run(env []string, dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = append(os.Environ(), env...), dir
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return nil
}
