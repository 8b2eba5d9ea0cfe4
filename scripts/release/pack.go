package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// extra is a file beside the binary: where it stands in an archive, and where a
// package installs it; "" is nowhere.
type extra struct{ file, archived, installed string }

// made are the files that the program prints itself.
var made = []struct {
	args                []string
	archived, installed string
}{
	{[]string{"man"}, "tribunal.1", "/usr/share/man/man1/tribunal.1.gz"},
	{[]string{"completion", "bash"}, "completions/tribunal.bash", "/usr/share/bash-completion/completions/tribunal"},
	{[]string{"completion", "zsh"}, "completions/_tribunal", "/usr/share/zsh/vendor-completions/_tribunal"},
	{[]string{"completion", "fish"}, "completions/tribunal.fish", "/usr/share/fish/vendor_completions.d/tribunal.fish"},
	{[]string{"completion", "powershell"}, "completions/tribunal.ps1", ""},
}

// extras asks a build for this machine.
func (r *release) extras(work string) ([]extra, error) {
	host := target{runtime.GOOS, runtime.GOARCH}
	program := filepath.Join(work, "host", host.program())
	if err := r.build(host, program); err != nil {
		return nil, err
	}
	all := []extra{
		{filepath.Join(r.source, "LICENSE"), "LICENSE", "/usr/share/doc/tribunal/copyright"},
		{filepath.Join(r.source, "README.md"), "README.md", ""},
	}
	err := filepath.WalkDir(filepath.Join(r.source, "docs"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(file) == ".md" { // messages and README name them
			page := filepath.ToSlash(strings.TrimPrefix(file, r.source+string(filepath.Separator)))
			all = append(all, extra{file, page, "/usr/share/doc/tribunal/" + page})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, m := range made {
		text, err := exec.Command(program, m.args...).Output()
		if err != nil {
			return nil, fmt.Errorf("tribunal %s: %w", strings.Join(m.args, " "), err)
		}
		file := filepath.Join(work, "extras", m.archived)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
		e := extra{file, m.archived, m.installed}
		if strings.HasSuffix(m.installed, ".gz") { // as Debian wants its manual pages
			packed := extra{file + ".gz", "", m.installed}
			if err := create(packed.file, func(w io.Writer) error { return gzipped(w, text) }); err != nil {
				return nil, err
			}
			e.installed = ""
			all = append(all, packed)
		}
		all = append(all, e)
	}
	return all, nil
}

func gzipped(w io.Writer, text []byte) error {
	gz, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = gz.Write(text)
	return errors.Join(err, gz.Close())
}

func (r *release) pack(t target, program string, extras []extra) error {
	files := append([]extra{{program, t.program(), "/usr/bin/tribunal"}}, extras...)
	write := r.tar
	if t.os == "windows" {
		write = r.zip
	}
	if err := create(filepath.Join(r.to, t.archive()), func(w io.Writer) error { return write(w, files) }); err != nil {
		return err
	}
	if err := create(filepath.Join(r.to, fmt.Sprintf("tribunal_%s_%s.sbom.json", t.os, t.arch)),
		func(w io.Writer) error { return r.materials(w, t, program) }); err != nil {
		return err
	}
	if t.os != "linux" {
		return nil
	}
	return r.packages(t, files)
}

// create writes a file.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// mode is that of a file in an archive: the binary can be run.
func mode(i int) os.FileMode {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

// archive hands on the files that stand in an archive.
func archive(files []extra, add func(name string, mode os.FileMode, text []byte) error) error {
	for i, f := range files {
		if f.archived == "" {
			continue
		}
		text, err := os.ReadFile(f.file)
		if err == nil {
			err = add(f.archived, mode(i), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *release) tar(w io.Writer, files []extra) error {
	gz, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(gz)
	err = archive(files, func(name string, mode os.FileMode, text []byte) error {
		err := tw.WriteHeader(&tar.Header{Name: name, Mode: int64(mode), Size: int64(len(text)), ModTime: r.date, Format: tar.FormatUSTAR})
		if err == nil {
			_, err = tw.Write(text)
		}
		return err
	})
	return errors.Join(err, tw.Close(), gz.Close())
}

func (r *release) zip(w io.Writer, files []extra) error {
	zw := zip.NewWriter(w)
	err := archive(files, func(name string, mode os.FileMode, text []byte) error {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: r.date}
		header.SetMode(mode)
		one, err := zw.CreateHeader(header)
		if err == nil {
			_, err = one.Write(text)
		}
		return err
	})
	return errors.Join(err, zw.Close())
}

// materials is the bill of materials of a binary, CycloneDX, from what Go wrote into
// it: its modules, with their versions and checksums.
func (r *release) materials(w io.Writer, t target, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.date.Format("2006-01-02T15:04:05Z"),
		Component: &cyclonedx.Component{BOMRef: "tribunal", Type: cyclonedx.ComponentTypeApplication, Name: "tribunal", Version: r.version,
			Properties: &[]cyclonedx.Property{{Name: "go", Value: info.GoVersion}, {Name: "target", Value: t.String()},
				{Name: "commit", Value: r.commit}}},
	}
	components := []cyclonedx.Component{{BOMRef: "pkg:golang/std@" + info.GoVersion, Type: cyclonedx.ComponentTypeLibrary, Name: "std",
		Version: info.GoVersion, PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	var refs []string
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
			PackageURL: url,
			Properties: &[]cyclonedx.Property{{Name: "go.sum", Value: m.Sum}}})
		refs = append(refs, url)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: "tribunal", Dependencies: &refs}}
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// checksums lists all files as sha256sum does.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.to)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(r.to, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), e.Name())
	}
	return os.WriteFile(filepath.Join(r.to, "checksums.txt"), []byte(b.String()), 0o644)
}
