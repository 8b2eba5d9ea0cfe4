package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// owners are the folders that may set something of the whole process: the
// program's own, and what main has to ask for by a call.
var owners = map[string][]string{
	"debug.SetGCPercent":   {"."},
	"debug.SetMemoryLimit": {},
	"debug.SetMaxStack":    {},
	"log.SetOutput":        {},
	"log.SetFlags":         {},
	"os.Chdir":             {},
	"os.Clearenv":          {},
	"os.Exit":              {".", "command", "run/process", "scripts/typecheck"}, // process.WatcherMain
	"os.Setenv":            {},
	"os.Unsetenv":          {},
	"signal.Ignore":        {"command", "run/process"},
	"signal.Notify":        {"command"},
	"signal.Reset":         {},
}

// TestLibraryLeavesItsHost: whoever imports the packages keeps the process that
// they have. A word that is used by a folder that owns nothing is a failure.
func TestLibraryLeavesItsHost(t *testing.T) {
	used := map[string]bool{}
	eachSource(t, func(path string, file *ast.File) {
		folder := filepath.ToSlash(filepath.Dir(path))
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			word := of.Name + "." + selector.Sel.Name
			folders, process := owners[word]
			used[word] = true
			if process && !slices.Contains(folders, folder) {
				t.Errorf("%s: %s sets something of the whole process, which only %q may", path, word, folders)
			}
			return true
		})
	})
	for word, folders := range owners {
		if len(folders) > 0 && !used[word] {
			t.Errorf("nothing calls %s any more: drop its owners", word)
		}
	}
}

// ownModule reports whether a folder is a module of its own, of which nothing is in
// the program.
func ownModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// eachSource calls do with every file of the module that is no test.
func eachSource(t *testing.T, do func(path string, file *ast.File)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path != "." && ownModule(filepath.Join("..", path)) || entry.Name() == "testdata"):
			return fs.SkipDir // no code of the program
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		do(path, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
