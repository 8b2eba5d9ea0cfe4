//go:build runners

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestRunnersInstallWrappers: npm and pip install the packages from their files, and what
// they put onto the path runs the program with its arguments and exit code.
func TestRunnersInstallWrappers(t *testing.T) {
	python := os.Getenv("RUNNERS_PYTHON")
	if python == "" {
		t.Fatal("RUNNERS_PYTHON is not set: scripts/runners installs what these tests need")
	}
	host := target{runtime.GOOS, runtime.GOARCH}
	to, dir := wrappers(t, "v1.2.0", host), t.TempDir()
	packages, err := filepath.Glob(filepath.Join(to, "*.tgz"))
	if err != nil || len(packages) != 2 {
		t.Fatal(packages, err)
	}
	wheels, err := filepath.Glob(filepath.Join(to, "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatal(wheels, err)
	}
	for _, argv := range [][]string{
		append([]string{"npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", dir}, packages...),
		{python, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", filepath.Join(dir, "python"), wheels[0]},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
		}
	}
	for _, program := range []string{filepath.Join(dir, "node_modules", ".bin", "tribunal"), filepath.Join(dir, "python", "bin", "tribunal")} {
		out, err := exec.Command(program, "report", "a b").Output()
		exit := &exec.ExitError{}
		if !errors.As(err, &exit) || exit.ExitCode() != 3 || string(out) != "tribunal got report a b\n" {
			t.Errorf("%s: %v, %s", program, err, out)
		}
	}
	// without the package of this system
	if err := os.RemoveAll(filepath.Join(dir, "node_modules", "@tribunal", (&release{targets: []target{host}}).wrapped().Targets[0].Node())); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(dir, "node_modules", ".bin", "tribunal")).CombinedOutput()
	exit := &exec.ExitError{}
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), "install without --omit=optional") {
		t.Errorf("%v, %s", err, out)
	}
}
