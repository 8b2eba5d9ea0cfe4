package main

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

var wrapperTemplates = template.Must(template.ParseFS(templateFiles, "templates/*"))

// wrapped is what the templates of the other package managers say.
type wrapped struct {
	Version, PythonVersion string // without the v
	URL                    string // the folder of the release
	Targets                []wrappedTarget
	Target                 wrappedTarget // of a package for one system
}

// wrappedTarget is a target as those package managers call it.
type wrappedTarget struct {
	OS, Arch        string
	NodeOS, NodeCPU string
	WheelTags       []string
	Archive, Sum    string
}

func (t wrappedTarget) Node() string { return t.NodeOS + "-" + t.NodeCPU }

// Mise is the target as mise names it.
func (t wrappedTarget) Mise() string {
	return strings.ReplaceAll(t.OS, "darwin", "macos") + "-" + t.NodeCPU
}

// Windows are the targets that Scoop installs.
func (w wrapped) Windows() []wrappedTarget {
	return slices.DeleteFunc(slices.Clone(w.Targets), func(t wrappedTarget) bool { return t.OS != "windows" })
}

// wheelTags are the platforms of a static binary: Go 1.26 needs macOS 12.
var wheelTags = map[target][]string{
	{"linux", "amd64"}:   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	{"linux", "arm64"}:   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	{"darwin", "amd64"}:  {"macosx_12_0_x86_64"},
	{"darwin", "arm64"}:  {"macosx_12_0_arm64"},
	{"windows", "amd64"}: {"win_amd64"},
	{"windows", "arm64"}: {"win_arm64"},
}

var prerelease = regexp.MustCompile(`^(rc|alpha|beta)\.?([0-9]+)$`)

// pythonVersion is a version as PEP 440 has it: 1.2.0-rc.1 is 1.2.0rc1.
func pythonVersion(version string) string {
	number, pre, is := strings.Cut(version, "-")
	if m := prerelease.FindStringSubmatch(pre); m != nil {
		return number + map[string]string{"rc": "rc", "alpha": "a", "beta": "b"}[m[1]] + m[2]
	} else if is {
		return number + ".dev0+" + strings.ToLower(pre)
	}
	return number
}

// archive is the name of the archive of a target.
func (t target) archive() string {
	ending := map[bool]string{true: ".zip", false: ".tar.gz"}[t.os == "windows"]
	return fmt.Sprintf("tribunal_%s_%s%s", t.os, t.arch, ending)
}

func (r *release) wrapped() wrapped {
	version := strings.TrimPrefix(r.version, "v")
	w := wrapped{Version: version, PythonVersion: pythonVersion(version), URL: strings.TrimRight(r.url, "/")}
	for _, t := range r.targets {
		w.Targets = append(w.Targets, wrappedTarget{OS: t.os, Arch: t.arch, NodeOS: strings.ReplaceAll(t.os, "windows", "win32"),
			NodeCPU: strings.ReplaceAll(t.arch, "amd64", "x64"), WheelTags: wheelTags[t], Archive: t.archive()})
	}
	return w
}

// fill writes a template into a file of the work folder.
func fill(work, name string, w wrapped) (string, error) {
	file := filepath.Join(work, w.Target.OS+w.Target.Arch+name)
	return file, create(file, func(out io.Writer) error { return wrapperTemplates.ExecuteTemplate(out, name, w) })
}

// npm makes the package that chooses, and one for each system with its program.
func (r *release) npm(work string, programs []string) error {
	w, license := r.wrapped(), extra{filepath.Join(r.source, "LICENSE"), "package/LICENSE", ""}
	shim, err1 := fill(work, "tribunal.js", w)
	about, err2 := fill(work, "npm.json", w)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	err := r.npmPackage("cli", extra{shim, "package/bin/tribunal.js", ""}, about, license)
	for i, t := range r.targets {
		w.Target = w.Targets[i]
		about, wrong := fill(work, "npm-platform.json", w)
		if wrong == nil {
			wrong = r.npmPackage(w.Target.Node(), extra{programs[i], "package/bin/" + t.program(), ""}, about, license)
		}
		err = errors.Join(err, wrong)
	}
	return err
}

func (r *release) npmPackage(name string, program extra, about string, license extra) error {
	file := fmt.Sprintf("tribunal-%s-%s.tgz", name, strings.TrimPrefix(r.version, "v"))
	return create(filepath.Join(r.to, file), func(w io.Writer) error {
		return r.tar(w, []extra{program, {about, "package/package.json", ""}, license})
	})
}

// wheels makes a wheel for each system, with the program as its script.
func (r *release) wheels(work string, programs []string) error {
	w := r.wrapped()
	for i, t := range r.targets {
		w.Target = w.Targets[i]
		metadata, err1 := fill(work, "METADATA", w)
		wheel, err2 := fill(work, "WHEEL", w)
		base := "tribunal_cli-" + w.PythonVersion
		files := []extra{{programs[i], base + ".data/scripts/" + t.program(), ""}, {metadata, base + ".dist-info/METADATA", ""},
			{wheel, base + ".dist-info/WHEEL", ""},
			{filepath.Join(r.source, "LICENSE"), base + ".dist-info/licenses/LICENSE", ""}}
		record, err3 := recordOf(work, files, base+".dist-info/RECORD")
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		name := base + "-py3-none-" + strings.Join(w.Target.WheelTags, ".") + ".whl"
		if err := create(filepath.Join(r.to, name), func(out io.Writer) error { return r.zip(out, append(files, record)) }); err != nil {
			return err
		}
	}
	return nil
}

// recordOf lists the files of a wheel with their digests.
func recordOf(work string, files []extra, name string) (extra, error) {
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f.file)
		if err != nil {
			return extra{}, err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.archived, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
	}
	b.WriteString(name + ",,\n")
	file := filepath.Join(work, "RECORD")
	return extra{file, name, ""}, os.WriteFile(file, []byte(b.String()), 0o644)
}

// manifests makes those of Homebrew, Scoop and mise, which download the archives from the
// folder of the release; none where nobody said where that is.
func (r *release) manifests() error {
	if r.url == "" {
		return nil
	}
	w := r.wrapped()
	for i := range w.Targets {
		text, err := os.ReadFile(filepath.Join(r.to, w.Targets[i].Archive))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		w.Targets[i].Sum = hex.EncodeToString(sum[:])
	}
	var err error
	for _, m := range []struct{ template, name string }{{"tribunal.rb", "tribunal.rb"}, {"scoop.json", "tribunal.json"},
		{"mise.toml", "mise.toml"}} {
		err = errors.Join(err, create(filepath.Join(r.to, m.name),
			func(out io.Writer) error { return wrapperTemplates.ExecuteTemplate(out, m.template, w) }))
	}
	return err
}
