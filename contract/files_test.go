package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesRunDownhill: inside the rooms that everything stands on, a file can be
// read after those it uses: no files use each other in a circle. The Builder of
// envelope/count is one type in many files and has no such order.
func TestFilesRunDownhill(t *testing.T) {
	for _, room := range []string{"envelope", "envelope/wire", "policy", "verdict", "verdict/gate", "verdict/rule"} {
		uses := filesOf(t, filepath.Join("..", filepath.FromSlash(room)))
		if len(uses) < 5 {
			t.Fatalf("%s: only %d files were found", room, len(uses))
		}
		if circle := circleOf(uses); circle != nil {
			var told []string
			for i, file := range circle[:len(circle)-1] {
				told = append(told, file+" uses "+uses[file][circle[i+1]]+" of "+circle[i+1])
			}
			t.Errorf("%s: files use each other in a circle: %s", room, strings.Join(told, ", "))
		}
	}
}

// filesOf are the files of a package and, by name, the files each uses and what of
// them. Imports are not looked into: what is of this package is known without.
func filesOf(t *testing.T, folder string) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set, uses := token.NewFileSet(), map[string]map[string]string{}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		uses[filepath.Base(name)] = map[string]string{}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: unknown{}, Error: func(error) {}} // of what is imported
	made, _ := check.Check(folder, set, files, info)
	place := func(at token.Pos) string { return filepath.Base(set.Position(at).Filename) }
	for name, what := range info.Uses {
		if from, to := place(name.Pos()), place(what.Pos()); what.Pkg() == made && from != to {
			uses[from][to] = max(uses[from][to], what.Name()) // one of them, always the same
		}
	}
	return uses
}

// unknown imports every package as one of which nothing is known.
type unknown struct{}

// Import implements types.Importer.
func (unknown) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// circleOf is files of which each uses the next and the last is the first; nil when
// there are none.
func circleOf(uses map[string]map[string]string) []string {
	done := map[string]bool{}
	var walk func(file string, way []string) []string
	walk = func(file string, way []string) []string {
		if at := slices.Index(way, file); at >= 0 {
			return append(way[at:], file)
		}
		if done[file] {
			return nil
		}
		for _, next := range slices.Sorted(maps.Keys(uses[file])) {
			if circle := walk(next, append(slices.Clone(way), file)); circle != nil {
				return circle
			}
		}
		done[file] = true
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if circle := walk(file, nil); circle != nil {
			return circle
		}
	}
	return nil
}
