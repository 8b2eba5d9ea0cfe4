// Command release makes what a release consists of: archives for Linux, macOS and Windows on amd64
// and arm64, packages of Debian, RPM, npm and PyPI, a bill of materials for each binary, and
// checksums of all. The same commit gives the same bytes, wherever and whenever it is built.
//
//	go run -C scripts ./release                           into dist, of the tag at HEAD
//	go run -C scripts ./release -version v1.2.0 -to "$PWD/out"
//	go run -C scripts ./release -only linux/amd64
//	go run -C scripts ./release -url https://…     with manifests of Homebrew, Scoop and mise
//	go run -C scripts ./release -check                     builds twice, the second time from a clone, and compares
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	r := release{}
	var only string
	var check bool
	flag.StringVar(&r.source, "source", "..", "checkout that is built")
	flag.StringVar(&r.to, "to", "../dist", "`FOLDER` to write to, which must be new or empty")
	flag.StringVar(&r.version, "version", "", "version, such as v1.2.0; otherwise the tag at HEAD")
	flag.StringVar(&only, "only", "", "systems to build for, such as linux/amd64,darwin/arm64; otherwise all")
	flag.StringVar(&r.url, "url", "", "`URL` of the folder the files will be in; with it, manifests of Homebrew, Scoop and mise are made")
	flag.BoolVar(&check, "check", false, "build a second time from a clone, and compare")
	flag.Parse()
	if err := run(r, only, check); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(r release, only string, check bool) (err error) {
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flag.Arg(0))
	}
	if r.targets, err = targetsOf(only); err != nil {
		return err
	}
	if err := r.describe(); err != nil {
		return err
	}
	if err := r.make(); err != nil || !check {
		return err
	}
	return r.again()
}

// target is a system and a processor.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// program is the name of the binary.
func (t target) program() string {
	if t.os == "windows" {
		return "tribunal.exe"
	}
	return "tribunal"
}

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"}}

// targetsOf are the targets of a list of words, all of an empty one.
func targetsOf(list string) ([]target, error) {
	if list == "" {
		return targets, nil
	}
	var chosen []target
	for word := range strings.SplitSeq(list, ",") {
		system, arch, _ := strings.Cut(word, "/")
		t := target{system, arch}
		if !slices.Contains(targets, t) {
			return nil, fmt.Errorf("-only %s: use one of %v", word, targets)
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// release is what is made of a commit.
type release struct {
	source, to string
	version    string // v1.2.0
	commit     string
	date       time.Time // of the commit: the one time that stands in the files
	targets    []target
	url        string // of the folder its files will be in
}

var versions = regexp.MustCompile(`\Av[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?\z`)

func (r *release) describe() error {
	changes, err := r.git("status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("uncommitted changes would make a release that nobody can rebuild; commit them, or git stash -u:\n%s", changes)
	}
	if r.version == "" {
		if r.version, err = r.git("describe", "--tags", "--exact-match"); err != nil {
			return errors.New("no tag is at HEAD: set one, or give -version v1.2.0")
		}
	}
	if !versions.MatchString(r.version) {
		return fmt.Errorf("version %s, of -version or the tag at HEAD: give one such as v1.2.0 or v1.2.0-rc.1", r.version)
	}
	commit, err := r.git("log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	var seconds int64
	_, err = fmt.Sscan(commit, &r.commit, &seconds)
	r.date = time.Unix(seconds, 0).UTC()
	return err
}

func (r *release) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", r.source}, args...)...)
	cmd.Stderr = os.Stderr
	if args[0] == "describe" {
		cmd.Stderr = nil
	}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (r *release) make() error {
	if entries, err := os.ReadDir(r.to); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: remove it, or name another folder with -to", r.to)
	}
	if err := os.MkdirAll(r.to, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "tribunal-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	extras, err := r.extras(work)
	if err != nil {
		return err
	}
	var programs []string
	for _, t := range r.targets {
		fmt.Println(t)
		program := filepath.Join(work, t.os+"_"+t.arch, t.program())
		if err := r.build(t, program); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := r.pack(t, program, extras); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		programs = append(programs, program)
	}
	if err := errors.Join(r.npm(work, programs), r.wheels(work, programs), r.manifests()); err != nil {
		return err
	}
	return r.checksums()
}

// build links a static binary that knows its version, and nothing of the machine.
func (r *release) build(t target, program string) error {
	flags := fmt.Sprintf("-s -w -buildid= -X tribunal/command.releaseVersion=%s -X tribunal/command.releaseCommit=%s -X "+
		"tribunal/command.releaseDate=%s",
		r.version, r.commit, r.date.Format(time.RFC3339))
	output, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-C", r.source, "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", output, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOOS="+t.os, "GOARCH="+t.arch)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// again builds a second time, from a clone in another folder, and compares.
func (r *release) again() error {
	work, err := os.MkdirTemp("", "tribunal-again-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	second := *r
	second.source, second.to = filepath.Join(work, "clone"), filepath.Join(work, "dist")
	if _, err := r.git("clone", "--quiet", ".", second.source); err != nil {
		return err
	}
	if err := second.make(); err != nil {
		return err
	}
	return same(r.to, second.to)
}

// same compares two folders of files.
func same(a, b string) error {
	if out, err := exec.Command("diff", "-rq", a, b).CombinedOutput(); err != nil {
		return fmt.Errorf("two builds differ, so nobody could rebuild the release: %w\n%s", err, out)
	}
	fmt.Println("the same bytes twice")
	return nil
}
