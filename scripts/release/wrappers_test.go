package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// wrappers makes the packages of npm and PyPI for some targets, of a script in the place
// of the program, and gives their folder.
func wrappers(t *testing.T, version string, of ...target) string {
	t.Helper()
	r := &release{source: "../..", to: t.TempDir(), version: version, date: time.Unix(1767225600, 0).UTC(), targets: of, url: "https://releases.example.org/v/"}
	work := t.TempDir()
	var programs []string
	for _, one := range of {
		program := filepath.Join(work, one.os+one.arch)
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"tribunal got $*\"\nexit 3\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, program)
		if err := os.WriteFile(filepath.Join(r.to, one.archive()), []byte(one.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{r.npm(work, programs), r.wheels(work, programs), r.manifests()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r.to
}

// tarred are the files of an npm package, and their modes.
func tarred(t *testing.T, name string) (texts map[string]string, modes map[string]int64) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	texts, modes = map[string]string{}, map[string]int64{}
	for tr := tar.NewReader(gz); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return texts, modes
		}
		text, wrong := io.ReadAll(tr)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		texts[h.Name], modes[h.Name] = string(text), h.Mode
	}
}

func TestNpmPackages(t *testing.T) {
	to := wrappers(t, "v1.2.0-rc.1", targets...)
	type about struct {
		Name, Version        string
		Bin                  map[string]string
		OS, CPU              []string
		OptionalDependencies map[string]string
	}
	texts, modes := tarred(t, filepath.Join(to, "tribunal-cli-1.2.0-rc.1.tgz"))
	var cli about
	if err := json.Unmarshal([]byte(texts["package/package.json"]), &cli); err != nil {
		t.Fatal(err)
	}
	if cli.Name != "@tribunal/cli" || len(cli.OptionalDependencies) != len(targets) || modes["package/"+cli.Bin["tribunal"]] != 0o755 || texts["package/LICENSE"] == "" {
		t.Errorf("%+v, %v", cli, modes)
	}
	for name, version := range cli.OptionalDependencies {
		texts, modes := tarred(t, filepath.Join(to, strings.Replace(name[1:], "/", "-", 1)+"-1.2.0-rc.1.tgz"))
		var one about
		if err := json.Unmarshal([]byte(texts["package/package.json"]), &one); err != nil {
			t.Fatal(err)
		}
		program := "package/bin/tribunal"
		if one.OS[0] == "win32" {
			program += ".exe"
		}
		if one.Name != name || one.Version != version || version != "1.2.0-rc.1" || "@tribunal/"+one.OS[0]+"-"+one.CPU[0] != name || modes[program] != 0o755 {
			t.Errorf("%s: %+v, %v", name, one, modes)
		}
	}
}

// TestWheels: PEP 427 has the layout of a wheel, PEP 425 its tags.
func TestWheels(t *testing.T) {
	to := wrappers(t, "v1.2.0-rc.1", targets...)
	for _, name := range []string{
		"tribunal_cli-1.2.0rc1-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl",
		"tribunal_cli-1.2.0rc1-py3-none-macosx_12_0_arm64.whl", "tribunal_cli-1.2.0rc1-py3-none-win_amd64.whl",
	} {
		zr, err := zip.OpenReader(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		defer zr.Close()
		var names, record []string
		for _, f := range zr.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, f.Name)
			sum := sha256.Sum256(text)
			record = append(record, fmt.Sprintf("%s,sha256=%s,%d", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text)))
			switch path := filepath.Base(f.Name); path {
			case "RECORD":
				record[len(record)-1] = f.Name + ",,"
				if want := strings.Join(record, "\n") + "\n"; string(text) != want {
					t.Errorf("%s has the record\n%s, want\n%s", name, text, want)
				}
			case "WHEEL":
				if tags := strings.Count(string(text), "\nTag: py3-none-"); tags != strings.Count(name, ".")-2 || !strings.Contains(string(text), "Root-Is-Purelib: false") {
					t.Errorf("%s: %s", name, text)
				}
			case "METADATA":
				if !strings.Contains(string(text), "\nName: tribunal-cli\nVersion: 1.2.0rc1\n") {
					t.Errorf("%s", text)
				}
			}
		}
		program := "tribunal"
		if strings.Contains(name, "win_") {
			program += ".exe"
		}
		base := "tribunal_cli-1.2.0rc1"
		if want := []string{base + ".data/scripts/" + program, base + ".dist-info/METADATA", base + ".dist-info/WHEEL", base + ".dist-info/licenses/LICENSE", base + ".dist-info/RECORD"}; !slices.Equal(names, want) ||
			zr.File[0].Mode() != 0o755 {
			t.Errorf("%s has %q, want %q", name, names, want)
		}
	}
}

// TestPythonVersions: PEP 440.
func TestPythonVersions(t *testing.T) {
	for version, want := range map[string]string{"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0rc1", "1.2.0-alpha2": "1.2.0a2", "1.2.0-beta.10": "1.2.0b10", "0.0.0-ci": "0.0.0.dev0+ci"} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

func TestManifests(t *testing.T) {
	to := wrappers(t, "v1.2.0", targets...)
	sum := func(t target) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(t.String()))) }
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var scoop struct {
		Version      string
		Architecture map[string]struct{ URL, Hash string }
	}
	if err := json.Unmarshal([]byte(read("tribunal.json")), &scoop); err != nil {
		t.Fatal(err)
	}
	if one := scoop.Architecture["64bit"]; len(scoop.Architecture) != 2 || one.URL != "https://releases.example.org/v/tribunal_windows_amd64.zip" || one.Hash != sum(target{"windows", "amd64"}) {
		t.Errorf("%+v", scoop)
	}
	brew, mise := read("tribunal.rb"), read("mise.toml")
	for _, one := range targets {
		url := "https://releases.example.org/v/" + one.archive()
		if windows := one.os == "windows"; strings.Contains(brew, fmt.Sprintf("      url %q\n      sha256 %q\n", url, sum(one))) == windows {
			t.Errorf("%s in the formula of Homebrew, which has no Windows:\n%s", one, brew)
		}
		if !strings.Contains(mise, fmt.Sprintf("url = %q\nchecksum = \"sha256:%s\"\n", url, sum(one))) {
			t.Errorf("%s is not in mise.toml:\n%s", one, mise)
		}
	}
	if !strings.Contains(mise, `[tools."http:tribunal".platforms.macos-arm64]`) || strings.Count(brew, "\n  end\n") != 6 {
		t.Errorf("%s\n%s", mise, brew)
	}
}
