package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// public are the packages that a program of somebody else works with.
var public = []string{"command", "envelope", "envelope/count", "envelope/wire", "policy", "read", "reliability", "render", "stats", "verdict"}

// libraryBlock is a block of docs/library: the file and the declarations that
// it is made of, and the code.
var libraryBlock = regexp.MustCompile("(?ms)^<!-- (\\S+): (.*?) -->\n```go\n(.*?)^```")

// TestLibraryPage: the code of docs/library is that of the examples, which run.
func TestLibraryPage(t *testing.T) {
	pages, err := filepath.Glob("../docs/library/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range pages {
		all.WriteString(checkLibraryPage(t, path))
	}
	for _, p := range public {
		if !strings.Contains(all.String(), "tribunal/"+p+"`") {
			t.Errorf("docs/library says nothing of tribunal/%s", p)
		}
	}
}

// checkLibraryPage holds a page to the examples, and returns it with their code.
func checkLibraryPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	want := libraryBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		blocks++
		of := libraryBlock.FindStringSubmatch(block)
		return "<!-- " + of[1] + ": " + of[2] + " -->\n```go\n" + declarations(t, of[1], strings.Fields(of[2])) + "```"
	})
	if blocks == 0 || blocks != strings.Count(string(text), "```go\n") {
		t.Fatalf("%s: %d of the blocks of code name their example", path, blocks)
	}
	switch {
	case want == string(text):
	case !*update:
		t.Errorf("%s has other code than the examples: write it with go test ./contract -run LibraryPage -update", path)
	default:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// declarations are functions, and constants, of a file as they stand there.
func declarations(t *testing.T, path string, names []string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, name := range names {
		found := false
		for _, d := range file.Decls {
			if declares(d, name) {
				from, to := d.Pos(), d.End()
				if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil {
					from = f.Doc.Pos()
				}
				parts, found = append(parts, string(text[set.Position(from).Offset:set.Position(to).Offset])+"\n"), true
			}
		}
		if !found {
			t.Errorf("%s declares no %s, of which docs/library is made", path, name)
		}
	}
	return strings.Join(parts, "\n")
}

func declares(d ast.Decl, name string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name == name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].Name == name {
				return true
			}
		}
	}
	return false
}

// TestExamplesAreOfStrangers: every public package has an example, which needs
// nothing that a program of somebody else may not import.
func TestExamplesAreOfStrangers(t *testing.T) {
	for _, p := range public {
		path := filepath.Join("..", p, "example_test.go")
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("tribunal/%s has no example: %v", p, err)
			continue
		}
		for _, imp := range file.Imports {
			if strings.Contains(imp.Path.Value, "/internal/") {
				t.Errorf("%s imports %s", path, imp.Path.Value)
			}
		}
		if name := file.Name.Name; !strings.HasSuffix(name, "_test") {
			t.Errorf("%s is in package %s, where it sees what others do not", path, name)
		}
	}
}
