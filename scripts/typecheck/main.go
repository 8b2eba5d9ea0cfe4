// Command typecheck checks that the program compiles for other systems, without
// compiling it: package by package, every type and function body of the program
// and the declarations of all that it imports. A build for one system costs as
// much as all tests, and nearly all of it is machine code nobody runs.
//
//	go run ./scripts/typecheck windows/arm64 linux/386
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	status := 0
	for _, target := range os.Args[1:] {
		fmt.Println(target)
		if err := check(target); err != nil {
			fmt.Fprintf(os.Stderr, "typecheck: %s: %v\n", target, err)
			status = 1
		}
	}
	os.Exit(status)
}

// listed is what the go command says of a package.
type listed struct {
	Dir, ImportPath string
	Module          *struct{ Main bool }
	GoFiles         []string
	ImportMap       map[string]string
}

// check checks the packages of the module for a target, after those they import.
func check(target string) error {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return errors.New("give SYSTEM/PROCESSOR, as in windows/arm64")
	}
	list := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Module,GoFiles,ImportMap", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	sizes := types.SizesFor("gc", processor)
	if sizes == nil {
		return errors.New("unknown processor; go tool dist list shows all")
	}
	known := checked{"unsafe": types.Unsafe}
	var errs []error
	ours := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		if p.isOurs() {
			ours++
		}
		errs = append(errs, known.add(&p, sizes))
	}
	if ours == 0 {
		return errors.New("go list names no package of the program")
	}
	return errors.Join(errs...)
}

func (p *listed) isOurs() bool { return p.Module != nil && p.Module.Main }

// checked are the packages that have been checked, by their import path.
type checked map[string]*types.Package

// files has the positions of all that was parsed, and trees what most systems have
// in common; a file of more than bigFile bytes was translated from C for one system.
var (
	files = token.NewFileSet()
	trees = map[string]*ast.File{}
)

const bigFile = 1 << 20

func parse(path string) (*ast.File, error) {
	if tree := trees[path]; tree != nil {
		return tree, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err == nil && len(text) < bigFile {
		trees[path] = tree
	}
	return tree, err
}

// add checks a package all of whose imports have been.
func (c checked) add(p *listed, sizes types.Sizes) error {
	var parsed []*ast.File
	var errs []error
	for _, name := range p.GoFiles {
		file, err := parse(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	config := types.Config{
		Sizes:            sizes,
		IgnoreFuncBodies: !p.isOurs(),
		Error:            func(err error) { errs = append(errs, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if found := c[path]; found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("%s is not among what go list named", path)
		}),
	}
	c[p.ImportPath], _ = config.Check(p.ImportPath, files, parsed, nil) // errs has what is wrong
	if !p.isOurs() {
		errs = slices.DeleteFunc(errs, unused)
	}
	return errors.Join(errs...)
}

// unused reports whether an error is of an import that only function bodies use,
// which are not looked at in what the program imports.
func unused(err error) bool {
	var typed types.Error
	return errors.As(err, &typed) && typed.Soft
}

// importer is a function as types.Importer.
type importer func(path string) (*types.Package, error)

// Import implements types.Importer.
func (f importer) Import(path string) (*types.Package, error) { return f(path) }
