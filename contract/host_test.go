package contract_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/read"
	"tribunal/verdict"
)

func trials(tests int) string {
	var trials strings.Builder
	for n := range tests {
		fmt.Fprintf(&trials, `{"test":"t%d","status":"pass"}`+"\n", n)
	}
	return trials.String()
}

// TestLibraryLeavesGarbageCollection: a percentage of garbage holds for the whole
// process, so that reading, judging and writing a large run in the process of
// another program leave it alone, in between as well as at the end.
func TestLibraryLeavesGarbageCollection(t *testing.T) {
	const theirs = 123
	defer debug.SetGCPercent(debug.SetGCPercent(theirs))
	done, seen := make(chan bool), make(chan map[uint64]bool)
	go watchGarbageCollection(done, seen)

	const tests = 100_000 // takes slices of more than 16 MiB, for which the program stops garbage collection
	builder := count.NewBuilder(5, 0.5)
	read.Stream(builder, "trials.ndjson", strings.NewReader(trials(tests)), "")
	policy, err := verdict.Resolve(envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	env, err := verdict.Seal(builder.Run(envelope.ConflictExtend, 5), policy)
	if err != nil {
		t.Fatal(err)
	}
	back, recorded := io.Pipe()
	go func() { recorded.CloseWithError(wire.EncodeJSON(recorded, env)) }()
	if _, err := wire.Decode(back); err != nil {
		t.Fatal(err)
	}

	close(done)
	for percent := range <-seen {
		if percent != theirs {
			t.Errorf("the garbage collection of the process stood at %d %% in between, want %d", int64(percent), theirs)
		}
	}
	if got := debug.SetGCPercent(theirs); got != theirs {
		t.Errorf("the garbage collection of the process is left at %d %%, want %d", got, theirs)
	}
}

// watchGarbageCollection looks at the percentage until it is done and says which
// it saw.
func watchGarbageCollection(done <-chan bool, seen chan<- map[uint64]bool) {
	all, percent := map[uint64]bool{}, []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for {
		metrics.Read(percent)
		all[percent[0].Value.Uint64()] = true
		select {
		case <-done:
			seen <- all
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// TestProgramOwnsGarbageCollection: the program lets 33 MiB of garbage stand where
// the runtime begins at 4, unless its user has set GOGC.
func TestProgramOwnsGarbageCollection(t *testing.T) {
	program := filepath.Join(t.TempDir(), "tribunal.exe")
	if out, err := exec.Command("go", "build", "-ldflags=-s", "-o", program, "..").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if goal := firstGoal(t, program); goal < 33 {
		t.Errorf("the program collected garbage at %d MB, want 33 or more", goal)
	}
	if goal := firstGoal(t, program, "GOGC=100"); goal > 8 {
		t.Errorf("with GOGC=100 the program collected no garbage before %d MB, want 4", goal)
	}
}

var gcGoal = regexp.MustCompile(`(?m)^gc .*, (\d+) MB goal`)

// firstGoal is the heap at which the program first collected garbage, in MB.
func firstGoal(t *testing.T, program string, env ...string) int {
	t.Helper()
	cmd := exec.Command(program, "report", "-f", "minimal")
	cmd.Stdin = strings.NewReader(trials(50_000))
	cmd.Env = append(os.Environ(), append([]string{"GODEBUG=gctrace=1", "GOGC=", "GOMEMLIMIT="}, env...)...)
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.String())
	}
	goal := gcGoal.FindStringSubmatch(trace.String())
	if goal == nil {
		t.Fatalf("no collection was traced:\n%s", trace.String())
	}
	mb, err := strconv.Atoi(goal[1])
	if err != nil {
		t.Fatal(err)
	}
	return mb
}

// owners are the folders that may set something of the whole process: the
// program's own, and what main has to ask for by a call.
var owners = map[string][]string{
	"debug.SetGCPercent":   {"internal/heap"}, // after heap.Own alone
	"debug.SetMemoryLimit": {"internal/heap"},
	"debug.SetMaxStack":    {},
	"heap.Own":             {"."},
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
