package contract_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// atStart are the calls that take long for what they return, and are therefore not
// made before main begins: by package and function.
var atStart = map[string][]string{
	"regexp":   {"MustCompile", "Compile", "MustCompilePOSIX", "CompilePOSIX"},
	"template": {"Must", "New", "ParseFS", "ParseFiles", "ParseGlob"},
}

// TestNothingIsCompiledAtStart: no package compiles a regular expression or a
// template in the value of a variable or in init, where every command would wait for
// it; and those that internal/regex compiles later are expressions indeed.
func TestNothingIsCompiledAtStart(t *testing.T) {
	late := 0
	for _, name := range sources(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for call := range calls(file) {
			if of(call, "regex", "Of") {
				late++
				if err := expression(call.Args[0]); err != nil {
					t.Errorf("%s: %v", set.Position(call.Pos()), err)
				}
			}
		}
		for _, value := range evaluatedAtStart(file) {
			for call := range calls(value) {
				for from, functions := range atStart {
					if of(call, from, functions...) {
						t.Errorf("%s: a %s is compiled before main begins; use regex.Of or sync.OnceValue", set.Position(call.Pos()), from)
					}
				}
			}
		}
	}
	if late < 60 {
		t.Errorf("only %d expressions were found", late)
	}
}

// TestPackagesTakeLittleAtStart: no package of ours takes more than 64 KiB of heap
// before main begins, and all of them no more than 320: the largest, the keys of
// tribunal.yaml, took 40 when this was written, and all took 190. With the 2.7 MB that
// all packages took before, garbage was collected at every start.
func TestPackagesTakeLittleAtStart(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command(program, "-test.run=^$")
	again.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	said, err := again.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	total, packages := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init \S*\b(tribunal/\S+) .* (\d+) bytes`).FindAllStringSubmatch(string(said), -1) {
		bytes, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(m[1], "tribunal/contract") || strings.HasPrefix(m[1], "tribunal/internal/hostile") { // of tests
			continue
		}
		if total, packages = total+bytes, packages+1; bytes > 64<<10 {
			t.Errorf("%s takes %d bytes before main begins", m[1], bytes)
		}
	}
	if packages < 20 || total > 320<<10 {
		t.Errorf("%d packages take %d bytes before main begins", packages, total)
	}
}

func sources(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		apart := []string{"../scripts", "../internal/hostile"}
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path != ".." && ownModule(path) || slices.Contains(apart, filepath.ToSlash(path)) || entry.Name() == "testdata" || len(entry.Name()) > 2 && entry.Name()[0] == '.'):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			names = append(names, path)
		}
		return nil
	})
	if err != nil || len(names) < 200 {
		t.Fatalf("%d files of Go were found: %v", len(names), err)
	}
	return names
}

// evaluatedAtStart are the values of the variables of a file, and the bodies of its
// init, without the bodies of other functions, unless they are called at once.
func evaluatedAtStart(file *ast.File) (values []ast.Node) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				values = append(values, d)
			}
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				values = append(values, d.Body)
			}
		}
	}
	return values
}

// calls yields the calls below a node that are made when it is evaluated; of a whole
// file, all.
func calls(in ast.Node) func(yield func(*ast.CallExpr) bool) {
	_, all := in.(*ast.File)
	return func(yield func(*ast.CallExpr) bool) {
		atOnce, more := map[ast.Node]bool{}, true
		ast.Inspect(in, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				atOnce[n.Fun] = true
				more = more && yield(n)
			case *ast.FuncLit:
				return more && (all || atOnce[n])
			}
			return more
		})
	}
}

// of reports whether a call is of one of these functions of a package.
func of(call *ast.CallExpr, from string, functions ...string) bool {
	what, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	name, is := what.X.(*ast.Ident)
	return is && name.Name == from && slices.Contains(functions, what.Sel.Name)
}

// expression says what is wrong with a regular expression, whose parts that are no
// literals are taken for a word.
func expression(of ast.Expr) error {
	text, err := literal(of)
	if err == nil {
		_, err = regexp.Compile(text)
	}
	return err
}

func literal(of ast.Expr) (string, error) {
	switch e := of.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.BinaryExpr:
		left, err := literal(e.X)
		if err != nil {
			return "", err
		}
		right, err := literal(e.Y)
		return left + right, err
	case *ast.Ident, *ast.CallExpr:
		return "word", nil
	}
	return "", fmt.Errorf("an expression of the kind %T", of)
}
