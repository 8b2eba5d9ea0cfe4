// Command typecheck checks that the program compiles for other systems, without
// compiling it: package by package, every type and function body of the program
// and the declarations of all that it imports. A build for one system costs as
// much as all tests, and nearly all of it is machine code nobody runs.
//
//	go run -C scripts ./typecheck windows/arm64 linux/386
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
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

// check checks the packages of the module for a target. What it imports has no bodies of
// functions, so that only errors of the module's own packages count.
func check(target string) error {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return errors.New("give SYSTEM/PROCESSOR, as in windows/arm64")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	all, err := packages.Load(&packages.Config{
		Dir: root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
			if err == nil && !strings.HasPrefix(name, root) {
				for _, d := range file.Decls {
					if f, is := d.(*ast.FuncDecl); is {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("go list names no package of the program")
	}
	var errs []error
	for _, p := range all {
		for _, e := range p.Errors {
			errs = append(errs, e)
		}
	}
	return errors.Join(errs...)
}
