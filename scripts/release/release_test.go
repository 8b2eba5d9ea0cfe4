package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample is a release of three files, one of which is for packages alone. Their times
// on disk are those of the test, and must not be in what is made.
func sample(t *testing.T) (*release, []extra) {
	dir := t.TempDir()
	var all []extra
	for _, e := range []extra{{"bin", "tribunal", "/usr/bin/tribunal"}, {"manual.gz", "", "/usr/share/man/man1/tribunal.1.gz"}, {"LICENSE", "LICENSE", "/usr/share/doc/tribunal/copyright"}} {
		e.file = filepath.Join(dir, e.file)
		if err := os.WriteFile(e.file, []byte("text of "+e.installed), 0o600); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return &release{version: "v1.2.0-rc.1", commit: "9f2c1e7d", date: time.Unix(1767225600, 0).UTC(), to: dir}, all
}

func TestArchives(t *testing.T) {
	r, files := sample(t)
	var tarred, zipped bytes.Buffer
	if err := r.tar(&tarred, files); err != nil {
		t.Fatal(err)
	}
	if err := r.zip(&zipped, files); err != nil {
		t.Fatal(err)
	}
	gz, err := gzip.NewReader(&tarred)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for tr := tar.NewReader(gz); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if want := map[string]int64{"tribunal": 0o755, "LICENSE": 0o644}[h.Name]; h.Mode != want || !h.ModTime.Equal(r.date) || h.Uid != 0 {
			t.Errorf("%s has mode %o, time %s, owner %d", h.Name, h.Mode, h.ModTime, h.Uid)
		}
	}
	zr, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var inZip []string
	for _, f := range zr.File {
		inZip = append(inZip, f.Name)
	}
	if want := []string{"tribunal", "LICENSE"}; !slices.Equal(names, want) || !slices.Equal(inZip, want) {
		t.Errorf("archives have %q and %q, want %q", names, inZip, want)
	}
}

func TestPackagesAreTheSameTwice(t *testing.T) {
	r, files := sample(t)
	for _, name := range []string{"one", "two"} {
		r.to = filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(r.to, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := r.packages(target{"linux", "arm64"}, files); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.Chtimes(f.file, time.Now(), time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		if name == "one" {
			defer func(first string) {
				if err := same(first, r.to); err != nil {
					t.Error(err)
				}
			}(r.to)
		}
	}
	entries, err := os.ReadDir(r.to)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"tribunal-1.2.0~rc.1-1.aarch64.rpm", "tribunal_1.2.0~rc.1-1_arm64.deb"}; !slices.Equal(names, want) {
		t.Errorf("packages %q, want %q: a candidate is older than its release", names, want)
	}
}

func TestTargets(t *testing.T) {
	if _, err := targetsOf("linux/amd64,plan9/amd64"); err == nil || !strings.Contains(err.Error(), "plan9/amd64: use one of") {
		t.Errorf("%v: want the known systems", err)
	}
	if all, err := targetsOf(""); err != nil || len(all) != 6 {
		t.Errorf("%v, %v: want six", all, err)
	}
}

func TestWhatDiffersIsNamed(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		for _, name := range []string{"alike", "other"} {
			text := name
			if name == "other" {
				text = dir
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := same(a, b); err == nil || !strings.Contains(err.Error(), "other differ") {
		t.Errorf("%v: want the file that differs", err)
	}
}
