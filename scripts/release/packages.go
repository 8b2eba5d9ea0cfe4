package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

func (r *release) packages(t target, all []extra) error {
	var contents files.Contents
	for i, f := range all {
		if f.installed != "" {
			contents = append(contents, &files.Content{Source: f.file, Destination: f.installed,
				FileInfo: &files.ContentFileInfo{Mode: mode(i), MTime: r.date, Owner: "root", Group: "root"}})
		}
	}
	for _, format := range []string{"deb", "rpm"} {
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "tribunal", Arch: t.arch, Platform: "linux", Version: strings.TrimPrefix(r.version, "v"), VersionSchema: "semver", Release: "1",
			Section: "devel", Priority: "optional", Maintainer: "The Tribunal authors <tribunal@releases.example>", License: "MIT", MTime: r.date,
			Description: "trials in, verdicts out\nReads the trials of repeated tests (LLM agents, evals, flaky suites), computes one\nsound " +
				"verdict per test, and reports them.",
			Overridables: nfpm.Overridables{Contents: contents},
		})
		info.RPM.BuildHost = "reproducible"
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		if err := create(filepath.Join(r.to, packager.ConventionalFileName(info)),
			func(w io.Writer) error { return packager.Package(info, w) }); err != nil {
			return err
		}
	}
	return nil
}
